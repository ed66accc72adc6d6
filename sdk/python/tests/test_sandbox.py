"""Files, ways back and sideways, state, commands of the host."""

from __future__ import annotations

from pathlib import Path
from typing import List

import pytest

import codepod
from codepod import CommandContext, Mount, Sandbox
from codepod.types import PersistenceParams


def test_files(sandbox: Sandbox) -> None:
    files = sandbox.files
    files.write("a/b/c.txt", "text", parents=True)
    files.write("raw", b"\xff\0")
    assert files.read_text("a/b/c.txt") == "text"
    assert files.read("raw") == b"\xff\0"
    assert files.read("a/b/c.txt", offset=1, length=2) == b"ex"
    assert [(entry.name, entry.kind) for entry in files.list(".")] == [("a", "directory"), ("raw", "file")]
    assert files.stat("raw").size == 2
    files.chmod("raw", 0o600)
    assert files.stat("raw").mode == 0o600
    files.rename("raw", "a/raw")
    files.remove("a/b")
    files.mkdir("d/e")
    assert files.exists("d/e") and not files.exists("raw") and not files.exists("a/raw/x")
    with pytest.raises(codepod.FileError) as caught:
        files.read("nope")
    assert caught.value.errno == "ENOENT" and caught.value.hint


def test_snapshot_restore_undo_redo(sandbox: Sandbox) -> None:
    sandbox.run("echo 1 > f; x=1")
    before = sandbox.snapshot()
    sandbox.run("echo 2 > f; x=2")
    (change,) = sandbox.changes(from_=f"snapshot:{before.id}", diff=True).changes
    assert (change.path, change.kind) == ("/home/user/f", "modified")
    sandbox.restore(before)
    assert sandbox.run("echo $x; cat f").stdout == "1\n1\n"
    sandbox.run("rm f")
    assert [run.command for run in sandbox.undo()] == ["rm f"]
    assert sandbox.files.exists("f")
    sandbox.redo()
    assert not sandbox.files.exists("f")
    assert before in sandbox.snapshots.list()
    sandbox.snapshots.remove(before.id)
    with pytest.raises(codepod.NotFoundError):
        sandbox.restore(before)


def test_fork_adopt_merge(sandbox: Sandbox) -> None:
    sandbox.run("echo base > f; x=1")
    base = sandbox.snapshot()
    with sandbox.fork() as one, sandbox.fork() as two:
        one.run("echo one > one; x=2")
        two.run("echo two > two")
        assert one.info().parent == sandbox.id
        assert not sandbox.files.exists("one")
        sandbox.adopt(one)
        merged = sandbox.merge(two, base)
        assert [change.path for change in merged.taken] == ["/home/user/two"] and not merged.conflicts
    assert sandbox.run("echo $x; ls").stdout == "2\nf\none\ntwo\n"


def test_preview(sandbox: Sandbox) -> None:
    sandbox.run("echo x > f")
    with sandbox.preview("rm f; echo gone") as preview:
        assert preview.result.stdout == "gone\n" and "-x" in preview.diff
        assert [change.kind for change in preview.changes] == ["removed"]
    assert sandbox.files.exists("f")
    assert sandbox.preview("rm f").commit().success
    assert not sandbox.files.exists("f")


def test_environment_history_jobs(sandbox: Sandbox) -> None:
    sandbox.env.set({"A": "b c"})
    assert sandbox.env.get()["A"] == "b c"
    assert sandbox.run("echo $A").stdout == "b c\n"
    assert sandbox.shell.history.list()[-1].command == "echo $A"
    assert "base64" in sandbox.shell.complete("base6").words
    sandbox.run("sleep 100 &")
    (job,) = [job for job in sandbox.jobs.list() if job.command.startswith("sleep")]
    sandbox.jobs.signal(job.pid, signal="KILL")
    sandbox.kill()
    assert sandbox.stats().runs >= 2
    sandbox.shell.history.clear()
    assert sandbox.shell.history.list() == []


