"""Output while a command runs, input for it, and its end."""

from __future__ import annotations

import threading
import time

import pytest

import codepod
from codepod import Sandbox, _stdio


def test_output_comes_while_it_runs(sandbox: Sandbox) -> None:
    stream = sandbox.stream("echo one; sleep 0.3; echo two >&2")
    began = time.monotonic()
    assert next(stream) == ("stdout", b"one\n")
    assert time.monotonic() - began < 0.25
    assert list(stream) == [("stderr", b"two\n")]
    assert stream.result.success and stream.done


def test_input_is_written_while_it_runs(sandbox: Sandbox) -> None:
    with sandbox.stream("while read -r line; do echo \"<$line>\"; done", stdin=True) as stream:
        for word in ("a", "b"):
            stream.write(word + "\n")
            assert next(stream) == ("stdout", f"<{word}>\n".encode())
        stream.close_stdin()
        assert stream.wait().exit_code == 0


def test_input_can_be_given_at_once(sandbox: Sandbox) -> None:
    data = bytes(range(256)) * 1000
    assert b"".join(piece for _, piece in sandbox.stream("cat", stdin=data)) == data


def test_a_run_can_be_cancelled(sandbox: Sandbox) -> None:
    stream = sandbox.stream("echo begun; sleep 60")
    assert next(stream) == ("stdout", b"begun\n")
    stream.cancel()
    result = stream.wait()
    assert (result.exit_code, result.cancelled) == (130, True)
    stream.cancel()
    assert sandbox.run("echo on").stdout == "on\n"


def test_a_run_is_cancelled_by_its_name(sandbox: Sandbox) -> None:
    def cancel() -> None:
        while True:
            try:
                return sandbox.runs.cancel("mine")
            except codepod.NotFoundError:
                time.sleep(0.01)

    thread = threading.Thread(target=cancel)
    thread.start()
    assert sandbox.run("sleep 60", run_id="mine").cancelled
    thread.join()


def test_a_stream_that_is_left_is_cancelled(sandbox: Sandbox) -> None:
    with sandbox.stream("echo begun; sleep 60; echo more") as stream:
        next(stream)
    with pytest.raises(codepod.ClosedError):
        next(stream)
    began = time.monotonic()
    assert sandbox.run("echo on").stdout == "on\n"
    assert time.monotonic() - began < 10


def test_check_raises_at_the_end(sandbox: Sandbox) -> None:
    stream = sandbox.stream("echo x; exit 2", check=True)
    assert next(stream) == ("stdout", b"x\n")
    with pytest.raises(codepod.CommandFailedError):
        next(stream)


def test_there_is_no_result_before_the_end(sandbox: Sandbox) -> None:
    stream = sandbox.stream("echo x")
    with pytest.raises(codepod.ClosedError) as caught:
        stream.result
    assert "wait" in caught.value.hint
    assert stream.wait().success


def test_two_streams_go_on_at_once(sandbox: Sandbox) -> None:
    with Sandbox() as other:
        one = sandbox.stream("for i in 1 2 3; do echo a$i; sleep 0.05; done")
        two = other.stream("for i in 1 2 3; do echo b$i; sleep 0.05; done")
        taken = [next(one), next(two), next(one), next(two)]
        assert taken == [("stdout", b"a1\n"), ("stdout", b"b1\n"), ("stdout", b"a2\n"), ("stdout", b"b2\n")]
        assert one.wait().success and two.wait().success


def test_much_output_is_whole(sandbox: Sandbox) -> None:
    length = sum(len(piece) for _, piece in sandbox.stream("head -c 5000000 /dev/zero"))
    assert length == 5_000_000


def test_runs_of_two_sandboxes_may_have_one_name(sandbox: Sandbox) -> None:
    with Sandbox() as other:
        one, two = sandbox.stream("echo a", run_id="x"), other.stream("echo b", run_id="x")
        assert (list(one), list(two)) == ([("stdout", b"a\n")], [("stdout", b"b\n")])


def test_a_stream_that_nobody_reads_leaves_nothing_behind(sandbox: Sandbox) -> None:
    sandbox.stream("echo a")
    server = _stdio.shared_server()
    until = time.monotonic() + 10
    while server._streams:
        assert time.monotonic() < until
        sandbox.run("true")


def test_python_is_streamed_too(sandbox: Sandbox) -> None:
    sandbox.python.run("n = 1")
    with sandbox.python.stream("print('ready')\nfor line in open(0): n += len(line)\nn", stdin=True) as stream:
        assert next(stream) == ("stdout", b"ready\n")
        stream.write("abc")
        stream.close_stdin()
        assert list(stream) == [("stdout", b"4\n")]
        assert stream.result.success
    assert sandbox.python.run("n").stdout == "4\n"
    left = sandbox.python.stream("n = 0\nwhile True: pass", session="main")
    left.cancel()
    assert left.wait().cancelled
    assert sandbox.python.run("n").stdout == "4\n"


def test_javascript_is_streamed_too(sandbox: Sandbox) -> None:
    sandbox.js.run("let n = 1")
    code = "console.log('ready'); for await (const piece of process.stdin) n += piece.length; n"
    with sandbox.js.stream(code, stdin=True) as stream:
        assert next(stream) == ("stdout", b"ready\n")
        stream.write("abc")
        stream.close_stdin()
        assert list(stream) == [("stdout", b"4\n")]
        assert stream.result.success
    assert sandbox.js.run("n").stdout == "4\n"
