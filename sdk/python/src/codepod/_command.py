"""What both kinds of clients do with a function that is a command."""

from __future__ import annotations

import posixpath
from typing import Any, List, Union

from ._generated.types import CommandCall, CommandReply

#: What a command's function may return: its status, what it prints, or nothing.
Returned = Union[int, str, bytes, None, CommandReply]


class Output:
    """A stream that a command writes to."""

    def __init__(self) -> None:
        self._pieces: List[bytes] = []

    def write(self, data: Union[str, bytes]) -> int:
        """Adds text or bytes."""
        piece = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else bytes(data)
        self._pieces.append(piece)
        return len(data)

    def flush(self) -> None:
        """Does nothing: output leaves when the command ends."""

    def getvalue(self) -> bytes:
        """All that was written."""
        return b"".join(self._pieces)


class ContextBase:
    """What a command knows beside its arguments."""

    def __init__(self, call: CommandCall) -> None:
        #: The name that it was called by.
        self.name = call.name
        #: The working directory.
        self.cwd = call.cwd
        #: The environment.
        self.env = call.env
        #: What it reads, whole.
        self.stdin = call.stdin
        #: What it prints; `print(…, file=context.stdout)` works.
        self.stdout = Output()
        #: What it complains about.
        self.stderr = Output()

    @property
    def stdin_text(self) -> str:
        """What it reads, as text; what is not UTF-8 is replaced."""
        return self.stdin.decode("utf-8", "replace")

    def resolve_path(self, path: str) -> str:
        """An absolute path of the sandbox: relative ones begin at the working directory."""
        return posixpath.normpath(posixpath.join(self.cwd, path))

    def reply(self, returned: Any) -> CommandReply:
        """What the command's function returned, as an answer."""
        if isinstance(returned, CommandReply):
            return returned
        status = 0
        if isinstance(returned, (str, bytes)):
            self.stdout.write(returned)
        elif isinstance(returned, int):
            status = int(returned) & 0xFF
        elif returned is not None:
            raise TypeError(f"a command returns a status, text, bytes or nothing, not {type(returned).__name__}")
        stderr = self.stderr.getvalue().decode("utf-8", "replace")
        return CommandReply(stdout=self.stdout.getvalue(), exit_code=status, stderr=stderr or None)

    def failed(self, error: BaseException) -> CommandReply:
        """The answer of a command whose function raised."""
        self.stderr.write(f"{self.name}: {type(error).__name__}: {error}\n")
        return self.reply(1)
