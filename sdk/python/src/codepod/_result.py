"""What can be done with the result of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ._errors import CommandFailedError
from ._wire import from_base64

if TYPE_CHECKING:
    from typing_extensions import Self


class ResultMethods:
    """What can be done with the result of a run; `RunResult` has the fields."""

    if TYPE_CHECKING:
        success: bool
        stdout: str
        stderr: str
        stdout_base64: Optional[str]
        stderr_base64: Optional[str]

    @property
    def stdout_bytes(self) -> bytes:
        """What it printed, byte for byte."""
        return self.stdout.encode() if self.stdout_base64 is None else from_base64(self.stdout_base64)

    @property
    def stderr_bytes(self) -> bytes:
        """What it complained about, byte for byte."""
        return self.stderr.encode() if self.stderr_base64 is None else from_base64(self.stderr_base64)

    def check(self, command: str = "the command") -> Self:
        """Itself, if the status is 0; raises `CommandFailedError` if not."""
        if not self.success:
            raise CommandFailedError(command, self)  # type: ignore[arg-type]
        return self

    def __str__(self) -> str:
        return self.stdout
