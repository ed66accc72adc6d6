# Made by `cargo xtask generate` from sdk/python/src/codepod/_async/files.py. Changes here are lost.
"""Files of a sandbox."""

from __future__ import annotations

from typing import Optional

from .._generated.sync_methods import FilesMethods
from .._generated.errors import FileError


class Files(FilesMethods):
    """Files of a sandbox. Paths are absolute, or relative to the working directory that the sandbox was made with."""

    def read_text(self, path: str, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Reads a file as text."""
        return (self.read(path)).decode(encoding, errors)

    def write_text(self, path: str, text: str, *, parents: Optional[bool] = None) -> None:
        """Writes text to a file: makes it or replaces what it holds."""
        self.write(path, text, parents=parents)

    def exists(self, path: str) -> bool:
        """Whether there is something at a path. A symbolic link that leads nowhere is nothing."""
        try:
            self.stat(path)
        except FileError as error:
            if error.errno in ("ENOENT", "ENOTDIR"):
                return False
            raise
        return True
