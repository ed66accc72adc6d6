#!/bin/bash
# What the packages that come with Python cost: how long each takes to import in a new process, and how big it is.
# usage: scripts/python-packages.sh [CODEPOD]    the command `codepod`, built with the guests
#
# Prints the table of docs/reference/python-packages.md. A time is the shortest of seven, of a whole process, without what a process takes that
# imports nothing.
set -euo pipefail
codepod=${1:-codepod}
exec "$codepod" run --no-hints --timeout 900 --memory 1024 -c 'python3 -' <<'PYTHON'
import importlib.metadata
import subprocess
import sys
import time
import zipfile
import zlib
from collections import defaultdict

# The package's name, what programs import of it, and modules of it with other names.
PACKAGES = """
    numpy pandas matplotlib:matplotlib.pyplot:mpl_toolkits,pylab seaborn pillow:PIL.Image networkx openpyxl pypdf
    requests httpx flask jinja2 sqlalchemy beautifulsoup4:bs4 pyyaml:yaml:_yaml python-dotenv:dotenv toml tabulate regex
    rich click tqdm sortedcontainers typing_extensions python-dateutil:dateutil
    pytest:pytest:_pytest pytest-cov:pytest_cov hypothesis coverage black:black:blib2to3,blackd,_black_version flake8:flake8:pycodestyle pyflakes
    pip setuptools:setuptools:pkg_resources,_distutils_hack wheel build hatchling flit_core poetry-core:poetry.core pdm-backend:pdm.backend
""".split()


def seconds(code):
    def once():
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begun

    return min(once() for _ in range(7))


sizes, packed = defaultdict(int), defaultdict(int)
for name in ("packages", "science"):
    with zipfile.ZipFile(f"/usr/lib/python3.14/{name}.zip") as archive:
        for info in archive.infolist():
            top = info.filename.split("/")[0].removesuffix(".pyc").removesuffix(".py")
            sizes[top] += info.file_size
            packed[top] += len(zlib.compress(archive.read(info), 6))
nothing = seconds("pass")
print("| package | version | import, ms | KB | KB compressed |\n|---|---|---|---|---|")
for entry in PACKAGES:
    name, module, others = (entry + "::").split(":")[:3]
    module = module or name
    tops = [module.split(".")[0], *others.split(",")]
    took = max(0, seconds(f"import {module}") - nothing) * 1000
    version = importlib.metadata.version(name)
    size, small = (sum(table[top] for top in tops) / 1000 for table in (sizes, packed))
    print(f"| {name} | {version} | {took:.0f} | {size:,.0f} | {small:,.0f} |", flush=True)
print(f"\nA process that imports nothing: {nothing * 1000:.0f} ms. All packages: {sum(sizes.values()) / 1e6:.1f} MB, {sum(packed.values()) / 1e6:.1f} MB compressed.")
PYTHON
