import assert from "node:assert/strict";
import { test } from "node:test";

import { client, ofKind, withSandbox } from "./support.js";

const shared = client();

test("output comes as it is printed, and the result at the end", () =>
  withSandbox(shared, async (sandbox) => {
    const stream = sandbox.stream("for i in 1 2 3; do echo $i; sleep 0.2; done; exit 4");
    const times: number[] = [];
    let text = "";
    for await (const chunk of stream) {
      assert.equal(chunk.stream, "stdout");
      assert.deepEqual(chunk.bytes, new TextEncoder().encode(chunk.text));
      text += chunk.text;
      times.push(performance.now());
    }
    assert.equal(text, "1\n2\n3\n");
    assert.ok(times.at(-1)! - times[0]! > 300);
    assert.equal((await stream.result).exitCode, 4);
  }));

test("a character that is cut in two comes whole", () =>
  withSandbox(shared, async (sandbox) => {
    const stream = sandbox.stream("printf 'a\\xe2\\x82'; sleep 0.2; printf '\\xacb\\xff'; sleep 0.2; printf '\\xe2'");
    let text = "";
    const bytes: number[] = [];
    for await (const chunk of stream) {
      text += chunk.text;
      bytes.push(...chunk.bytes);
    }
    assert.equal(text, "a\u20acb\ufffd\ufffd");
    assert.deepEqual(bytes, [0x61, 0xe2, 0x82, 0xac, 0x62, 0xff, 0xe2]);
  }));

test("a megabyte passes whole", () =>
  withSandbox(shared, async (sandbox) => {
    let length = 0;
    for await (const chunk of sandbox.stream("head -c 1000000 /dev/zero | tr '\\0' x")) length += chunk.text.length;
    assert.equal(length, 1_000_000);
  }));

test("leaving the loop ends the command", () =>
  withSandbox(shared, async (sandbox) => {
    const stream = sandbox.stream("while echo tick; do sleep 0.05; done");
    for await (const chunk of stream) {
      assert.match(chunk.text, /tick/);
      break;
    }
    const result = await stream.result;
    assert.ok(result.cancelled);
    assert.equal(result.exitCode, 130);
  }));

test("cancel gives a result, an aborted signal rejects", () =>
  withSandbox(shared, async (sandbox) => {
    const stream = sandbox.stream("sleep 60");
    await stream.cancel();
    assert.equal((await stream.result).exitCode, 130);
    const aborted = sandbox.stream("sleep 60", { signal: AbortSignal.timeout(100) });
    await assert.rejects(
      async () => {
        for await (const _ of aborted);
      },
      { name: "TimeoutError" },
    );
    await assert.rejects(aborted.result, { name: "TimeoutError" });
  }));

test("a command can be talked with", () =>
  withSandbox(shared, async (sandbox) => {
    const stream = sandbox.stream('while read -r word; do echo "got $word"; done; echo bye', { interactive: true });
    const said: string[] = [];
    await stream.write("one\n");
    for await (const chunk of stream) {
      said.push(chunk.text);
      if (said.length === 1) await stream.write("two\n");
      if (said.length === 2) await stream.end();
    }
    assert.equal(said.join(""), "got one\ngot two\nbye\n");
    await assert.rejects(stream.write("late"), ofKind("not_found"));
  }));

test("input can be an async iterable, text or bytes of any length", () =>
  withSandbox(shared, async (sandbox) => {
    async function* lines() {
      for (let index = 0; index < 5; index += 1) yield `line ${index}\n`;
    }
    assert.equal((await sandbox.run("wc -l", { stdin: lines() })).stdout, "5\n");
    const long = "\u{1f600}".repeat(1_500_000);
    const counted = await sandbox.run("wc -c; echo >&2 done", { stdin: `x${long}`, onStderr: () => {} });
    assert.equal(counted.stdout, "6000001\n");
    const bytes = new Uint8Array(3_000_000).fill(0xff);
    assert.equal((await sandbox.run("wc -c", { stdin: bytes, onStdout: () => {} })).stdout, "3000000\n");
  }));

test("a command that does not read its input to the end is no failure", () =>
  withSandbox(shared, async (sandbox) => {
    async function* endless() {
      for (;;) yield "y\n".repeat(1000);
    }
    assert.equal((await sandbox.run("head -n 1", { stdin: endless() })).stdout, "y\n");
  }));

test("Python is streamed too", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.python.run("n = 1");
    const stream = sandbox.python.stream("print('ready')\nfor line in open(0): n += len(line)\nn", { interactive: true });
    let text = "";
    for await (const chunk of stream) {
      if (text === "") {
        await stream.write("abc");
        await stream.end();
      }
      text += chunk.text;
    }
    assert.equal(text, "ready\n4\n");
    assert.ok((await stream.result).success);
    let told = "";
    const result = await sandbox.python.run("print(n)", { onStdout: (piece) => void (told += piece) });
    assert.deepEqual([told, result.stdout], ["4\n", "4\n"]);
    const endless = sandbox.python.stream("n = 0\nwhile True: pass");
    await endless.cancel();
    assert.ok((await endless.result).cancelled);
    assert.equal((await sandbox.python.run("n")).stdout, "4\n");
  }));

test("JavaScript is streamed too", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.js.run("let n = 1");
    const code = "console.log('ready'); for await (const piece of process.stdin) n += piece.length; n";
    const stream = sandbox.js.stream(code, { interactive: true });
    let text = "";
    for await (const chunk of stream) {
      if (text === "") {
        await stream.write("abc");
        await stream.end();
      }
      text += chunk.text;
    }
    assert.equal(text, "ready\n4\n");
    assert.equal((await sandbox.js.run("n")).stdout, "4\n");
  }));
