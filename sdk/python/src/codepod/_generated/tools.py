# Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost.
"""Methods as tools for models."""

from typing import Any, Dict, List, NamedTuple, Optional, Tuple


class ToolInfo(NamedTuple):
    """A method as models see it."""

    name: str
    method: str
    description: str
    schema: Dict[str, Any]
    #: The fields of the result that a model is told, always and where they say something; all if missing.
    fields: Optional[Tuple[List[str], List[str]]] = None


#: Every method that models have as a tool.
TOOLS: List[ToolInfo] = [
    ToolInfo(
        "fork",
        "sandbox.fork",
        "Make an independent copy of the sandbox in microseconds: same files, variables and working directory. Use it to try an approach without risk: pass the returned `sandbox_id` to other tools to act in the copy. The original is not touched. Copies end with the session.",
        {
            "type": "object",
            "properties": {
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": [],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "run",
        "run",
        "Run a bash script in the sandbox and return exit_code, stdout and stderr. It is bash 5.2 with GNU coreutils, grep, sed, awk, find, git, jq, sqlite3, tar, make and more; `help` lists the commands. Files, variables and the working directory stay for the next call. There is no network, root, package manager, compiler, node, perl or editor: `help --absent` says what to use instead. Nothing outside the sandbox can be reached. Long output is cut in the middle: the result says so and names a file in the sandbox that holds all of it. Every call can be taken back with `undo`.",
        {
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "description": "The script, as bash reads it.",
                },
                "shell": {
                    "type": "string",
                    "description": "The shell to run it in; the main one if not given.",
                },
                "stdin": {
                    "type": "string",
                    "description": "What it reads.",
                },
                "env": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "string",
                    },
                    "description": "Variables that are exported to this script only.",
                },
                "arguments": {
                    "type": "array",
                    "items": {
                        "type": "string",
                    },
                    "description": "`$1`, `$2`, … for this script only.",
                },
                "timeout_ms": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "How long it may take, in milliseconds; as the sandbox says if not given.",
                },
                "output_budget": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "Bytes of each output stream that the result holds; as the sandbox says if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": ["command"],
            "additionalProperties": False,
        },
        (["exit_code", "stdout", "stderr", "execution_time_ms"], ["stdout_cut", "stderr_cut", "truncated", "timed_out", "cancelled", "crashed"]),
    ),
    ToolInfo(
        "python",
        "python.run",
        "Run Python code in the sandbox and return exit_code, stdout and stderr. It is CPython 3.14 with numpy, pandas, matplotlib, sqlite3, requests, pyyaml, openpyxl and pytest. Variables, functions and imported modules stay for the next call; the value of the last line is printed, as in an interactive interpreter. It has the same files as `run` and can start its commands with subprocess. After an exception or a timeout the session goes on. Every call can be taken back with `undo`.",
        {
            "type": "object",
            "properties": {
                "code": {
                    "type": "string",
                    "description": "The code.",
                },
                "session": {
                    "type": "string",
                    "description": "The session to run it in, which begins with its first call; `main` if not given. Letters, digits, `_` and `-`.",
                },
                "stdin": {
                    "type": "string",
                    "description": "What it reads.",
                },
                "timeout_ms": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "How long it may take, in milliseconds; as the sandbox says if not given. Code that takes longer leaves the session as it was.",
                },
                "output_budget": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "Bytes of each output stream that the result holds; as the sandbox says if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": ["code"],
            "additionalProperties": False,
        },
        (["exit_code", "stdout", "stderr", "execution_time_ms"], ["stdout_cut", "stderr_cut", "truncated", "timed_out", "cancelled", "crashed"]),
    ),
    ToolInfo(
        "read",
        "files.read",
        "Read a file of the sandbox, or a part of it by offset and length in bytes. Text comes as text; other bytes come in base64. `size` is that of the whole file.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The path.",
                },
                "offset": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "The first byte; the beginning if not given.",
                },
                "length": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "How many bytes; to the end if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "write",
        "files.write",
        "Write a file of the sandbox: it is made, or what it holds is replaced. The directory must exist unless `parents` is true. Give `text`, or `base64` for other bytes.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The path.",
                },
                "text": {
                    "type": "string",
                    "description": "What it shall hold.",
                },
                "base64": {
                    "type": "string",
                    "description": "What it shall hold, in base64, where that is not text.",
                    "contentEncoding": "base64",
                },
                "parents": {
                    "type": "boolean",
                    "description": "Whether directories above it are made.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "list",
        "files.list",
        "List a directory of the sandbox: names and kinds, sorted.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The path.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "snapshot",
        "snapshot.create",
        "Keep the sandbox as it is now, in microseconds: files, variables, working directory. Returns an id for `restore`. Use it before something risky that takes several steps; for one step, `undo` is enough.",
        {
            "type": "object",
            "properties": {
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": [],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "restore",
        "snapshot.restore",
        "Put the sandbox back to a snapshot by its id. What was done since is gone; the snapshot can be restored again.",
        {
            "type": "object",
            "properties": {
                "id": {
                    "type": "string",
                    "description": "Its id.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": ["id"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "undo",
        "undo",
        "Take back the last run, or the last `count` runs: files, variables and working directory are as before. Says which runs were taken back. Costs microseconds.",
        {
            "type": "object",
            "properties": {
                "count": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "How many; one if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": [],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "changes",
        "changes",
        "List the files that differ between two moments of the sandbox: added, modified, removed. Without parameters: what the last run changed. `diff` adds a unified diff.",
        {
            "type": "object",
            "properties": {
                "from": {
                    "type": "string",
                    "description": "The earlier moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`; before the last run if not given.",
                },
                "to": {
                    "type": "string",
                    "description": "The later moment, as `from`, or `now`; now if not given.",
                },
                "diff": {
                    "type": "boolean",
                    "description": "Whether to add a unified diff.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "A sandbox that `fork` returned; the session's own if not given.",
                },
            },
            "required": [],
            "additionalProperties": False,
        },
    ),
]
