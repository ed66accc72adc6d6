import assert from "node:assert/strict";
import { test } from "node:test";

import { client, ofKind, withSandbox } from "./support.js";

const shared = client();

test("a command's status and streams come back", () =>
  withSandbox(shared, async (sandbox) => {
    const result = await sandbox.run("echo out; echo err >&2; exit 3");
    assert.equal(result.exitCode, 3);
    assert.equal(result.success, false);
    assert.equal(result.stdout, "out\n");
    assert.equal(result.stderr, "err\n");
    assert.equal(result.run, 1);
    assert.ok(result.executionTimeMs > 0 && !result.timedOut && !result.cancelled && !result.crashed && !result.truncated);
    assert.deepEqual([...result.stdoutBytes], [...Buffer.from("out\n")]);
    assert.equal(JSON.parse(JSON.stringify(result)).exitCode, 3);
  }));

test("check passes a success on and makes a failure an error", () =>
  withSandbox(shared, async (sandbox) => {
    assert.equal((await sandbox.run("echo hi")).check().stdout, "hi\n");
    const failed = await sandbox.run("cat nope");
    assert.throws(() => failed.check(), ofKind("command_failed"));
    assert.throws(() => failed.check(), /status 1: cat: nope: No such file or directory/);
  }));

test("variables and the working directory stay, env and arguments do not", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.run("kept=yes; mkdir -p a/b; cd a/b");
    const given = { env: { GIVEN: "env" }, arguments: ["one", "two three"] };
    const result = await sandbox.run('echo "$kept $PWD $GIVEN $1-$2"', given);
    assert.equal(result.stdout, "yes /home/user/a/b env one-two three\n");
    assert.equal((await sandbox.run('echo "[$GIVEN$1]"')).stdout, "[]\n");
  }));

test("bytes that are not UTF-8 go in and come out as they are", () =>
  withSandbox(shared, async (sandbox) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const result = await sandbox.run("cat; cat >&2 /dev/null", { stdin: bytes });
    assert.deepEqual(result.stdoutBytes, bytes);
    assert.ok(result.stdout.includes("\ufffd"));
    await sandbox.files.write("bytes", bytes);
    assert.deepEqual(await sandbox.files.readBytes("bytes"), bytes);
    let text = "";
    const streamed = await sandbox.run("cat bytes", { onStdout: (piece) => void (text += piece) });
    assert.deepEqual(streamed.stdoutBytes, bytes);
    assert.equal(text, new TextDecoder().decode(bytes));
  }));

test("half a surrogate pair is replaced and hurts nobody", () =>
  withSandbox(shared, async (sandbox) => {
    assert.equal((await sandbox.run("cat", { stdin: "a\ud83db\udc00\\ud83d" })).stdout, "a\ufffdb\ufffd\\ud83d");
    assert.equal((await sandbox.run("printf %s '\ud83d\ude00'")).stdout, "\u{1f600}");
  }));

test("callbacks get the output while the command runs, and the result has all of it", () =>
  withSandbox(shared, async (sandbox) => {
    const seen: [string, string, number][] = [];
    const start = performance.now();
    const note = (stream: string) => (text: string) => void seen.push([stream, text, performance.now() - start]);
    const result = await sandbox.run("echo one; sleep 0.3; echo two >&2; sleep 0.3; echo three", {
      onStdout: note("out"),
      onStderr: note("err"),
    });
    const took = performance.now() - start;
    assert.deepEqual(
      seen.map(([stream, text]) => [stream, text]),
      [["out", "one\n"], ["err", "two\n"], ["out", "three\n"]],
    );
    assert.ok(seen[0]![2] < took - 400, `the first came after ${seen[0]![2]} of ${took} ms`);
    assert.equal(result.stdout, "one\nthree\n");
    assert.equal(result.stderr, "two\n");
  }));

test("a callback that throws ends the run, and the call fails with what it threw", () =>
  withSandbox(shared, async (sandbox) => {
    const fault = new Error("enough");
    const start = performance.now();
    const onStdout = () => {
      throw fault;
    };
    await assert.rejects(sandbox.run("while echo; do sleep 0.1; done", { onStdout }), fault);
    assert.ok(performance.now() - start < 5_000);
    assert.equal((await sandbox.run("echo still here")).stdout, "still here\n");
  }));

