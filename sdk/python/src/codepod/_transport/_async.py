"""Connections for event loops.

A process of our own is the same one that threads use: its reader hands answers to the loop. HTTP is spoken over asyncio's
streams.
"""

from __future__ import annotations

import asyncio
import ssl
from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Deque, Dict, List, Optional, Tuple, Union

from .. import _http
from .._errors import ClosedError, ServerGoneError
from .._generated.types import CommandCall, CommandReply, NetworkReply, NetworkRequest
from .._stdio import Asked, Message, Server, Waiter, shared_server

if TYPE_CHECKING:
    from .._async.sandbox import AsyncSandbox
    from .._async.stream import AsyncRunStream

#: What answers a call of a command.
AsyncHandler = Callable[[CommandCall], Awaitable[CommandReply]]
#: What decides about a request to the network.
AsyncDecider = Callable[[NetworkRequest], Awaitable[NetworkReply]]
#: A request that is longer than that is sent by another thread, since a pipe may have no room for it at once.
_LONG = 1 << 15


class AsyncPending(ABC):
    """A run whose output comes while it runs."""

    @abstractmethod
    async def next(self) -> Tuple[bool, Any]:
        """What comes next: `False` and output, or `True` and the result."""

    @abstractmethod
    async def give_up(self) -> None:
        """Abandons the rest: the run is cancelled if it has not ended."""


class AsyncConnection(ABC):
    """A way to a server."""

    #: Whether the server is a process of ours: then its sandboxes end when it cannot be reached any more.
    ends_with_us = False

    @abstractmethod
    async def call(self, method: str, params: Dict[str, Any]) -> Any:
        """Asks, and waits for the answer."""

    @abstractmethod
    async def stream(self, method: str, run_id: str, params: Dict[str, Any]) -> AsyncPending:
        """Calls a method that runs something, whose output comes while it runs."""

    async def handle(self, sandbox_id: str, name: str, handler: AsyncHandler) -> None:
        """Sets what answers calls of a command."""
        raise _http.unsupported("commands.register")

    async def decide(self, decider: AsyncDecider) -> Asked:
        """Has a function decide about requests to the network that name the word, while it is held."""
        raise _http.unsupported("on_request")

    async def forget(self, sandbox_id: str) -> None:
        """A sandbox is gone."""

    def drop(self, sandbox_id: str) -> None:
        """A sandbox is no longer referenced; it is destroyed later if possible."""

    @abstractmethod
    async def close(self) -> None:
        """Ends it."""


class AsyncMethods:
    """What classes of callers have in common: a connection, and a sandbox if they are about one."""

    def __init__(self, connection: AsyncConnection, sandbox_id: Optional[str] = None) -> None:
        self._connection = connection
        self._sandbox_id = sandbox_id
        #: The sandbox that these methods are of: it lives as long as they do.
        self._owner: Optional[AsyncSandbox] = None

    async def _call(self, method: str, params: Dict[str, Any]) -> Any:
        if self._sandbox_id is not None:
            params["sandboxId"] = self._sandbox_id
        return await self._connection.call(method, params)

    def _begin(self, method: str, params: Dict[str, Any], stdin: Union[str, bytes, bool, None]) -> AsyncRunStream:
        """Begins a run of the sandbox whose output comes while it runs."""
        if self._owner is None:
            raise ClosedError("these methods are of no sandbox", hint="take them from a sandbox")
        return self._owner._begin(method, params, stdin)


def connect(
    url: Optional[str], api_key: Optional[str], binary: Optional[str], states: Optional[str], network: bool
) -> AsyncConnection:
    """A connection of one's own: to a server by its address, or to a new process."""
    return AsyncStdioConnection(Server(binary, states, network)) if url is None else AsyncHttpConnection(url, api_key)


def shared(network: bool) -> AsyncConnection:
    """A connection to the server of this interpreter."""
    return AsyncStdioConnection(shared_server(network))


