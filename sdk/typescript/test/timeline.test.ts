import assert from "node:assert/strict";
import { test } from "node:test";

import { client, ofKind, withSandbox } from "./support.js";

const shared = client();

test("undo takes a run back, redo does it again", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.run("echo one > a; x=1");
    await sandbox.run("rm a; x=2");
    const undone = await sandbox.undo();
    assert.deepEqual(undone.map((run) => run.command), ["rm a; x=2"]);
    assert.equal((await sandbox.run("cat a; echo $x")).stdout, "one\n1\n");
    await sandbox.undo();
    await sandbox.redo();
    assert.equal((await sandbox.shell.history.list()).length, 2);
    await assert.rejects(sandbox.undo(50), ofKind("no_such_run"));
  }));

test("changes tells what a run changed, with a diff on request", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.run("printf 'a\\nb\\n' > f");
    await sandbox.run("printf 'a\\nc\\n' > f; touch new");
    const { changes, diff } = await sandbox.changes({ diff: true });
    assert.deepEqual(
      changes.map((change) => [change.path, change.kind]),
      [["/home/user/f", "modified"], ["/home/user/new", "added"]],
    );
    assert.match(diff ?? "", /-b\n\+c/);
    await sandbox.files.restore("before:2", ["/home/user/f"]);
    assert.equal(await sandbox.files.read("f"), "a\nb\n");
  }));

test("a preview changes nothing until it is committed", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.files.write("f", "old\n");
    const preview = await sandbox.preview("cat > f; echo done", { stdin: "new\n" });
    assert.equal(preview.result.stdout, "done\n");
    assert.deepEqual(preview.changes.map((change) => change.kind), ["modified"]);
    assert.match(preview.diff, /\+new/);
    assert.equal(await sandbox.files.read("f"), "old\n");
    assert.equal((await preview.commit()).stdout, "done\n");
    assert.equal(await sandbox.files.read("f"), "new\n");
    {
      await using dropped = await sandbox.preview("rm f");
      assert.equal(dropped.changes.length, 1);
    }
    assert.equal(await sandbox.files.read("f"), "new\n");
    await assert.rejects(preview.drop(), ofKind("not_found"));
  }));

test("a fork and its parent do not see each other; adopt and merge bring them together", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.run("echo base > f; v=base");
    const base = await sandbox.snapshot();
    await using fork = await sandbox.fork();
    await using other = await sandbox.fork();
    assert.equal((await fork.info()).parent, sandbox.id);
    await fork.run("echo fork > f; v=fork");
    await other.run("echo other > g");
    assert.equal((await sandbox.run("cat f; echo $v; ls")).stdout, "base\nbase\nf\n");
    await sandbox.adopt(fork);
    assert.equal((await sandbox.run("cat f; echo $v")).stdout, "fork\nfork\n");
    const merged = await sandbox.merge(other, base);
    assert.deepEqual(merged.conflicts, []);
    assert.equal((await sandbox.run("cat f g")).stdout, "fork\nother\n");
  }));

test("a snapshot is gone back to as often as one likes", () =>
  withSandbox(shared, async (sandbox) => {
    await sandbox.run("echo 1 > f");
    const snapshot = await sandbox.snapshot();
    for (let round = 0; round < 2; round += 1) {
      await sandbox.run("rm f");
      await sandbox.restore(snapshot);
      assert.equal(await sandbox.files.read("f"), "1\n");
    }
    assert.deepEqual(await sandbox.snapshots.list(), [snapshot]);
    await sandbox.snapshots.remove(snapshot);
    await assert.rejects(sandbox.restore(snapshot.id), ofKind("not_found"));
  }));
