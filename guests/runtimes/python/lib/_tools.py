"""Commands that are programs in Python, of packages that come with it. `main.c` lists the same names."""
import importlib
import sys

TOOLS = {
    "black": ("black", "patched_main"),
    "coverage": ("coverage.cmdline", "main"),
    "flake8": ("flake8.main.cli", "main"),
    "flask": ("flask.cli", "main"),
    "pip": ("pip._internal.cli.main", "main"),
    "pip3": ("pip._internal.cli.main", "main"),
    "pip3.14": ("pip._internal.cli.main", "main"),
    "pycodestyle": ("pycodestyle", "_main"),
    "pyflakes": ("pyflakes.api", "main"),
    "pyproject-build": ("build.__main__", "entrypoint"),
    "pytest": ("_pytest.config", "_console_main"),
    "tqdm": ("tqdm.cli", "main"),
    "wheel": ("wheel._commands", "main"),
}


def run(name):
    module, function = TOOLS[name]
    sys.exit(getattr(importlib.import_module(module), function)())


def script(name, python):
    """A file that runs a tool with a Python at another place."""
    module, function = TOOLS[name]
    # The first line has no room for long paths, and none for blanks.
    first = f"#!{python}\n" if len(python) < 120 and " " not in python else f"#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''\n"
    return f"{first}import sys\nfrom {module} import {function}\nif __name__ == '__main__':\n    sys.exit({function}())\n"


def real(path):
    """The path of a file or directory that a package has beside it, for those who open it: what lies in an archive is unpacked, until this process
    ends."""
    import atexit
    import os
    import shutil
    import tempfile
    import zipimport

    path = os.fspath(path)
    archive, ending, name = path.partition(".zip/")
    if os.path.exists(path) or not ending:
        return path
    importer = zipimport.zipimporter(archive + ".zip")
    directory = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    for found in importer._get_files():
        if found == name or found.startswith(name + "/") and not found.endswith("/"):
            place = os.path.join(directory, os.path.relpath(found, os.path.dirname(name)))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(importer.get_data(f"{archive}.zip/{found}"))
    return os.path.join(directory, os.path.basename(name))


class Finder:
    """Finds `distutils`, which upstream has given up, in setuptools. Elsewhere a file beside setuptools does, at each start."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "distutils":
            return None
        import _distutils_hack

        return _distutils_hack.DISTUTILS_FINDER.find_spec(name, path, target)


def install():
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)
