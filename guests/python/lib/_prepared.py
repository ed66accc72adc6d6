"""Packages that were imported when the snapshot was made. A program does not see them until it imports them, and then they are there at once."""
import importlib
import sys
from importlib.machinery import PathFinder

# A package, what is imported of it, and what of it must not be the same in every process.
PACKAGES = {
    "numpy": (("numpy.fft", "numpy.linalg", "numpy.random"), lambda numpy: numpy.random.seed()),
}

hidden = {}


def prepare():
    """Imports the packages, hides them, and returns the names of all their modules."""
    for package, (names, _) in PACKAGES.items():
        for name in (package, *names):
            importlib.import_module(name)
        hidden[package] = {name: module for name, module in sys.modules.items() if f"{name}.".startswith(f"{package}.")}
    found = {name for modules in hidden.values() for name in modules}
    for name in found:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder)
    return found


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
    """Gives out a package that is there, and what is imported of it."""

    def __init__(self, spec):
        self.spec = spec

    def create_module(self, spec):
        modules = hidden.pop(spec.name)
        sys.modules.update(modules)
        return modules[spec.name]

    def exec_module(self, module):
        module.__spec__ = self.spec
        renew = PACKAGES[module.__name__][1]
        renew(module)
