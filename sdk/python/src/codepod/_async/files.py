"""Files of a sandbox."""

from __future__ import annotations

from typing import Optional

from .._generated.async_methods import AsyncFilesMethods
from .._generated.errors import FileError


class AsyncFiles(AsyncFilesMethods):
    """Files of a sandbox. Paths are absolute, or relative to the working directory that the sandbox was made with."""

    async def read_text(self, path: str, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Reads a file as text."""
        return (await self.read(path)).decode(encoding, errors)

    async def write_text(self, path: str, text: str, *, parents: Optional[bool] = None) -> None:
        """Writes text to a file: makes it or replaces what it holds."""
        await self.write(path, text, parents=parents)

    async def exists(self, path: str) -> bool:
        """Whether there is something at a path. A symbolic link that leads nowhere is nothing."""
        try:
            await self.stat(path)
        except FileError as error:
            if error.errno in ("ENOENT", "ENOTDIR"):
                return False
            raise
        return True
