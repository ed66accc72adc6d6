"""Tools for models: what the definitions say, and what comes back."""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping

from ._errors import ClosedError, CodepodError, ServerGoneError
from ._generated.errors import InvalidParamsError
from ._generated.tools import TOOLS

#: The method of each tool.
METHODS: Dict[str, str] = {tool.name: tool.method for tool in TOOLS}
#: The parameters of each tool.
_KNOWN: Dict[str, Dict[str, Any]] = {tool.name: tool.schema["properties"] for tool in TOOLS}
#: The fields of the result of each tool that a model is told.
_FIELDS = {tool.name: tool.fields for tool in TOOLS}


def params_of(name: str, input: Mapping[str, Any], sandbox_id: str) -> Dict[str, Any]:
    """The method's parameters that a tool's input stands for."""
    if isinstance(input, str):
        # Some frameworks hand on what the model wrote.
        input = json.loads(input)
    strange = [key for key in input if key not in _KNOWN[name]]
    if strange:
        raise InvalidParamsError(
            f"`{name}` takes no `{strange[0]}`", hint=f"it takes {', '.join(_KNOWN[name])}", code=-32602
        )
    params = {camel_case(key): value for key, value in input.items() if key != "sandbox_id" and value is not None}
    params["sandboxId"] = input.get("sandbox_id") or sandbox_id
    return params


def result_of(name: str, wire: Any) -> Dict[str, Any]:
    """What a model is told of a result."""
    told: Dict[str, Any] = snake_keys(wire)
    fields = _FIELDS[name]
    if fields is None:
        return told
    always, notes = fields
    shown = {key: told[key] for key in always}
    shown.update({key: told[key] for key in notes if told.get(key)})
    return shown


def failed(error: CodepodError) -> Dict[str, Any]:
    """What a model is told of an error."""
    if isinstance(error, (ServerGoneError, ClosedError)):
        raise error
    told = {"error": error.message, "kind": error.kind, "hint": error.hint}
    return {**told, "errno": error.errno} if error.errno else told


def unknown(name: str) -> Dict[str, Any]:
    """What a model is told that asks for what there is not."""
    hint = f"there are {', '.join(METHODS)}"
    return {"error": f"there is no tool `{name}`", "kind": "method_not_found", "hint": hint}


def camel_case(name: str) -> str:
    """`timeout_ms` as `timeoutMs`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def snake_case(name: str) -> str:
    """`timeoutMs` as `timeout_ms`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def snake_keys(value: Any) -> Any:
    """A value from JSON with names in snake_case."""
    if isinstance(value, dict):
        return {snake_case(key): snake_keys(item) for key, item in value.items()}
    if isinstance(value, list):
        return [snake_keys(item) for item in value]
    return value
