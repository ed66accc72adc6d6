"""Ready-made tool definitions for agent frameworks, as plain dictionaries, and what answers their calls.

    tools = codepod.tools.anthropic()            # or .openai(), .openai_responses(), .mcp()
    …
    codepod.tools.call_tool(sandbox, "run", {"command": "ls"})
    # {"exit_code": 0, "stdout": "…", "stderr": "", "execution_time_ms": 1.2}
"""

from __future__ import annotations

import copy
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ._async.tools import call_tool_async
from ._generated.tools import TOOLS
from ._sync.tools import call_tool

__all__ = ["anthropic", "call_tool", "call_tool_async", "mcp", "names", "openai", "openai_responses"]


def names() -> List[str]:
    """The tools that there are."""
    return [tool.name for tool in TOOLS]


def anthropic(only: Optional[Sequence[str]] = None) -> List[Dict[str, Any]]:
    """Definitions for Anthropic's messages."""
    return [{"name": name, "description": text, "input_schema": schema} for name, text, schema in _chosen(only)]


def openai(only: Optional[Sequence[str]] = None) -> List[Dict[str, Any]]:
    """Definitions for OpenAI's chat completions, and for frameworks that take the same."""
    return [
        {"type": "function", "function": {"name": name, "description": text, "parameters": schema}}
        for name, text, schema in _chosen(only)
    ]


def openai_responses(only: Optional[Sequence[str]] = None) -> List[Dict[str, Any]]:
    """Definitions for OpenAI's responses."""
    return [
        {"type": "function", "name": name, "description": text, "parameters": schema, "strict": False}
        for name, text, schema in _chosen(only)
    ]


def mcp(only: Optional[Sequence[str]] = None) -> List[Dict[str, Any]]:
    """Definitions as MCP lists them."""
    return [{"name": name, "description": text, "inputSchema": schema} for name, text, schema in _chosen(only)]


def _chosen(only: Optional[Sequence[str]]) -> Iterator[Tuple[str, str, Dict[str, Any]]]:
    if only is not None:
        for name in only:
            if name not in names():
                raise ValueError(f"there is no tool `{name}`: there are {', '.join(names())}")
    for tool in TOOLS:
        if only is None or tool.name in only:
            yield tool.name, tool.description, copy.deepcopy(tool.schema)
