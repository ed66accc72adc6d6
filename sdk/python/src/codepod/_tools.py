"""Tools for models: what the definitions say, and what comes back."""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Optional

from ._errors import ClosedError, CodepodError, ServerGoneError
from ._generated.errors import InvalidParamsError
from ._generated.tools import LIST_BYTES, TOOLS

#: The method of each tool.
METHODS: Dict[str, str] = {tool.name: tool.method for tool in TOOLS}
#: The parameters of each tool.
_KNOWN: Dict[str, Dict[str, Any]] = {tool.name: tool.schema["properties"] for tool in TOOLS}
#: The fields of the result of each tool that a model is told.
_FIELDS = {tool.name: tool.fields for tool in TOOLS}
#: How much of a result a model is told.
_BOUNDS = {tool.name: tool.bounds for tool in TOOLS}


def params_of(name: str, input: Mapping[str, Any], sandbox_id: str, output_budget: Optional[int]) -> Dict[str, Any]:
    """The method's parameters that a tool's input stands for, with bounds on what comes back.

    `output_budget` is the sandbox's own, which runs go by if a model does not say.
    """
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
    bounds = _BOUNDS[name]
    if bounds is not None:
        key, usual, most = bounds
        if key == "output_budget" and output_budget is not None:
            usual = output_budget
        asked = params.get(camel_case(key), usual)
        # What is no number is for the server to refuse.
        params[camel_case(key)] = min(asked, max(usual, most)) if isinstance(asked, int) else asked
    return params


def result_of(name: str, wire: Any) -> Dict[str, Any]:
    """What a model is told of a result."""
    told: Dict[str, Any] = snake_keys(wire)
    fields = _FIELDS[name]
    if fields is None:
        if _BOUNDS[name] is None:
            _Fit().fit_all(told)
        if "mime" in told:
            # A model sees nothing in base64; `files.read` has the picture for the program around it.
            told.pop("base64", None)
            told["note"] = "a picture, which this tool does not show"
        return told
    always, notes = fields
    shown = {key: told[key] for key in always}
    shown.update({key: told[key] for key in notes if told.get(key)})
    return shown


class _Fit:
    """Makes a list or a difference fit for a model, and counts what is left out."""

    def __init__(self) -> None:
        self.left = LIST_BYTES
        self.entries = 0
        self.bytes = 0

    def fit_all(self, told: Dict[str, Any]) -> None:
        for key, value in told.items():
            told[key] = self.fit(value)
        if self.entries:
            told["omitted_entries"] = self.entries
        if self.bytes:
            told["omitted_bytes"] = self.bytes

    def fit(self, value: Any) -> Any:
        if isinstance(value, str):
            data = value.encode("utf-8", "replace")
            # Words of ours and short names stay whole.
            kept = len(data) if len(data) <= 64 else min(len(data), self.left)
            self.left = max(0, self.left - kept)
            if kept == len(data):
                return value
            self.bytes += len(data) - kept
            return data[:kept].decode("utf-8", "ignore") + f"\n[{len(data) - kept} bytes are not shown]\n"
        if isinstance(value, list):
            fitting = []
            for entry in value:
                if self.left == 0:
                    break
                fitting.append(self.fit(entry))
            self.entries += len(value) - len(fitting)
            return fitting
        if isinstance(value, dict):
            return {key: self.fit(item) for key, item in value.items()}
        self.left = max(0, self.left - 8)
        return value


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
