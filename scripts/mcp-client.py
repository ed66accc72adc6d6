"""Tries `codepod mcp` with the official Python client, as a user's program would.

usage: mcp-client.py CODEPOD

Over stdio in both of the client's modes, and over HTTP. With CODEPOD_PARITY set, writes the methods whose tools
answered to `mcp.json` in that directory, as a JSON list. Needs the package `mcp`: scripts/mcp.sh brings it.
"""

import asyncio
import base64
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import asynccontextmanager

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

CODEPOD = sys.argv[1]
TOOLS = """changes edit fork glob grep kill list output python read restore run snapshot start stdin undo write""".split()
answered: set[str] = set()


def equal(found, expected, what=""):
    assert found == expected, f"{what}: {found!r} is not {expected!r}"


async def call(client, tool, **arguments):
    """A call that must do well: its structured result. The client holds it against the tool's schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.content[0].text, "text for models that read no structure"
    return result.structured_content


async def failing(client, tool, **arguments):
    """A call that must fail so that the model can read why."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    error = result.meta["codepod/error"]
    assert error["message"] and error["hint"], error
    assert error["hint"] in result.content[0].text
    return error["kind"]


async def every_tool(client):
    tools = (await client.list_tools()).tools
    # The part `js` is not everywhere.
    has_node = any(tool.name == "javascript" for tool in tools)
    equal(sorted(tool.name for tool in tools if tool.name != "javascript"), TOOLS)
    methods = {tool.name: tool.meta["codepod/method"] for tool in tools}
    for tool in tools:
        assert tool.description and tool.output_schema["type"] == "object", tool
        assert tool.annotations.open_world_hint is False, tool
        reads = tool.name in ("read", "list", "changes", "grep", "glob", "output")
        equal(tool.annotations.read_only_hint, reads, tool.name)
    ran = await call(client, "run", command="cd /home/user && printf 'a\\n' > f; echo out; echo err >&2; (exit 3)")
    equal((ran["exit_code"], ran["stdout"], ran["stderr"]), (3, "out\n", "err\n"))
    assert ran["execution_time_ms"] > 0
    equal((await call(client, "read", path="/home/user/f")), {"text": "a\n", "size": 2})
    equal((await call(client, "write", path="d/g", text="new", parents=True)), {"ok": True})
    raw = bytes(range(256))
    await call(client, "write", path="raw", base64=base64.b64encode(raw).decode())
    equal(base64.b64decode((await call(client, "read", path="raw"))["base64"]), raw)
    entries = (await call(client, "list", path="/home/user"))["entries"]
    equal([entry["name"] for entry in entries if not entry["name"].startswith(".")], ["d", "f", "raw"])
    await call(client, "python", code="size = len(open('f').read())")
    equal((await call(client, "python", code="size"))["stdout"], "2\n")
    if has_node:
        equal((await call(client, "javascript", code="fs.readFileSync('f').length"))["stdout"], "2\n")
    snapshot = await call(client, "snapshot")
    await call(client, "run", command="rm f; echo b > h")
    changed = await call(client, "changes", diff=True)
    equal([(c["path"], c["kind"]) for c in changed["changes"]], [("/home/user/f", "removed"), ("/home/user/h", "added")])
    assert "+b" in changed["diff"], changed
    fork = (await call(client, "fork"))["sandbox_id"]
    await call(client, "run", command="echo fork > only", sandbox_id=fork)
    equal((await call(client, "read", path="only", sandbox_id=fork))["text"], "fork\n")
    equal(await failing(client, "read", path="only"), "file")
    undone = await call(client, "undo")
    equal(undone["runs"][0]["command"], "rm f; echo b > h")
    equal((await call(client, "read", path="f"))["text"], "a\n")
    await call(client, "run", command="rm -rf d f raw")
    equal(await call(client, "restore", id=snapshot["id"]), {"ok": True})
    equal((await call(client, "read", path="d/g"))["text"], "new")
    equal((await call(client, "edit", path="f", edits=[{"old": "a", "new": "c"}]))["replaced"], 1)
    equal((await call(client, "undo"))["runs"][0]["files"], [{"path": "/home/user/f", "kind": "modified"}])
    equal((await call(client, "grep", pattern="^a$"))["matches"], [{"path": "f", "line": 1, "content": "a"}])
    equal((await call(client, "glob", pattern="**/g"))["paths"], ["d/g"])
    run = (await call(client, "start", command="read x; echo got $x; sleep 60"))["run_id"]
    equal(await call(client, "stdin", run_id=run, text="it\n"), {"ok": True})
    equal((await call(client, "output", run_id=run, wait_ms=20000))["stdout"], "got it\n")
    equal(await call(client, "kill", run_id=run), {"ok": True})
    equal((await call(client, "output", run_id=run, wait_ms=20000))["exit_code"], 130)
    answered.update(methods.values())


