import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { findBinary } from "../src/binary.js";
import { Client, Sandbox, sharedClient, StdioTransport } from "../src/index.js";
import { ofKind, until } from "./support.js";

const index = pathToFileURL(join(import.meta.dirname, "../src/index.js")).href;

test("a killed server gives a clear error, and the next sandbox a new server", async () => {
  const sandbox = await Sandbox.create();
  const transport = sharedClient().transport as StdioTransport;
  const waiting = sandbox.run("sleep 60");
  const failure = assert.rejects(waiting, ofKind("server_gone"));
  process.kill(transport.pid!, "SIGKILL");
  await failure;
  await assert.rejects(waiting, /the codepod server ended by SIGKILL/);
  await assert.rejects(sandbox.run("true"), ofKind("server_gone"));
  await sandbox.close();
  await using another = await Sandbox.create();
  assert.equal((await another.run("echo back")).stdout, "back\n");
  await sharedClient().close();
});

test("a client that is closed has no server any more", async () => {
  const client = new Client();
  const sandbox = await client.create();
  const { pid } = client.transport as StdioTransport;
  const waiting = assert.rejects(sandbox.run("sleep 60"), ofKind("closed"));
  await client.close();
  await waiting;
  assert.throws(() => process.kill(pid!, 0));
  await assert.rejects(client.create(), ofKind("closed"));
});

test("a program that is missing or is not codepod is named", async () => {
  await assert.rejects(new Client({ binary: "/nonexistent/codepod" }).create(), ofKind("server_gone"));
  await assert.rejects(new Client({ binary: "/nonexistent/codepod" }).create(), /nonexistent/);
  await assert.rejects(new Client({ binary: "/bin/false" }).create(), /ended with status 1/);
  await assert.rejects(new Client({ binary: "/bin/echo" }).create(), ofKind("server_gone"));
});

test("the program is found by CODEPOD_BIN, then in PATH; what is wrong is said", () => {
  const directory = mkdtempSync(join(tmpdir(), "codepod-"));
  try {
    const program = join(directory, "codepod");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    assert.equal(findBinary({ CODEPOD_BIN: program, PATH: "" }), program);
    assert.equal(findBinary({ PATH: `/nonexistent:${directory}` }), program);
    assert.throws(() => findBinary({ CODEPOD_BIN: directory, PATH: directory }), ofKind("binary_not_found"));
    assert.throws(() => findBinary({ PATH: "/nonexistent" }), ofKind("binary_not_found"));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("Node ends by itself although a sandbox is open, and waits for calls that are under way", () => {
  const script = `
    import { Sandbox } from ${JSON.stringify(index)};
    const sandbox = await Sandbox.create();
    sandbox.run("sleep 0.3; echo late").then((result) => console.log(result.stdout.trim()));
  `;
  const start = performance.now();
  const node = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", timeout: 20_000 });
  assert.equal(node.stdout, "late\n", node.stderr);
  assert.equal(node.status, 0);
  assert.ok(performance.now() - start < 15_000);
});

test("the server dies with its client, however that ends", async () => {
  const script = `
    import { Sandbox } from ${JSON.stringify(index)};
    const sandbox = await Sandbox.create();
    console.log(sandbox.client.transport.pid);
    await sandbox.run("sleep 60");
  `;
  const node = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(node.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  assert.ok(pid > 0);
  node.kill("SIGKILL");
  await until(() => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  }, "the server is gone");
});
