"""What both kinds of clients do with a network: functions that decide about requests, directories of recordings."""

from __future__ import annotations

import dataclasses
import logging
import os
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Union

from ._generated.types import HeaderField, Network, NetworkReply, NetworkRequest
from ._stdio import Asked

_LOGGER = logging.getLogger("codepod")


@dataclass(frozen=True)
class NetworkResponse:
    """An answer to a request of a sandbox, which then does not leave this machine."""

    body: Union[str, bytes] = b""
    """Its body; text is sent as UTF-8."""

    status: int = 200
    """Its status, from 200 to 599."""

    headers: Optional[Mapping[str, str]] = None
    """Its header fields. The length of the body is added."""


#: What a function decides: `True` lets a request go on, `False` or a reason denies it, `NetworkResponse` answers it.
Decided = Union[bool, str, NetworkResponse]


def reply(decided: Any) -> NetworkReply:
    """What a function has decided, as it travels. What is none of it denies."""
    if decided is True:
        return NetworkReply(decision="allow", body=b"")
    if decided is False:
        return NetworkReply(decision="deny", body=b"")
    if isinstance(decided, str):
        return NetworkReply(decision="deny", body=b"", reason=decided)
    if isinstance(decided, NetworkResponse):
        headers = [HeaderField(name, value) for name, value in (decided.headers or {}).items()]
        body = decided.body.encode() if isinstance(decided.body, str) else bytes(decided.body)
        return NetworkReply(decision="respond", body=body, status=decided.status, headers=headers)
    raise TypeError(
        f"`on_request` returned a {type(decided).__name__}: it returns True, False, a reason to deny, or a `NetworkResponse`"
    )


def failed(request: NetworkRequest, error: Exception) -> NetworkReply:
    """What is decided where a function fails: the request is denied. What went wrong is logged, and not told inside."""
    _LOGGER.error("on_request failed for %s", request.url, exc_info=error)
    return NetworkReply(decision="deny", body=b"", reason="the function of the host that decides failed")


def named(network: Network, asked: Optional[Asked]) -> Network:
    """A network as it travels: with whole paths, and the word by which requests are asked about, if any."""
    changed: Dict[str, Any] = {}
    for option in ("record", "replay"):
        directory = getattr(network, option)
        if directory is not None:
            changed[option] = os.path.abspath(directory)
    if asked is not None:
        changed["ask"] = asked.word
    return dataclasses.replace(network, **changed) if changed else network
