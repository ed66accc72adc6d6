"""A run in the background."""

from __future__ import annotations

import dataclasses
import time
from typing import List, Optional, Union

from .._generated.async_methods import AsyncRunMethods
from .._generated.errors import NotFoundError
from .._generated.types import SinceOutput

#: How long one call waits for output, in seconds.
_PATIENCE = 20.0


class AsyncBackgroundRun:
    """A run in the background: what it prints, what it reads, and its end."""

    def __init__(self, methods: AsyncRunMethods, run_id: str) -> None:
        #: The run's name.
        self.run_id = run_id
        self._methods = methods

    async def output(
        self, *, since: Optional[int] = None, wait: Optional[float] = None, length: Optional[int] = None
    ) -> SinceOutput:
        """What it printed since the last call, or since a place; the last MiB is kept.

        Args:
            since: The first byte, of both streams together; where the last call ended if not given.
            wait: How long to wait for output or its end, in seconds, 60 at most; not at all if not given.
            length: How many bytes at most; all that is kept if not given.
        """
        return await self._methods.output(self.run_id, since=since, wait=wait, length=length)

    async def write(self, data: Union[str, bytes]) -> None:
        """Gives it more to read."""
        await self._methods.stdin(self.run_id, data=data)

    async def close_stdin(self) -> None:
        """There is no more to read."""
        await self._methods.stdin(self.run_id, end=True)

    async def kill(self) -> None:
        """Ends it and all that it started; without effect on one that has ended."""
        try:
            await self._methods.cancel(self.run_id)
        except NotFoundError:
            # Its name is free once it has ended.
            await self._methods.output(self.run_id, since=0, length=0)

    async def wait(self, timeout: Optional[float] = None) -> SinceOutput:
        """Waits for its end, or so many seconds; what it printed since the last call."""
        until = None if timeout is None else time.monotonic() + timeout
        parts: List[SinceOutput] = []
        while True:
            left = _PATIENCE if until is None else min(_PATIENCE, max(0.0, until - time.monotonic()))
            parts.append(await self.output(wait=left))
            if not parts[-1].running or (until is not None and time.monotonic() >= until):
                break
        stdout, stderr = ("".join(getattr(part, name) for part in parts) for name in ("stdout", "stderr"))
        return dataclasses.replace(parts[-1], stdout=stdout, stderr=stderr)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.run_id}>"
