#!/usr/bin/env python3
"""Runs Node's own tests (`test/parallel`) with a program and with native Node, and says which share passes.

usage: node-suite.py PROGRAM NATIVE ARCHIVE WORK [--only TEXT] [--jobs N] [--again] [--page FILE]

PROGRAM is node as `guests/runtimes/node/build.sh --native` makes it, NATIVE native Node of the same version, ARCHIVE Node's
unpacked archive. WORK keeps results from run to run: native Node is asked once about each test.

A test counts if native Node passes it here without skipping it. The tests and areas that we do not claim are in
node-suite/not-claimed.txt, each with the reason. --only takes tests whose names contain TEXT, --again those that failed last.
--page writes docs/reference/node-tests.md from all results in WORK; it needs a reason in node-suite/reasons.txt for each failure.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile

PREFIXES = """assert buffer child-process console crypto dns event* fs http module net path process querystring readline require
stream string-decoder timers url util vm whatwg zlib""".split()
PATIENCE = 60  # seconds for a test
SHOWN = 40  # lines that are kept of what a test has printed
here = pathlib.Path(__file__).resolve().parent / "node-suite"


def prefix_of(name):
    """The area that a test belongs to, or None."""
    for prefix in PREFIXES:
        if fnmatch.fnmatch(name, f"test-{prefix}.*js") or fnmatch.fnmatch(name, f"test-{prefix}-*.*js"):
            return prefix
    return None


def table(file):
    """Patterns of tests' names and their reasons, as `PATTERN: REASON`."""
    lines = (here / file).read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def reason_for(name, reasons):
    stem = name.rsplit(".", 1)[0]
    return reasons.get(stem) or next((why for pattern, why in reasons.items() if fnmatch.fnmatch(stem, pattern)), None)


class Tree:
    """Node's tests and what they read beside them, copied, because some write into their directory."""

    def __init__(self, archive, work):
        self.work = work
        self.directory = work / "tree"
        if not self.directory.exists():
            partial = pathlib.Path(tempfile.mkdtemp(dir=work))
            shutil.copytree(archive / "test", partial / "test", symlinks=True)
            for entry in archive.iterdir():
                if entry.name != "test":
                    (partial / entry.name).symlink_to(entry.resolve())
            partial.rename(self.directory)
        self.files = {file.name: file for file in (self.directory / "test/parallel").glob("test-*") if prefix_of(file.name)}

    def run(self, program, name, place):
        """Status of a test (124: too long), whether it skipped itself, and what it printed."""
        source = self.files[name].read_text(errors="replace")
        flags = " ".join(re.findall(r"^// Flags:(.*)$", source, re.M)).split()
        variables = dict(pair.split("=", 1) for line in re.findall(r"^// Env:(.*)$", source, re.M) for pair in line.split())
        own = self.work / f"own.{place}"
        own.mkdir(exist_ok=True)
        environment = dict(os.environ, NODE_LIBRARY=str(pathlib.Path(program).parent / "library"), NODE_TEST_DIR=str(own), TEST_THREAD_ID=str(place), TEST_PARALLEL="1", **variables)
        for variable in ("NODE_OPTIONS", "NODE_PATH", "FORCE_COLOR", "NO_COLOR"):
            environment.pop(variable, None)
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([program, *flags, self.files[name]], stdout=output, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, env=environment, cwd=self.directory, start_new_session=True)
            try:
                status = process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                status = 124
            try:
                # Children that the test has left.
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            output.seek(0)
            text = output.read(1 << 20).decode(errors="replace")
        shutil.rmtree(own, ignore_errors=True)
        skipped = status == 0 and re.search(r"^1\.\.0 # [Ss]kipped", text, re.M) is not None
        return {"status": status, "skipped": skipped, "output": [line[:300] for line in text.splitlines() if line.strip()][:SHOWN]}


def passes(result):
    return result["status"] == 0 and not result["skipped"]