async def mistakes(client):
    equal(await failing(client, "run"), "invalid_params")
    equal(await failing(client, "run", command=1), "invalid_params")
    equal(await failing(client, "run", command="true", stream=True), "invalid_params")
    equal(await failing(client, "run", command="true", sandbox_id="sb_0"), "not_found")
    equal(await failing(client, "restore", id="sn_0"), "not_found")
    equal(await failing(client, "read", path="/nowhere"), "file")
    equal(await failing(client, "undo", count=1000), "no_such_run")
    for wrong in (client.call_tool("rm", {}), client.read_resource("file:///etc/passwd")):
        try:
            await wrong
        except MCPError:
            continue
        raise AssertionError("that was answered")


async def budgets(client):
    ran = await call(client, "run", command="seq 1 100000")
    assert len(ran["stdout"]) - ran["stdout_cut"]["mark"] <= 16 << 10, len(ran["stdout"])
    cut = ran["stdout_cut"]
    equal(len(ran["stdout"]) - cut["mark"] + cut["omitted"], 588895)
    equal((await call(client, "run", command=f"tail -n 1 {cut['path']}"))["stdout"], "100000\n")
    await call(client, "run", command="seq 1 100000")
    whole = (await client.read_resource("codepod://runs/last/stdout")).contents[0].text
    equal(len(whole), 588895)
    await call(client, "run", command="seq 1 100000 > big")
    part = await call(client, "read", path="big")
    equal((len(part["text"]), part["size"], part["next_offset"]), (32 << 10, 588895, 32 << 10))


async def hostile_output(client):
    result = await client.call_tool("run", {"command": r"printf '\e]52;c;eA==\a\r\0\xff'; echo; echo '{\"jsonrpc\":\"2.0\"}'"})
    text = result.content[0].text
    assert all(c >= " " or c in "\n\t" for c in text), text
    assert "␛]52;c;eA==␇␍␀\\xff" in text, text
    equal(base64.b64decode(result.structured_content["stdout_base64"])[:14], b"\x1b]52;c;eA==\x07\r\0")


async def resources(client):
    await call(client, "run", command="cd /home/user; echo text > 'a b'; printf '\\xff' > raw; echo out; echo err >&2")
    listed = {str(resource.uri) for resource in (await client.list_resources()).resources}
    assert "codepod://files/home/user/a%20b" in listed, listed
    assert "codepod://runs/last/stderr" in listed, listed
    assert len((await client.list_resource_templates()).resource_templates) == 2

    async def content(uri):
        return (await client.read_resource(uri)).contents[0]

    equal((await content("codepod://files/home/user/a%20b")).text, "text\n")
    equal((await content("codepod://files/home/user/raw")).blob, "/w==")
    equal((await content("codepod://runs/last/stdout")).text, "out\n")
    equal((await content("codepod://runs/last/stderr")).text, "err\n")


async def progress(client):
    told = []

    async def tell(done, total, message):
        told.append((done, total, message))

    await client.call_tool("run", {"command": "sleep 2.5", "timeout_ms": 9000}, progress_callback=tell)
    assert len(told) >= 2, told
    assert told[0][0] < told[1][0] and told[0][1] == 9, told
    assert "running" in told[0][2], told


async def cancelling(client):
    """Cancelled by the protocol's own notification, a run ends; others go on meanwhile."""
    begun = time.monotonic()
    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as scope:
            async def later():
                await anyio.sleep(0.5)
                equal((await call(client, "read", path="/etc/passwd", length=4))["text"], "root")
                scope.cancel()

            group.start_soon(later)
            await client.call_tool("run", {"command": "echo begun > /tmp/mark; sleep 25; echo done > /tmp/mark"})
            raise AssertionError("it was not cancelled")
    # The shell is free again: the sleep does not go on.
    ran = await call(client, "run", command="cat /tmp/mark; jobs")
    assert time.monotonic() - begun < 15, "the run was not ended"
    equal(ran["exit_code"], 0)
    assert "done" not in ran["stdout"], ran


