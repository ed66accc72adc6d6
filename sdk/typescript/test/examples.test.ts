/** Runs the examples of the READMEs and of the guide: each must print what follows it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";

const root = resolve(import.meta.dirname, "../..");
const place = mkdtempSync(join(tmpdir(), "codepod-examples-"));
mkdirSync(join(place, "node_modules"));
symlinkSync(root, join(place, "node_modules/codepod"));
after(() => rmSync(place, { recursive: true }));

for (const file of ["README.md", "../../README.md", "../../docs/guides/typescript.md"]) {
  const text = readFileSync(join(root, file), "utf8");
  const examples = [...text.matchAll(/```js\n(.*?)```\n\n```text\n(.*?)```/gs)];
  test(`${file} has examples`, () => assert.equal(examples.length, text.match(/```js\n/g)?.length));
  for (const [index, [, code, output]] of examples.entries()) {
    test(`example ${index + 1} of ${file}`, async () => {
      const path = join(place, "example.mjs");
      writeFileSync(path, code ?? "");
      assert.equal(await printed(path), output);
    });
  }
}

function printed(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const node = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [node.stdout, node.stderr]) stream.on("data", (bytes: Buffer) => (text += bytes.toString()));
    node.on("error", reject);
    node.on("close", () => resolve(text));
  });
}
