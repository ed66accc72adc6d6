import assert from "node:assert/strict";
import { test } from "node:test";

import { client, withSandbox } from "./support.js";

const shared = client();

test("a function is a command: arguments, input, status, complaint", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.command("upper", (call) => call.stdin.toUpperCase() + call.args.join("|"), {
      aliases: ["up"],
      description: "writes in upper case",
      usage: "upper [WORD]...",
    });
    await sandbox.command("judge", async () => ({ exitCode: 3, stdout: "seen\n", stderr: "no\n" }));
    await sandbox.command("broken", () => {
      throw new Error("cannot");
    });
    assert.equal((await sandbox.run("echo hi | upper 'a b' c")).stdout, "HI\na b|c");
    assert.equal((await sandbox.run("echo hi | up | cat -A")).stdout, "HI$\n");
    const judged = await sandbox.run("judge");
    assert.deepEqual([judged.exitCode, judged.stdout, judged.stderr], [3, "seen\n", "no\n"]);
    const broken = await sandbox.run("broken");
    assert.deepEqual([broken.exitCode, broken.stderr], [1, "broken: cannot\n"]);
    assert.ok((await sandbox.commands.list()).includes("upper"));
    assert.match((await sandbox.run("upper --help")).stdout, /upper \[WORD\]\.\.\./);
    assert.deepEqual((await sandbox.shell.complete("uppe")).words, ["upper"]);
  }));

test("a command sees where it is called, and can use the files meanwhile", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.command("slurp", async (call) => {
      const path = call.resolvePath(call.args[0] ?? "");
      await call.sandbox.files.write("/tmp/seen", path);
      return `${call.name} ${call.cwd} ${call.env["WHO"]} ${await call.sandbox.files.read(path)}`;
    });
    const result = await sandbox.run("mkdir -p d/e; echo text > d/f; cd d/e; WHO=me slurp ../f");
    assert.equal(result.stdout, "slurp /home/user/d/e me text\n");
    assert.equal(await sandbox.files.read("/tmp/seen"), "/home/user/d/f");
  }));

test("a command takes and gives bytes", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.command("reverse", (call) => call.stdinBytes.toReversed());
    const result = await sandbox.run("printf '\\xff\\x00\\x01' | reverse");
    assert.deepEqual([...result.stdoutBytes], [1, 0, 255]);
  }));

test("many calls at a time are told apart", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.command("wait-for", async (call) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
      return `${call.args[0]}\n`;
    });
    const { stdout } = await sandbox.run("for i in 1 2 3 4 5 6 7 8; do wait-for $i & done | sort; wait");
    assert.equal(stdout, "1\n2\n3\n4\n5\n6\n7\n8\n");
  }));

test("a fork has the commands of its parent, also when that is gone", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.command("who", (call) => call.sandbox.id, { aliases: ["whoami2"] });
    await using fork = await sandbox.fork();
    assert.equal((await fork.run("who")).stdout, fork.id);
    assert.equal((await sandbox.run("who")).stdout, sandbox.id);
    await sandbox.close();
    assert.equal((await fork.run("whoami2")).stdout, fork.id);
  }));
