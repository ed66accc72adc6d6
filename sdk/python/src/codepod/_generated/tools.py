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
    #: The parameter that says how much comes back: what it is if a model does not say, and at most.
    bounds: Optional[Tuple[str, int, int]] = None


#: Bytes of a list or a difference that a model is told.
LIST_BYTES = 65536

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
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": [],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "run",
        "run",
        "Run a bash script in the sandbox and return exit_code, stdout and stderr. It is bash 5.2 with GNU coreutils, grep, sed, awk, find, git, jq, sqlite3, tar, make and more; `help` lists the commands. Files, variables and the working directory stay for the next call. There is no network, root, package manager, compiler, perl or editor: `help --absent` says what to use instead. Nothing outside the sandbox can be reached. Long output is cut in the middle: the result says so and names a file in the sandbox that holds all of it. Every call can be taken back with `undo`.",
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
                "cwd": {
                    "type": "string",
                    "description": "The directory that it runs in; afterwards the shell is where it was. If not given, it runs where the shell is.",
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
                    "description": "How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0.",
                },
                "output_budget": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "Bytes of each output stream that the result holds; as the sandbox says if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["command"],
            "additionalProperties": False,
        },
        fields=(["exit_code", "stdout", "stderr", "execution_time_ms"], ["stdout_cut", "stderr_cut", "truncated", "timed_out", "cancelled", "crashed"]),
        bounds=("output_budget", 16384, 1048576),
    ),
    ToolInfo(
        "start",
        "run.start",
        "Start a bash script in the background, in a copy of your shell, and return its run_id at once. For servers, watchers and whatever takes long. Go on with `output`, `stdin` and `kill`.",
        {
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "description": "The script, as bash reads it.",
                },
                "shell": {
                    "type": "string",
                    "description": "The shell whose variables and working directory it begins with; the main one if not given.",
                },
                "cwd": {
                    "type": "string",
                    "description": "The directory that it runs in; where the shell is if not given.",
                },
                "env": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "string",
                    },
                    "description": "Variables that are exported to it.",
                },
                "arguments": {
                    "type": "array",
                    "items": {
                        "type": "string",
                    },
                    "description": "`$1`, `$2`, …",
                },
                "timeout_ms": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "How long it may take, in milliseconds; an hour if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["command"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "output",
        "run.output",
        "Get what a background run printed since the last call; `wait_ms` waits for more or for its end.",
        {
            "type": "object",
            "properties": {
                "run_id": {
                    "type": "string",
                    "description": "The run, as the call that started it named it.",
                },
                "since": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "The first byte, of both streams together; where the last call ended if not given.",
                },
                "wait_ms": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "How long to wait for output or its end, in milliseconds, 60000 at most; not at all if not given.",
                },
                "length": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "How many bytes at most; all that is kept if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["run_id"],
            "additionalProperties": False,
        },
        bounds=("length", 16384, 1048576),
    ),
    ToolInfo(
        "stdin",
        "run.stdin",
        "Give a background run more to read; `end` closes its input.",
        {
            "type": "object",
            "properties": {
                "run_id": {
                    "type": "string",
                    "description": "The run, as the call that started it named it.",
                },
                "text": {
                    "type": "string",
                    "description": "What it reads next.",
                },
                "base64": {
                    "type": "string",
                    "description": "What it reads next, in base64, where that is not text.",
                    "contentEncoding": "base64",
                },
                "end": {
                    "type": "boolean",
                    "description": "Whether that was all.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["run_id"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "kill",
        "run.cancel",
        "End a background run and all that it started.",
        {
            "type": "object",
            "properties": {
                "run_id": {
                    "type": "string",
                    "description": "The run, as the call that started it named it.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["run_id"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "python",
        "python.run",
        "Run Python code in the sandbox and return exit_code, stdout and stderr. It is CPython 3.14 with numpy, pandas, matplotlib, sqlite3, requests, pyyaml, openpyxl and pytest. Variables, functions and imported modules stay for the next call; the value of the last line is printed, as in an interactive interpreter. It has the same files as `run` and can start its commands with subprocess. After an exception or a timeout the session goes on. Threads take turns: they overlap while they sleep or wait, but a thread must not loop until another stops it. Every call can be taken back with `undo`.",
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
                    "description": "How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. Code that takes longer leaves the session as it was.",
                },
                "output_budget": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "Bytes of each output stream that the result holds; as the sandbox says if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["code"],
            "additionalProperties": False,
        },
        fields=(["exit_code", "stdout", "stderr", "execution_time_ms"], ["stdout_cut", "stderr_cut", "truncated", "timed_out", "cancelled", "crashed"]),
        bounds=("output_budget", 16384, 1048576),
    ),
    ToolInfo(
        "javascript",
        "js.run",
        "Run JavaScript in the sandbox and return exit_code, stdout and stderr. It is Node 24, as at its prompt: variables, functions and modules stay for the next call and can be declared again, `require`, `import` and top-level `await` work, and the value of the last statement is printed. It has the same files as `run`. After an exception, `process.exit` or a timeout the session goes on. Every call can be taken back with `undo`.",
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
                    "description": "How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. Code that takes longer leaves the session as it was.",
                },
                "output_budget": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "Bytes of each output stream that the result holds; as the sandbox says if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["code"],
            "additionalProperties": False,
        },
        fields=(["exit_code", "stdout", "stderr", "execution_time_ms"], ["stdout_cut", "stderr_cut", "truncated", "timed_out", "cancelled", "crashed"]),
        bounds=("output_budget", 16384, 1048576),
    ),
    ToolInfo(
        "read",
        "files.read",
        "Read a text file, or lines of it by `line` and `lines`; `numbers` puts line numbers before them. A picture (PNG, JPEG, GIF, WebP) comes as an image. A long file comes in parts: the result says how to go on.",
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
                    "description": "How many bytes at most; to the end if not given.",
                },
                "line": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "The first line, from 1; instead of `offset`.",
                },
                "lines": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "How many lines at most.",
                },
                "numbers": {
                    "type": "boolean",
                    "description": "Whether every line begins with its number and a tab, as `cat -n` prints it.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["path"],
            "additionalProperties": False,
        },
        bounds=("length", 32768, 1048576),
    ),
    ToolInfo(
        "write",
        "files.write",
        "Write a file: it is made, with the directories above it, or what it holds is replaced. Give `text`, or `base64` for other bytes.",
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
                    "description": "Whether directories above it are made; they are if not given.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "edit",
        "files.edit",
        "Replace exact text in a file and return a diff. Each `old` must be there exactly once, unless its `all` is true. All edits are made, in order, or none.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The path.",
                },
                "edits": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "old": {
                                "type": "string",
                                "description": "The text that is there, to the letter.",
                            },
                            "new": {
                                "type": "string",
                                "description": "What takes its place.",
                            },
                            "all": {
                                "type": "boolean",
                                "description": "Whether every occurrence is replaced.",
                            },
                        },
                        "required": ["old", "new"],
                        "description": "A replacement.",
                    },
                    "description": "The edits, at most 100; each sees what those before it left.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["path", "edits"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "grep",
        "files.grep",
        "Search files for lines that match a regular expression (ripgrep's), below `path`. Ignored and binary files are left out.",
        {
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "A regular expression.",
                },
                "path": {
                    "type": "string",
                    "description": "A file or a directory; the working directory if not given.",
                },
                "glob": {
                    "type": "string",
                    "description": "Only files whose path matches this, such as `*.py`.",
                },
                "ignore_case": {
                    "type": "boolean",
                    "description": "Whether upper and lower case are the same.",
                },
                "fixed": {
                    "type": "boolean",
                    "description": "Whether the pattern is plain text.",
                },
                "all": {
                    "type": "boolean",
                    "description": "Whether ignored files are searched as well.",
                },
                "limit": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "The most lines; 200 if not given, 5000 at most.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "glob",
        "files.glob",
        "List files whose path below `path` matches a pattern such as `**/*.py` or `src/*.{ts,tsx}`; without `/` it matches names in every directory. Ignored files are left out.",
        {
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "The pattern: `*` and `?` within a name, `**` across directories, `[a-z]`, `{a,b}`.",
                },
                "path": {
                    "type": "string",
                    "description": "The directory; the working directory if not given.",
                },
                "all": {
                    "type": "boolean",
                    "description": "Whether ignored files are listed as well.",
                },
                "limit": {
                    "type": "integer",
                    "format": "uint64",
                    "minimum": 0,
                    "description": "The most paths; 1000 if not given, 10000 at most.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "list",
        "files.list",
        "List a directory: names and kinds, sorted.",
        {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The path.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
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
                    "description": "From `fork`; your own if not given.",
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
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": ["id"],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "undo",
        "undo",
        "Take back the last step, or the last `count`: a `run`, `python`, `write` or `edit`. Files, variables and working directory are as before it. Says what was taken back, with its files.",
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
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": [],
            "additionalProperties": False,
        },
    ),
    ToolInfo(
        "changes",
        "changes",
        "List the files that differ between two moments of the sandbox: added, modified, removed. Without parameters: what the last step changed. `diff` adds a unified diff.",
        {
            "type": "object",
            "properties": {
                "from": {
                    "type": "string",
                    "description": "The earlier moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`; before the last step if not given.",
                },
                "to": {
                    "type": "string",
                    "description": "The later moment, as `from`, or `now`; now if not given.",
                },
                "diff": {
                    "type": "boolean",
                    "description": "Whether to add a unified diff.",
                },
                "all": {
                    "type": "boolean",
                    "description": "Whether to tell also what `.gitignore` names, and each path in `.git`.",
                },
                "exclude": {
                    "type": "array",
                    "items": {
                        "type": "string",
                    },
                    "description": "Patterns of paths to leave out, written as in `.gitignore`.",
                },
                "sandbox_id": {
                    "type": "string",
                    "description": "From `fork`; your own if not given.",
                },
            },
            "required": [],
            "additionalProperties": False,
        },
    ),
]
