# Made by `cargo xtask generate` from sdk/python/src/codepod/_async/client.py. Changes here are lost.
"""A client: a server of one's own, or one that is reached by HTTP, and its sandboxes."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Optional, Type

from .._generated.sync_methods import SandboxesMethods, ServerMethods, StatesMethods
from .._generated.types import CreateOptions
from .._options import check_client
from .._transport._sync import connect
from .network import OnRequest
from .sandbox import Sandbox

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class Client(ServerMethods):
    """A server and its sandboxes.

    Args:
        url: Where `codepod serve` is: `https://host:port`. Without it, a process of its own is started, which ends with the client.
        api_key: A key of that server.
        binary: The program to start instead of the one that came with this package.
        states: Where the process keeps persistent sandboxes; a directory of the user's if not given.
        network: Whether sandboxes of the process may be given a network. What a server at `url` allows is its own matter.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        api_key: Optional[str] = None,
        binary: Optional[str] = None,
        states: Optional[str] = None,
        network: bool = False,
    ) -> None:
        check_client(url, api_key, binary, states, network)
        super().__init__(connect(url, api_key, binary, states, network))
        #: Makes and lists sandboxes.
        self.sandboxes = SandboxesMethods(self._connection)
        #: Lists and removes the states that are kept for persistent sandboxes.
        self.states = StatesMethods(self._connection)

    def sandbox(
        self, *, on_request: Optional[OnRequest] = None, **options: Unpack[CreateOptions]
    ) -> Sandbox:
        """Makes a sandbox. Every option has a default."""
        return Sandbox.create(self, on_request=on_request, **options)

    def attach(self, sandbox_id: str) -> Sandbox:
        """A sandbox that is there already, by its id."""
        return Sandbox.attach(self._connection, sandbox_id)

    def close(self) -> None:
        """Ends the connection; a process of its own ends with all its sandboxes."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
