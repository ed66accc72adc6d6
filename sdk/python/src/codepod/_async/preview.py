"""A run in a throw-away copy, to be looked at, then kept or dropped."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, List, Optional, Type

from .._generated.async_methods import AsyncPreviewMethods
from .._generated.types import PathChange, PreviewOutput, RunResult

if TYPE_CHECKING:
    from typing_extensions import Self


class AsyncPreview:
    """What a script would do. Used as a context manager, it is dropped at the end unless it was committed."""

    def __init__(self, methods: AsyncPreviewMethods, output: PreviewOutput) -> None:
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

    async def commit(self) -> RunResult:
        """Makes it happen, in constant time, if the sandbox has not changed since."""
        self._over = True
        return await self._methods.commit(self.id)

    async def drop(self) -> None:
        """Drops it: nothing of it has happened."""
        self._over = True
        await self._methods.drop(self.id)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if not self._over:
            await self.drop()
