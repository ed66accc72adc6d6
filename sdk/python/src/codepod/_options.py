"""Checks of what callers give, with messages that say what to write instead."""

from __future__ import annotations

import difflib
import shlex
from typing import Any, Mapping, Optional

from ._generated.types import CreateOptions, Mount, Network


def check_options(options: Mapping[str, Any]) -> None:
    """Refuses options that a sandbox does not have, and mounts that are none."""
    known = list(CreateOptions.__annotations__)
    for name in options:
        if name not in known:
            begins = [option for option in known if option.startswith(name)]
            near = begins or difflib.get_close_matches(name, known, 1)
            meant = f": did you mean `{near[0]}`?" if near else f": there are {', '.join(known)}"
            raise TypeError(f"a sandbox has no option `{name}`{meant}")
    for mount in options.get("mounts") or []:
        if not isinstance(mount, Mount):
            kind = type(mount).__name__
            raise TypeError(f'`mounts` holds a {kind}: write `codepod.Mount(host="DIRECTORY", at="/work")`')
    network = options.get("network")
    if network is not None and not isinstance(network, Network):
        raise TypeError(
            f"`network` is a {type(network).__name__}: write "
            '`codepod.Network(allowed_hosts=["api.example.com"])`'
        )


def check_client(
    url: Optional[str], api_key: Optional[str], binary: Optional[str], states: Optional[str], network: bool
) -> None:
    """Refuses what a client by address cannot have, and one of a process of its own."""
    if url is None:
        if api_key is not None:
            raise TypeError("`api_key` is of a server at `url`: give its address as well")
        return
    for name, given in [("binary", binary is not None), ("states", states is not None), ("network", network)]:
        if given:
            raise TypeError(f"`{name}` is of a process of the client's own, not of a server at `url`: leave it out")


def check_script(command: Any) -> None:
    """Refuses a script that is not text."""
    if isinstance(command, str):
        return
    hint = "write it as text"
    if isinstance(command, (list, tuple)) and all(isinstance(word, str) for word in command):
        hint = f"`run({shlex.join(command)!r})` runs a command with arguments, and `shlex.join` makes that of a list"
    raise TypeError(f"a script is a str, not a {type(command).__name__}: {hint}")
