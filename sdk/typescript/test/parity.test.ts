/**
 * Calls every method of the table as a user would, and leaves the names of those that succeeded in the directory that
 * `CODEPOD_PARITY` names: the parity table is made of it.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Client, ROUTES, StdioTransport, type MethodName, type Transport } from "../src/index.js";

/** A way to the server that notes which methods succeeded. */
function noting(transport: Transport, succeeded: Set<MethodName>): Transport {
  return {
    async call(method, params, options) {
      const result = await transport.call(method, params, options);
      succeeded.add(method);
      return result;
    },
    async stream(method, params, onOutput, options) {
      const result = await transport.stream(method, params, onOutput, options);
      succeeded.add(method);
      return result;
    },
    answer: (sandboxId, name, answer) => transport.answer(sandboxId, name, answer),
    forget: (sandboxId) => transport.forget(sandboxId),
    decide: (decider) => transport.decide(decider),
    decideNoMore: (word) => transport.decideNoMore(word),
    close: () => transport.close(),
  };
}

test("every method of the table succeeds from TypeScript", async () => {
  const place = mkdtempSync(join(tmpdir(), "codepod-parity-"));
  const succeeded = new Set<MethodName>();
  const transport = new StdioTransport({ network: true, arguments: ["--states", join(place, "states")] });
  const client = new Client({ transport: noting(transport, succeeded) });
  try {
    await callAll(client, place);
    assert.deepEqual(
      (await client.listStates()).map((state) => state.namespace),
      ["parity"],
    );
    await client.removeStates("parity");
    assert.deepEqual(await client.listStates(), []);
  } finally {
    await client.close();
    rmSync(place, { recursive: true });
    const directory = process.env["CODEPOD_PARITY"];
    const list = `${JSON.stringify([...succeeded].sort())}\n`;
    if (directory !== undefined) writeFileSync(join(directory, "typescript.json"), list);
  }
  assert.deepEqual([...succeeded].sort(), Object.keys(ROUTES).sort());
});