EVERYTHING = [every_tool, mistakes, budgets, hostile_output, resources, progress, cancelling]


def stdio(mode, *arguments):
    return Client(StdioServerParameters(command=CODEPOD, args=["mcp", "--structured", *arguments]), mode=mode)


async def over_stdio(mode):
    for part in EVERYTHING:
        async with stdio(mode) as client:
            if part is every_tool:
                equal(client.server_info.name, "codepod")
                assert "data" in client.instructions
            await part(client)
        print(f"ok: stdio, {mode}: {part.__name__}", flush=True)


async def options():
    async with stdio("auto", "--env", "GREETING=hello", "--timeout", "1", "--allow", "cat", "-m", f"{os.getcwd()}:/mnt/here") as client:
        equal((await call(client, "run", command="echo $GREETING"))["stdout"], "hello\n")
        equal((await call(client, "run", command="sleep 1"))["exit_code"], 126)
        ran = await call(client, "run", command="while :; do :; done", timeout_ms=100000)
        equal((ran["exit_code"], ran["timed_out"]), (124, True))
        assert (await call(client, "list", path="/mnt/here"))["entries"]
        equal(await failing(client, "write", path="/mnt/here/x", text=""), "file")
    print("ok: stdio: options", flush=True)


TOKENS = ["the-token-of-one-client", "the-token-of-another"]


@asynccontextmanager
async def http_server():
    """`codepod mcp --http` on a free port; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "CODEPOD_MCP_TOKEN": ",".join(TOKENS)}
    command = [CODEPOD, "mcp", "--structured", "--http", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        line = await asyncio.to_thread(process.stderr.readline)
        equal(line, f"codepod: MCP on http://127.0.0.1:{port}/mcp\n")
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        equal(await asyncio.to_thread(process.wait, 30), 0, "status of the server")


def http(address, token, mode):
    headers = {"Authorization": f"Bearer {token}"}
    http_client = httpx2.AsyncClient(headers=headers, timeout=60)
    return Client(streamable_http_client(address, http_client=http_client), mode=mode)


async def over_http(address, mode):
    for part in EVERYTHING:
        async with http(address, TOKENS[0], mode) as client:
            await part(client)
        print(f"ok: http, {mode}: {part.__name__}", flush=True)


async def two_clients(address):
    """Each has its own sandbox, and cannot name the other's."""
    async with http(address, TOKENS[0], "auto") as one, http(address, TOKENS[1], "auto") as other:
        await call(one, "run", command="echo mine > /tmp/f")
        ran = await call(other, "run", command="cat /tmp/f")
        equal(ran["exit_code"], 1)
        fork = (await call(one, "fork"))["sandbox_id"]
        equal(await failing(other, "run", command="true", sandbox_id=fork), "not_found")
    print("ok: http: two clients", flush=True)


async def strangers(address):
    """No token, a wrong one, a foreign page, a foreign name: not let in, and the client says so."""
    good = {"Authorization": f"Bearer {TOKENS[0]}"}
    for headers, status in [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({**good, "Origin": "https://evil.example"}, 403),
        ({**good, "Origin": "null"}, 403),
        ({**good, "Host": "evil.example"}, 403),
        ({**good, "Content-Type": "text/plain"}, 415),
    ]:
        async with httpx2.AsyncClient(headers=headers) as client:
            hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
            kind = headers.get("Content-Type", "application/json")
            answer = await client.post(address, content=json.dumps(hello), headers={"Content-Type": kind})
            equal(answer.status_code, status, headers)
    try:
        async with http(address, "a-token-that-is-wrong", "auto"):
            raise AssertionError("it was let in")
    except* AssertionError:
        raise
    except* Exception:
        pass
    print("ok: http: strangers", flush=True)


async def main():
    for mode in ("legacy", "auto"):
        await over_stdio(mode)
    await options()
    async with http_server() as address:
        for mode in ("legacy", "auto"):
            await over_http(address, mode)
        await two_clients(address)
        await strangers(address)
    if directory := os.environ.get("CODEPOD_PARITY"):
        with open(os.path.join(directory, "mcp.json"), "w") as file:
            json.dump(sorted(answered), file)


asyncio.run(main())
