"""Packages that were imported when the snapshot or an image was made. A program does not see them until it imports them, and then they are there at once."""
import importlib
import os
import sys
from importlib.machinery import PathFinder

import _seeds


def renew_matplotlib(matplotlib):
    """Reads the settings of who runs it; those of the image are the defaults."""
    for function in (matplotlib.get_configdir, matplotlib.get_cachedir):
        function.__closure__[function.__code__.co_freevars.index("called")].cell_contents = False
    if not os.path.samefile(settings := matplotlib.matplotlib_fname(), os.path.join(matplotlib.get_data_path(), "matplotlibrc")):
        matplotlib.rc_file(settings)
    if backend := os.environ.get("MPLBACKEND"):
        matplotlib.rcParams["backend"] = backend


# What must not be the same in every process.
RENEW = {"numpy": _seeds.renew_numpy, "matplotlib": renew_matplotlib}

# Where the archives of those packages are.
PACKAGES = "/usr/lib/python3.14/"

# Modules that are hidden, by their package; and the packages that one has imported.
hidden = {}
needs = {}


def prepare(package, *names):
    """Imports a package and modules of it, hides it with all that it needs of other packages, and returns the names of everything that is hidden."""
    before = set(sys.modules)
    for name in (package, *names):
        importlib.import_module(name)
    new = {name.partition(".")[0] for name in set(sys.modules) - before}
    needs[package] = {name for name in new if comes_with_python(name)}
    for needed in needs[package]:
        hidden[needed] = {name: sys.modules.pop(name) for name in list(sys.modules) if f"{name}.".startswith(f"{needed}.")}
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)
    return {name for modules in hidden.values() for name in modules}


def comes_with_python(name):
    """Whether a module is of the packages that come with Python. Some that Cython makes are from nowhere."""
    archive = getattr(getattr(sys.modules[name].__spec__, "loader", None), "archive", None)
    return archive is not None and archive.startswith(PACKAGES)


def show(package):
    """Lets a package be seen, with all that it needs."""
    for name in needs.get(package, {package}):
        if name in hidden:
            sys.modules.update(hidden.pop(name))
            if name in RENEW:
                RENEW[name](sys.modules[name])


class Finder:
    """Finds a package that is hidden, where it would be imported and not another one of its name."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in hidden:
            return None
        spec = PathFinder.find_spec(name, path, target)
        own = hidden[name][name].__spec__
        if spec is None or spec.origin != own.origin:
            return None
        spec.loader = Loader(own)
        return spec


class Loader:
    """Gives out a package that is there."""

    def __init__(self, spec):
        self.spec = spec

    def create_module(self, spec):
        show(spec.name)
        return sys.modules[spec.name]

    def exec_module(self, module):
        module.__spec__ = self.spec
