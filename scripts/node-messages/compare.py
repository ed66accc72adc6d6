#!/usr/bin/env python3
"""Says where the messages of a node differ from native Node's, for the programs of snippets.txt.

usage: compare.py PROGRAM NATIVE
"""
import json
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent


def said_by(program):
    done = subprocess.run([program, here / "say.js", here / "snippets.txt"], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def main(program, native):
    pairs = list(zip(said_by(program), said_by(native), strict=True))
    differing = [(text, ours, theirs) for (text, ours), (_, theirs) in pairs if ours != theirs]
    for text, ours, theirs in differing:
        print(text, f"  ours:   {ours}", f"  native: {theirs}", sep="\n")
    print(f"{len(pairs) - len(differing)} of {len(pairs)} messages are native Node's")


main(*sys.argv[1:])
