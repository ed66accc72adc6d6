#!/usr/bin/env python3
"""Runs test262, the conformance suite of the language, with the engine of node.

usage: test262.py PROGRAM [--tenth | --sample N] [--only TEXT] [--failures FILE] [--known]

PROGRAM is node as `guests/runtimes/node/build.sh --native` makes it: `node --plain` runs scripts without
Node's library. Each file counts once for each mode that it asks for. --tenth takes a tenth of the files, the same ones each
time, and --sample N one of N; --only those whose path contains TEXT; --failures writes what failed, by reason.

The suite is test262.tar.xz in ../shared/test262 beside the checkout, unpacked once by its digest into the
cache directory. Where it is missing this fails, unless CODEPOD_MAY_MISS names `test262`.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import tempfile
import zlib

SHA256 = "f576d2562cb96220cd86b94b64b5ad0d226c7e304c20754bb8ee842687ad4ad0"
DONE = "Test262:AsyncTestComplete"
here = pathlib.Path(__file__).resolve().parent


def unpacked():
    """Where the suite is; None if it may be missing and is."""
    archive = here.parent.parent / "shared/test262/test262.tar.xz"
    archive = pathlib.Path(os.environ.get("CODEPOD_TEST262", archive))
    if not archive.exists():
        if "test262" in os.environ.get("CODEPOD_MAY_MISS", "").split(","):
            print("test262 is not here, and may be missing")
            return None
        sys.exit(f"error: {archive} is not there\nhint: CODEPOD_TEST262 names the archive; CODEPOD_MAY_MISS=test262 goes on without it")
    if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"error: {archive} is not the one that this script names by its digest")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    target = cache / "codepod/sources" / f"test262-{SHA256[:16]}"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as partial:
            subprocess.run(["tar", "xJf", archive, "-C", partial], check=True)
            os.rename(partial, target)
            os.mkdir(partial)
    return target


def left_out():
    """Patterns of features and their reasons."""
    lines = (here / "test262/left-out.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def field(front, name):
    """A list of the front matter, in either of YAML's forms."""
    flow = re.search(rf"^{name}:\s*\[(.*?)\]", front, re.M | re.S)
    if flow:
        return [item.strip() for item in flow[1].split(",") if item.strip()]
    block = re.search(rf"^{name}:\s*\n((?:\s+-\s+.*\n?)+)", front, re.M)
    return re.findall(r"-\s+(\S+)", block[1]) if block else []


class Test:
    def __init__(self, suite, path):
        self.path = path
        self.name = str(path.relative_to(suite / "test"))
        self.source = path.read_bytes().decode("utf-8", "surrogateescape")
        front = re.search(r"/\*---(.*?)---\*/", self.source, re.S)
        front = front[1].replace("\r\n", "\n").replace("\r", "\n") if front else ""
        self.flags = field(front, "flags")
        self.includes = field(front, "includes")
        self.features = field(front, "features") + [flag for flag in self.flags if flag == "CanBlockIsFalse"]
        if "atomicsHelper.js" in self.includes or "$262.agent" in self.source:
            self.features.append("agents")
        negative = re.search(r"^negative:\s*\n((?:\s+.*\n?)+?)(?=^\S|\Z)", front, re.M)
        pair = negative and (re.search(r"phase:\s*(\S+)", negative[1]), re.search(r"type:\s*(\S+)", negative[1]))
        self.negative = (pair[0][1], pair[1][1]) if pair else None

    def modes(self):
        if "module" in self.flags:
            return ["module"]
        if "raw" in self.flags or "noStrict" in self.flags:
            return ["sloppy"]
        return ["strict"] if "onlyStrict" in self.flags else ["sloppy", "strict"]


