"""A sandbox."""

from __future__ import annotations

import asyncio  # async only
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Type, TypeVar, Union

from .._errors import ClosedError, CodepodError, ServerGoneError
from .._generated import async_methods as methods
from .._generated.errors import NotFoundError
from .._generated.types import CommandCall, CommandReply, CreateOptions, MergeOutput, RunResult, SandboxInfo, SnapshotInfo
from .._network import named
from .._options import check_options, check_script
from .._result import Told
from .._transport._async import AsyncConnection, AsyncMethods, shared
from .background import AsyncBackgroundRun
from .command import AsyncCommand, answer
from .files import AsyncFiles
from .network import AsyncReach, AsyncOnRequest, ask
from .preview import AsyncPreview
from .stream import AsyncRunStream

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .client import AsyncClient

_Function = TypeVar("_Function", bound=AsyncCommand)


class AsyncShell(methods.AsyncShellMethods):
    """Named shells, their history and completion."""

    def __init__(self, connection: AsyncConnection, sandbox_id: str) -> None:
        super().__init__(connection, sandbox_id)
        #: The runs that are kept.
        self.history = methods.AsyncShellHistoryMethods(connection, sandbox_id)


class AsyncSandbox(methods.AsyncSandboxMethods):
    """A computer for an agent: files, a shell, and ways back.

    Variables, functions and the working directory persist from one `run` to the next. `async with` destroys the
    sandbox on exit. Otherwise it is destroyed after it is garbage-collected, and at the latest when this
    process exits.

    Args:
        client: The client whose server it lives in; the one of this interpreter if not given.
        on_request: Decides about each request that `network` allows, for the sandbox and its forks.
        options: See `CreateOptions`.
    """

    #: Files.
    files: AsyncFiles
    #: Exported variables.
    env: methods.AsyncEnvMethods
    #: Named shells, history and completion.
    shell: AsyncShell
    #: Runs that go on: input for them, and their end.
    runs: methods.AsyncRunMethods
    #: Snapshots by id.
    snapshots: methods.AsyncSnapshotMethods
    #: Previews by id.
    previews: methods.AsyncPreviewMethods
    #: Host directories.
    mounts: methods.AsyncMountsMethods
    #: What it may reach beyond itself.
    network: AsyncReach
    #: Processes.
    jobs: methods.AsyncJobsMethods
    #: Sessions of Node that keep their variables.
    js: methods.AsyncJsMethods
    #: Interpreters of Python that keep their variables.
    python: methods.AsyncPythonMethods
    #: States that outlive the sandbox.
    persistence: methods.AsyncPersistenceMethods
    #: Commands that there are.
    commands: methods.AsyncCommandsMethods

    def __init__(
        self,
        client: Optional[AsyncClient] = None,
        *,
        on_request: Optional[AsyncOnRequest] = None,
        **options: Unpack[CreateOptions],
    ) -> None:
        check_options(options)
        has_network = options.get("network") is not None
        if on_request is not None and not has_network:
            raise TypeError("`on_request` decides about the requests of a network: give `network` as well")
        super().__init__(shared(has_network) if client is None else client._connection)
        self._options = options
        self._on_request = on_request
        self._closed = False
        self._owned = True
        self._registering: List[asyncio.Future[None]] = []  # async only
        # sync: self._open()

    @classmethod
    async def create(
        cls,
        client: Optional[AsyncClient] = None,
        *,
        on_request: Optional[AsyncOnRequest] = None,
        **options: Unpack[CreateOptions],
    ) -> Self:
        """Makes a sandbox that stays until it is closed."""
        sandbox = cls(client, on_request=on_request, **options)
        await sandbox._open()
        return sandbox

    @classmethod
    def attach(cls, connection: AsyncConnection, sandbox_id: str) -> Self:
        """A sandbox that is there already."""
        sandbox = cls.__new__(cls)
        methods.AsyncSandboxMethods.__init__(sandbox, connection)
        sandbox._options = {}
        sandbox._on_request = None
        sandbox._closed = False
        sandbox._owned = False
        sandbox._registering = []  # async only
        sandbox._enter(sandbox_id)
        return sandbox

    async def _open(self) -> None:
        if self._sandbox_id is None:
            asked = await ask(self._connection, self._on_request)
            options = self._options.copy()
            network = options.get("network")
            if network is not None:
                options["network"] = named(network, asked)
            info = await methods.AsyncSandboxesMethods(self._connection).create(**options)
            self._enter(info.sandbox_id)
            self.network._asked = asked

    def _enter(self, sandbox_id: str) -> None:
        connection = self._connection
        self._sandbox_id = sandbox_id
        self.files = AsyncFiles(connection, sandbox_id)
        self.env = methods.AsyncEnvMethods(connection, sandbox_id)
        self.shell = AsyncShell(connection, sandbox_id)
        self.runs = methods.AsyncRunMethods(connection, sandbox_id)
        self.snapshots = methods.AsyncSnapshotMethods(connection, sandbox_id)
        self.previews = methods.AsyncPreviewMethods(connection, sandbox_id)
        self.mounts = methods.AsyncMountsMethods(connection, sandbox_id)
        self.network = AsyncReach(connection, sandbox_id)
        self.jobs = methods.AsyncJobsMethods(connection, sandbox_id)
        self.js = methods.AsyncJsMethods(connection, sandbox_id)
        self.python = methods.AsyncPythonMethods(connection, sandbox_id)
        self.persistence = methods.AsyncPersistenceMethods(connection, sandbox_id)
        self.commands = methods.AsyncCommandsMethods(connection, sandbox_id)
        # What is taken from a sandbox keeps it alive.
        parts: List[AsyncMethods] = [self.files, self.env, self.shell, self.shell.history, self.runs, self.snapshots]
        parts += [self.previews, self.mounts, self.network, self.jobs, self.js, self.python]
        parts += [self.persistence, self.commands]
        for part in parts:
            part._owner = self

    def __del__(self) -> None:
        if getattr(self, "_owned", False) and not self._closed and self._sandbox_id is not None:
            self._connection.drop(self._sandbox_id)

    @property
    def id(self) -> str:
        """Its id, which cannot be guessed."""
        if self._sandbox_id is None:
            raise ClosedError("the sandbox has not been made yet", hint=_HINT)
        return self._sandbox_id

    async def _call(self, method: str, params: Dict[str, Any]) -> Any:
        if self._sandbox_id is None:
            raise ClosedError("the sandbox has not been made yet", hint=_HINT)
        params["sandboxId"] = self._sandbox_id
        await self._settle()  # async only
        return await self._connection.call(method, params)

    async def _settle(self) -> None:  # async only
        """Waits until the commands that were decorated are there."""  # async only
        while self._registering:  # async only
            await self._registering.pop()  # async only

    # Running.

    async def run(
        self,
        command: str,
        *,
        check: bool = False,
        cwd: Optional[str] = None,
        stdin: Union[str, bytes, None] = None,
        env: Optional[Mapping[str, str]] = None,
        arguments: Optional[List[str]] = None,
        timeout: Optional[float] = None,
        shell: Optional[str] = None,
        output_budget: Optional[int] = None,
        run_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        on_stdout: Optional[Callable[[str], object]] = None,
        on_stderr: Optional[Callable[[str], object]] = None,
    ) -> RunResult:
        """Runs a bash script and waits for its end. A status other than 0 is a result, not an error.

        Args:
            command: The script, as bash reads it.
            check: Whether a status other than 0 raises `CommandFailedError`.
            cwd: The directory that it runs in; afterwards the shell is where it was.
            stdin: What it reads.
            env: Variables that are exported to this script only.
            arguments: `$1`, `$2`, … for this script only.
            timeout: How long it may take, in seconds; as the sandbox says if not given.
            shell: The shell to run it in; the main one if not given.
            output_budget: Bytes of each output stream that the result holds; as the sandbox says if not given.
            run_id: A name for this run, by which `runs.cancel` can end it.
            idempotency_key: A name of this attempt: another call with the same one gets the first's result and runs nothing.
            on_stdout: Gets standard output while it runs, as text. The result holds all of it as well.
            on_stderr: Gets standard error while it runs.
        """
        check_script(command)
        if on_stdout is not None or on_stderr is not None:
            if output_budget is not None or idempotency_key is not None:
                raise ValueError("`on_stdout` and `on_stderr` go neither with `output_budget` nor with `idempotency_key`")
            stream = self._stream(
                command,
                cwd=cwd,
                stdin=stdin,
                env=env,
                arguments=arguments,
                timeout=timeout,
                shell=shell,
                run_id=run_id,
            )
            told = Told(on_stdout, on_stderr)
            # Leaving it early, because a function of the caller failed, ends it.
            async with stream:
                async for name, data in stream:
                    told.tell(name, data)
            result = told.result(stream.result)
            return result.check(command) if check else result
        result = await self._run(
            command,
            cwd=cwd,
            stdin=stdin,
            env=env,
            arguments=arguments,
            timeout=timeout,
            shell=shell,
            output_budget=output_budget,
            run_id=run_id,
            idempotency_key=idempotency_key,
        )
        return result.check(command) if check else result

    def stream(
        self,
        command: str,
        *,
        check: bool = False,
        cwd: Optional[str] = None,
        stdin: Union[str, bytes, bool, None] = None,
        env: Optional[Mapping[str, str]] = None,
        arguments: Optional[List[str]] = None,
        timeout: Optional[float] = None,
        shell: Optional[str] = None,
        run_id: Optional[str] = None,
    ) -> AsyncRunStream:
        """Runs a bash script and gives its output while it runs, as pairs of `"stdout"` or `"stderr"` and bytes.

        `stdin=True` leaves its input open for `write` and `close_stdin`; see `run` for the rest.
        """
        check_script(command)
        stream = self._stream(
            command, cwd=cwd, stdin=stdin, env=env, arguments=arguments, timeout=timeout, shell=shell, run_id=run_id
        )
        stream._check = check
        return stream

    async def start(
        self,
        command: str,
        *,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        arguments: Optional[List[str]] = None,
        timeout: Optional[float] = None,
        shell: Optional[str] = None,
        run_id: Optional[str] = None,
    ) -> AsyncBackgroundRun:
        """Starts a bash script in the background and returns at once: a server, or whatever takes long.

        It runs in a shell of its own, which begins as a copy of `shell`, and for an hour at most if `timeout` is not given.
        """
        name = await self.runs.start(
            command, cwd=cwd, env=env, arguments=arguments, timeout=timeout, shell=shell, run_id=run_id
        )
        return AsyncBackgroundRun(self.runs, name)

    def _begin(self, method: str, params: Dict[str, Any], stdin: Union[str, bytes, bool, None]) -> AsyncRunStream:
        return AsyncRunStream(self, method, params, stdin)

    async def preview(
        self,
        command: str,
        *,
        stdin: Union[str, bytes, None] = None,
        env: Optional[Mapping[str, str]] = None,
        arguments: Optional[List[str]] = None,
        timeout: Optional[float] = None,
        shell: Optional[str] = None,
    ) -> AsyncPreview:
        """Runs a script in a throw-away copy and says what it would change; `commit` makes it happen."""
        output = await self.previews.run(
            command, stdin=stdin, env=env, arguments=arguments, timeout=timeout, shell=shell
        )
        return AsyncPreview(self.previews, output)

    # Ways back and sideways.

    async def snapshot(self) -> SnapshotInfo:
        """Keeps the files and shells as they are now, in microseconds."""
        return await self.snapshots.create()

    async def restore(self, snapshot: Union[SnapshotInfo, str]) -> None:
        """Puts files and shells back to a snapshot; it can be used again."""
        await self.snapshots.restore(_snapshot_id(snapshot))

    async def fork(self) -> AsyncSandbox:
        """Another sandbox with the same files, shells and limits, in microseconds. Neither sees what the other does next."""
        fork = AsyncSandbox.attach(self._connection, (await self._fork()).sandbox_id)
        fork._owned = True
        fork._options = self._options
        fork.network._asked = self.network._asked
        return fork

    async def adopt(self, fork: Union[AsyncSandbox, str]) -> None:
        """Becomes what a fork is, in constant time. It can be undone as a run can."""
        await self._adopt(_sandbox_id(fork))

    async def merge(self, fork: Union[AsyncSandbox, str], base: Union[SnapshotInfo, str]) -> MergeOutput:
        """Takes what a fork changed since a snapshot, file by file. Where both changed a file differently, ours stays."""
        return await self._merge(_sandbox_id(fork), _snapshot_id(base))

    async def info(self) -> SandboxInfo:
        """What it is."""
        return await self.get()

    # Commands.

    def command(
        self,
        name: str,
        *,
        aliases: Optional[List[str]] = None,
        description: Optional[str] = None,
        usage: Optional[str] = None,
    ) -> Callable[[_Function], _Function]:
        """Makes a function a command of the sandbox: a decorator.

        The function takes arguments and context, and returns a status, text, bytes or nothing. It runs in a thread of its own.
        """

        def register(function: _Function) -> _Function:
            done = self.register(name, function, aliases=aliases, description=description, usage=usage)  # async only
            # sync: self.register(name, function, aliases=aliases, description=description, usage=usage)
            self._registering.append(asyncio.ensure_future(done))  # async only
            return function

        return register

    async def register(
        self,
        name: str,
        function: AsyncCommand,
        *,
        aliases: Optional[List[str]] = None,
        description: Optional[str] = None,
        usage: Optional[str] = None,
    ) -> None:
        """Makes a function a command of the sandbox, as `command` does."""

        async def call(call: CommandCall) -> CommandReply:
            return await answer(self, function, call)

        if description is None and function.__doc__:
            description = function.__doc__.strip().splitlines()[0]
        for known in [name, *(aliases or [])]:
            await self._connection.handle(self.id, known, call)
        await self.commands.register(name, aliases=aliases, description=description, usage=usage)

    # Ending.

    async def aclose(self) -> None:
        """Destroys it: its processes are killed, its files are gone unless they are kept."""
        if self._closed or self._sandbox_id is None:
            return
        self._closed = True
        try:
            await self.destroy()
        except NotFoundError:
            pass
        except (ServerGoneError, ClosedError):
            # A process of ours takes its sandboxes along.
            if not self._connection.ends_with_us:
                raise
        finally:
            await self._connection.forget(self._sandbox_id)

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        try:
            await self.aclose()
        except CodepodError:
            # What went wrong in the block is what matters.
            if error is None:
                raise

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._sandbox_id or 'not made yet'}>"


_HINT = "use `async with AsyncSandbox() as sandbox`, or `await AsyncSandbox.create()`"


def _sandbox_id(sandbox: Union[AsyncSandbox, str]) -> str:
    return sandbox if isinstance(sandbox, str) else sandbox.id


def _snapshot_id(snapshot: Union[SnapshotInfo, str]) -> str:
    return snapshot if isinstance(snapshot, str) else snapshot.id
