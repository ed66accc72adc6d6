"""Functions as commands of a sandbox."""

from __future__ import annotations

import asyncio  # sync: import asyncio
import inspect
from typing import TYPE_CHECKING, Any, Awaitable, Callable, List, Union

from .._command import ContextBase, Returned
from .._generated.types import CommandCall, CommandReply

if TYPE_CHECKING:
    from .files import AsyncFiles
    from .sandbox import AsyncSandbox


class AsyncCommandContext(ContextBase):
    """What a command knows beside its arguments: where it runs, what it reads, and the files of its sandbox."""

    def __init__(self, sandbox: AsyncSandbox, call: CommandCall) -> None:
        super().__init__(call)
        #: The sandbox that calls. Its main shell waits for this command: run others in a shell of their own.
        self.sandbox = sandbox

    @property
    def files(self) -> AsyncFiles:
        """The sandbox's files."""
        return self.sandbox.files


#: A function that is a command: it takes arguments and context. It may be `async`.
AsyncCommand = Callable[[List[str], AsyncCommandContext], Union[Returned, Awaitable[Returned]]]


async def answer(sandbox: AsyncSandbox, function: AsyncCommand, call: CommandCall) -> CommandReply:
    """Calls a function for a command."""
    context = AsyncCommandContext(sandbox, call)
    try:
        returned: Any
        if inspect.iscoroutinefunction(function):
            returned = await function(call.arguments, context)  # sync: returned = asyncio.run(function(call.arguments, context))
        else:
            returned = await _in_thread(function, call.arguments, context)
        return context.reply(returned)
    except Exception as error:
        return context.failed(error)


async def _in_thread(function: AsyncCommand, arguments: List[str], context: AsyncCommandContext) -> Any:
    returned = await asyncio.get_running_loop().run_in_executor(None, function, arguments, context)  # sync: returned = function(arguments, context)
    if inspect.isawaitable(returned):
        returned = await returned  # sync: raise TypeError("the function returned something to wait for: make it `async def`")
    return returned
