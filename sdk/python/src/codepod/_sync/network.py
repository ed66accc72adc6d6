# Made by `cargo xtask generate` from sdk/python/src/codepod/_async/network.py. Changes here are lost.
"""What a sandbox may reach, and functions that decide about it."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Awaitable, Callable, Optional, Union

from .._generated import sync_methods as methods
from .._generated.types import Network, NetworkReply, NetworkRequest
from .._network import Decided, failed, named, reply
from .._stdio import Asked
from .._transport._sync import Connection

#: A function that decides about a request: `True` lets it go on, `False` or a reason denies it, a `NetworkResponse` answers it.
#: It may be `async`.
OnRequest = Callable[[NetworkRequest], Union[Decided, Awaitable[Decided]]]


class Reach(methods.NetworkMethods):
    """What a sandbox may reach."""

    #: By what word this side is asked; held as long as it is to be asked.
    _asked: Optional[Asked] = None

    def set(self, network: Network, *, on_request: Optional[OnRequest] = None) -> None:
        """Sets what a sandbox may reach, and its secrets.

        What is under way ends as it was allowed; the next request of an open connection is decided anew. What was used
        stays counted.

        Args:
            network: All of it: what it was before does not count any more.
            on_request: Decides about each request that the network allows; none if not given, whatever was before.
        """
        asked = ask(self._connection, on_request)
        super().set(named(network, asked))
        self._asked = asked


def ask(connection: Connection, function: Optional[OnRequest]) -> Optional[Asked]:
    """Has a function asked about requests."""
    if function is None:
        return None

    def decide(request: NetworkRequest) -> NetworkReply:
        try:
            return reply(_call(function, request))
        except Exception as error:
            return failed(request, error)

    return connection.decide(decide)


def _call(function: OnRequest, request: NetworkRequest) -> Any:
    if inspect.iscoroutinefunction(function):
        return asyncio.run(function(request))
    decided = function(request)
    if inspect.isawaitable(decided):
        raise TypeError("the function returned something to wait for: make it `async def`")
    return decided
