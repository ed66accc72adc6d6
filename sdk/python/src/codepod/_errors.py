"""Errors: a class for each kind, with a hint that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

if TYPE_CHECKING:
    from ._generated.types import RunResult


class CodepodError(Exception):
    """Something that codepod could not do."""

    #: What kind of error it is: what programs match on.
    kind = "unknown"

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        errno: Optional[str] = None,
        kind: Optional[str] = None,
        code: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        #: What is wrong.
        self.message = message
        #: What to do about it.
        self.hint = hint
        #: The error's name where a file or a process is the cause: `ENOENT`.
        self.errno = errno
        #: JSON-RPC's number of the kind.
        self.code = code
        if kind is not None:
            self.kind = kind

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> Any:
        return _again, (type(self), self.message, self.__dict__)


def _again(cls: type, message: str, state: Mapping[str, Any]) -> CodepodError:
    error = cls.__new__(cls, message)
    assert isinstance(error, CodepodError)
    error.args = (message,)
    error.__dict__.update(state)
    return error


class ServerGoneError(CodepodError):
    """The server ended, or cannot be reached: its sandboxes are gone unless they are kept."""

    kind = "server_gone"


class BinaryNotFoundError(CodepodError):
    """There is no `codepod` program to talk to."""

    kind = "binary_not_found"


class ClosedError(CodepodError):
    """The sandbox, stream or client was closed."""

    kind = "closed"


class CommandFailedError(CodepodError):
    """A command that was to succeed ended with another status than 0."""

    kind = "command_failed"

    def __init__(self, command: str, result: RunResult) -> None:
        said = (result.stderr or result.stdout).strip()
        last = said[-1000:]
        message = f"`{shortened(command)}` ended with status {result.exit_code}"
        super().__init__(f"{message}: {last}" if last else message)
        #: What was run.
        self.command = command
        #: What came of it.
        self.result = result


def shortened(command: str, most: int = 80) -> str:
    """The beginning of a command, on one line."""
    line = " ".join(command.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def error_from_wire(wire: Any) -> CodepodError:
    """The error that a server told."""
    from ._generated.errors import BY_KIND

    if not isinstance(wire, Mapping):
        return CodepodError(f"the server told an error that cannot be read: {wire!r}")
    data = wire.get("data")
    if not isinstance(data, Mapping):
        data = {}
    kind = str(data.get("kind", "unknown"))
    return BY_KIND.get(kind, CodepodError)(
        str(wire.get("message", "")),
        hint=str(data.get("hint", "")),
        errno=data.get("errno"),
        kind=kind,
        code=wire.get("code"),
    )
