"""A session of a model with `codepod mcp`: thirty calls, among them every mistake that a model makes, each with what it must read.

usage: mcp-session.py CODEPOD [-v] [--structured]

As clients start it for models, unless it is told to be `--structured`. Prints how many bytes the schemas and the results have: that is what a
model pays for. With -v each result is shown. Needs the package `mcp`: scripts/mcp.sh brings it.
"""

import asyncio
import json
import re
import sys

from mcp import Client, StdioServerParameters

CODEPOD = sys.argv[1]
VERBOSE = "-v" in sys.argv[2:]
STRUCTURED = ["--structured"] if "--structured" in sys.argv[2:] else []
# More than this is a regression: a model reads the schemas in every session, and the results of all calls until its context ends.
MOST_SCHEMAS = 17_000
MOST_RESULTS = 64_000

# A picture of 160 by 120, as a chart would be, without a library that takes a second to start.
CHART = """
import struct, zlib
rows = b''.join(b'\\0' + bytes((x * y) & 255 for x in range(160 * 3)) for y in range(120))
chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
head = struct.pack('>IIBBBBB', 160, 120, 8, 2, 0, 0, 0)
open('chart.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
"""
TWICE = "def f():\n    return 1\n\ndef g():\n    return 1\n"


class Session:
    """Calls, counted and measured."""

    def __init__(self, client):
        self.client, self.sizes, self.failures = client, [], []

    async def call(self, what, tool, expected=(), *, error=None, absent=(), content="text", most=4096, **arguments):
        """Calls a tool. Its text must have all of `expected`, which are patterns, and none of `absent`; `error` is the kind it fails with."""
        result = await self.client.call_tool(tool, arguments)
        size = len(result.model_dump_json(by_alias=True, exclude_none=True).encode())
        text = "\n".join(part.text for part in result.content if part.type == "text")
        self.sizes.append((size, what))
        if VERBOSE:
            print(f"---- {len(self.sizes)} {what}: {tool}, {size} bytes\n{text[:1500]}")
        wrong = []
        if bool(result.is_error) != (error is not None) or (result.structured_content is not None) > bool(STRUCTURED):
            wrong.append("it fails, or does not, or has structured content")
        if content not in [part.type for part in result.content]:
            wrong.append(f"no {content}")
        told = (result.meta or {}).get("codepod/error", {})
        if error is not None and (told.get("kind") != error or told.get("hint", "?") not in text):
            wrong.append(f"the error is {told}")
        wrong += [f"no {pattern!r}" for pattern in expected if not re.search(pattern, text, re.M)]
        wrong += [f"there is {pattern!r}" for pattern in absent if re.search(pattern, text, re.M)]
        if size > most and not STRUCTURED:
            wrong.append(f"{size} bytes, at most {most}")
        if wrong:
            self.failures.append(f"call {len(self.sizes)}, {what}: {'; '.join(wrong)}\n{text[:2000]}")
        return text


async def shell(session):
    call = session.call
    await call("set -e fails", "run", ["exit_code: 1", "^one$", "stderr: empty"], absent=["^two$"], command="set -euo pipefail; echo one; false; echo two")
    await call("the next run is not poisoned", "run", [r"exit_code: 0", "^three$", "^unset:$"], command="false; echo three; echo unset:$NOT_SET")
    await call("an EXIT trap", "run", ["^hi$", "^bye$"], command="bash -c 'trap \"echo bye\" EXIT; echo hi'")
    await call("no network in curl", "run", ["exit_code: 7", "no network"], command="curl -sS https://example.com")
    await call("nothing can be installed", "run", ["exit_code: 127", "nothing can be installed"], command="apt-get install -y jq")
    await call("no network in Python", "run", ["exit_code: 1", "no network"], most=3000,
               command="python3 -c 'import urllib.request; urllib.request.urlopen(\"http://example.com\")' 2>&1 | tail -n 3; exit ${PIPESTATUS[0]}")
    await call("no index for pip", "run", ["no network"], most=2500, command="pip install nosuchpackage")
    text = await call("cut output", "run", ["^99999$", "^---- [0-9a-f]+ .*572[0-9]{3}"], most=20_000, command="seq 1 100000")
    path = re.search(r"(/\S+stdout\S*)", text).group(1).rstrip("`;,.)")
    await call("the whole of it", "run", ["^588895$"], command=f"wc -c < {path}")
    await call("a timeout", "run", ["exit_code: 124", "^begun$", "stopped after 0.5 s"], command="echo begun; sleep 20; echo ended", timeout_ms=500)
    await call("out of memory", "run", ["^MemoryError$", "memory limit of"], command="python3 -c 'x = bytearray(10**9)'")
    await call("a full disk", "run", ["No space left on device", "hint: .*disk|limit of .*disk"], command="head -c 2000M /dev/zero > big; rm -f big")


