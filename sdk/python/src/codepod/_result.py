"""What can be done with the result of a run."""

from __future__ import annotations

import codecs
import dataclasses
from typing import TYPE_CHECKING, Callable, Dict, Optional

from ._errors import CommandFailedError
from ._wire import from_base64, to_base64

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._generated.types import RunResult


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


class Told:
    """Hands output on while it comes, and keeps it for the result."""

    def __init__(
        self, on_stdout: Optional[Callable[[str], object]], on_stderr: Optional[Callable[[str], object]]
    ) -> None:
        self._tell = {"stdout": on_stdout, "stderr": on_stderr}
        self._bytes: Dict[str, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {name: decoder("replace") for name in self._bytes}

    def tell(self, name: str, data: bytes, last: bool = False) -> None:
        """Hands on what a stream gave; a character that is not whole yet waits for its other bytes."""
        self._bytes[name] += data
        text = self._decoders[name].decode(data, last)
        tell = self._tell[name]
        if text and tell is not None:
            tell(text)

    def result(self, result: RunResult) -> RunResult:
        """The result with all that came."""
        texts: Dict[str, Optional[str]] = {}
        for name, data in self._bytes.items():
            self.tell(name, b"", last=True)
            texts[name] = data.decode("utf-8", "replace")
            try:
                data.decode("utf-8")
            except UnicodeDecodeError:
                texts[f"{name}_base64"] = to_base64(bytes(data))
        return dataclasses.replace(result, **texts)  # type: ignore[arg-type]
