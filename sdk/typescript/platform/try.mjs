// As a new user would: installs both tarballs into an empty directory with npm, runs the README's example, and has the types
// checked in a strict project.
//
//   node platform/try.mjs BINARY
//
// `npm ci` and `npm run build` come before. Prints how long it took from the empty directory to the result; more than a minute
// is a failure.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const LONGEST_SECONDS = 60;

const root = resolve(import.meta.dirname, "..");
const [binary] = process.argv.slice(2);
if (binary === undefined) {
  console.error("usage: node platform/try.mjs BINARY");
  process.exit(2);
}
const place = mkdtempSync(join(tmpdir(), "codepod-try-"));
try {
  const here = `${process.platform}-${process.arch}`;
  const options = [resolve(binary), join(place, "packs"), here, here];
  const packs = run(process.execPath, [join(import.meta.dirname, "pack.mjs"), ...options], root);
  const start = performance.now();
  const user = join(place, "user");
  mkdirSync(user);
  run("npm", ["init", "--yes"], user);
  run("npm", ["install", "--no-audit", "--no-fund", ...packs.trim().split("\n")], user);
  const [, example, output] = /```js\n(.*?)```\n\n```text\n(.*?)```/s.exec(readFileSync(join(root, "README.md"), "utf8"));
  writeFileSync(join(user, "example.mjs"), example);
  same(run(process.execPath, ["example.mjs"], user), output, "the README's example");
  const seconds = (performance.now() - start) / 1000;
  same(run("npx", ["--no-install", "codepod", "run", "echo hello | tr a-z A-Z"], user), "HELLO\n", "npx codepod");
  checkTypes(user);
  console.log(`ok: from an empty directory to the README's result in ${seconds.toFixed(1)} s`);
  if (seconds > LONGEST_SECONDS) throw new Error(`that is longer than ${LONGEST_SECONDS} s`);
} finally {
  rmSync(place, { recursive: true });
}

/** A project that is as strict as can be, and that has nothing of ours but the tarball. */
function checkTypes(user) {
  const source = `import { CodepodError, Sandbox, callTool, tools } from "codepod";
await using sandbox = await Sandbox.create({ timeoutMs: 1000, mounts: [{ host: ".", at: "/mnt", access: "ro" }] });
const length: number = (await sandbox.run("ls", { onStdout: (text) => text.length })).stdoutBytes.length;
for await (const chunk of sandbox.stream("ls")) chunk.text.length + length;
await sandbox.command("x", async (call) => call.args.join());
await callTool(sandbox, tools.anthropic()[0]!.name, {});
try { await sandbox.files.read("x"); } catch (error) { if (error instanceof CodepodError && error.kind === "file") throw error; }
// @ts-expect-error there is no such option
await sandbox.run("ls", { nonsense: 1 });
`;
  writeFileSync(join(user, "strict.mts"), source);
  const options = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--module", "nodenext", "--target", "es2022"];
  const types = ["--lib", "es2022,dom,esnext.disposable", "--types", ""];
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options, ...types, "strict.mts"], user);
}

/** Runs a program with nothing of codepod in its environment, and gives what it prints. */
function run(program, options, directory) {
  const { CODEPOD_BIN: _binary, ...env } = process.env;
  try {
    return execFileSync(program, options, { cwd: directory, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${program} ${options.join(" ")} failed:\n${error.stdout}${error.stderr}`);
  }
}

function same(printed, expected, what) {
  if (printed !== expected) throw new Error(`${what} prints\n${printed}and not\n${expected}`);
}