test("an aborted signal ends the command and nothing of it is left", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.run("true");
    const start = performance.now();
    await assert.rejects(sandbox.run("sleep 60 | sleep 60", { signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
    assert.ok(performance.now() - start < 5_000);
    const left = (await sandbox.jobs.list()).filter((job) => job.command.includes("sleep"));
    assert.deepEqual(left, []);
    await assert.rejects(sandbox.run("touch ran", { signal: AbortSignal.abort() }), { name: "AbortError" });
    assert.equal((await sandbox.run("ls")).stdout, "");
  }));

test("a signal that is aborted at once is never lost", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.run("true");
    for (let round = 0; round < 50; round += 1) {
      const controller = new AbortController();
      const run = sandbox.run("sleep 20", { signal: controller.signal });
      if (round % 2 === 0) await new Promise(setImmediate);
      controller.abort();
      await assert.rejects(run, { name: "AbortError" });
    }
  }));

test("a timeout ends the command with 124", () =>
  withSandbox(shared, async (sandbox) => {
    const result = await sandbox.run("echo before; sleep 60", { timeoutMs: 200 });
    assert.equal(result.exitCode, 124);
    assert.ok(result.timedOut);
    assert.equal(result.stdout, "before\n");
  }));

test("long output is cut in the middle and kept whole inside", () =>
  withSandbox(shared, async (sandbox) => {
    const result = await sandbox.run("seq 10000", { outputBudget: 1000 });
    assert.ok(result.stdout.length < 2000);
    const cut = result.stdoutCut;
    assert.ok(cut !== undefined && cut.omitted > 40_000);
    assert.ok(result.stdout.includes(`\n[${cut.omitted} bytes are not shown; all of it is in ${cut.path}]\n`));
    assert.equal((await sandbox.run(`tail -n 1 ${cut.path}`)).stdout, "10000\n");
  }));

test("what is too large for one message is refused, and goes in as input", () =>
  withSandbox(
    shared,
    async (sandbox) => {
      const large = new Uint8Array(60_000_000).fill(7);
      await assert.rejects(sandbox.files.write("large", large), ofKind("too_large"));
      (await sandbox.run("cat > large", { stdin: large })).check();
      assert.equal((await sandbox.files.stat("large")).size, 60_000_000);
      assert.deepEqual(await sandbox.files.readBytes("large", { offset: 59_999_990 }), large.subarray(0, 10));
    },
    { timeoutMs: 120_000 },
  ));

test("the same idempotency key runs once", () =>
  withSandbox(shared, async (sandbox) => {
    const again = () => sandbox.run("echo x >> log; wc -l < log", { idempotencyKey: "one" });
    const [first, second] = [await again(), await again()];
    assert.equal(first.stdout, second.stdout);
    assert.equal(await sandbox.files.read("log"), "x\n");
  }));

test("a hundred runs in a hundred sandboxes at a time", async () => {
  const sandboxes = await Promise.all(Array.from({ length: 100 }, () => shared.create()));
  const results = await Promise.all(sandboxes.map((sandbox, index) => sandbox.run(`echo ${index} | sed s/^/n/`)));
  assert.deepEqual(results.map((result) => result.stdout), sandboxes.map((_, index) => `n${index}\n`));
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
});

test("a thousand calls of one sandbox at a time", () =>
  withSandbox(shared, async (sandbox) => {
    const names = Array.from({ length: 1000 }, (_, index) => `f${index}`);
    await Promise.all(names.map((name) => sandbox.files.write(name, name)));
    const runs = await Promise.all(names.slice(0, 300).map((name) => sandbox.run(`cat ${name}`)));
    assert.deepEqual(runs.map((run) => run.stdout), names.slice(0, 300));
  }));

test("an error names its kind, its hint and the place of the call", () =>
  withSandbox(shared, async (sandbox) => {
    await assert.rejects(sandbox.files.read("nope"), ofKind("file"));
    await assert.rejects(sandbox.files.read("nope"), { errno: "ENOENT" });
    await assert.rejects(shared.sandbox("sb_none").run("true"), ofKind("not_found"));
    const error: unknown = await readsNothing().catch((error: unknown) => error);
    assert.match((error as Error).stack ?? "", /readsNothing/);
    async function readsNothing() {
      await sandbox.files.read("nope");
    }
  }));

test("a closed sandbox is gone, and closing it again is nothing", async () => {
  const sandbox = await shared.create();
  await sandbox.close();
  await sandbox.close();
  await assert.rejects(sandbox.run("true"), ofKind("not_found"));
});
