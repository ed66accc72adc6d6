"""Connections for threads."""

from __future__ import annotations

import http.client
import select
import ssl
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union

from .. import _http
from .._errors import ClosedError
from .._generated.types import CommandCall, CommandReply
from .._stdio import Asked, Decider, Server, Waiter, shared_server

if TYPE_CHECKING:
    from .._sync.sandbox import Sandbox
    from .._sync.stream import RunStream

#: What answers a call of a command.
Handler = Callable[[CommandCall], CommandReply]


class Pending(ABC):
    """A run whose output comes while it runs."""

    @abstractmethod
    def next(self) -> Tuple[bool, Any]:
        """What comes next: `False` and output, or `True` and the result."""

    @abstractmethod
    def give_up(self) -> None:
        """Abandons the rest: the run is cancelled if it has not ended."""


class Connection(ABC):
    """A way to a server."""

    #: Whether the server is a process of ours: then its sandboxes end when it cannot be reached any more.
    ends_with_us = False

    @abstractmethod
    def call(self, method: str, params: Dict[str, Any]) -> Any:
        """Asks, and waits for the answer."""

    @abstractmethod
    def stream(self, method: str, run_id: str, params: Dict[str, Any]) -> Pending:
        """Calls a method that runs something, whose output comes while it runs."""

    def handle(self, sandbox_id: str, name: str, handler: Handler) -> None:
        """Sets what answers calls of a command."""
        raise _http.unsupported("commands.register")

    def decide(self, decider: Decider) -> Asked:
        """Has a function decide about requests to the network that name the word, while it is held."""
        raise _http.unsupported("on_request")

    def forget(self, sandbox_id: str) -> None:
        """A sandbox is gone."""

    def drop(self, sandbox_id: str) -> None:
        """A sandbox is no longer referenced; it is destroyed later if possible."""

    @abstractmethod
    def close(self) -> None:
        """Ends it."""


class Methods:
    """What classes of callers have in common: a connection, and a sandbox if they are about one."""

    def __init__(self, connection: Connection, sandbox_id: Optional[str] = None) -> None:
        self._connection = connection
        self._sandbox_id = sandbox_id
        #: The sandbox that these methods are of: it lives as long as they do.
        self._owner: Optional[Sandbox] = None

    def _call(self, method: str, params: Dict[str, Any]) -> Any:
        if self._sandbox_id is not None:
            params["sandboxId"] = self._sandbox_id
        return self._connection.call(method, params)

    def _begin(self, method: str, params: Dict[str, Any], stdin: Union[str, bytes, bool, None]) -> RunStream:
        """Begins a run of the sandbox whose output comes while it runs."""
        if self._owner is None:
            raise ClosedError("these methods are of no sandbox", hint="take them from a sandbox")
        return self._owner._begin(method, params, stdin)


def connect(
    url: Optional[str], api_key: Optional[str], binary: Optional[str], states: Optional[str], network: bool
) -> Connection:
    """A connection of one's own: to a server by its address, or to a new process."""
    return StdioConnection(Server(binary, states, network)) if url is None else HttpConnection(url, api_key)


def shared(network: bool) -> Connection:
    """A connection to the server of this interpreter."""
    return StdioConnection(shared_server(network))


class StdioConnection(Connection):
    """A way to a process of our own."""

    ends_with_us = True

    def __init__(self, server: Server) -> None:
        self._server = server

    def call(self, method: str, params: Dict[str, Any]) -> Any:
        return self._server.call(method, params)

    def stream(self, method: str, run_id: str, params: Dict[str, Any]) -> Pending:
        return _StdioPending(self._server, method, run_id, params)

    def handle(self, sandbox_id: str, name: str, handler: Handler) -> None:
        self._server.handle(sandbox_id, name, handler)

    def decide(self, decider: Decider) -> Asked:
        return self._server.decide(decider)

    def forget(self, sandbox_id: str) -> None:
        self._server.forget(sandbox_id)

    def drop(self, sandbox_id: str) -> None:
        self._server.drop(sandbox_id)

    def close(self) -> None:
        self._server.close()


class _StdioPending(Pending):
    def __init__(self, server: Server, method: str, run_id: str, params: Dict[str, Any]) -> None:
        self._server = server
        self._waiter = Waiter()
        server.send(method, params, self._waiter, stream=run_id)

    def next(self) -> Tuple[bool, Any]:
        return self._server.receive(self._waiter)

    def give_up(self) -> None:
        self._server.give_up(self._waiter)


_Http = Union[http.client.HTTPConnection, http.client.HTTPSConnection]


class HttpConnection(Connection):
    """A way to `codepod serve`. Threads share its connections; each is used by one at a time."""

    def __init__(self, url: str, api_key: Optional[str]) -> None:
        self._address = _http.Address.parse(url)
        self._headers = _http.headers(api_key)
        self._context = ssl.create_default_context() if self._address.secure else None
        self._idle: List[_Http] = []

    def call(self, method: str, params: Dict[str, Any]) -> Any:
        connection, response = self._send(method, params, self._headers)
        try:
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._address.gone(error) from None
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        return _http.answer(response.status, body)

    def stream(self, method: str, run_id: str, params: Dict[str, Any]) -> Pending:
        headers = {**self._headers, "Accept": "text/event-stream"}
        connection, response = self._send(method, params, headers)
        if response.status != 200:
            body = response.read()
            connection.close()
            _http.answer(response.status, body)
        return _HttpPending(self._address, connection, response)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _send(
        self, method: str, params: Dict[str, Any], headers: Dict[str, str]
    ) -> Tuple[_Http, http.client.HTTPResponse]:
        verb, message = _http.message(self._address, method, params, headers)
        connection = self._take()
        try:
            if connection.sock is None:
                connection.connect()
            # Not by `request`: that sends head and body apart.
            connection.sock.sendall(message)
            response = http.client.HTTPResponse(connection.sock, method=verb)
            response.begin()
            return connection, response
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._address.gone(error) from None
        except BaseException:
            connection.close()
            raise

    def _take(self) -> _Http:
        """An idle connection: one that is still open, or a new one."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                break
            # What can be read without having asked is the end of the connection.
            if connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]:
                return connection
            connection.close()
        address = self._address
        if self._context is not None:
            return http.client.HTTPSConnection(address.host, address.port, context=self._context)
        return http.client.HTTPConnection(address.host, address.port)


class _HttpPending(Pending):
    def __init__(self, address: _http.Address, connection: _Http, response: http.client.HTTPResponse) -> None:
        self._address = address
        self._connection = connection
        self._response = response
        self._events = _http.Events()

    def next(self) -> Tuple[bool, Any]:
        while True:
            try:
                line = self._response.readline()
            except (OSError, http.client.HTTPException) as error:
                raise self._address.gone(error) from None
            if not line:
                raise _http.cut_off(self._address)
            found = self._events.line(line.decode().rstrip("\r\n"))
            if found is not None:
                return found

    def give_up(self) -> None:
        self._connection.close()
