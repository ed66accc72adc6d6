"""The same over HTTP, with `codepod serve`."""

from __future__ import annotations

import asyncio
import re
import subprocess
import threading
from typing import Iterator, List, Tuple

import pytest

import codepod
from codepod import AsyncClient, Client, Sandbox, ServerGoneError
from codepod._binary import find_binary

Place = Tuple[str, str]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """Where a server is, and a key of it."""
    command = [find_binary(), "serve", "--listen", "127.0.0.1:0", "--log", "off"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = ""
        while "key" not in said:
            line = server.stderr.readline()
            assert line, said
            said += line
        url = re.search(r"http://\S+", said)
        key = re.search(r"key of this run: (\S+)", said)
        assert url is not None and key is not None, said
        yield url[0], key[1]
        server.terminate()


def test_a_sandbox_by_http(place: Place) -> None:
    with Client(place[0], api_key=place[1]) as client, client.sandbox() as sandbox:
        sandbox.files.write("a b/ü&?.txt", b"\xff\0", parents=True)
        assert sandbox.files.read("a b/ü&?.txt", offset=1) == b"\0"
        assert sandbox.run("echo $((6 * 7)); exit 3").exit_code == 3
        assert sandbox.run("cat", stdin=bytes(range(256))).stdout_bytes == bytes(range(256))
        before = sandbox.snapshot()
        sandbox.run("rm -r *; x=1")
        assert sandbox.changes(diff=True).changes
        sandbox.restore(before)
        with sandbox.fork() as fork:
            fork.run("echo new > new")
            sandbox.adopt(fork)
        assert sandbox.files.exists("new")
        assert client.attach(sandbox.id).run("cat new").stdout == "new\n"
        assert sandbox.id in [info.sandbox_id for info in client.sandboxes.list()]
        told = codepod.tools.call_tool(sandbox, "run", {"command": "echo hi"})
        assert told["stdout"] == "hi\n"


def test_streams_by_http(place: Place) -> None:
    with Client(place[0], api_key=place[1]) as client, client.sandbox() as sandbox:
        stream = sandbox.stream("echo a; sleep 0.1; printf '\\xff' >&2; exit 4")
        assert list(stream) == [("stdout", b"a\n"), ("stderr", b"\xff")]
        assert stream.result.exit_code == 4
        stream = sandbox.stream("echo begun; sleep 60")
        assert next(stream) == ("stdout", b"begun\n")
        stream.cancel()
        assert stream.wait().cancelled
        with sandbox.stream("echo begun; sleep 60") as stream:
            next(stream)
        assert sandbox.run("echo on").stdout == "on\n"
        assert list(sandbox.stream("tr a-z A-Z", stdin="x")) == [("stdout", b"X")]


def test_errors_by_http(place: Place) -> None:
    with Client(place[0], api_key=place[1]) as client, client.sandbox() as sandbox:
        with pytest.raises(codepod.FileError) as caught:
            sandbox.files.read("/nope")
        assert caught.value.errno == "ENOENT" and caught.value.hint
        with pytest.raises(codepod.UnsupportedError):
            sandbox.command("x")(lambda arguments, context: 0)
    with Client(place[0], api_key="wrong") as client:
        with pytest.raises(codepod.UnauthorizedError):
            client.sandbox()
        with pytest.raises(codepod.UnauthorizedError):
            client.attach("sb_x").stream("true")
    with Client("http://127.0.0.1:9") as client:
        with pytest.raises(ServerGoneError) as gone:
            client.info()
        assert "codepod serve" in gone.value.hint
    with pytest.raises(ValueError):
        Client("localhost:80")


def test_threads_share_a_client_by_http(place: Place) -> None:
    with Client(place[0], api_key=place[1]) as client:
        results: List[str] = []

        def work(number: int) -> None:
            with client.sandbox() as sandbox:
                for _ in range(5):
                    results.append(sandbox.run(f"echo {number}").stdout)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(50)
        assert sorted(results) == sorted([f"{number}\n" for number in range(8)] * 5)


def test_an_event_loop_by_http(place: Place) -> None:
    async def main() -> None:
        async with AsyncClient(place[0], api_key=place[1]) as client:
            async with await client.sandbox() as sandbox:
                await sandbox.files.write("f", "x" * 300_000)
                assert len(await sandbox.files.read("f")) == 300_000
                results = await asyncio.gather(*(client.sandbox() for _ in range(5)))
                assert len({each.id for each in results}) == 5
                for each in results:
                    await each.aclose()
                stream = sandbox.stream("echo a; echo b >&2")
                assert sorted([pair async for pair in stream]) == [("stderr", b"b\n"), ("stdout", b"a\n")]
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(sandbox.run("sleep 60"), 0.3)
                assert (await sandbox.run("echo on")).stdout == "on\n"
                with pytest.raises(codepod.FileError):
                    await sandbox.files.read("/nope")

    asyncio.run(asyncio.wait_for(main(), 50))


def test_a_sandbox_takes_a_client(place: Place) -> None:
    with Client(place[0], api_key=place[1]) as client, Sandbox(client, cwd="/tmp") as sandbox:
        assert sandbox.run("pwd").stdout == "/tmp\n"
