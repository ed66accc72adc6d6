"""What a sandbox may reach, and functions that decide about it."""

from __future__ import annotations

import asyncio  # sync: import asyncio
import inspect
from typing import Any, Awaitable, Callable, Optional, Union

from .._generated import async_methods as methods
from .._generated.types import Network, NetworkReply, NetworkRequest
from .._network import Decided, failed, named, reply
from .._stdio import Asked
from .._transport._async import AsyncConnection

#: A function that decides about a request: `True` lets it go on, `False` or a reason denies it, a `NetworkResponse` answers it.
#: It may be `async`.
AsyncOnRequest = Callable[[NetworkRequest], Union[Decided, Awaitable[Decided]]]


class AsyncReach(methods.AsyncNetworkMethods):
    """What a sandbox may reach."""

    #: By what word this side is asked; held as long as it is to be asked.
    _asked: Optional[Asked] = None

    async def set(self, network: Network, *, on_request: Optional[AsyncOnRequest] = None) -> None:
        """Sets what a sandbox may reach, and its secrets.

        What is under way ends as it was allowed; the next request of an open connection is decided anew. What was used
        stays counted.

        Args:
            network: All of it: what it was before does not count any more.
            on_request: Decides about each request that the network allows; none if not given, whatever was before.
        """
        asked = await ask(self._connection, on_request)
        await super().set(named(network, asked))
        self._asked = asked


async def ask(connection: AsyncConnection, function: Optional[AsyncOnRequest]) -> Optional[Asked]:
    """Has a function asked about requests."""
    if function is None:
        return None

    async def decide(request: NetworkRequest) -> NetworkReply:
        try:
            return reply(await _call(function, request))
        except Exception as error:
            return failed(request, error)

    return await connection.decide(decide)


async def _call(function: AsyncOnRequest, request: NetworkRequest) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(request)  # sync: return asyncio.run(function(request))
    decided = await asyncio.get_running_loop().run_in_executor(None, function, request)  # sync: decided = function(request)
    if inspect.isawaitable(decided):
        return await decided  # sync: raise TypeError("the function returned something to wait for: make it `async def`")
    return decided
