"""The server's process: threads, its death, forks of ours, our end."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import List

import pytest

import codepod
from codepod import BinaryNotFoundError, Client, Sandbox, ServerGoneError, _stdio
from codepod._transport._sync import StdioConnection

SOURCE = str(Path(__file__).parents[1] / "src")


def python(code: str, **more: str) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, "PYTHONPATH": SOURCE, **more}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=50)


def test_a_hundred_threads_use_one_server() -> None:
    failures: List[BaseException] = []

    def work(number: int) -> None:
        try:
            with Sandbox() as sandbox:
                for turn in range(5):
                    assert sandbox.run(f"echo {number}.{turn}").stdout == f"{number}.{turn}\n"
                    sandbox.files.write("f", f"{number}\n")
                    assert b"".join(piece for _, piece in sandbox.stream("cat f")) == f"{number}\n".encode()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(50)
    assert not any(thread.is_alive() for thread in threads)
    assert not failures, failures[0]


def test_threads_share_a_sandbox() -> None:
    with Sandbox() as sandbox:
        shells = [sandbox.shell.create() for _ in range(8)]
        results: List[str] = []

        def work(shell: str) -> None:
            for _ in range(20):
                results.append(sandbox.run("echo x", shell=shell).stdout)

        threads = [threading.Thread(target=work, args=(shell,)) for shell in shells]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(50)
        assert results == ["x\n"] * 160


def test_a_killed_server_gives_a_clear_error_and_a_new_one_starts() -> None:
    client = Client()
    sandbox = client.sandbox()
    connection = client._connection
    assert isinstance(connection, StdioConnection)
    pid = connection._server.pid
    failures: List[BaseException] = []

    def wait() -> None:
        try:
            sandbox.run("sleep 60")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    os.kill(pid, signal.SIGKILL)
    for thread in threads:
        thread.join(10)
    assert len(failures) == 3
    for failure in failures:
        assert isinstance(failure, ServerGoneError) and "signal 9" in failure.message and failure.hint
    with pytest.raises(ServerGoneError):
        sandbox.run("true")
    client.close()

    with Sandbox() as one:
        os.kill(_stdio.shared_server().pid, signal.SIGKILL)
        with pytest.raises(ServerGoneError):
            one.run("sleep 60")
        with Sandbox() as two:
            assert two.run("echo on").stdout == "on\n"


def test_a_closed_client_says_so() -> None:
    with Client() as client:
        sandbox = client.sandbox()
    with pytest.raises(codepod.ClosedError):
        sandbox.run("true")


def test_a_client_finds_its_sandboxes_again() -> None:
    with Client() as client:
        sandbox = client.sandbox()
        sandbox.run("x=1")
        assert client.attach(sandbox.id).run("echo $x").stdout == "1\n"
        assert [info.sandbox_id for info in client.sandboxes.list()] == [sandbox.id]
        assert "run" in client.info().methods
        assert client.info().version == codepod.__version__


def test_a_fork_of_ours_has_a_server_of_its_own() -> None:
    code = """
import os, codepod
sandbox = codepod.Sandbox()
pid = os.fork()
if pid == 0:
    try:
        sandbox.run("true")
    except codepod.ServerGoneError as error:
        assert "forked" in str(error)
        with codepod.Sandbox() as own:
            print(own.run("echo child").stdout, end="", flush=True)
        os._exit(0)
    os._exit(1)
assert os.waitpid(pid, 0)[1] == 0
print(sandbox.run("echo parent").stdout, end="")
"""
    done = python(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "child\nparent\n", "")


def test_the_server_ends_with_us_however_we_end() -> None:
    # AP-16
    for end in ("pass", "os._exit(0)", "os.kill(os.getpid(), 9)"):
        code = f"""
import os, codepod
from codepod import _stdio
sandbox = codepod.Sandbox()
sandbox.run("sleep 100 &")
print(_stdio.shared_server().pid, flush=True)
{end}
"""
        pid = int(python(code).stdout)
        until = time.monotonic() + 10
        while _exists(pid):
            assert time.monotonic() < until, end
            time.sleep(0.02)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie has ended; nobody may have asked for its status in a container.
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def test_an_interrupted_call_cancels_its_run() -> None:
    code = """
import codepod, os, signal, threading, time
# A shell that starts tests in the background has them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
sandbox = codepod.Sandbox()
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    sandbox.run("sleep 60")
except KeyboardInterrupt:
    began = time.monotonic()
    print(sandbox.run("echo on").stdout, time.monotonic() - began < 10)
"""
    done = python(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "on\n True\n", "")


def test_a_missing_program_is_told() -> None:
    with pytest.raises(ServerGoneError):
        Client(binary="/nonexistent")
    code = "import codepod\ntry: codepod.Sandbox()\nexcept codepod.BinaryNotFoundError as e: print(e.hint)"
    assert "set it" in python(code, CODEPOD_BIN="/nonexistent").stdout
    assert issubclass(BinaryNotFoundError, codepod.CodepodError)


def test_what_is_no_server_is_told(tmp_path: Path) -> None:
    program = tmp_path / "codepod"
    program.write_text("#!/bin/sh\nread line; echo nonsense\n")
    program.chmod(0o755)
    with Client(binary=str(program)) as client:
        with pytest.raises(ServerGoneError):
            client.info()


def test_sandboxes_that_nobody_holds_end() -> None:
    with Client() as client:
        for _ in range(10):
            client.sandbox().run("true")
        files = client.sandbox().files
        gc.collect()
        files.write("f", "x")
        gc.collect()
        assert files.read("f") == b"x"
        until = time.monotonic() + 10
        while len(client.sandboxes.list()) > 1:
            assert time.monotonic() < until
            time.sleep(0.01)


def test_an_interrupted_thread_leaves_the_others_waiting_well() -> None:
    code = """
import codepod, os, signal, threading, time
# A shell that starts tests in the background has them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
one, two = codepod.Sandbox(), codepod.Sandbox()
for first in ("main", "other"):
    got = []
    other = threading.Thread(target=lambda: got.append(two.run("sleep 1.5; echo other").stdout))
    if first == "other":
        other.start()
        time.sleep(0.3)
    else:
        threading.Timer(0.3, other.start).start()
    threading.Timer(0.8, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        one.run("sleep 60")
    except KeyboardInterrupt:
        print(one.run("echo on").stdout, end="")
    other.join()
    print(got)
"""
    done = python(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "on\n['other\\n']\n" * 2, "")


def test_the_program_can_be_called_as_a_module() -> None:
    command = [sys.executable, "-m", "codepod", "run", "echo hi; exit 3"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": SOURCE}, capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout) == (3, "hi\n")
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": SOURCE, "CODEPOD_BIN": "/nope"}, capture_output=True, text=True
    )
    assert done.returncode == 127 and "hint:" in done.stderr
