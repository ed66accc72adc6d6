/** The same client over HTTP, against `codepod serve`. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { after, before, test } from "node:test";

import { findBinary } from "../src/binary.js";
import { Client } from "../src/index.js";
import { ofKind, until, withSandbox } from "./support.js";

let url = "";
let apiKey = "";
let client: Client;
let server: ChildProcess | undefined;

after(() => void server?.kill());

before(async () => {
  const options = ["serve", "--listen", "127.0.0.1:0", "--log", "off"];
  const started = spawn(findBinary(), options, { stdio: ["ignore", "pipe", "pipe"] });
  server = started;
  let said = "";
  for (const stream of [started.stdout, started.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  await until(() => /key of this run: \S+\n/.test(said), "the server listens");
  url = /listening on (\S+)/.exec(said)?.[1] ?? "";
  apiKey = /key of this run: (\S+)/.exec(said)?.[1] ?? "";
  client = new Client({ url, apiKey });
});

test("a sandbox over HTTP is as one over stdio", () =>
  withSandbox(client, async (sandbox) => {
    assert.ok((await client.list()).some(({ sandboxId }) => sandboxId === sandbox.id));
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await sandbox.files.write("d/a b&c", bytes, { parents: true });
    assert.deepEqual(await sandbox.files.readBytes("d/a b&c", { offset: 250 }), bytes.subarray(250));
    assert.deepEqual((await sandbox.run("cat", { stdin: bytes })).stdoutBytes, bytes);
    await sandbox.env.set({ NAME: "value" });
    assert.equal((await sandbox.run("x=1; echo $NAME")).stdout, "value\n");
    const snapshot = await sandbox.snapshot();
    await sandbox.run("rm -r d; x=2");
    await sandbox.restore(snapshot);
    assert.equal((await sandbox.run("echo $x; ls")).stdout, "1\nd\n");
    await using fork = await sandbox.fork();
    assert.equal((await fork.run("echo $x")).stdout, "1\n");
    const preview = await sandbox.preview("rm -r d");
    assert.ok(preview.changes.length > 0);
    await preview.drop();
    await sandbox.run("touch new");
    assert.deepEqual((await sandbox.changes()).changes.map(({ path }) => path), ["/home/user/new"]);
    assert.equal((await sandbox.undo()).length, 1);
  }));

test("output is streamed, input is taken, cancel and abort end the run", () =>
  withSandbox(client, async (sandbox) => {
    const times: number[] = [];
    const result = await sandbox.run("echo one; sleep 0.4; printf '\\xff' >&2; exit 3", {
      onStdout: () => times.push(performance.now()),
      onStderr: () => times.push(performance.now()),
    });
    assert.ok(times[1]! - times[0]! > 200);
    assert.deepEqual([result.stdout, [...result.stderrBytes], result.exitCode], ["one\n", [255], 3]);

    const talk = sandbox.stream('while read -r word; do echo "got $word"; done', { interactive: true });
    await talk.write("it\n");
    for await (const chunk of talk) {
      assert.equal(chunk.text, "got it\n");
      await talk.end();
    }
    assert.equal((await talk.result).exitCode, 0);

    const sleeping = sandbox.stream("echo begun; sleep 60");
    for await (const chunk of sleeping) {
      assert.equal(chunk.text, "begun\n");
      break;
    }
    assert.ok((await sleeping.result).cancelled);
    await assert.rejects(sandbox.run("sleep 60", { signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
    await until(async () => (await sandbox.jobs.list()).every((job) => !job.command.startsWith("sleep")), "nothing is left");
  }));

test("hundreds of calls at a time", () =>
  withSandbox(client, async (sandbox) => {
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    const results = await Promise.all(numbers.map((number) => sandbox.run(`echo ${number}`)));
    assert.deepEqual(results.map(({ stdout }) => Number(stdout)), numbers);
  }));

test("errors are those of the table", async () => {
  await assert.rejects(new Client({ url }).list(), ofKind("unauthorized"));
  await assert.rejects(new Client({ url, apiKey: "cpk_wrong" }).list(), ofKind("unauthorized"));
  await assert.rejects(client.sandbox("sb_none").run("true"), ofKind("not_found"));
  await assert.rejects(client.create({ mounts: [{ host: "/", at: "/mnt/host" }] }), ofKind("denied"));
  await withSandbox(client, async (sandbox) => {
    await assert.rejects(sandbox.files.read("nope"), { kind: "file", errno: "ENOENT" });
    await assert.rejects(sandbox.command("mine", () => "x"), ofKind("unsupported"));
  });
});
