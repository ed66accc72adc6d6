"""Values on their way: bytes as text or base64, times in milliseconds."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any, Dict, Mapping, Union


def put_bytes(wire: Dict[str, Any], text: str, base64: str, data: Union[str, bytes]) -> None:
    """Puts bytes into `wire`: as text if they are UTF-8, else as base64."""
    if isinstance(data, str):
        try:
            data.encode()
        except UnicodeEncodeError:
            # Lone surrogates stand for bytes that were no UTF-8, as Python itself reads them from the system.
            data = data.encode("utf-8", "surrogateescape")
        else:
            wire[text] = data
            return
    try:
        wire[text] = bytes(data).decode()
    except UnicodeDecodeError:
        wire[base64] = to_base64(data)


def get_bytes(wire: Mapping[str, Any], text: str, base64: str) -> bytes:
    """Takes bytes from `wire`, whichever way they came; none if they did not."""
    encoded = wire.get(base64)
    if encoded is not None:
        return b64decode(encoded)
    found = wire.get(text)
    return b"" if found is None else str(found).encode()


def to_base64(data: bytes) -> str:
    """Bytes in base64."""
    return b64encode(data).decode("ascii")


def from_base64(text: str) -> bytes:
    """What base64 stands for."""
    return b64decode(text)


def milliseconds(seconds: float) -> int:
    """Seconds in milliseconds, at least one unless they are none."""
    if seconds < 0:
        raise ValueError("a time cannot be negative")
    return max(1, round(seconds * 1000)) if seconds else 0
