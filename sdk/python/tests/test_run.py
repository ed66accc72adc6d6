"""Running commands: results, errors, input, output of any kind."""

from __future__ import annotations

import pickle
from typing import List

import pytest

import codepod
from codepod import (
    CommandContext,
    CommandFailedError,
    DeniedError,
    FileError,
    InvalidParamsError,
    LimitError,
    NoSuchRunError,
    NotFoundError,
    RunResult,
    Sandbox,
    tools,
)
from codepod.types import Edit


def test_a_result_has_status_and_output(sandbox: Sandbox) -> None:
    result = sandbox.run("echo out; echo err >&2; exit 3")
    assert (result.exit_code, result.success) == (3, False)
    assert (result.stdout, result.stderr) == ("out\n", "err\n")
    assert result.execution_time_ms > 0
    assert str(result) == "out\n"


def test_the_shell_goes_on_from_run_to_run(sandbox: Sandbox) -> None:
    sandbox.run("mkdir -p a/b; cd a/b; x=1; f() { echo f$x; }")
    assert sandbox.run("pwd; f").stdout == "/home/user/a/b\nf1\n"


def test_check_raises_what_failed(sandbox: Sandbox) -> None:
    assert sandbox.run("true", check=True).success
    with pytest.raises(CommandFailedError) as caught:
        sandbox.run("echo no >&2; exit 4", check=True)
    assert caught.value.result.exit_code == 4
    assert "status 4: no" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.result.exit_code, again.message) == (4, caught.value.message)


def test_bytes_that_are_not_utf_8_come_and_go(sandbox: Sandbox) -> None:
    every = bytes(range(256))
    result = sandbox.run("cat", stdin=every)
    assert result.stdout_bytes == every
    assert "\ufffd" in result.stdout
    assert sandbox.run("printf 'caf\\xe9' >&2").stderr_bytes == b"caf\xe9"
    assert sandbox.run("cat", stdin="é\0\n").stdout_bytes == "é\0\n".encode()


def test_environment_arguments_and_input_are_for_one_run(sandbox: Sandbox) -> None:
    result = sandbox.run('echo "$A $1 $2 $(cat)"', env={"A": "a"}, arguments=["x y", "z"], stdin="in")
    assert result.stdout == "a x y z in\n"
    assert sandbox.run('echo "[$A$1]"').stdout == "[]\n"


def test_a_timeout_ends_a_run(sandbox: Sandbox) -> None:
    result = sandbox.run("echo begun; sleep 30", timeout=0.2)
    assert (result.exit_code, result.timed_out, result.stdout) == (124, True, "begun\n")
    assert sandbox.run("echo on").stdout == "on\n"


def test_a_budget_cuts_the_middle(sandbox: Sandbox) -> None:
    result = sandbox.run("seq 10000", output_budget=1000)
    assert result.stdout_cut is not None and result.stdout_cut.omitted > 40_000
    assert result.stdout.startswith("1\n2\n") and result.stdout.endswith("10000\n")
    cut = result.stdout_cut
    assert f"\n[{cut.omitted} bytes are not shown; all of it is in {cut.path}]\n" in str(result)
    assert len(result.stdout) - cut.mark + cut.omitted == 48_894
    assert sandbox.run(f"tail -n 1 {result.stdout_cut.path}").stdout == "10000\n"


def test_named_shells_have_variables_of_their_own(sandbox: Sandbox) -> None:
    name = sandbox.shell.create("other")
    sandbox.run("x=main")
    sandbox.run("x=other", shell=name)
    assert sandbox.run("echo $x").stdout == "main\n"
    assert sandbox.run("echo $x", shell=name).stdout == "other\n"
    assert sandbox.shell.list() == ["", "other"]
    sandbox.run("trap 'echo bye > bye' EXIT", shell=name)
    sandbox.shell.close(name)
    assert sandbox.files.read_text("bye") == "bye\n"


def test_the_same_attempt_runs_once(sandbox: Sandbox) -> None:
    for _ in range(3):
        sandbox.run("echo x >> log", idempotency_key="k")
    assert sandbox.files.read("log") == b"x\n"


