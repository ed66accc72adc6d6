# Made by `cargo xtask generate` from sdk/python/src/codepod/_async/tools.py. Changes here are lost.
"""Calls of models, answered by a sandbox."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from .._errors import CodepodError
from .._tools import METHODS, failed, params_of, result_of, unknown
from .sandbox import Sandbox


def call_tool(sandbox: Sandbox, name: str, input: Mapping[str, Any]) -> Dict[str, Any]:
    """Does what a model asks for by a tool, and returns what to tell it.

    For `run` and `python` that is `exit_code`, `stdout`, `stderr` and `execution_time_ms`. What goes wrong is told as `error` and `hint`, so
    that a model can do better; nothing is raised but for a server that has gone. Long output is cut in the middle as
    the description of the tool says, with a line in its place: to 16 KiB, or the sandbox's `output_budget`.
    """
    method = METHODS.get(name)
    if method is None:
        return unknown(name)
    try:
        params = params_of(name, input, sandbox.id, sandbox._options.get("output_budget"))
        return result_of(name, sandbox._connection.call(method, params))
    except CodepodError as error:
        return failed(error)
