"""Methods as HTTP requests, and what is the same for both kinds of clients."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode, urlsplit

from ._errors import CodepodError, ServerGoneError, error_from_wire
from ._generated.errors import UnsupportedError
from ._generated.routes import NOT_OVER_HTTP, ROUTES


@dataclass(frozen=True)
class Address:
    """Where a server is."""

    host: str
    port: int
    secure: bool
    #: What is before the path of every route.
    prefix: str

    @classmethod
    def parse(cls, url: str) -> Address:
        """Reads `http://host:port/prefix`."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"`{url}` is no address of a server: it begins with http:// or https://")
        secure = parts.scheme == "https"
        return cls(parts.hostname, parts.port or (443 if secure else 80), secure, parts.path.rstrip("/"))

    @property
    def authority(self) -> str:
        """As the header `Host` says it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"

    def gone(self, error: Exception) -> ServerGoneError:
        """The error of a server that cannot be reached."""
        return ServerGoneError(
            f"the codepod server at {self.authority} cannot be reached: {error}",
            hint="check that `codepod serve` runs there",
        )


def headers(api_key: Optional[str]) -> Dict[str, str]:
    """What every request says."""
    head = {"Accept": "application/json", "Content-Type": "application/json"}
    if api_key is not None:
        if not api_key.isascii() or not api_key.isprintable():
            raise ValueError("a key has visible ASCII characters only")
        head["Authorization"] = f"Bearer {api_key}"
    return head


def unsupported(method: str) -> UnsupportedError:
    """What is said of a method that HTTP does not have."""
    hint = "use a sandbox of `codepod rpc`: `Sandbox()` without a client"
    return UnsupportedError(f"`{method}` is not possible over HTTP", hint=hint)


def request(prefix: str, method: str, params: Mapping[str, Any]) -> Tuple[str, str, bytes]:
    """Verb, target and body of a call."""
    route = ROUTES.get(method)
    if route is None or method in NOT_OVER_HTTP:
        raise unsupported(method)
    verb, path = route
    own = dict(params)
    sandbox = own.pop("sandboxId", None)
    if sandbox is not None:
        path = path.replace("{sandbox}", quote(str(sandbox), safe=""))
    target = prefix + path
    if verb not in ("GET", "DELETE"):
        return verb, target, json.dumps(own, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    query = urlencode({name: _in_query(value) for name, value in own.items()}, errors="surrogatepass")
    return verb, f"{target}?{query}" if query else target, b""


def message(address: Address, method: str, params: Mapping[str, Any], head: Mapping[str, str]) -> Tuple[str, bytes]:
    """The verb of a call and all that is sent for it, in one piece: a server wakes up once."""
    verb, target, body = request(address.prefix, method, params)
    lines = [f"{verb} {target} HTTP/1.1", f"Host: {address.authority}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in head.items()]
    return verb, ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def _in_query(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def answer(status: int, body: bytes) -> Any:
    """The result that a server sent; raises its error."""
    try:
        value = json.loads(body) if body else None
    except ValueError:
        raise ServerGoneError(
            f"the server answered with status {status} and what is no JSON", hint="check that this is a codepod server"
        ) from None
    if 200 <= status < 300:
        return value
    # A server may put the error into an object, as JSON-RPC does.
    if isinstance(value, Mapping) and isinstance(value.get("error"), Mapping):
        value = value["error"]
    raise error_from_wire(value)


class Events:
    """Server-Sent Events, line by line."""

    def __init__(self) -> None:
        self._event = ""
        self._data: List[str] = []

    def line(self, line: str) -> Optional[Tuple[bool, Any]]:
        """What a line completes: whether it is the result, and what it is. Raises the server's error."""
        if line:
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "event":
                self._event = value
            elif name == "data":
                self._data.append(value)
            return None
        event, data = self._event, "\n".join(self._data)
        self._event, self._data = "", []
        if not data or event not in ("output", "result", "error"):
            return None
        value = json.loads(data)
        if event == "error":
            raise error_from_wire(value)
        return event == "result", value


def cut_off(address: Address) -> CodepodError:
    """The error of a stream that ended before its result."""
    return address.gone(ConnectionError("it closed the connection before the result"))


