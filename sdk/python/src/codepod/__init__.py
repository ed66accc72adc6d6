"""A computer for AI agents: a bash shell with real Unix tools in a sandbox, with snapshots, forks and undo.

    from codepod import Sandbox

    with Sandbox() as sandbox:
        sandbox.files.write("words.txt", "pear\\napple\\n")
        print(sandbox.run("sort words.txt").stdout)
"""

from __future__ import annotations

from typing import List

from . import errors, tools, types
from ._async.background import AsyncBackgroundRun
from ._async.client import AsyncClient
from ._async.command import AsyncCommandContext
from ._async.preview import AsyncPreview
from ._async.sandbox import AsyncSandbox
from ._async.stream import AsyncRunStream
from ._errors import BinaryNotFoundError, ClosedError, CodepodError, CommandFailedError, ServerGoneError
from ._generated.errors import *  # noqa: F403
from ._generated.errors import BY_KIND as _BY_KIND
from ._generated.types import (
    AwsKeys,
    ClientCert,
    CommandReply,
    CreateOptions,
    HostRule,
    Mount,
    Network,
    NetworkRequest,
    PersistenceParams,
    RunResult,
    Secret,
)
from ._generated.version import VERSION as __version__
from ._network import NetworkResponse
from ._sync.background import BackgroundRun
from ._sync.client import Client
from ._sync.command import CommandContext
from ._sync.preview import Preview
from ._sync.sandbox import Sandbox
from ._sync.stream import RunStream

__all__ = [
    "AsyncBackgroundRun",
    "AsyncClient",
    "AsyncCommandContext",
    "AsyncPreview",
    "AsyncRunStream",
    "AsyncSandbox",
    "AwsKeys",
    "BackgroundRun",
    "BinaryNotFoundError",
    "Client",
    "ClientCert",
    "ClosedError",
    "CodepodError",
    "CommandContext",
    "CommandFailedError",
    "CommandReply",
    "CreateOptions",
    "HostRule",
    "Mount",
    "Network",
    "NetworkRequest",
    "NetworkResponse",
    "PersistenceParams",
    "Preview",
    "RunResult",
    "RunStream",
    "Sandbox",
    "Secret",
    "ServerGoneError",
    "__version__",
    "errors",
    "tools",
    "types",
]
__all__ += [error.__name__ for error in _BY_KIND.values()]


def __dir__() -> List[str]:
    # Completion shows what is meant to be used.
    return sorted(__all__)