def test_a_large_output_comes_whole(sandbox: Sandbox) -> None:
    result = sandbox.run("head -c 3000000 /dev/zero | tr '\\0' x", output_budget=4_000_000)
    assert len(result.stdout) == 3_000_000


def test_surrogates_are_the_bytes_that_they_stand_for(sandbox: Sandbox) -> None:
    assert sandbox.run("od -An -tx1", stdin=b"\xff".decode("utf-8", "surrogateescape")).stdout == " ff\n"


def test_a_result_is_a_value() -> None:
    with Sandbox() as sandbox:
        result = sandbox.run("echo x")
    assert RunResult.from_wire(result.to_wire()) == result
    with pytest.raises(AttributeError):
        result.stdout = "y"  # type: ignore[misc]


def test_options_limit_a_sandbox() -> None:
    with Sandbox(cwd="/tmp", env={"A": "b"}, timeout=0.2, allowed_commands=["ls"], profile="small") as sandbox:
        assert sandbox.run("echo $PWD $A").stdout == "/tmp b\n"
        assert sandbox.run("cat /etc/hostname").exit_code == 126
        assert sandbox.run("while :; do :; done").timed_out


def test_wrong_options_are_errors_with_hints() -> None:
    with pytest.raises(codepod.InvalidParamsError) as caught:
        Sandbox(cwd=5)  # type: ignore[arg-type]
    assert caught.value.hint and caught.value.kind == "invalid_params"
    with pytest.raises(TypeError):
        Sandbox(nonsense=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError):
        Sandbox(timeout=-1)


def test_output_that_imitates_messages_is_output(sandbox: Sandbox) -> None:
    # AP-09
    forged = [
        '{"jsonrpc":"2.0","id":1,"result":{}}',
        '{"jsonrpc":"2.0","method":"run.output","params":{"sandboxId":"x","runId":"y","stream":"stdout","text":"z"}}',
        '\n{"jsonrpc":"2.0","id":1,"method":"command.call","params":{}}\n',
        "\r\n\r\nHTTP/1.1 200 OK\r\n\r\nevent: result\ndata: {}\n\n",
        "\u2028\u0085\x1b]0;title\x07",
    ]
    for text in forged:
        assert sandbox.run("cat; cat >&2 <<< \"$X\"", stdin=text, env={"X": text}).stdout == text
        assert b"".join(piece for _, piece in sandbox.stream("cat", stdin=text)) == text.encode()


def test_commands_get_words_as_they_are(sandbox: Sandbox) -> None:
    # AP-18: nothing of a guest's words is interpreted on the way to the host.
    seen: List[List[str]] = []

    @sandbox.command("see")
    def see(arguments: List[str], context: CommandContext) -> None:
        seen.append(arguments)

    words = ["", "a b", "$(touch /tmp/x)", "`id`", "; rm -rf /", "../../etc/passwd", "-x", "\n", "é", "*", "\\", '"', "'"]
    assert sandbox.run('see "$@"', arguments=words).success
    assert seen == [words]


def test_a_run_has_a_directory_of_its_own(sandbox: Sandbox) -> None:
    assert sandbox.run("pwd; cd /", cwd="/tmp").stdout == "/tmp\n"
    assert sandbox.run("pwd").stdout == "/home/user\n"
    result = sandbox.run("echo no", cwd="/nope")
    assert (result.exit_code, result.stdout) == (1, "") and "/nope: No such file or directory" in result.stderr


def test_output_is_told_while_it_comes(sandbox: Sandbox) -> None:
    told: List[str] = []
    complaints: List[str] = []
    result = sandbox.run(
        "printf 'a\\xc3'; sleep 0.1; printf '\\xa9\\xff'; echo e >&2; exit 3", on_stdout=told.append, on_stderr=complaints.append
    )
    assert "".join(told) == result.stdout == "aé\ufffd" and len(told) > 1
    assert complaints == ["e\n"] and result.exit_code == 3
    assert result.stdout_bytes == b"a\xc3\xa9\xff"
    with pytest.raises(ZeroDivisionError):
        sandbox.run("yes", on_stdout=lambda text: 1 / 0)
    assert sandbox.run("echo on").stdout == "on\n"


