"""The same in an event loop."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Coroutine, List

import pytest

import codepod
from codepod import AsyncClient, AsyncCommandContext, AsyncSandbox, Sandbox


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 50))


def test_runs_files_and_ways_back() -> None:
    async def main() -> None:
        async with AsyncSandbox(cwd="/tmp") as sandbox:
            await sandbox.files.write("f", b"\xff")
            assert (await sandbox.run("cat f")).stdout_bytes == b"\xff"
            before = await sandbox.snapshot()
            await sandbox.run("rm f; x=1")
            await sandbox.restore(before)
            assert await sandbox.files.exists("f")
            async with await sandbox.fork() as fork:
                await fork.run("echo new > g")
                await sandbox.adopt(fork)
            assert await sandbox.files.read_text("g") == "new\n"
            async with await sandbox.preview("rm g") as preview:
                assert "-new" in preview.diff
            with pytest.raises(codepod.CommandFailedError):
                await sandbox.run("false", check=True)

    run(main())


def test_many_at_once() -> None:
    async def main() -> None:
        async with AsyncClient() as client:
            sandboxes = await asyncio.gather(*(client.sandbox() for _ in range(20)))
            results = await asyncio.gather(*(each.run(f"sleep 0.2; echo {n}") for n, each in enumerate(sandboxes)))
            assert [result.stdout for result in results] == [f"{n}\n" for n in range(20)]
            assert len(await client.sandboxes.list()) == 20

    run(main())


def test_streams() -> None:
    async def main() -> None:
        async with AsyncSandbox() as sandbox:
            stream = sandbox.stream("echo a; sleep 0.1; echo b >&2")
            assert [pair async for pair in stream] == [("stdout", b"a\n"), ("stderr", b"b\n")]
            assert stream.result.success
            async with sandbox.stream("cat", stdin=True) as stream:
                await stream.write("x\n")
                assert await stream.__anext__() == ("stdout", b"x\n")
                await stream.close_stdin()
                assert (await stream.wait()).success
            stream = sandbox.stream("sleep 60")
            await stream.cancel()
            assert (await stream.wait()).cancelled

    run(main())


def test_a_cancelled_task_cancels_its_run() -> None:
    async def main() -> None:
        async with AsyncSandbox() as sandbox:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(sandbox.run("sleep 60; echo no > no"), 0.3)
            began = time.monotonic()
            assert (await sandbox.run("echo on")).stdout == "on\n"
            assert time.monotonic() - began < 10

    run(main())


def test_functions_are_commands() -> None:
    async def main() -> None:
        async with AsyncSandbox() as sandbox:

            @sandbox.command("later")
            async def later(arguments: List[str], context: AsyncCommandContext) -> str:
                await asyncio.sleep(0.01)
                return f"{arguments} {await context.files.exists('f')}"

            @sandbox.command("blocking")
            def blocking(arguments: List[str], context: AsyncCommandContext) -> bytes:
                time.sleep(0.01)
                return b"\xff" + context.stdin

            assert (await sandbox.run("later a b")).stdout == "['a', 'b'] False"
            assert (await sandbox.run("echo x | blocking")).stdout_bytes == b"\xffx\n"

    run(main())


def test_a_long_request_does_not_hold_up_the_loop() -> None:
    async def main() -> None:
        async with AsyncSandbox() as sandbox:
            data = b"\xff" * 300_000
            await asyncio.gather(*(sandbox.files.write(f"f{n}", data) for n in range(4)))
            assert await sandbox.files.read("f3") == data

    run(main())


def test_a_sandbox_that_was_not_made_says_how() -> None:
    async def main() -> None:
        with pytest.raises(codepod.ClosedError) as caught:
            await AsyncSandbox().run("true")
        assert "async with" in caught.value.hint

    run(main())


def test_both_kinds_share_a_server() -> None:
    with Sandbox() as blocking:

        async def main() -> None:
            async with AsyncSandbox() as sandbox:
                assert (await sandbox.run("echo a")).stdout == "a\n"
                assert blocking.run("echo b").stdout == "b\n"

        run(main())
        run(main())
        assert blocking.run("echo c").stdout == "c\n"


def test_tools_answer_models() -> None:
    async def main() -> None:
        async with AsyncSandbox() as sandbox:
            told = await codepod.tools.call_tool_async(sandbox, "run", {"command": "echo hi"})
            assert told["stdout"] == "hi\n"

    run(main())
