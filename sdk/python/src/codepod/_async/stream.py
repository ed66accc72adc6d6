"""A run whose output comes while it runs."""

from __future__ import annotations

import asyncio  # sync: import time
import uuid
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Type, Union

from .._errors import ClosedError
from .._generated.errors import NotFoundError
from .._generated.types import OutputEvent, OutputStream, RunResult
from .._transport._async import AsyncPending

if TYPE_CHECKING:
    from typing_extensions import Self

    from .sandbox import AsyncSandbox

#: How often, and how long apart, a run is looked for that has just been asked for.
_TRIES, _APART = 200, 0.005


class AsyncRunStream:
    """A run whose output comes while it runs: iterate over it for pairs of `"stdout"` or `"stderr"` and bytes.

    `result` is there after the last pair. Used as a context manager, a run that is left early is cancelled.
    """

    def __init__(
        self, sandbox: AsyncSandbox, method: str, params: Dict[str, Any], stdin: Union[str, bytes, bool, None]
    ) -> None:
        #: The run's name.
        self.run_id = str(params.setdefault("runId", uuid.uuid4().hex))
        params["stream"] = True
        self._stdin = None if isinstance(stdin, bool) else stdin
        if stdin is True or self._stdin is not None:
            params["interactive"] = True
        self._sandbox = sandbox
        self._methods = sandbox.runs
        self._method = method
        self._params = {**params, "sandboxId": sandbox.id}
        self._check = False
        self._pending: Optional[AsyncPending] = None
        self._result: Optional[RunResult] = None
        self._closed = False
        # sync: self._start()

    async def _start(self) -> AsyncPending:
        if self._closed:
            raise ClosedError("the stream was closed", hint="begin another with `stream`")
        if self._pending is None:
            await self._sandbox._settle()  # async only
            self._pending = await self._sandbox._connection.stream(self._method, self.run_id, self._params)
            if self._stdin is not None:
                await self._insist(self._stdin, True)
        return self._pending

    @property
    def result(self) -> RunResult:
        """What came of it, once all output has been taken."""
        if self._result is None:
            raise ClosedError("the run has no result yet", hint="take all output first, or call `wait`")
        return self._result

    @property
    def done(self) -> bool:
        """Whether the result is there."""
        return self._result is not None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Tuple[OutputStream, bytes]:
        if self._result is not None:
            raise StopAsyncIteration
        last, value = await (await self._start()).next()
        if last:
            await self._finish()
            self._result = RunResult.from_wire(value)
            if self._check:
                self._result.check(str(self._params["command"]))
            raise StopAsyncIteration
        event = OutputEvent.from_wire(value)
        return event.stream, event.data

    async def wait(self) -> RunResult:
        """Drops what output is left and returns the result."""
        async for _ in self:
            pass
        return self.result

    async def write(self, data: Union[str, bytes]) -> None:
        """Gives it more to read; it must have been begun with `stdin=True`."""
        await self._start()
        await self._insist(data, None)

    async def close_stdin(self) -> None:
        """There is no more to read."""
        await self._start()
        await self._insist(None, True)

    async def _insist(self, data: Union[str, bytes, None], end: Optional[bool]) -> None:
        # The server reads requests in parallel: it may see this before the run has begun.
        for _ in range(_TRIES):
            try:
                return await self._methods.stdin(self.run_id, data=data, end=end)
            except NotFoundError:
                if self.done:
                    raise
            await asyncio.sleep(_APART)  # sync: time.sleep(_APART)
        return await self._methods.stdin(self.run_id, data=data, end=end)

    async def cancel(self) -> None:
        """Ends it: its result comes as usual, with status 130 and `cancelled`."""
        if self._result is not None:
            return
        await self._start()
        for _ in range(_TRIES):
            try:
                return await self._methods.cancel(self.run_id)
            except NotFoundError:
                if self.done:
                    return None
            await asyncio.sleep(_APART)  # sync: time.sleep(_APART)

    async def _finish(self) -> None:
        self._closed = True
        if self._pending is not None:
            await self._pending.give_up()

    async def aclose(self) -> None:
        """Leaves it: it is cancelled if it still runs."""
        if not self._closed:
            await self._finish()

    async def __aenter__(self) -> Self:
        await self._start()
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.aclose()
