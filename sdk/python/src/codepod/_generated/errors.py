# Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost.
"""A class for each kind of error."""

from __future__ import annotations

from typing import Dict, Type

from .._errors import CodepodError


class ParseError(CodepodError):
    """The frame or body is not JSON."""

    kind = "parse_error"


class InvalidRequestError(CodepodError):
    """The JSON is not a request."""

    kind = "invalid_request"


class MethodNotFoundError(CodepodError):
    """There is no such method."""

    kind = "method_not_found"


class InvalidParamsError(CodepodError):
    """A parameter is missing, unknown or of the wrong type, or its value makes no sense."""

    kind = "invalid_params"


class InternalError(CodepodError):
    """A fault in codepod itself."""

    kind = "internal"


class NotFoundError(CodepodError):
    """There is no such sandbox, snapshot, preview, run or shell, or it belongs to another tenant."""

    kind = "not_found"


class BusyError(CodepodError):
    """Running processes prevent the operation."""

    kind = "busy"


class ChangedError(CodepodError):
    """The state that the operation started from has changed."""

    kind = "changed"


class FileError(CodepodError):
    """A file operation failed; `errno` says how."""

    kind = "file"


class SpawnError(CodepodError):
    """A program could not be started; `errno` says why."""

    kind = "spawn"


class MountError(CodepodError):
    """A host directory cannot be mounted."""

    kind = "mount"


class NoSuchRunError(CodepodError):
    """Fewer runs are kept than were asked for."""

    kind = "no_such_run"


class ForeignError(CodepodError):
    """The snapshot or fork is of another sandbox."""

    kind = "foreign"


class PartlyAppliedError(CodepodError):
    """Some changes are on the host, and one was refused because the host changed it meanwhile."""

    kind = "partly_applied"


class ProcessError(CodepodError):
    """A process cannot be signalled; `errno` says why."""

    kind = "process"


class ShellStateError(CodepodError):
    """A shell cannot go on from its state."""

    kind = "shell_state"


class StateError(CodepodError):
    """A state cannot be saved or loaded."""

    kind = "state"


class NotPersistentError(CodepodError):
    """The sandbox's persistence does not allow that."""

    kind = "not_persistent"


class LimitError(CodepodError):
    """A limit or a quota is reached."""

    kind = "limit"


class DeniedError(CodepodError):
    """The policy of the server does not allow it."""

    kind = "denied"


class UnauthorizedError(CodepodError):
    """There is no valid key."""

    kind = "unauthorized"


class TooLargeError(CodepodError):
    """The request or its answer is too large."""

    kind = "too_large"


class UnavailableError(CodepodError):
    """The machine lacks something that codepod needs."""

    kind = "unavailable"


class UnsupportedError(CodepodError):
    """This surface cannot do that."""

    kind = "unsupported"


class NoServerError(CodepodError):
    """Nothing in the sandbox answers at that port."""

    kind = "no_server"


#: Classes by kind.
BY_KIND: Dict[str, Type[CodepodError]] = {
    "parse_error": ParseError,
    "invalid_request": InvalidRequestError,
    "method_not_found": MethodNotFoundError,
    "invalid_params": InvalidParamsError,
    "internal": InternalError,
    "not_found": NotFoundError,
    "busy": BusyError,
    "changed": ChangedError,
    "file": FileError,
    "spawn": SpawnError,
    "mount": MountError,
    "no_such_run": NoSuchRunError,
    "foreign": ForeignError,
    "partly_applied": PartlyAppliedError,
    "process": ProcessError,
    "shell_state": ShellStateError,
    "state": StateError,
    "not_persistent": NotPersistentError,
    "limit": LimitError,
    "denied": DeniedError,
    "unauthorized": UnauthorizedError,
    "too_large": TooLargeError,
    "unavailable": UnavailableError,
    "unsupported": UnsupportedError,
    "no_server": NoServerError,
}

__all__ = [
    "BusyError",
    "ChangedError",
    "DeniedError",
    "FileError",
    "ForeignError",
    "InternalError",
    "InvalidParamsError",
    "InvalidRequestError",
    "LimitError",
    "MethodNotFoundError",
    "MountError",
    "NoServerError",
    "NoSuchRunError",
    "NotFoundError",
    "NotPersistentError",
    "ParseError",
    "PartlyAppliedError",
    "ProcessError",
    "ShellStateError",
    "SpawnError",
    "StateError",
    "TooLargeError",
    "UnauthorizedError",
    "UnavailableError",
    "UnsupportedError",
]