class _LoopWaiter(Waiter):
    """Waits in an event loop."""

    __slots__ = ("_loop", "_waiting")

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._waiting: Optional[asyncio.Future[None]] = None

    def deliver(self, message: Message) -> None:
        try:
            self._loop.call_soon_threadsafe(self._put, message)
        except RuntimeError:
            # The loop has ended, and with it its waiting callers.
            pass

    def _put(self, message: Message) -> None:
        self.messages.append(message)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def next(self) -> Tuple[bool, Any]:
        while not self.messages:
            self._waiting = self._loop.create_future()
            await self._waiting
        good, value = self.messages.popleft()
        if not good:
            raise value
        return value  # type: ignore[no-any-return]


class AsyncStdioConnection(AsyncConnection):
    """A way to a process of our own."""

    ends_with_us = True

    def __init__(self, server: Server) -> None:
        self._server = server

    async def call(self, method: str, params: Dict[str, Any]) -> Any:
        waiter = _LoopWaiter()
        await self._send(method, params, waiter, None)
        try:
            return (await waiter.next())[1]
        except asyncio.CancelledError:
            self._server.give_up(waiter)
            raise

    async def stream(self, method: str, run_id: str, params: Dict[str, Any]) -> AsyncPending:
        waiter = _LoopWaiter()
        await self._send(method, params, waiter, run_id)
        return _StdioPending(self._server, waiter)

    async def handle(self, sandbox_id: str, name: str, handler: AsyncHandler) -> None:
        loop = asyncio.get_running_loop()

        async def answer(call: CommandCall) -> CommandReply:
            return await handler(call)

        def wait(call: CommandCall) -> CommandReply:
            return asyncio.run_coroutine_threadsafe(answer(call), loop).result()

        self._server.handle(sandbox_id, name, wait)

    async def decide(self, decider: AsyncDecider) -> Asked:
        loop = asyncio.get_running_loop()

        async def answer(request: NetworkRequest) -> NetworkReply:
            return await decider(request)

        def wait(request: NetworkRequest) -> NetworkReply:
            return asyncio.run_coroutine_threadsafe(answer(request), loop).result()

        return self._server.decide(wait)

    async def forget(self, sandbox_id: str) -> None:
        self._server.forget(sandbox_id)

    def drop(self, sandbox_id: str) -> None:
        self._server.drop(sandbox_id)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self._server.close)

    async def _send(self, method: str, params: Dict[str, Any], waiter: Waiter, stream: Optional[str]) -> None:
        self._server.read_always()
        if sum(len(value) for value in params.values() if isinstance(value, str)) < _LONG:
            self._server.send(method, params, waiter, stream)
        else:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, self._server.send, method, params, waiter, stream)


class _StdioPending(AsyncPending):
    def __init__(self, server: Server, waiter: _LoopWaiter) -> None:
        self._server = server
        self._waiter = waiter

    async def next(self) -> Tuple[bool, Any]:
        return await self._waiter.next()

    async def give_up(self) -> None:
        self._server.give_up(self._waiter)


class _Closed(Exception):
    """The other side ended the connection."""


class _Response:
    """An answer whose body has not been read yet."""

    def __init__(self, reader: asyncio.StreamReader, status: int, headers: Dict[str, str]) -> None:
        self._reader = reader
        self.status = status
        self._chunked = "chunked" in headers.get("transfer-encoding", "").lower()
        length = headers.get("content-length")
        self._left: Optional[int] = None if length is None else int(length)
        self.keeps = headers.get("connection", "").lower() != "close" and (self._chunked or self._left is not None)
        self._ended = False

    async def piece(self) -> bytes:
        """The next part of the body; nothing at its end."""
        if self._ended:
            return b""
        if self._chunked:
            size = int((await _line(self._reader)).split(";")[0], 16)
            piece = await self._reader.readexactly(size)
            await self._reader.readexactly(2)
            self._ended = size == 0
            return piece
        if self._left is None:
            return await self._reader.read(1 << 16)
        piece = await self._reader.read(min(self._left, 1 << 16)) if self._left else b""
        if self._left and not piece:
            raise _Closed
        self._left -= len(piece)
        return piece

    async def whole(self) -> bytes:
        """The body."""
        pieces: List[bytes] = []
        while True:
            piece = await self.piece()
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)