async function callAll(client: Client, place: string): Promise<void> {
  assert.ok((await client.info()).methods.length > 40);
  await using sandbox = await client.create({ persistence: { mode: "persistent", namespace: "parity" } });
  assert.equal((await client.list())[0]?.sandboxId, sandbox.id);
  assert.equal((await sandbox.info()).namespace, "parity");

  // Runs, their input and their end.
  assert.equal((await sandbox.run("echo hi")).stdout, "hi\n");
  const talk = sandbox.stream("read -r word; echo got $word; sleep 60", { interactive: true });
  await talk.write("it\n");
  for await (const chunk of talk) {
    assert.equal(chunk.text, "got it\n");
    break;
  }
  const sleeping = client.call("run", { sandboxId: sandbox.id, command: "sleep 60", runId: "sleeper" });
  for (;;) {
    const jobs = await sandbox.jobs.list();
    const sleep = jobs.find((job) => job.command.startsWith("sleep"));
    if (sleep !== undefined) break;
  }
  await client.call("run.cancel", { sandboxId: sandbox.id, runId: "sleeper" });
  assert.ok((await sleeping).cancelled);

  const background = await sandbox.start("read -r word; echo got $word", { cwd: "/tmp" });
  await background.write("it\n");
  assert.equal((await background.wait()).stdout, "got it\n");
  await background.kill();

  // Files.
  await sandbox.files.write("a", "first\nsecond\n");
  assert.equal((await sandbox.files.edit("a", [{ old: "first\nsecond\n", new: "text" }])).replaced, 1);
  assert.equal((await sandbox.files.grep("^text$")).matches[0]?.line, 1);
  assert.deepEqual((await sandbox.files.glob("a")).paths, ["a"]);
  assert.equal(await sandbox.files.read("a"), "text");
  await sandbox.files.mkdir("d/e");
  assert.deepEqual(await sandbox.files.list(), [{ name: "a", kind: "file" }, { name: "d", kind: "directory" }]);
  await sandbox.files.rename("a", "d/b");
  await sandbox.files.chmod("d/b", 0o600);
  assert.equal((await sandbox.files.stat("d/b")).mode & 0o777, 0o600);
  await sandbox.files.remove("d");

  // Environment and shells.
  await sandbox.env.set({ NAME: "value" });
  assert.equal((await sandbox.env.get())["NAME"], "value");
  const shell = await sandbox.shell.create("other");
  assert.equal((await shell.run('x=1; echo "other $NAME"')).stdout, "other \n");
  assert.deepEqual(await sandbox.shell.list(), ["", "other"]);
  await shell.close();
  assert.deepEqual((await sandbox.shell.complete("ech")).words, ["echo"]);

  // The network.
  assert.equal((await sandbox.network.check("https://api.test/")).allowed, false);
  await sandbox.network.set({ allowedHosts: ["api.test"] });
  assert.equal((await sandbox.network.check("https://api.test/")).allowed, true);
  await sandbox.run(": < /dev/tcp/other.test/443");
  assert.equal((await sandbox.network.log())[0]?.outcome, "denied");

  // Python.
  await sandbox.python.run("n = 41");
  assert.equal((await sandbox.python.run("n + 1")).stdout, "42\n");
  await sandbox.python.reset();
  assert.match((await sandbox.python.run("n")).stderr, /NameError/);

  // JavaScript.
  await sandbox.js.run("const n = await Promise.resolve(41)");
  assert.equal((await sandbox.js.run("n + 1")).stdout, "42\n");
  await sandbox.js.reset();
  assert.match((await sandbox.js.run("n")).stderr, /ReferenceError/);

  // Time.
  await sandbox.run("echo 1 > f");
  const before = await sandbox.snapshot();
  const { run } = await sandbox.run("echo 2 > f");
  assert.equal((await sandbox.changes()).changes[0]?.kind, "modified");
  await sandbox.undo();
  await sandbox.redo();
  await sandbox.files.restore(`before:${run}`, ["/home/user/f"]);
  assert.equal(await sandbox.files.read("f"), "1\n");
  await sandbox.restore(before);
  assert.equal((await sandbox.snapshots.list()).length, 1);
  assert.ok((await sandbox.shell.history.list()).length > 0);
  await (await sandbox.preview("echo 3 > f")).commit();
  await (await sandbox.preview("rm f")).drop();
  assert.equal(await sandbox.files.read("f"), "3\n");

  // Forks.
  {
    await using fork = await sandbox.fork();
    await fork.run("echo fork > g");
    assert.deepEqual((await sandbox.merge(fork, before)).conflicts.map(({ path }) => path), []);
    await sandbox.adopt(fork);
  }
  await sandbox.snapshots.remove(before);
  await sandbox.shell.history.clear();

  // Processes.
  const waiting = sandbox.run("sleep 61");
  let pid: number | undefined;
  while (pid === undefined) pid = (await sandbox.jobs.list()).find((job) => job.command.startsWith("sleep 61"))?.pid;
  await sandbox.jobs.signal(pid, { signal: "KILL" });
  assert.equal((await waiting).exitCode, 137);
  await sandbox.kill();
  assert.ok((await sandbox.stats()).runs > 5);

  // Commands.
  await sandbox.command("mine", () => "answered\n");
  assert.ok((await sandbox.commands.list()).includes("mine"));
  assert.equal((await sandbox.run("mine")).stdout, "answered\n");

  // States.
  const saved = await sandbox.persistence.save();
  assert.ok(saved.sequence >= 1);
  const hash = await sandbox.persistence.hash();
  await sandbox.run("rm -f f g");
  await sandbox.persistence.load();
  assert.equal(await sandbox.persistence.hash(), hash);
  const state = await sandbox.persistence.export();
  await sandbox.run("echo gone > f");
  await sandbox.persistence.import(state);
  assert.equal(await sandbox.files.read("f"), "3\n");

  // Host directories.
  const host = join(place, "host");
  mkdirSync(host);
  await using overlaid = await client.create({ mounts: [{ host, at: "/mnt/host", access: "overlay" }] });
  assert.deepEqual(await overlaid.mounts.list(), [{ at: "/mnt/host", access: "overlay" }]);
  await overlaid.run("echo kept > /mnt/host/kept; echo dropped > /mnt/host/dropped");
  assert.equal((await overlaid.mounts.changes("/mnt/host")).changes.length, 2);
  assert.equal((await overlaid.mounts.apply("/mnt/host", { paths: ["/mnt/host/kept"] })).applied.length, 1);
  assert.equal((await overlaid.mounts.discard("/mnt/host")).length, 1);
  assert.equal(readFileSync(join(host, "kept"), "utf8"), "kept\n");
}
