"""Every method of the table is called, through what people use, and the list of those that answered is written down."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Set

import pytest

from codepod import Client, CommandContext, Mount, Network, PersistenceParams, Sandbox
from codepod.types import Edit
from codepod._generated.routes import ROUTES
from codepod._transport._sync import StdioConnection

#: Methods that this package does not have, as the table says.
NOT_HERE: Set[str] = set()


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Set[str]:
    """The methods that a server has answered without an error."""
    names: Set[str] = set()
    call = StdioConnection.call

    def recorded(self: StdioConnection, method: str, params: Dict[str, Any]) -> Any:
        result = call(self, method, params)
        names.add(method)
        return result

    monkeypatch.setattr(StdioConnection, "call", recorded)
    return names


def test_every_method_answers(answered: Set[str], tmp_path: Path) -> None:
    host = tmp_path / "host"
    host.mkdir()
    (host / "f").write_text("host\n")
    with Client(states=str(tmp_path / "states"), network=True) as client:
        assert "run" in client.info().methods
        kept = PersistenceParams(mode="persistent", namespace="parity")
        mounts = [Mount(host=str(host), at="/mnt/host", access="overlay")]
        with client.sandbox(persistence=kept, mounts=mounts) as sandbox:
            assert client.sandboxes.list()[0] == sandbox.info()
            use(sandbox)
            overlay(sandbox, host)
            persistence(sandbox)
            branches(sandbox)
            # This ends it.
        assert [state.namespace for state in client.states.list()] == ["parity"]
        client.states.remove("parity")
        assert client.states.list() == []
    missing = set(ROUTES) - answered - NOT_HERE
    assert not missing
    assert answered <= set(ROUTES)
    directory = os.environ.get("CODEPOD_PARITY")
    if directory:
        (Path(directory) / "python.json").write_text(json.dumps(sorted(answered)) + "\n")


def use(sandbox: Sandbox) -> None:
    """Running, files, shells, snapshots, undo, previews, jobs, commands."""
    assert sandbox.run("echo 1 > f").success
    with sandbox.stream("cat", stdin=True) as stream:
        stream.write("x")
        stream.close_stdin()
        assert list(stream) == [("stdout", b"x")]
    stream = sandbox.stream("sleep 60")
    stream.cancel()
    assert stream.wait().cancelled

    run = sandbox.start("read -r line; echo \"got $line\"")
    run.write("it\n")
    assert run.wait().stdout == "got it\n"

    sandbox.files.write("g", b"\xff")
    assert sandbox.files.read("g") == b"\xff"
    assert [entry.name for entry in sandbox.files.list(".")] == ["f", "g"]
    assert sandbox.files.stat("g").size == 1
    sandbox.files.write("t", "one\ntwo\n")
    edited = sandbox.files.edit("t", [Edit(old="two", new="2")])
    assert edited.replaced == 1 and "+2" in edited.diff
    assert [found.line for found in sandbox.files.grep("^2$").matches] == [2]
    assert sandbox.files.glob("t").paths == ["t"]
    sandbox.files.remove("t")
    sandbox.files.mkdir("d/e")
    sandbox.files.rename("g", "d/g")
    sandbox.files.chmod("d/g", 0o600)
    sandbox.files.remove("d")

    sandbox.env.set({"A": "b"})
    assert sandbox.env.get()["A"] == "b"
    shell = sandbox.shell.create()
    sandbox.run("true", shell=shell)
    assert shell in sandbox.shell.list()
    sandbox.shell.close(shell)
    assert "f" in sandbox.shell.complete("cat ").words

    assert sandbox.python.run("n = 41").success
    assert sandbox.python.run("n + 1").stdout == "42\n"
    sandbox.python.reset()
    assert "NameError" in sandbox.python.run("n").stderr

    assert sandbox.js.run("const n = await Promise.resolve(41)").success
    assert sandbox.js.run("n + 1").stdout == "42\n"
    sandbox.js.reset()
    assert "ReferenceError" in sandbox.js.run("n").stderr

    snapshot = sandbox.snapshot()
    sandbox.run("echo 2 > f")
    assert sandbox.changes(diff=True).diff
    assert sandbox.undo()[0].command == "echo 2 > f"
    assert sandbox.redo()
    sandbox.files.restore(f"snapshot:{snapshot.id}", ["f"])
    assert sandbox.files.read("f") == b"1\n"
    sandbox.restore(snapshot)
    assert snapshot in sandbox.snapshots.list()
    sandbox.snapshots.remove(snapshot.id)
    assert sandbox.preview("echo 3 > f").commit().success
    sandbox.preview("rm f").drop()
    assert sandbox.shell.history.list()
    sandbox.shell.history.clear()

    sandbox.run("sleep 60 &")
    (job,) = [job for job in sandbox.jobs.list() if "sleep" in job.command]
    sandbox.jobs.signal(job.pid, signal="KILL")
    sandbox.kill()
    assert sandbox.stats().runs

    assert not sandbox.network.check("https://api.test/").allowed
    sandbox.network.set(Network(allowed_hosts=["api.test"]))
    assert sandbox.network.check("https://api.test/").allowed
    sandbox.run(": < /dev/tcp/other.test/443")
    assert [entry.outcome for entry in sandbox.network.log()] == ["denied"]

    @sandbox.command("mine")
    def mine(arguments: List[str], context: CommandContext) -> str:
        return "mine\n"

    assert "mine" in sandbox.commands.list()
    assert sandbox.run("mine").stdout == "mine\n"


def overlay(sandbox: Sandbox, host: Path) -> None:
    """Host directories."""
    assert sandbox.mounts.list()[0].at == "/mnt/host"
    sandbox.run("echo new > /mnt/host/g; echo other > /mnt/host/f")
    assert len(sandbox.mounts.changes("/mnt/host").changes) == 2
    sandbox.mounts.discard("/mnt/host", paths=["/mnt/host/f"])
    assert not sandbox.mounts.apply("/mnt/host").refused
    assert (host / "g").read_text() == "new\n"


def persistence(sandbox: Sandbox) -> None:
    """States that outlive their sandbox."""
    assert sandbox.persistence.save().sequence
    sandbox.run("echo lost > lost")
    sandbox.persistence.load()
    state = sandbox.persistence.export()
    assert len(sandbox.persistence.hash()) == 64
    sandbox.persistence.import_(state)


def branches(sandbox: Sandbox) -> None:
    """Forks."""
    base = sandbox.snapshot()
    with sandbox.fork() as fork, sandbox.fork() as other:
        fork.run("echo a > a")
        other.run("echo b > b")
        sandbox.adopt(fork)
        assert sandbox.merge(other, base).taken
    assert sandbox.run("ls a b").success