async def files(session):
    call = session.call
    await call("a bad path", "read", ["no.such.file"], error="file", path="no.such.file")
    await call("a write with directories", "write", ["ok"], path="src/m.py", text=TWICE)
    await call("an edit that is not unique", "edit", ["2|twice|times"], error="invalid_params", path="src/m.py", edits=[{"old": "return 1", "new": "return 2"}])
    await call("an edit that is", "edit", [r"^-    return 1$", r"^\+    return 2$", "replaced: 1"], path="src/m.py",
               edits=[{"old": "def g():\n    return 1", "new": "def g():\n    return 2"}])
    await call("undo of the edit", "undo", ["edit", "src/m.py"], absent=["seq"])
    await call("lines with numbers", "read", [r"4\tdef g"], path="src/m.py", line=4, lines=1, numbers=True)
    await call("undo of the write", "undo", ["write", "src/m.py"])
    await call("it is gone", "glob", absent=["m.py"], pattern="**/*.py")
    await call("a picture is made", "python", ["exit_code: 0"], code=CHART)
    await call("a picture is read", "read", content="image", most=40_000, path="chart.png")
    await call("what changed", "changes", ["chart.png"], diff=True, absent=["__pycache__", "base64"])


async def processes(session):
    call = session.call
    text = await call("a background run", "start", ["run_id"], command="echo ready; read line; echo got $line; sleep 60")
    run = re.search(r"run_id: (\S+)", text).group(1)
    await call("input for it", "stdin", ["ok"], run_id=run, text="it\n")
    await call("its output", "output", ["ready|got it"], run_id=run, wait_ms=20_000)
    await call("its end", "kill", ["ok"], run_id=run)
    await call("a session of Python", "python", ["exit_code: 1", "^NameError: name 'undefined' is not defined"], code="x = 41\nundefined")
    await call("that goes on", "python", [r"^42$"], code="x + 1")
    await call("a wrong argument", "run", ["comand"], error="invalid_params", comand="ls")


async def main():
    parameters = StdioServerParameters(command=CODEPOD, args=["mcp", *STRUCTURED])
    async with Client(parameters, mode="auto") as client:
        tools = (await client.list_tools()).tools
        schemas = len(json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools], separators=(",", ":"), ensure_ascii=False).encode())
        session = Session(client)
        for part in (shell, files, processes):
            before = len(session.failures)
            await part(session)
            print(f"{'ok' if len(session.failures) == before else 'FAILED'}: session: {part.__name__}", flush=True)
    assert not session.failures, "\n".join(session.failures)
    count, results = len(session.sizes), sum(size for size, _ in session.sizes)
    assert count == 30, count
    print(f"session: {count} calls, schemas {schemas} bytes, results {results} bytes; the largest:")
    for size, what in sorted(session.sizes, reverse=True)[:5]:
        print(f"  {size:>7} {what}")
    if STRUCTURED:
        return
    assert schemas <= MOST_SCHEMAS, f"schemas have {schemas} bytes, at most {MOST_SCHEMAS}"
    assert results <= MOST_RESULTS, f"results have {results} bytes, at most {MOST_RESULTS}"


asyncio.run(main())
