# Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost.
"""A caller for each method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Union

from .._transport._sync import Methods
from .._wire import from_base64, milliseconds, put_bytes, to_base64
from . import types

if TYPE_CHECKING:
    from .._sync.stream import RunStream


class ServerMethods(Methods):
    """Methods `server.*` of a server."""

    def info(self) -> types.ServerInfoOutput:
        """Says which version this is and which methods there are."""
        params: Dict[str, Any] = {}
        return types.ServerInfoOutput.from_wire(self._call("server.info", params))


class SandboxesMethods(Methods):
    """Methods `sandbox.*` of a server."""

    def create(
        self,
        *,
        profile: Optional[types.Profile] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        memory_bytes: Optional[int] = None,
        disk_bytes: Optional[int] = None,
        processes: Optional[int] = None,
        output_budget: Optional[int] = None,
        allowed_commands: Optional[List[str]] = None,
        mounts: Optional[List[types.Mount]] = None,
        network: Optional[types.Network] = None,
        undo_runs: Optional[int] = None,
        hints: Optional[bool] = None,
        persistence: Optional[types.PersistenceParams] = None,
    ) -> types.SandboxInfo:
        """Makes a sandbox. Every option has a default; without any it has no network, no host directory and 256 MB.

        Args:
            profile: Limits that go together.
            cwd: Working directory of commands; `/home/user` if not given.
            env: Environment beside the usual; a name given here replaces it.
            timeout: How long a command may take, in seconds; 30 s if not given, and as long as the server allows if
                0.
            memory_bytes: Memory of one process in bytes, at most 4 GiB. What all processes may have together grows
                with it.
            disk_bytes: Bytes that its files may take.
            processes: Processes at a time.
            output_budget: Bytes of each output stream that a result holds, its beginning and its end; the whole
                stays in `/proc/runs`.
            allowed_commands: The only commands that may be started; all if not given.
            mounts: Host directories. A server that others reach refuses those that it was not told to allow.
            network: What it may reach beyond itself; nothing if not given.
            undo_runs: How many runs can be undone; 100 if not given.
            hints: Whether shells add a line `codepod: hint: …` where bash's own message leaves a model without
                help, and standard error ends with a line for each limit that was reached; they do if not given.
            persistence: Whether its state can leave it, and whether it is kept.
        """
        params: Dict[str, Any] = {}
        if profile is not None:
            params["profile"] = profile
        if cwd is not None:
            params["cwd"] = cwd
        if env is not None:
            params["env"] = dict(env)
        if timeout is not None:
            params["timeoutMs"] = milliseconds(timeout)
        if memory_bytes is not None:
            params["memoryBytes"] = memory_bytes
        if disk_bytes is not None:
            params["diskBytes"] = disk_bytes
        if processes is not None:
            params["processes"] = processes
        if output_budget is not None:
            params["outputBudget"] = output_budget
        if allowed_commands is not None:
            params["allowedCommands"] = list(allowed_commands)
        if mounts is not None:
            params["mounts"] = [item.to_wire() for item in mounts]
        if network is not None:
            params["network"] = network.to_wire()
        if undo_runs is not None:
            params["undoRuns"] = undo_runs
        if hints is not None:
            params["hints"] = hints
        if persistence is not None:
            params["persistence"] = persistence.to_wire()
        return types.SandboxInfo.from_wire(self._call("sandbox.create", params))

    def list(self) -> List[types.SandboxInfo]:
        """Lists the sandboxes that are alive, in the order in which they were made."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("sandbox.list", params)
        unpacked: List[types.SandboxInfo] = [types.SandboxInfo.from_wire(item) for item in wire["sandboxes"]]
        return unpacked