def test_a_host_directory_is_an_overlay_until_it_is_applied(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("host\n")
    with Sandbox(mounts=[Mount(host=str(tmp_path), at="/mnt/p", access="overlay")]) as sandbox:
        sandbox.run("cd /mnt/p; echo sandbox > f; echo new > g")
        assert (tmp_path / "f").read_text() == "host\n"
        assert [mount.access for mount in sandbox.mounts.list()] == ["overlay"]
        assert {change.path for change in sandbox.mounts.changes("/mnt/p").changes} == {"/mnt/p/f", "/mnt/p/g"}
        sandbox.mounts.discard("/mnt/p", paths=["/mnt/p/g"])
        applied = sandbox.mounts.apply("/mnt/p")
        assert not applied.refused
    assert (tmp_path / "f").read_text() == "sandbox\n" and not (tmp_path / "g").exists()


def test_a_state_travels(sandbox: Sandbox) -> None:
    key = bytes(range(32))
    with Sandbox(persistence=PersistenceParams(mode="exportable")) as other:
        other.run("echo x > f; v=1")
        plain, sealed = other.persistence.export(), other.persistence.export(key=key)
        kept = other.persistence.hash()
    with Sandbox(persistence=PersistenceParams(mode="exportable")) as again:
        again.persistence.import_(plain)
        assert again.run("echo $v; cat f").stdout == "1\nx\n"
        again.persistence.import_(sealed, key=key)
        assert again.persistence.hash() == kept
        with pytest.raises(codepod.StateError):
            again.persistence.import_(sealed, key=bytes(32))
    with pytest.raises(codepod.NotPersistentError):
        sandbox.persistence.save()


def test_a_function_is_a_command(sandbox: Sandbox) -> None:
    @sandbox.command("greet", aliases=["hi"], usage="greet NAME")
    def greet(arguments: List[str], context: CommandContext) -> str:
        """Greets people."""
        return f"{context.name} {' '.join(arguments)} from {context.cwd} {context.env['X']} {context.stdin_text}"

    @sandbox.command("both")
    def both(arguments: List[str], context: CommandContext) -> int:
        print("out", file=context.stdout)
        context.stderr.write(b"err\n")
        context.files.write(context.resolve_path("made"), context.stdin)
        return 7

    @sandbox.command("fails")
    def fails(arguments: List[str], context: CommandContext) -> None:
        raise ValueError("no")

    sandbox.run("mkdir d; cd d; export X=x")
    assert sandbox.run("echo in | greet a b | tr a-z A-Z").stdout == "GREET A B FROM /HOME/USER/D X IN\n"
    assert sandbox.run("hi").stdout.startswith("hi ")
    result = sandbox.run("printf '\\xff' | both")
    assert (result.exit_code, result.stdout, result.stderr) == (7, "out\n", "err\n")
    assert sandbox.files.read("d/made") == b"\xff"
    result = sandbox.run("fails")
    assert (result.exit_code, result.stderr) == (1, "fails: ValueError: no\n")
    assert "greet" in sandbox.commands.list()
    assert "Greets people" in sandbox.run("/bin/help").stdout
    assert callable(greet)


def test_a_command_is_found_by_its_path_and_as_a_module(sandbox: Sandbox) -> None:
    @sandbox.command("price")
    def price(arguments: List[str], context: CommandContext) -> str:
        return f"{context.name} {' '.join(arguments)}\n"

    assert sandbox.run("/usr/bin/price 2; cd /usr/bin; ./price 3").stdout == "price 2\nprice 3\n"
    assert sandbox.run("ln -s /usr/bin/price ~/other; ~/other 4").stdout == "price 4\n"
    result = sandbox.python.run("import price\nprint(price.get(fruit='fig'))")
    assert result.exit_code == 0 and "get" in result.stdout, result


def test_wrong_arguments_say_what_to_write(sandbox: Sandbox) -> None:
    with pytest.raises(TypeError, match="no option `memory`: did you mean `memory_bytes`"):
        Sandbox(memory=5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no option `zzz`: there are profile, cwd"):
        Sandbox(zzz=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="`mounts` holds a dict: write `codepod.Mount"):
        Sandbox(mounts=[{"host": ".", "at": "/work"}])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="not a list: `run.'ls -l'."):
        sandbox.run(["ls", "-l"])  # type: ignore[arg-type]
    with pytest.raises(codepod.FileError) as caught:
        sandbox.files.write("a/b/c.txt", "x", parents=False)
    assert caught.value.hint is not None and "`parents`" in caught.value.hint
    with pytest.raises(codepod.InvalidParamsError, match="4294967296"):
        Sandbox(memory_bytes=10**10)
    with pytest.raises(codepod.FileError, match="cannot work in `/nope`"), Sandbox(cwd="/nope") as elsewhere:
        elsewhere.run("true")


def test_a_limit_is_told_once_with_the_option_that_raises_it() -> None:
    with Sandbox(timeout=0.3) as sandbox:
        result = sandbox.run("echo partial; sleep 100")
        assert (result.exit_code, result.stdout, result.timed_out) == (124, "partial\n", True)
        assert result.stderr == "codepod: stopped after 0.3 s, its time limit; `timeout` raises it\n"
        result = sandbox.run(":(){ :|:& };:; sleep 0.1", timeout=10)
        assert result.stderr.count("codepod: ") == 1, result.stderr
        assert "there is a limit of 64 processes; `processes` raises it" in result.stderr
    with Sandbox(hints=False) as sandbox:
        assert sandbox.run("sleep 100", timeout=0.1).stderr == ""


def test_only_what_is_meant_to_be_used_is_listed() -> None:
    assert dir(codepod) == sorted(codepod.__all__)
    assert not hasattr(codepod, "Dict") and not hasattr(codepod, "BY_KIND")


def test_a_command_may_use_its_sandbox(sandbox: Sandbox) -> None:
    other = sandbox.shell.create("other")

    @sandbox.command("nested")
    def nested(arguments: List[str], context: CommandContext) -> str:
        return context.sandbox.run("echo nested $((6 * 7))", shell=other).stdout

    assert sandbox.run("x=$(nested); echo \"$x!\"").stdout == "nested 42!\n"


def test_an_async_function_is_a_command_too(sandbox: Sandbox) -> None:
    @sandbox.command("later")
    async def later(arguments: List[str], context: CommandContext) -> bytes:
        return b"\xff"

    assert sandbox.run("later").stdout_bytes == b"\xff"


def test_a_background_job_may_call_while_nobody_waits(sandbox: Sandbox) -> None:
    import threading

    called = threading.Event()

    @sandbox.command("ping")
    def ping(arguments: List[str], context: CommandContext) -> None:
        called.set()

    sandbox.run("(sleep 0.1; ping) &")
    assert called.wait(10)


def test_a_destroyed_sandbox_is_not_found() -> None:
    sandbox = Sandbox()
    sandbox.close()
    sandbox.close()
    with pytest.raises(codepod.NotFoundError):
        sandbox.run("true")