def run_all(tree, program, names, jobs, results, shown):
    """Adds the results of these tests to a file of results; a failure is tried a second time, alone."""
    kept = json.loads(results.read_text()) if results.exists() else {}
    places = queue.SimpleQueue()
    for place in range(1, jobs + 1):
        places.put(place)

    def run(name):
        place = places.get()
        try:
            return name, tree.run(program, name, place)
        finally:
            places.put(place)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for count, done in enumerate(concurrent.futures.as_completed([pool.submit(run, name) for name in names]), 1):
            name, result = done.result()
            kept[name] = result
            if count % 100 == 0:
                print(f"{shown}: {count} of {len(names)}", file=sys.stderr, flush=True)
                results.write_text(json.dumps(kept, indent=1))
    for name in names:
        if kept[name]["status"] not in (0, 124):
            kept[name] = tree.run(program, name, 0)
    results.write_text(json.dumps(kept, indent=1))
    return kept


def count(ours, native, not_claimed):
    """For each area: its claimed tests that native Node passes, and which of those fail here."""
    areas = {}
    for name in sorted(native):
        if passes(native[name]) and name in ours and reason_for(name, not_claimed) is None:
            asked, failed = areas.setdefault(prefix_of(name), ([], []))
            asked.append(name)
            if not passes(ours[name]):
                failed.append(name)
    return {prefix: areas[prefix] for prefix in PREFIXES if prefix in areas}


def share(asked, failed):
    return f"{len(asked) - len(failed)} | {len(asked)} | {100 * (len(asked) - len(failed)) / max(len(asked), 1):.1f} %"


def page(areas, reasons, not_claimed, native):
    """The text of docs/reference/node-tests.md."""
    asked, failed = ([name for both in areas.values() for name in both[index]] for index in (0, 1))
    lines = (here / "page.md").read_text().splitlines() + ["", "| area | pass | native Node passes | share |", "|---|---|---|---|"]
    lines += [f"| `{prefix}` | {share(*both)} |" for prefix, both in areas.items()]
    lines += [f"| **all** | {share(asked, failed)} |", "", "## What fails", "", "| test | why |", "|---|---|"]
    lines += [f"| `{name}` | {reason_for(name, reasons)} |" for name in failed]
    lines += ["", "## What is not asked for", "", "| tests | why |", "|---|---|"]
    for pattern, why in not_claimed.items():
        left = sum(passes(result) and fnmatch.fnmatch(name.rsplit(".", 1)[0], pattern) for name, result in native.items())
        lines.append(f"| `{pattern}` ({left}) | {why} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "native", "archive", "work"):
        parser.add_argument(name, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page", type=pathlib.Path)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    tree = Tree(given.archive, given.work)
    chosen = sorted(name for name in tree.files if given.only in name)
    results = {side: given.work / f"{side}.json" for side in ("ours", "native")}
    kept = json.loads(results["native"].read_text()) if results["native"].exists() else {}
    native = run_all(tree, given.native, [name for name in chosen if name not in kept], given.jobs, results["native"], "native")
    not_claimed = table("not-claimed.txt")
    asked = [name for name in chosen if passes(native[name]) and reason_for(name, not_claimed) is None]
    if given.again:
        before = json.loads(results["ours"].read_text())
        asked = [name for name in asked if name not in before or not passes(before[name])]
    ours = run_all(tree, given.program, asked, given.jobs, results["ours"], "ours")
    areas = count(ours, native, not_claimed)
    for prefix, (asked, failed) in areas.items():
        print(f"{prefix:16} {len(asked) - len(failed):4} of {len(asked):4}")
    asked, failed = ([name for both in areas.values() for name in both[index]] for index in (0, 1))
    print(f"{'all':16} {len(asked) - len(failed):4} of {len(asked):4}, {100 * (len(asked) - len(failed)) / max(len(asked), 1):.1f} %")
    with open(given.work / "failures.txt", "w") as out:
        for name in failed:
            print(f"=== {name} status {ours[name]['status']}", *ours[name]["output"], sep="\n", file=out)
    if given.page:
        reasons = table("reasons.txt")
        without = [name for name in failed if reason_for(name, reasons) is None]
        if without:
            sys.exit("error: no reason in scripts/node-suite/reasons.txt for " + ", ".join(without))
        given.page.write_text(page(areas, reasons, not_claimed, native))


if __name__ == "__main__":
    main()