class SandboxMethods(Methods):
    """Methods of a sandbox itself."""

    def get(self) -> types.SandboxInfo:
        """Says what a sandbox is."""
        params: Dict[str, Any] = {}
        return types.SandboxInfo.from_wire(self._call("sandbox.get", params))

    def _fork(self) -> types.SandboxInfo:
        """Makes another sandbox with the same files, shells and limits, in microseconds. Neither sees what the other does
        next.
        """
        params: Dict[str, Any] = {}
        return types.SandboxInfo.from_wire(self._call("sandbox.fork", params))

    def destroy(self) -> None:
        """Ends a sandbox: its processes are killed, its files are gone unless they are kept."""
        params: Dict[str, Any] = {}
        self._call("sandbox.destroy", params)

    def _adopt(self, fork: str) -> None:
        """Makes a sandbox what a fork of it is, in constant time. It can be undone as a run can.

        Args:
            fork: The fork's id.
        """
        params: Dict[str, Any] = {}
        params["fork"] = fork
        self._call("sandbox.adopt", params)

    def _merge(self, fork: str, base: str) -> types.MergeOutput:
        """Takes what a fork changed since a snapshot, file by file. Where both changed a file differently, ours stays and
        the file is reported.

        Args:
            fork: The fork's id.
            base: A snapshot of what both began with.
        """
        params: Dict[str, Any] = {}
        params["fork"] = fork
        params["base"] = base
        return types.MergeOutput.from_wire(self._call("sandbox.merge", params))

    def kill(self) -> None:
        """Kills every process of a sandbox. Its shells go on from their last states."""
        params: Dict[str, Any] = {}
        self._call("sandbox.kill", params)

    def stats(self) -> types.StatsOutput:
        """Says what a sandbox uses now and has used so far."""
        params: Dict[str, Any] = {}
        return types.StatsOutput.from_wire(self._call("sandbox.stats", params))

    def _run(
        self,
        command: str,
        *,
        shell: Optional[str] = None,
        cwd: Optional[str] = None,
        stdin: Optional[Union[str, bytes]] = None,
        env: Optional[Mapping[str, str]] = None,
        arguments: Optional[List[str]] = None,
        timeout: Optional[float] = None,
        output_budget: Optional[int] = None,
        run_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> types.RunResult:
        """Runs a bash script in the sandbox and waits for its end. Variables, functions and the working directory stay for
        the next one.

        Args:
            command: The script, as bash reads it.
            shell: The shell to run it in; the main one if not given.
            cwd: The directory that it runs in; afterwards the shell is where it was. If not given, it runs where
                the shell is.
            stdin: What it reads.
            env: Variables that are exported to this script only.
            arguments: `$1`, `$2`, … for this script only.
            timeout: How long it may take, in seconds; as the sandbox says if not given, and as long as the server
                allows if 0.
            output_budget: Bytes of each output stream that the result holds; as the sandbox says if not given.
            run_id: A name for this run, by which it can be cancelled and its output told apart.
            idempotency_key: A name of this attempt: another call with the same one gets the first's result and runs
                nothing.
        """
        params: Dict[str, Any] = {}
        params["command"] = command
        if shell is not None:
            params["shell"] = shell
        if cwd is not None:
            params["cwd"] = cwd
        if stdin is not None:
            put_bytes(params, "stdin", "stdinBase64", stdin)
        if env is not None:
            params["env"] = dict(env)
        if arguments is not None:
            params["arguments"] = list(arguments)
        if timeout is not None:
            params["timeoutMs"] = milliseconds(timeout)
        if output_budget is not None:
            params["outputBudget"] = output_budget
        if run_id is not None:
            params["runId"] = run_id
        if idempotency_key is not None:
            params["idempotencyKey"] = idempotency_key
        return types.RunResult.from_wire(self._call("run", params))

    def _stream(
        self,
        command: str,
        *,
        shell: Optional[str] = None,
        cwd: Optional[str] = None,
        stdin: Union[str, bytes, bool, None] = None,
        env: Optional[Mapping[str, str]] = None,
        arguments: Optional[List[str]] = None,
        timeout: Optional[float] = None,
        run_id: Optional[str] = None,
    ) -> RunStream:
        """Does what `run` does and gives the output while it runs, as pairs of `"stdout"` or `"stderr"` and bytes.

        `stdin=True` leaves its input open for `write` and `close_stdin`; see `run` for the rest.
        """
        params: Dict[str, Any] = {}
        params["command"] = command
        if shell is not None:
            params["shell"] = shell
        if cwd is not None:
            params["cwd"] = cwd
        if env is not None:
            params["env"] = dict(env)
        if arguments is not None:
            params["arguments"] = list(arguments)
        if timeout is not None:
            params["timeoutMs"] = milliseconds(timeout)
        if run_id is not None:
            params["runId"] = run_id
        return self._begin("run", params, stdin)

    def undo(self, count: Optional[int] = None) -> List[types.PastRun]:
        """Takes back the last steps: files, variables and working directory are as before them. A step is a run, or a
        method that changed files, such as `files.write`.

        Args:
            count: How many; one if not given.
        """
        params: Dict[str, Any] = {}
        if count is not None:
            params["count"] = count
        wire: Dict[str, Any] = self._call("undo", params)
        unpacked: List[types.PastRun] = [types.PastRun.from_wire(item) for item in wire["runs"]]
        return unpacked

    def redo(self, count: Optional[int] = None) -> List[types.PastRun]:
        """Does again the steps that were undone.

        Args:
            count: How many; one if not given.
        """
        params: Dict[str, Any] = {}
        if count is not None:
            params["count"] = count
        wire: Dict[str, Any] = self._call("redo", params)
        unpacked: List[types.PastRun] = [types.PastRun.from_wire(item) for item in wire["runs"]]
        return unpacked

    def changes(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        diff: Optional[bool] = None,
        all: Optional[bool] = None,
        exclude: Optional[List[str]] = None,
    ) -> types.ChangesOutput:
        """Lists what differs between two moments: files added, modified, removed, with a unified diff on request.

        Args:
            from_: The earlier moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`; before the last step
                if not given.
            to: The later moment, as `from`, or `now`; now if not given.
            diff: Whether to add a unified diff.
            all: Whether to tell also what `.gitignore` names, and each path in `.git`.
            exclude: Patterns of paths to leave out, written as in `.gitignore`.
        """
        params: Dict[str, Any] = {}
        if from_ is not None:
            params["from"] = from_
        if to is not None:
            params["to"] = to
        if diff is not None:
            params["diff"] = diff
        if all is not None:
            params["all"] = all
        if exclude is not None:
            params["exclude"] = list(exclude)
        return types.ChangesOutput.from_wire(self._call("changes", params))


class RunMethods(Methods):
    """Methods `run.*` of a sandbox."""

    def start(
        self,
        command: str,
        *,
        shell: Optional[str] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        arguments: Optional[List[str]] = None,
        timeout: Optional[float] = None,
        run_id: Optional[str] = None,
    ) -> str:
        """Starts a bash script in the background and returns at once. It runs in a shell of its own, which begins as a
        copy of the one that it is started from. `run.output` gives what it prints, `run.stdin` gives it input,
        `run.cancel` ends it.

        Args:
            command: The script, as bash reads it.
            shell: The shell whose variables and working directory it begins with; the main one if not given.
            cwd: The directory that it runs in; where the shell is if not given.
            env: Variables that are exported to it.
            arguments: `$1`, `$2`, …
            timeout: How long it may take, in seconds; an hour if not given.
            run_id: A name for it that no other run has; one is made up if none is given.
        """
        params: Dict[str, Any] = {}
        params["command"] = command
        if shell is not None:
            params["shell"] = shell
        if cwd is not None:
            params["cwd"] = cwd
        if env is not None:
            params["env"] = dict(env)
        if arguments is not None:
            params["arguments"] = list(arguments)
        if timeout is not None:
            params["timeoutMs"] = milliseconds(timeout)
        if run_id is not None:
            params["runId"] = run_id
        wire: Dict[str, Any] = self._call("run.start", params)
        unpacked: str = wire["runId"]
        return unpacked

    def output(
        self,
        run_id: str,
        *,
        since: Optional[int] = None,
        wait: Optional[float] = None,
        length: Optional[int] = None,
    ) -> types.SinceOutput:
        """Gives what a background run has printed since the last call, or since a place. An ended run is kept until 16
        others have ended after it.

        Args:
            run_id: The run, as the call that started it named it.
            since: The first byte, of both streams together; where the last call ended if not given.
            wait: How long to wait for output or its end, in seconds, 60000 at most; not at all if not given.
            length: How many bytes at most; all that is kept if not given.
        """
        params: Dict[str, Any] = {}
        params["runId"] = run_id
        if since is not None:
            params["since"] = since
        if wait is not None:
            params["waitMs"] = milliseconds(wait)
        if length is not None:
            params["length"] = length
        return types.SinceOutput.from_wire(self._call("run.output", params))

    def stdin(
        self,
        run_id: str,
        *,
        data: Optional[Union[str, bytes]] = None,
        end: Optional[bool] = None,
    ) -> None:
        """Gives a background run, or one that reads interactively, more to read.

        Args:
            run_id: The run, as the call that started it named it.
            data: What it reads next.
            end: Whether that was all.
        """
        params: Dict[str, Any] = {}
        params["runId"] = run_id
        if data is not None:
            put_bytes(params, "text", "base64", data)
        if end is not None:
            params["end"] = end
        self._call("run.stdin", params)

    def cancel(self, run_id: str) -> None:
        """Ends a run. Its own answer comes as usual, with status 130 and what it printed so far.

        Args:
            run_id: The run, as the call that started it named it.
        """
        params: Dict[str, Any] = {}
        params["runId"] = run_id
        self._call("run.cancel", params)


class PythonMethods(Methods):
    """Methods `python.*` of a sandbox."""

    def run(
        self,
        code: str,
        *,
        session: Optional[str] = None,
        stdin: Optional[Union[str, bytes]] = None,
        timeout: Optional[float] = None,
        output_budget: Optional[int] = None,
        run_id: Optional[str] = None,
    ) -> types.RunResult:
        """Runs Python code in a session and waits for its end. Variables, functions and modules stay for the next call,
        and what the last line gives is printed. The session is forked, snapshotted, undone and saved with the sandbox.

        Args:
            code: The code.
            session: The session to run it in, which begins with its first call; `main` if not given. Letters,
                digits, `_` and `-`.
            stdin: What it reads.
            timeout: How long it may take, in seconds; as the sandbox says if not given, and as long as the server
                allows if 0. Code that takes longer leaves the session as it was.
            output_budget: Bytes of each output stream that the result holds; as the sandbox says if not given.
            run_id: A name for this call, by which it can be cancelled and its output told apart.
        """
        params: Dict[str, Any] = {}
        params["code"] = code
        if session is not None:
            params["session"] = session
        if stdin is not None:
            put_bytes(params, "stdin", "stdinBase64", stdin)
        if timeout is not None:
            params["timeoutMs"] = milliseconds(timeout)
        if output_budget is not None:
            params["outputBudget"] = output_budget
        if run_id is not None:
            params["runId"] = run_id
        return types.RunResult.from_wire(self._call("python.run", params))

    def stream(
        self,
        code: str,
        *,
        session: Optional[str] = None,
        stdin: Union[str, bytes, bool, None] = None,
        timeout: Optional[float] = None,
        run_id: Optional[str] = None,
    ) -> RunStream:
        """Does what `run` does and gives the output while it runs, as pairs of `"stdout"` or `"stderr"` and bytes.

        `stdin=True` leaves its input open for `write` and `close_stdin`; see `run` for the rest.
        """
        params: Dict[str, Any] = {}
        params["code"] = code
        if session is not None:
            params["session"] = session
        if timeout is not None:
            params["timeoutMs"] = milliseconds(timeout)
        if run_id is not None:
            params["runId"] = run_id
        return self._begin("python.run", params, stdin)

    def reset(self, session: Optional[str] = None) -> None:
        """Resets a session: its next call starts a new interpreter.

        Args:
            session: Its name; `main` if not given.
        """
        params: Dict[str, Any] = {}
        if session is not None:
            params["session"] = session
        self._call("python.reset", params)


class JsMethods(Methods):
    """Methods `js.*` of a sandbox."""

    def run(
        self,
        code: str,
        *,
        session: Optional[str] = None,
        stdin: Optional[Union[str, bytes]] = None,
        timeout: Optional[float] = None,
        output_budget: Optional[int] = None,
        run_id: Optional[str] = None,
    ) -> types.RunResult:
        """Runs JavaScript in a session of Node and waits for its end: until no timer, promise or child is left to wait
        for. What it declares stays for the next call and may be declared again, `await` works outside of functions, and
        what the last statement gives is printed. The session is forked, snapshotted, undone and saved with the sandbox.
        Needs the part `js`.

        Args:
            code: The code.
            session: The session to run it in, which begins with its first call; `main` if not given. Letters,
                digits, `_` and `-`.
            stdin: What it reads.
            timeout: How long it may take, in seconds; as the sandbox says if not given, and as long as the server
                allows if 0. Code that takes longer leaves the session as it was.
            output_budget: Bytes of each output stream that the result holds; as the sandbox says if not given.
            run_id: A name for this call, by which it can be cancelled and its output told apart.
        """
        params: Dict[str, Any] = {}
        params["code"] = code
        if session is not None:
            params["session"] = session
        if stdin is not None:
            put_bytes(params, "stdin", "stdinBase64", stdin)
        if timeout is not None:
            params["timeoutMs"] = milliseconds(timeout)
        if output_budget is not None:
            params["outputBudget"] = output_budget
        if run_id is not None:
            params["runId"] = run_id
        return types.RunResult.from_wire(self._call("js.run", params))

    def stream(
        self,
        code: str,
        *,
        session: Optional[str] = None,
        stdin: Union[str, bytes, bool, None] = None,
        timeout: Optional[float] = None,
        run_id: Optional[str] = None,
    ) -> RunStream:
        """Does what `run` does and gives the output while it runs, as pairs of `"stdout"` or `"stderr"` and bytes.

        `stdin=True` leaves its input open for `write` and `close_stdin`; see `run` for the rest.
        """
        params: Dict[str, Any] = {}
        params["code"] = code
        if session is not None:
            params["session"] = session
        if timeout is not None:
            params["timeoutMs"] = milliseconds(timeout)
        if run_id is not None:
            params["runId"] = run_id
        return self._begin("js.run", params, stdin)

    def reset(self, session: Optional[str] = None) -> None:
        """Resets a session: its next call starts Node anew.

        Args:
            session: Its name; `main` if not given.
        """
        params: Dict[str, Any] = {}
        if session is not None:
            params["session"] = session
        self._call("js.reset", params)


class FilesMethods(Methods):
    """Methods `files.*` of a sandbox."""

    def read(
        self,
        path: str,
        *,
        offset: Optional[int] = None,
        length: Optional[int] = None,
        line: Optional[int] = None,
        lines: Optional[int] = None,
        numbers: Optional[bool] = None,
    ) -> bytes:
        """Reads a file, or a part of it.

        Args:
            path: The path.
            offset: The first byte; the beginning if not given.
            length: How many bytes at most; to the end if not given.
            line: The first line, from 1; instead of `offset`.
            lines: How many lines at most.
            numbers: Whether every line begins with its number and a tab, as `cat -n` prints it.
        """
        params: Dict[str, Any] = {}
        params["path"] = path
        if offset is not None:
            params["offset"] = offset
        if length is not None:
            params["length"] = length
        if line is not None:
            params["line"] = line
        if lines is not None:
            params["lines"] = lines
        if numbers is not None:
            params["numbers"] = numbers
        return types.ReadOutput.from_wire(self._call("files.read", params)).data

    def write(self, path: str, data: Union[str, bytes], *, parents: Optional[bool] = None) -> None:
        """Writes a file: makes it or replaces what it holds. Directories above it are made.

        Args:
            path: The path.
            data: What it shall hold.
            parents: Whether directories above it are made; they are if not given.
        """
        params: Dict[str, Any] = {}
        params["path"] = path
        put_bytes(params, "text", "base64", data)
        if parents is not None:
            params["parents"] = parents
        self._call("files.write", params)

    def edit(self, path: str, edits: List[types.Edit]) -> types.EditOutput:
        """Replaces text in a file: every edit, in their order, or none. What is replaced must be there exactly once,
        unless `all` is set.

        Args:
            path: The path.
            edits: The edits, at most 100; each sees what those before it left.
        """
        params: Dict[str, Any] = {}
        params["path"] = path
        params["edits"] = [item.to_wire() for item in edits]
        return types.EditOutput.from_wire(self._call("files.edit", params))

    def grep(
        self,
        pattern: str,
        *,
        path: Optional[str] = None,
        glob: Optional[str] = None,
        ignore_case: Optional[bool] = None,
        fixed: Optional[bool] = None,
        all: Optional[bool] = None,
        limit: Optional[int] = None,
    ) -> types.GrepOutput:
        """Searches files for lines by a regular expression, as ripgrep does: files that `.gitignore` names and binary
        files are left out.

        Args:
            pattern: A regular expression.
            path: A file or a directory; the working directory if not given.
            glob: Only files whose path matches this, such as `*.py`.
            ignore_case: Whether upper and lower case are the same.
            fixed: Whether the pattern is plain text.
            all: Whether ignored files are searched as well.
            limit: The most lines; 200 if not given, 5000 at most.
        """
        params: Dict[str, Any] = {}
        params["pattern"] = pattern
        if path is not None:
            params["path"] = path
        if glob is not None:
            params["glob"] = glob
        if ignore_case is not None:
            params["ignoreCase"] = ignore_case
        if fixed is not None:
            params["fixed"] = fixed
        if all is not None:
            params["all"] = all
        if limit is not None:
            params["limit"] = limit
        return types.GrepOutput.from_wire(self._call("files.grep", params))

    def glob(
        self,
        pattern: str,
        *,
        path: Optional[str] = None,
        all: Optional[bool] = None,
        limit: Optional[int] = None,
    ) -> types.GlobOutput:
        """Lists files by a pattern for their paths, sorted. Files that `.gitignore` names are left out.

        Args:
            pattern: The pattern: `*` and `?` within a name, `**` across directories, `[a-z]`, `{a,b}`.
            path: The directory; the working directory if not given.
            all: Whether ignored files are listed as well.
            limit: The most paths; 1000 if not given, 10000 at most.
        """
        params: Dict[str, Any] = {}
        params["pattern"] = pattern
        if path is not None:
            params["path"] = path
        if all is not None:
            params["all"] = all
        if limit is not None:
            params["limit"] = limit
        return types.GlobOutput.from_wire(self._call("files.glob", params))

    def list(self, path: str) -> List[types.Entry]:
        """Lists a directory, sorted by name.

        Args:
            path: The path.
        """
        params: Dict[str, Any] = {}
        params["path"] = path
        wire: Dict[str, Any] = self._call("files.list", params)
        unpacked: List[types.Entry] = [types.Entry.from_wire(item) for item in wire["entries"]]
        return unpacked

    def stat(self, path: str) -> types.Stat:
        """Says what a path is. A symbolic link at its end is followed.

        Args:
            path: The path.
        """
        params: Dict[str, Any] = {}
        params["path"] = path
        return types.Stat.from_wire(self._call("files.stat", params))

    def mkdir(self, path: str) -> None:
        """Makes a directory, and those above it that are missing.

        Args:
            path: The path.
        """
        params: Dict[str, Any] = {}
        params["path"] = path
        self._call("files.mkdir", params)

    def remove(self, path: str) -> None:
        """Removes a file, or a directory with all that is in it.

        Args:
            path: The path.
        """
        params: Dict[str, Any] = {}
        params["path"] = path
        self._call("files.remove", params)

    def rename(self, path: str, to: str) -> None:
        """Gives a file or a directory another name; what has that name is replaced.

        Args:
            path: The path.
            to: Its new path.
        """
        params: Dict[str, Any] = {}
        params["path"] = path
        params["to"] = to
        self._call("files.rename", params)

    def chmod(self, path: str, mode: int) -> None:
        """Sets the mode bits of a path.

        Args:
            path: The path.
            mode: Mode bits: 0o644 is 420.
        """
        params: Dict[str, Any] = {}
        params["path"] = path
        params["mode"] = mode
        self._call("files.chmod", params)

    def restore(self, from_: str, paths: List[str]) -> None:
        """Puts single paths back to what they were at a moment, and leaves the rest as it is.

        Args:
            from_: The moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`.
            paths: The paths; a directory with all that is in it.
        """
        params: Dict[str, Any] = {}
        params["from"] = from_
        params["paths"] = list(paths)
        self._call("files.restore", params)


class EnvMethods(Methods):
    """Methods `env.*` of a sandbox."""

    def get(self, shell: Optional[str] = None) -> Dict[str, str]:
        """Lists the exported variables of a shell.

        Args:
            shell: The shell; the main one if not given.
        """
        params: Dict[str, Any] = {}
        if shell is not None:
            params["shell"] = shell
        wire: Dict[str, Any] = self._call("env.get", params)
        unpacked: Dict[str, str] = wire["env"]
        return unpacked

    def set(self, env: Mapping[str, str], *, shell: Optional[str] = None) -> None:
        """Exports variables in a shell, for all that it runs from now on.

        Args:
            env: Values by name.
            shell: The shell; the main one if not given.
        """
        params: Dict[str, Any] = {}
        params["env"] = dict(env)
        if shell is not None:
            params["shell"] = shell
        self._call("env.set", params)


class ShellMethods(Methods):
    """Methods `shell.*` of a sandbox."""

    def create(self, shell: Optional[str] = None) -> str:
        """Makes a shell with variables and a working directory of its own; it starts with its first run.

        Args:
            shell: A name that is not taken; one is made up if none is given.
        """
        params: Dict[str, Any] = {}
        if shell is not None:
            params["shell"] = shell
        wire: Dict[str, Any] = self._call("shell.create", params)
        unpacked: str = wire["shell"]
        return unpacked

    def list(self) -> List[str]:
        """Lists the shells that have run something."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("shell.list", params)
        unpacked: List[str] = wire["shells"]
        return unpacked

    def close(self, shell: str) -> None:
        """Ends a shell: its EXIT trap runs, its variables are gone.

        Args:
            shell: Its name; the main shell restarts with its next run.
        """
        params: Dict[str, Any] = {}
        params["shell"] = shell
        self._call("shell.close", params)

    def complete(
        self,
        line: str,
        *,
        cursor: Optional[int] = None,
        shell: Optional[str] = None,
    ) -> types.CompleteOutput:
        """Says what could stand at a place in a command line: commands, paths, variables.

        Args:
            line: The line so far.
            cursor: Where the cursor is, in bytes; at the end if not given.
            shell: The shell; the main one if not given.
        """
        params: Dict[str, Any] = {}
        params["line"] = line
        if cursor is not None:
            params["cursor"] = cursor
        if shell is not None:
            params["shell"] = shell
        return types.CompleteOutput.from_wire(self._call("shell.complete", params))


class ShellHistoryMethods(Methods):
    """Methods `shell.history.*` of a sandbox."""

    def list(self) -> List[types.PastRun]:
        """Lists the steps that are kept, the oldest first: runs, and changes of files by methods."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("shell.history.list", params)
        unpacked: List[types.PastRun] = [types.PastRun.from_wire(item) for item in wire["runs"]]
        return unpacked

    def clear(self) -> None:
        """Forgets the steps that are kept; they cannot be undone any more."""
        params: Dict[str, Any] = {}
        self._call("shell.history.clear", params)


class SnapshotMethods(Methods):
    """Methods `snapshot.*` of a sandbox."""

    def create(self) -> types.SnapshotInfo:
        """Keeps the files and shells as they are now, in microseconds."""
        params: Dict[str, Any] = {}
        return types.SnapshotInfo.from_wire(self._call("snapshot.create", params))

    def restore(self, id: str) -> None:
        """Puts files and shells back to a snapshot; it can be used again.

        Args:
            id: Its id.
        """
        params: Dict[str, Any] = {}
        params["id"] = id
        self._call("snapshot.restore", params)

    def list(self) -> List[types.SnapshotInfo]:
        """Lists the snapshots of a sandbox, the oldest first."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("snapshot.list", params)
        unpacked: List[types.SnapshotInfo] = [types.SnapshotInfo.from_wire(item) for item in wire["snapshots"]]
        return unpacked

    def remove(self, id: str) -> None:
        """Forgets a snapshot.

        Args:
            id: Its id.
        """
        params: Dict[str, Any] = {}
        params["id"] = id
        self._call("snapshot.remove", params)


class PreviewMethods(Methods):
    """Methods `preview.*` of a sandbox."""

    def run(
        self,
        command: str,
        *,
        shell: Optional[str] = None,
        cwd: Optional[str] = None,
        stdin: Optional[Union[str, bytes]] = None,
        env: Optional[Mapping[str, str]] = None,
        arguments: Optional[List[str]] = None,
        timeout: Optional[float] = None,
        output_budget: Optional[int] = None,
        run_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> types.PreviewOutput:
        """Runs a script in a fork and says what it would change. The sandbox and the host stay as they are until it is
        committed.

        Args:
            command: The script, as bash reads it.
            shell: The shell to run it in; the main one if not given.
            cwd: The directory that it runs in; afterwards the shell is where it was. If not given, it runs where
                the shell is.
            stdin: What it reads.
            env: Variables that are exported to this script only.
            arguments: `$1`, `$2`, … for this script only.
            timeout: How long it may take, in seconds; as the sandbox says if not given, and as long as the server
                allows if 0.
            output_budget: Bytes of each output stream that the result holds; as the sandbox says if not given.
            run_id: A name for this run, by which it can be cancelled and its output told apart.
            idempotency_key: A name of this attempt: another call with the same one gets the first's result and runs
                nothing.
        """
        params: Dict[str, Any] = {}
        params["command"] = command
        if shell is not None:
            params["shell"] = shell
        if cwd is not None:
            params["cwd"] = cwd
        if stdin is not None:
            put_bytes(params, "stdin", "stdinBase64", stdin)
        if env is not None:
            params["env"] = dict(env)
        if arguments is not None:
            params["arguments"] = list(arguments)
        if timeout is not None:
            params["timeoutMs"] = milliseconds(timeout)
        if output_budget is not None:
            params["outputBudget"] = output_budget
        if run_id is not None:
            params["runId"] = run_id
        if idempotency_key is not None:
            params["idempotencyKey"] = idempotency_key
        return types.PreviewOutput.from_wire(self._call("preview.run", params))

    def commit(self, preview_id: str) -> types.RunResult:
        """Makes a preview happen, in constant time, if the sandbox has not changed since.

        Args:
            preview_id: Its id.
        """
        params: Dict[str, Any] = {}
        params["previewId"] = preview_id
        return types.RunResult.from_wire(self._call("preview.commit", params))

    def drop(self, preview_id: str) -> None:
        """Drops a preview: nothing of it has happened.

        Args:
            preview_id: Its id.
        """
        params: Dict[str, Any] = {}
        params["previewId"] = preview_id
        self._call("preview.drop", params)


class MountsMethods(Methods):
    """Methods `mounts.*` of a sandbox."""

    def list(self) -> List[types.MountInfo]:
        """Lists the host directories of a sandbox. The host's own paths are not told."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("mounts.list", params)
        unpacked: List[types.MountInfo] = [types.MountInfo.from_wire(item) for item in wire["mounts"]]
        return unpacked

    def changes(
        self,
        at: str,
        *,
        all: Optional[bool] = None,
        exclude: Optional[List[str]] = None,
    ) -> types.MountChangesOutput:
        """Lists what was changed in an overlay and is not on the host.

        Args:
            at: Where it is in the sandbox.
            all: Whether to tell also what `.gitignore` names, and each path in `.git`.
            exclude: Patterns of paths to leave out, written as in `.gitignore`.
        """
        params: Dict[str, Any] = {}
        params["at"] = at
        if all is not None:
            params["all"] = all
        if exclude is not None:
            params["exclude"] = list(exclude)
        return types.MountChangesOutput.from_wire(self._call("mounts.changes", params))

    def apply(
        self,
        at: str,
        *,
        paths: Optional[List[str]] = None,
        allow_guarded: Optional[bool] = None,
        partial: Optional[bool] = None,
        resolve: Optional[types.Resolve] = None,
        all: Optional[bool] = None,
        exclude: Optional[List[str]] = None,
        dry_run: Optional[bool] = None,
    ) -> types.AppliedOutput:
        """Makes changes of an overlay on the host: all of them, or nothing if one is refused. Text that the host changed
        since the sandbox saw it is merged. Refused are what cannot be merged, guarded paths unless they are allowed,
        and links that lead out of the directory.

        Args:
            at: Where it is in the sandbox.
            paths: Paths of the sandbox below it, absolute; all changes if not given.
            allow_guarded: Whether guarded paths go along: files that programs of the host run or obey, such as
                `.git/hooks` and `.envrc`.
            partial: Whether to apply what can be applied even if something else is refused.
            resolve: What becomes of files that both the sandbox and the host have changed; `merge` if not given.
            all: Whether to apply also what `.gitignore` names.
            exclude: Patterns of paths to leave out, written as in `.gitignore`.
            dry_run: Whether only to say what would be done.
        """
        params: Dict[str, Any] = {}
        params["at"] = at
        if paths is not None:
            params["paths"] = list(paths)
        if allow_guarded is not None:
            params["allowGuarded"] = allow_guarded
        if partial is not None:
            params["partial"] = partial
        if resolve is not None:
            params["resolve"] = resolve
        if all is not None:
            params["all"] = all
        if exclude is not None:
            params["exclude"] = list(exclude)
        if dry_run is not None:
            params["dryRun"] = dry_run
        return types.AppliedOutput.from_wire(self._call("mounts.apply", params))

    def discard(self, at: str, *, paths: Optional[List[str]] = None) -> List[types.MountChange]:
        """Forgets changes of an overlay: the sandbox sees the host's files again.

        Args:
            at: Where it is in the sandbox.
            paths: Paths of the sandbox below it, absolute; all changes if not given.
        """
        params: Dict[str, Any] = {}
        params["at"] = at
        if paths is not None:
            params["paths"] = list(paths)
        wire: Dict[str, Any] = self._call("mounts.discard", params)
        unpacked: List[types.MountChange] = [types.MountChange.from_wire(item) for item in wire["changes"]]
        return unpacked


class NetworkMethods(Methods):
    """Methods `network.*` of a sandbox."""

    def check(self, url: str, *, method: Optional[str] = None) -> types.NetworkAccess:
        """Says whether a program in the sandbox may use a URL now, and if not, why and what would allow it. Nothing is
        sent, counted or reported.

        Args:
            url: The URL.
            method: The method; `GET` if not given.
        """
        params: Dict[str, Any] = {}
        params["url"] = url
        if method is not None:
            params["method"] = method
        return types.NetworkAccess.from_wire(self._call("network.check", params))

    def set(self, network: types.Network) -> None:
        """Sets what a sandbox may reach, and its secrets. What is under way ends as it was allowed; the next request of an
        open connection is decided anew. What was used stays counted.

        Args:
            network: All of it: what it was before does not count any more.
        """
        params: Dict[str, Any] = {}
        params["network"] = network.to_wire()
        self._call("network.set", params)

    def log(self) -> List[types.NetworkEntry]:
        """Lists what the sandbox and its forks asked of the network lately, what became of it and why: the last 256 of it,
        of which the oldest comes first.
        """
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("network.log", params)
        unpacked: List[types.NetworkEntry] = [types.NetworkEntry.from_wire(item) for item in wire["entries"]]
        return unpacked


class JobsMethods(Methods):
    """Methods `jobs.*` of a sandbox."""

    def list(self) -> List[types.Job]:
        """Lists the processes of a sandbox."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("jobs.list", params)
        unpacked: List[types.Job] = [types.Job.from_wire(item) for item in wire["jobs"]]
        return unpacked

    def signal(self, pid: int, *, signal: Optional[str] = None) -> None:
        """Sends a signal to a process.

        Args:
            pid: The process.
            signal: The signal's name, with or without SIG; TERM if not given.
        """
        params: Dict[str, Any] = {}
        params["pid"] = pid
        if signal is not None:
            params["signal"] = signal
        self._call("jobs.signal", params)


class PersistenceMethods(Methods):
    """Methods `persistence.*` of a sandbox."""

    def save(self) -> types.SavedOutput:
        """Saves a persistent sandbox now, instead of within its autosave time."""
        params: Dict[str, Any] = {}
        return types.SavedOutput.from_wire(self._call("persistence.save", params))

    def load(self) -> int:
        """Puts a persistent sandbox back to what was saved last."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("persistence.load", params)
        unpacked: int = wire["sequence"]
        return unpacked

    def export(self, key: Optional[bytes] = None) -> bytes:
        """Gives the whole state as bytes that `persistence.import` takes, here or elsewhere.

        Args:
            key: A key of 32 bytes, to encrypt it.
        """
        params: Dict[str, Any] = {}
        if key is not None:
            params["key"] = to_base64(key)
        wire: Dict[str, Any] = self._call("persistence.export", params)
        unpacked: bytes = from_base64(wire["base64"])
        return unpacked

    def import_(self, data: bytes, *, key: Optional[bytes] = None) -> int:
        """Makes the sandbox what an exported state says. What is broken, too large or hostile is refused without effect.

        Args:
            data: The state.
            key: The key that it was encrypted with.
        """
        params: Dict[str, Any] = {}
        params["base64"] = to_base64(data)
        if key is not None:
            params["key"] = to_base64(key)
        wire: Dict[str, Any] = self._call("persistence.import", params)
        unpacked: int = wire["sequence"]
        return unpacked

    def hash(self) -> str:
        """Gives a number of the state: equal for equal files and shells."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("persistence.hash", params)
        unpacked: str = wire["hash"]
        return unpacked


class StatesMethods(Methods):
    """Methods `states.*` of a server."""

    def list(self) -> List[types.SavedState]:
        """Lists the states that are kept for persistent sandboxes, by namespace."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("states.list", params)
        unpacked: List[types.SavedState] = [types.SavedState.from_wire(item) for item in wire["states"]]
        return unpacked

    def remove(self, namespace: str) -> None:
        """Removes the states of a namespace for good. Refused while a sandbox has it.

        Args:
            namespace: The namespace.
        """
        params: Dict[str, Any] = {}
        params["namespace"] = namespace
        self._call("states.remove", params)


class CommandsMethods(Methods):
    """Methods `commands.*` of a sandbox."""

    def list(self) -> List[str]:
        """Lists the commands of a sandbox."""
        params: Dict[str, Any] = {}
        wire: Dict[str, Any] = self._call("commands.list", params)
        unpacked: List[str] = wire["commands"]
        return unpacked

    def register(
        self,
        name: str,
        *,
        aliases: Optional[List[str]] = None,
        description: Optional[str] = None,
        usage: Optional[str] = None,
    ) -> None:
        """Adds a command that the client answers: calls of it come as requests `command.call` on the same connection.

        Args:
            name: Its name.
            aliases: Further names.
            description: What it does, for `help`.
            usage: How it is called, for `help`.
        """
        params: Dict[str, Any] = {}
        params["name"] = name
        if aliases is not None:
            params["aliases"] = list(aliases)
        if description is not None:
            params["description"] = description
        if usage is not None:
            params["usage"] = usage
        self._call("commands.register", params)
