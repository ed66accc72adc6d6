# Made by `cargo xtask generate` from sdk/python/src/codepod/_async/stream.py. Changes here are lost.
"""A run whose output comes while it runs."""

from __future__ import annotations

import time
import uuid
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Type, Union

from .._errors import ClosedError
from .._generated.errors import NotFoundError
from .._generated.types import OutputEvent, OutputStream, RunResult
from .._transport._sync import Pending

if TYPE_CHECKING:
    from typing_extensions import Self

    from .sandbox import Sandbox

#: How often, and how long apart, a run is looked for that has just been asked for.
_TRIES, _APART = 200, 0.005


class RunStream:
    """A run whose output comes while it runs: iterate over it for pairs of `"stdout"` or `"stderr"` and bytes.

    `result` is there after the last pair. Used as a context manager, a run that is left early is cancelled.
    """

    def __init__(
        self, sandbox: Sandbox, method: str, params: Dict[str, Any], stdin: Union[str, bytes, bool, None]
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
        self._pending: Optional[Pending] = None
        self._result: Optional[RunResult] = None
        self._closed = False
        self._start()

    def _start(self) -> Pending:
        if self._closed:
            raise ClosedError("the stream was closed", hint="begin another with `stream`")
        if self._pending is None:
            self._pending = self._sandbox._connection.stream(self._method, self.run_id, self._params)
            if self._stdin is not None:
                self._insist(self._stdin, True)
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

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Tuple[OutputStream, bytes]:
        if self._result is not None:
            raise StopIteration
        last, value = (self._start()).next()
        if last:
            self._finish()
            self._result = RunResult.from_wire(value)
            if self._check:
                self._result.check(str(self._params["command"]))
            raise StopIteration
        event = OutputEvent.from_wire(value)
        return event.stream, event.data

    def wait(self) -> RunResult:
        """Drops what output is left and returns the result."""
        for _ in self:
            pass
        return self.result

    def write(self, data: Union[str, bytes]) -> None:
        """Gives it more to read; it must have been begun with `stdin=True`."""
        self._start()
        self._insist(data, None)

    def close_stdin(self) -> None:
        """There is no more to read."""
        self._start()
        self._insist(None, True)

    def _insist(self, data: Union[str, bytes, None], end: Optional[bool]) -> None:
        # The server reads requests in parallel: it may see this before the run has begun.
        for _ in range(_TRIES):
            try:
                return self._methods.stdin(self.run_id, data=data, end=end)
            except NotFoundError:
                if self.done:
                    raise
            time.sleep(_APART)
        return self._methods.stdin(self.run_id, data=data, end=end)

    def cancel(self) -> None:
        """Ends it: its result comes as usual, with status 130 and `cancelled`."""
        if self._result is not None:
            return
        self._start()
        for _ in range(_TRIES):
            try:
                return self._methods.cancel(self.run_id)
            except NotFoundError:
                if self.done:
                    return None
            time.sleep(_APART)

    def _finish(self) -> None:
        self._closed = True
        if self._pending is not None:
            self._pending.give_up()

    def close(self) -> None:
        """Leaves it: it is cancelled if it still runs."""
        if not self._closed:
            self._finish()

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