async def _line(reader: asyncio.StreamReader) -> str:
    line = await reader.readline()
    if not line.endswith(b"\n"):
        raise _Closed("it closed the connection")
    return line.decode("latin-1").rstrip("\r\n")


_Streams = Tuple[asyncio.StreamReader, asyncio.StreamWriter]
_FAILURES = (OSError, ValueError, EOFError, _Closed)


class AsyncHttpConnection(AsyncConnection):
    """A way to `codepod serve`, for the event loop that it is first used in."""

    def __init__(self, url: str, api_key: Optional[str]) -> None:
        self._address = _http.Address.parse(url)
        self._headers = _http.headers(api_key)
        self._context = ssl.create_default_context() if self._address.secure else None
        self._idle: List[_Streams] = []

    async def call(self, method: str, params: Dict[str, Any]) -> Any:
        streams, response = await self._send(method, params, self._headers)
        try:
            body = await response.whole()
        except _FAILURES as error:
            streams[1].close()
            raise self._gone(error) from None
        except BaseException:
            streams[1].close()
            raise
        if response.keeps:
            self._idle.append(streams)
        else:
            streams[1].close()
        return _http.answer(response.status, body)

    async def stream(self, method: str, run_id: str, params: Dict[str, Any]) -> AsyncPending:
        headers = {**self._headers, "Accept": "text/event-stream"}
        streams, response = await self._send(method, params, headers)
        if response.status != 200:
            body = await response.whole()
            streams[1].close()
            _http.answer(response.status, body)
        return _HttpPending(self, streams[1], response)

    async def close(self) -> None:
        while self._idle:
            _, writer = self._idle.pop()
            writer.close()
            try:
                await writer.wait_closed()
            except OSError:
                pass

    def _gone(self, error: Exception) -> ServerGoneError:
        return self._address.gone(error)

    async def _send(
        self, method: str, params: Dict[str, Any], headers: Dict[str, str]
    ) -> Tuple[_Streams, _Response]:
        _, message = _http.message(self._address, method, params, headers)
        try:
            streams = await self._take()
        except OSError as error:
            raise self._gone(error) from None
        try:
            streams[1].write(message)
            await streams[1].drain()
            return streams, await self._head(streams[0])
        except _FAILURES as error:
            streams[1].close()
            raise self._gone(error) from None
        except BaseException:
            streams[1].close()
            raise

    async def _take(self) -> _Streams:
        """An idle connection: one that is still open, or a new one."""
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        return await asyncio.open_connection(self._address.host, self._address.port, ssl=self._context)

    async def _head(self, reader: asyncio.StreamReader) -> _Response:
        words = (await _line(reader)).split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1."):
            raise ValueError("it does not speak HTTP/1")
        headers: Dict[str, str] = {}
        while True:
            line = await _line(reader)
            if not line:
                return _Response(reader, int(words[1]), headers)
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()


class _HttpPending(AsyncPending):
    def __init__(self, connection: AsyncHttpConnection, writer: asyncio.StreamWriter, response: _Response) -> None:
        self._connection = connection
        self._writer = writer
        self._response = response
        self._events = _http.Events()
        self._lines: Deque[str] = deque()
        self._partial = b""

    async def next(self) -> Tuple[bool, Any]:
        while True:
            while self._lines:
                found = self._events.line(self._lines.popleft())
                if found is not None:
                    return found
            try:
                piece = await self._response.piece()
            except _FAILURES as error:
                raise self._connection._gone(error) from None
            if not piece:
                raise _http.cut_off(self._connection._address)
            *lines, self._partial = (self._partial + piece).split(b"\n")
            self._lines.extend(line.decode().rstrip("\r") for line in lines)

    async def give_up(self) -> None:
        self._writer.close()
