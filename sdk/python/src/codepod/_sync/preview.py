# Made by `cargo xtask generate` from sdk/python/src/codepod/_async/preview.py. Changes here are lost.
"""A run in a throw-away copy, to be looked at, then kept or dropped."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, List, Optional, Type

from .._generated.sync_methods import PreviewMethods
from .._generated.types import PathChange, PreviewOutput, RunResult

if TYPE_CHECKING:
    from typing_extensions import Self


class Preview:
    """What a script would do. Used as a context manager, it is dropped at the end unless it was committed."""

    def __init__(self, methods: PreviewMethods, output: PreviewOutput) -> None:
        self._methods = methods
        #: Its id.
        self.id = output.preview_id
        #: The script's result.
        self.result: RunResult = output.result
        #: What it changed.
        self.changes: List[PathChange] = output.changes
        #: A unified diff of it.
        self.diff = output.diff
        self._over = False

    def commit(self) -> RunResult:
        """Makes it happen, in constant time, if the sandbox has not changed since."""
        self._over = True
        return self._methods.commit(self.id)

    def drop(self) -> None:
        """Drops it: nothing of it has happened."""
        self._over = True
        self._methods.drop(self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if not self._over:
            self.drop()
