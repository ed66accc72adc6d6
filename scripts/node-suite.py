#!/usr/bin/env python3
"""Runs Node's own tests with a program, and says which share of each prefix passes.

usage: node-suite.py PROGRAM TESTS RESULTS PREFIX…

TESTS is the directory `test` of Node's archive. What failed, and how it began, is in RESULTS/PREFIX.txt.
A test that skips itself counts as passed.
"""
import os
import pathlib
import re
import subprocess
import sys

PATIENCE = 20  # seconds for a test


def run(program, file, environment):
    """The status of a test, 124 after too long, and the lines that it has printed."""
    flags = re.findall(r"^// Flags: (.*)$", file.read_text(errors="replace"), re.M)
    command = [program, *" ".join(flags).split(), file]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              timeout=PATIENCE, env=environment, cwd=directory.parent.parent)
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        status, output = 124, late.stdout or b""
    return status, [line for line in output.decode(errors="replace").splitlines() if line.strip()]


def main(program, tests, results, *prefixes):
    directory = pathlib.Path(tests, "parallel").resolve()
    results = pathlib.Path(results).resolve()
    results.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, NODE_TEST_DIR=str(results), TEST_THREAD_ID="1")
    for prefix in prefixes:
        files = sorted({*directory.glob(f"test-{prefix}.*js"), *directory.glob(f"test-{prefix}-*.*js")})
        failed = {}
        for file in files:
            status, lines = run(os.path.abspath(program), file, environment)
            if status != 0:
                failed[file.name] = (status, lines)
        print(f"{prefix} {len(files) - len(failed)}/{len(files)}", flush=True)
        with open(results / f"{prefix}.txt", "w") as out:
            for name, (status, lines) in failed.items():
                print(f"=== {name} status {status}", *(line[:300] for line in lines[:16]), sep="\n", file=out)


main(*sys.argv[1:])
