"""Runs benchmarks of the package pyperformance, and one of hashlib, which it lacks.

usage: pyperformance.py WHEEL NAME…

Prints a line for each: its name and the seconds that one turn takes, the best of some. Not with `pyperf`, which starts processes of its own for every
benchmark: what it would do is done here, the same on both sides.
"""
import argparse
import runpy
import sys
import tempfile
import time
import types
import zipfile

AT_LEAST = 0.2  # seconds of measuring in one round
ROUNDS = 3


class Runner:
    def __init__(self, add_cmdline_args=None, **options):
        self.metadata = {}
        self.argparser = argparse.ArgumentParser()

    def parse_args(self, arguments=None):
        self.args = self.argparser.parse_args([])
        return self.args

    def bench_time_func(self, name, function, *arguments, inner_loops=1, **options):
        function(1, *arguments)
        best, loops = None, 1
        rounds = 0
        while rounds < ROUNDS:
            took = function(loops, *arguments)
            if took < AT_LEAST:
                loops *= 2
                continue
            best = min(took / loops, best or took / loops)
            rounds += 1
        times[name] = best / inner_loops

    def bench_func(self, name, function, *arguments, inner_loops=1, **options):
        def timed(loops):
            began = time.perf_counter()
            for _ in range(loops):
                function(*arguments)
            return time.perf_counter() - began

        self.bench_time_func(name, timed, inner_loops=inner_loops)


def hashes():
    import hashlib

    data = bytes(range(256)) * 4000
    for name in ("sha256", "sha1", "md5", "blake2b", "sha3_256"):
        hashlib.new(name, data).hexdigest()


def main(wheel, *names):
    pyperf = types.ModuleType("pyperf")
    pyperf.Runner, pyperf.perf_counter, pyperf.python_implementation = Runner, time.perf_counter, lambda: "cpython"
    sys.modules["pyperf"] = pyperf
    with tempfile.TemporaryDirectory() as directory:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                start, _, rest = member.partition("/data-files/benchmarks/")
                if start == "pyperformance" and rest.split("/")[0] in {f"bm_{name}" for name in names}:
                    archive.extract(member, directory)
        for name in names:
            times.clear()
            if name == "hashlib":
                Runner().bench_func(name, hashes)
            else:
                place = f"{directory}/pyperformance/data-files/benchmarks/bm_{name}"
                sys.path.insert(0, place)
                sys.argv = [f"{place}/run_benchmark.py"]
                runpy.run_path(sys.argv[0], run_name="__main__")
                sys.path.remove(place)
            for measured, seconds in times.items():
                print(measured, seconds, flush=True)


times = {}
main(*sys.argv[1:])