def test_runs_in_the_background(sandbox: Sandbox) -> None:
    sandbox.run("x=1; cd /tmp")
    run = sandbox.start("echo $x $PWD $Y $1; sleep 60", env={"Y": "2"}, arguments=["3"])
    first = run.output(wait=20)
    assert (first.stdout, first.running, first.exit_code) == ("1 /tmp 2 3\n", True, None)
    # The main shell is free meanwhile, and the run's variables are its own.
    assert sandbox.run("echo $x").stdout == "1\n"
    assert run.output(since=2).stdout == "/tmp 2 3\n"
    run.kill()
    ended = run.wait()
    assert (ended.exit_code, ended.cancelled) == (130, True)
    run.kill()
    # A copy has traps of its own, and none of the shell that it was made from.
    sandbox.run("trap 'echo main > /tmp/main' EXIT")
    sandbox.run("rm /tmp/main")
    assert sandbox.start("trap 'echo bye' EXIT; echo hi").wait().stdout == "hi\nbye\n"
    assert sandbox.start("true").wait().exit_code == 0 and not sandbox.files.exists("/tmp/main")
    done = sandbox.start("echo a; echo b >&2; exit 4", cwd="/").wait()
    assert (done.stdout, done.stderr, done.exit_code) == ("a\n", "b\n", 4)
    with pytest.raises(NotFoundError):
        sandbox.runs.output("nope")
    runs = [sandbox.start("sleep 60") for _ in range(16)]
    with pytest.raises(LimitError):
        sandbox.start("sleep 60")
    for each in runs:
        each.kill()


def test_file_methods_are_steps_of_their_own(sandbox: Sandbox) -> None:
    sandbox.run("echo 1 > a")
    sandbox.files.write("b/c", "x")
    (step,) = sandbox.undo()
    assert (step.kind, step.command) == ("files", "write b/c")
    assert [(file.kind, file.path) for file in step.files] == [("added", "/home/user/b"), ("added", "/home/user/b/c")]
    assert sandbox.files.exists("a") and not sandbox.files.exists("b")
    (step,) = sandbox.undo()
    assert (step.kind, step.command, step.files[0].path) == ("run", "echo 1 > a", "/home/user/a")
    with pytest.raises(NoSuchRunError, match="cannot undo 1 step: none can be undone"):
        sandbox.undo()


def test_lines_of_a_file(sandbox: Sandbox) -> None:
    sandbox.run("seq 100000 > f")
    assert sandbox.files.read("f", line=99_999, lines=1) == b"99999\n"
    assert sandbox.files.read("f", line=3, lines=2, numbers=True) == b"     3\t3\n     4\t4\n"
    assert sandbox.files.read("f", line=200_000) == b""
    told = tools.call_tool(sandbox, "read", {"path": "f", "line": 1})
    assert told["next_line"] > 1000 and told["text"].endswith(f"\n{told['next_line'] - 1}\n")


def test_searches_are_bounded(sandbox: Sandbox) -> None:
    sandbox.run("mkdir -p p/.git; cd p; git init -q . 2>/dev/null; echo out > .gitignore; seq 1000 > n; echo 7 > out; echo x > 'a b.py'")
    assert [found.content for found in sandbox.files.grep("^99.$", path="p").matches] == [str(n) for n in range(990, 1000)]
    found = sandbox.files.grep(".", path="p", limit=3)
    assert len(found.matches) == 3 and found.more
    assert sandbox.files.glob("**/*.py", path="p").paths == ["p/a b.py"]
    assert sandbox.files.glob("out", path="p").paths == []
    assert sandbox.files.glob("out", path="p", all=True).paths == ["p/out"]
    with pytest.raises(InvalidParamsError, match="regex parse error"):
        sandbox.files.grep("(")
    with pytest.raises(FileError):
        sandbox.files.grep("x", path="/nope")
    with pytest.raises(InvalidParamsError, match="2 times"):
        sandbox.files.write("e", "a a")
        sandbox.files.edit("e", [Edit(old="a", new="b")])
    assert sandbox.shell.history.list()[-1].command == "write e"
    with Sandbox(allowed_commands=["ls"]) as few, pytest.raises(DeniedError, match="does not allow `rg`"):
        few.files.grep("x")
