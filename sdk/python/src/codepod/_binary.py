"""Finds the `codepod` program."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from typing import Iterator

from ._errors import BinaryNotFoundError

_NAME = "codepod.exe" if os.name == "nt" else "codepod"


def find_binary() -> str:
    """The program: `CODEPOD_BIN`, the one that was installed with this package, or one on the `PATH`."""
    chosen = os.environ.get("CODEPOD_BIN")
    if chosen:
        if os.path.isfile(chosen):
            return chosen
        raise BinaryNotFoundError(
            f"`CODEPOD_BIN` names `{chosen}`, which is no file", hint="set it to the program's path, or unset it"
        )
    for directory in _installed():
        path = os.path.join(directory, _NAME)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which(_NAME)
    if found is not None:
        return found
    raise BinaryNotFoundError(
        "there is no `codepod` program", hint="reinstall this package, or set `CODEPOD_BIN` to the program's path"
    )


def _installed() -> Iterator[str]:
    """Where installers put programs of packages."""
    yield sysconfig.get_path("scripts")
    yield os.path.dirname(sys.executable)
    user = f"{os.name}_user"
    if user in sysconfig.get_scheme_names():
        yield sysconfig.get_path("scripts", user)
    # `pip install --target DIRECTORY` makes a `bin` beside the package.
    yield os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")
