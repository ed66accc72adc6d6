"""How long a round trip takes: `run("echo hi")` in a live sandbox, over standard input and output and over HTTP.

Run by `cargo xtask bench python` with a release build of the program; prints a line for each figure.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from typing import Callable, List, Tuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "src"))

from codepod import AsyncSandbox, Client, RunResult, Sandbox  # noqa: E402
from codepod._binary import find_binary  # noqa: E402

WARM, ROUNDS = 500, 5000


def measured(step: Callable[[], object]) -> Tuple[float, float]:
    """Median and 99th percentile in microseconds."""
    times: List[float] = []
    for turn in range(WARM + ROUNDS):
        began = time.perf_counter()
        step()
        if turn >= WARM:
            times.append((time.perf_counter() - began) * 1e6)
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


def show(name: str, figures: Tuple[float, float], goal: float = 0) -> bool:
    """Prints a line; whether the goal is met."""
    median, high = figures
    line = f"{name:<52} {median:8.1f} µs  p99 {high:8.1f} µs"
    met = not goal or median <= goal
    if goal:
        line += f"  goal {goal:.0f} µs: {'met' if met else 'MISSED'}"
    print(line)
    return met


async def in_a_loop() -> Tuple[float, float]:
    """The same in an event loop."""
    times: List[float] = []
    async with AsyncSandbox() as sandbox:
        for turn in range(WARM + ROUNDS // 5):
            began = time.perf_counter()
            await sandbox.run("echo hi")
            if turn >= WARM:
                times.append((time.perf_counter() - began) * 1e6)
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


def by_http() -> Tuple[float, float]:
    """The same over HTTP, on one connection."""
    command = [find_binary(), "serve", "--listen", "127.0.0.1:0", "--log", "off"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = ""
        while "key of this run" not in said:
            said += server.stderr.readline()
        url, key = said.split("listening on ")[1].split()[0], said.split("key of this run: ")[1].split()[0]
        with Client(url, api_key=key) as client, client.sandbox() as sandbox:
            figures = measured(lambda: sandbox.run("echo hi"))
        server.terminate()
    return figures


def main() -> int:
    """All figures; 1 if a goal is missed."""
    with Sandbox() as sandbox:
        met = show('Sandbox.run("echo hi") over stdio', measured(lambda: sandbox.run("echo hi")), 150)
        show("the smallest method (sandbox.get)", measured(sandbox.get))
        wire = sandbox.run("echo hi").to_wire()
        show("of which: making the result of its JSON", measured(lambda: RunResult.from_wire(wire)))
        show("snapshot", measured(lambda: sandbox.snapshots.remove(sandbox.snapshot().id)))
    show('AsyncSandbox.run("echo hi")', asyncio.run(in_a_loop()))
    show('Sandbox.run("echo hi") over HTTP', by_http())
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
