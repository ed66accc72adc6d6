# Made by `cargo xtask generate` from sdk/python/src/codepod/_async/command.py. Changes here are lost.
"""Functions as commands of a sandbox."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any, Awaitable, Callable, List, Union

from .._command import ContextBase, Returned
from .._generated.types import CommandCall, CommandReply

if TYPE_CHECKING:
    from .files import Files
    from .sandbox import Sandbox


class CommandContext(ContextBase):
    """What a command knows beside its arguments: where it runs, what it reads, and the files of its sandbox."""

    def __init__(self, sandbox: Sandbox, call: CommandCall) -> None:
        super().__init__(call)
        #: The sandbox that calls. Its main shell waits for this command: run others in a shell of their own.
        self.sandbox = sandbox

    @property
    def files(self) -> Files:
        """The sandbox's files."""
        return self.sandbox.files


#: A function that is a command: it takes arguments and context. It may be `async`.
Command = Callable[[List[str], CommandContext], Union[Returned, Awaitable[Returned]]]


def answer(sandbox: Sandbox, function: Command, call: CommandCall) -> CommandReply:
    """Calls a function for a command."""
    context = CommandContext(sandbox, call)
    try:
        returned: Any
        if inspect.iscoroutinefunction(function):
            returned = asyncio.run(function(call.arguments, context))
        else:
            returned = _in_thread(function, call.arguments, context)
        return context.reply(returned)
    except Exception as error:
        return context.failed(error)


def _in_thread(function: Command, arguments: List[str], context: CommandContext) -> Any:
    returned = function(arguments, context)
    if inspect.isawaitable(returned):
        raise TypeError("the function returned something to wait for: make it `async def`")
    return returned
