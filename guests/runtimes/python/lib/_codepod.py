"""What a program in the sandbox can ask of its host.

A host command is a function of the program that holds the sandbox; scripts call it as a command. Its methods are called as `NAME METHOD`, with the
arguments as a JSON object on standard input; what it prints is the answer, as JSON or as text. So `extension_call("shop", "price", fruit="fig")` is
`echo '{"fruit": "fig"}' | shop price`, and a host command that can do one can do the other.

`import shop` gives the same: `shop.price(fruit="fig")`.
"""
import sys

# A cold start has neither `importlib.machinery` nor `types` yet.
ModuleSpec, ModuleType = type(sys.__spec__), type(sys)

__all__ = ["ExtensionError", "extension_call", "is_extension"]

MARK = b"#!codepod-host "


class ExtensionError(Exception):
    """A host command ended with a status other than 0. `status` is that status, `stderr` what it said."""

    def __init__(self, name, method, status, stderr):
        said = stderr.strip() or "it did not say why"
        super().__init__(f"{name} {method}: {said} (status {status})")
        self.name, self.method, self.status, self.stderr = name, method, status, stderr


def is_extension(name):
    """Whether the host answers the command `name`."""
    if not isinstance(name, str) or not name or "/" in name or "\0" in name:
        return False
    try:
        with open(f"/usr/bin/{name}", "rb") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False


def extension_call(name, method, /, **arguments):
    """Calls a method of a host command and returns its answer. Raises `LookupError` when there is no such command, `ExtensionError` when it fails."""
    import json
    import subprocess

    if not is_extension(name):
        raise LookupError(f"no host command is called {name!r}")
    if not isinstance(method, str) or not method or method.startswith("-"):
        raise ValueError(f"not the name of a method: {method!r}")
    ended = subprocess.run([f"/usr/bin/{name}", method], input=json.dumps(arguments).encode(), capture_output=True)
    if ended.returncode != 0:
        raise ExtensionError(name, method, ended.returncode, ended.stderr.decode(errors="replace"))
    text = ended.stdout.decode()
    try:
        return json.loads(text)
    except ValueError:
        return text.removesuffix("\n")


class Extension(ModuleType):
    """A host command as a module: its attributes are its methods."""

    def __getattr__(self, method):
        if method.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {method!r}")

        def call(**arguments):
            return extension_call(self.__name__, method, **arguments)

        call.__name__ = call.__qualname__ = method
        return call


class Finder:
    """Finds host commands after everything else that can be imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return ModuleSpec(name, Finder, origin=f"/usr/bin/{name}") if path is None and is_extension(name) else None

    @staticmethod
    def create_module(spec):
        return Extension(spec.name, f"The host command {spec.name}.")

    @staticmethod
    def exec_module(module):
        pass


def install():
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)