class Engine:
    """A program that runs test after test, each in a process of its own."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "--plain", "--each"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, words):
        """Status of these arguments, what they printed, and the errors."""
        self.process.stdin.write("\t".join(map(str, words)).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 3:
            sys.exit(f"error: the engine has ended at {words[-1]}")
        status, *sizes = map(int, answer)
        return status, *(self.process.stdout.read(size).decode(errors="replace") for size in sizes)


def run(engine, suite, test, mode):
    """None, or why it failed."""
    names = []
    if "raw" not in test.flags:
        names = ["assert.js", "sta.js", *(["doneprintHandle.js"] if "async" in test.flags else []), *test.includes]
    how = {"module": ["--module"], "strict": ["--strict"], "sloppy": []}[mode]
    status, output, errors = engine.run([*(suite / "harness" / name for name in names), *how, test.path])
    errors = errors.strip()
    if status < 0:
        return "takes too long" if -status == signal.SIGALRM else f"ended by signal {-status}"
    name = errors.split(" ", 1)[0]
    if test.negative:
        phase, kind = test.negative
        phases = {"parse": [3], "resolution": [3], "runtime": [1, 2]}[phase]
        if status in phases and name == kind:
            return None
        return f"expected {kind} at {phase}, got {errors[:150] or 'nothing'}"
    if status != 0:
        return errors[:200]
    if "async" in test.flags and DONE not in output:
        return output.strip()[:200] or "never done"
    return None


def run_all(program, suite, todo, processes):
    """Why each of these tests failed, or None."""
    engines = queue.SimpleQueue()
    for _ in range(processes):
        engines.put(Engine(program))

    def run_one(pair):
        engine = engines.get()
        why = run(engine, suite, *pair)
        engines.put(engine)
        return why

    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        return list(pool.map(run_one, todo))


def judge(failed, todo):
    """Compares what failed with known-failures.txt; the differences, as lines."""
    lines = (here / "test262/known-failures.txt").read_text().splitlines()
    known = {line.split(":", 1)[0] for line in lines if line and not line.startswith("#")}
    asked = {f"{test.name} {mode}" for test, mode in todo}
    now = {f"{name} {mode}": why.split("\n")[0] for name, mode, why in failed}
    differences = [f"fails: {name}: {why}" for name, why in now.items() if name not in known]
    return differences + [f"passes, and is in known-failures.txt: {name}" for name in sorted(known & asked) if name not in now]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--tenth", action="store_const", const=10, default=1, dest="sample")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--failures", type=pathlib.Path)
    parser.add_argument("--known", action="store_true", help="what fails must be what test262/known-failures.txt names")
    given = parser.parse_args()
    suite = unpacked()
    if suite is None:
        return
    reasons, skipped, todo = left_out(), collections.Counter(), []
    for path in sorted((suite / "test").rglob("*.js")):
        name = str(path.relative_to(suite / "test"))
        if "_FIXTURE" in name or name.startswith("staging/") or given.only not in name:
            continue
        if zlib.crc32(name.encode()) % given.sample != 0:
            continue
        test = Test(suite, path)
        features = test.features + (["intl402"] if name.startswith("intl402/") else [])
        out = next((pattern for pattern in reasons for feature in features if fnmatch.fnmatch(feature, pattern)), None)
        if out:
            skipped[out] += 1
            continue
        todo += [(test, mode) for mode in test.modes()]
    results = run_all(os.path.abspath(given.program), suite, todo, os.cpu_count())
    failed = [(test.name, mode, why) for (test, mode), why in zip(todo, results) if why is not None]
    for pattern, count in skipped.most_common():
        print(f"left out: {count} files with {pattern}: {reasons[pattern]}")
    share = 100 * (len(todo) - len(failed)) / max(len(todo), 1)
    print(f"{len(todo) - len(failed)} of {len(todo)} pass, {share:.2f} %")
    if given.failures:
        by_reason = collections.defaultdict(list)
        for name, mode, why in failed:
            by_reason[re.sub(r"[«“].*?[»”]|\d+", "…", why.split("\n")[0])[:100]].append(f"{name} {mode}: {why.splitlines()[0] if why else ''}")
        lines = [f"{len(todo) - len(failed)} of {len(todo)} pass"]
        for why, names in sorted(by_reason.items(), key=lambda item: -len(item[1])):
            lines += ["", f"{why} ({len(names)})", *(f"  {name[:220]}" for name in names)]
        given.failures.write_text("\n".join(lines) + "\n")
    if given.known and (differences := judge(failed, todo)):
        print(*differences, sep="\n")
        sys.exit(f"error: {len(differences)} tests do not do what scripts/test262/known-failures.txt says")


main()
