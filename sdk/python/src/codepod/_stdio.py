"""A `codepod rpc` process: requests, answers, notifications and calls back, over its standard input and output.

No thread of its own reads while calls merely wait for their answers: one of the waiting threads reads for all of them and
hands on what is another's (leader and followers), so an answer reaches a lone caller without a change of threads. A reader of
its own starts when messages may come that no caller waits for: calls of commands, and answers for an event loop.
"""

from __future__ import annotations

import atexit
import itertools
import json
import os
import subprocess
import threading
import weakref
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from ._binary import find_binary
from ._errors import ClosedError, CodepodError, ServerGoneError, error_from_wire
from ._generated.types import CommandCall, CommandReply, NetworkReply, NetworkRequest

#: As much as a read takes at once: what a pipe holds.
_PIECE = 1 << 16
#: How long a server may take to save what is to be saved and to end.
_PATIENCE = 10.0

_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_loads = json.JSONDecoder().decode

#: A message for a waiter: `True` and what came, or `False` and why nothing will.
Message = Tuple[bool, Any]
#: What answers a call of a command.
Handler = Callable[[CommandCall], CommandReply]
#: What decides about a request to the network.
Decider = Callable[[NetworkRequest], NetworkReply]


class Waiter:
    """A caller that waits for an answer, and for output before it."""

    __slots__ = ("messages", "wake", "asleep", "id", "run")

    def __init__(self) -> None:
        self.messages: Deque[Message] = deque()
        self.wake = threading.Lock()
        self.wake.acquire()
        self.asleep = False
        self.id = 0
        #: The sandbox and the run whose output it wants.
        self.run: Optional[Tuple[str, str]] = None

    def deliver(self, message: Message) -> None:
        """Takes a message; called with the connection's lock held."""
        self.messages.append(message)
        if self.asleep:
            self.asleep = False
            self.wake.release()


class Asked:
    """A word by which the server asks about requests. Who drops it does not want to be asked any more: they are denied."""

    __slots__ = ("__weakref__", "word")

    def __init__(self, word: str) -> None:
        self.word = word


class Server:
    """A `codepod rpc` process and the pipes to it. It ends with this process, whatever becomes of it."""

    def __init__(self, binary: Optional[str] = None, states: Optional[str] = None, network: bool = False) -> None:
        command = [binary or find_binary(), "rpc"]
        if network:
            command.append("--network")
        if states is not None:
            command += ["--states", states]
        try:
            # A session of its own: Ctrl-C is for the caller, who ends the server by ending.
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except OSError as error:
            raise ServerGoneError(
                f"`{command[0]}` does not start: {error.strerror}", hint="`CODEPOD_BIN` can name another program"
            ) from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._ids = itertools.count(1)
        #: Guards what follows.
        self._lock = threading.Lock()
        self._waiters: Dict[int, Waiter] = {}
        self._sleepers: List[Waiter] = []
        self._streams: Dict[Tuple[str, str], Waiter] = {}
        self._handlers: Dict[Tuple[str, str], Handler] = {}
        self._deciders: Dict[str, Decider] = {}
        self._words = itertools.count(1)
        self._reading = False
        self._gone: Optional[CodepodError] = None
        self._reader: Optional[threading.Thread] = None
        self._sending = threading.Lock()
        #: Sandboxes that are no longer referenced; they are destroyed with the next request.
        self._dropped: Deque[str] = deque()
        #: What was read of a line that is not whole; only who reads touches it.
        self._partial: List[bytes] = []
        _SERVERS.add(self)

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self._gone is None

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    # Asking.

    def call(self, method: str, params: Dict[str, Any]) -> Any:
        """Asks, and waits for the answer."""
        waiter = Waiter()
        self.send(method, params, waiter)
        return self.receive(waiter)[1]

    def send(self, method: str, params: Dict[str, Any], waiter: Waiter, stream: Optional[str] = None) -> None:
        """Asks; the answer goes to `waiter`, and the output of the run `stream` before it."""
        if self._dropped:
            self._destroy_dropped()
        number = waiter.id = next(self._ids)
        line = _dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._lock:
            if self._gone is not None:
                raise self._gone_again()
            self._waiters[number] = waiter
            if stream is not None:
                waiter.run = (params["sandboxId"], stream)
                self._streams[waiter.run] = waiter
        self._write(line)

    def receive(self, waiter: Waiter) -> Tuple[bool, Any]:
        """The next that comes for `waiter`: whether it is the answer, and what it is. Raises what the server told."""
        try:
            kind, value = self._wait(waiter)
        except BaseException:
            self.give_up(waiter)
            raise
        if not kind:
            raise value
        return value  # type: ignore[no-any-return]

    def give_up(self, waiter: Waiter) -> None:
        """Cancels what runs for a caller that no longer waits."""
        with self._lock:
            if waiter.run is not None:
                self._streams.pop(waiter.run, None)
            pending = self._waiters.pop(waiter.id, None) is not None and self._gone is None
        if pending:
            self.notify("$/cancel", {"id": waiter.id})

    def notify(self, method: str, params: Dict[str, Any]) -> None:
        """Says something that is not answered."""
        try:
            self._write(_dumps({"jsonrpc": "2.0", "method": method, "params": params}))
        except ServerGoneError:
            pass

    def drop(self, sandbox_id: str) -> None:
        """Notes that a sandbox is no longer referenced. Called by the garbage collector at any moment, so it takes no lock."""
        self._dropped.append(sandbox_id)

    def _destroy_dropped(self) -> None:
        while True:
            try:
                sandbox_id = self._dropped.popleft()
            except IndexError:
                return
            self.forget(sandbox_id)
            self.notify("sandbox.destroy", {"sandboxId": sandbox_id})

    def handle(self, sandbox_id: str, name: str, handler: Optional[Handler]) -> None:
        """Sets what answers calls of a command; nothing does for `None`."""
        with self._lock:
            if handler is None:
                self._handlers.pop((sandbox_id, name), None)
            else:
                self._handlers[sandbox_id, name] = handler
        if handler is not None:
            self.read_always()

    def decide(self, decider: Decider) -> Asked:
        """Has a function decide about the requests of networks that name the word, as long as somebody holds it."""
        asked = Asked(f"function {next(self._words)}")
        self._deciders[asked.word] = decider
        weakref.finalize(asked, self._deciders.pop, asked.word, None).atexit = False
        self.read_always()
        return asked

    def forget(self, sandbox_id: str) -> None:
        """A sandbox is gone, and with it its commands."""
        with self._lock:
            for key in [key for key in self._handlers if key[0] == sandbox_id]:
                del self._handlers[key]

    def read_always(self) -> None:
        """Reads from now on, even while no caller waits."""
        with self._lock:
            if self._reader is not None or self._gone is not None:
                return
            self._reader = threading.Thread(target=self._read_on, name="codepod-reader", daemon=True)
        self._reader.start()

    # Waiting and reading.

    def _read_on(self) -> None:
        try:
            self._wait(Waiter())
        except CodepodError:
            pass

    def _wait(self, waiter: Waiter) -> Message:
        messages = waiter.messages
        lock = self._lock
        while True:
            with lock:
                if messages:
                    # It may have been woken to read, and have got what it waits for all the same.
                    if not self._reading and self._sleepers:
                        self._wake_one()
                    return messages.popleft()
                if self._gone is not None:
                    raise self._gone_again()
                leads = not self._reading
                if leads:
                    self._reading = True
                else:
                    waiter.asleep = True
                    self._sleepers.append(waiter)
            if leads:
                try:
                    while not messages and self._gone is None:
                        self._read()
                finally:
                    with lock:
                        self._reading = False
                        self._wake_one()
            else:
                self._sleep(waiter)

    def _sleep(self, waiter: Waiter) -> None:
        try:
            waiter.wake.acquire()
        except BaseException:
            with self._lock:
                self._sleepers.remove(waiter)
                if not waiter.asleep:
                    # Woken at the same moment: the lock stays taken while it is awake, and another reads instead.
                    waiter.wake.acquire(blocking=False)
                    self._wake_one()
                waiter.asleep = False
            raise
        with self._lock:
            self._sleepers.remove(waiter)

    def _wake_one(self) -> None:
        """Lets another caller that waits go on reading; called with the lock held."""
        if self._reading:
            return
        for sleeper in self._sleepers:
            if sleeper.asleep:
                sleeper.asleep = False
                sleeper.wake.release()
                return

    def _read(self) -> None:
        """Reads once, and hands on every message that is whole."""
        try:
            piece = os.read(self._out, _PIECE)
        except OSError:
            piece = b""
        if not piece:
            self._end()
            return
        end = piece.rfind(b"\n")
        if end < 0:
            self._partial.append(piece)
            return
        if self._partial:
            self._partial.append(piece[:end])
            lines = b"".join(self._partial)
            self._partial.clear()
        else:
            lines = piece[:end]
        if end + 1 < len(piece):
            self._partial.append(piece[end + 1 :])
        for line in lines.split(b"\n"):
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            message = _loads(line.decode())
            if "method" not in message:
                self._take_answer(message)
            elif "id" in message:
                self._take_call(message)
            else:
                self._take_output(message["params"])
        except (ValueError, KeyError, TypeError) as error:
            self._end(f"the server said something that cannot be read: {error}")

    def _take_answer(self, message: Dict[str, Any]) -> None:
        answer: Message
        if "error" in message:
            answer = (False, error_from_wire(message["error"]))
        else:
            answer = (True, (True, message["result"]))
        with self._lock:
            waiter = self._waiters.pop(message["id"], None)
            if waiter is not None:
                if waiter.run is not None:
                    self._streams.pop(waiter.run, None)
                waiter.deliver(answer)

    def _take_output(self, params: Dict[str, Any]) -> None:
        with self._lock:
            waiter = self._streams.get((params["sandboxId"], params["runId"]))
            if waiter is not None:
                waiter.deliver((True, (False, params)))

    def _take_call(self, message: Dict[str, Any]) -> None:
        # A thread for each call: a handler may run commands that call others.
        threading.Thread(target=self._answer, args=(message,), name="codepod-command", daemon=True).start()

    def _answer(self, message: Dict[str, Any]) -> None:
        reply: Dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            reply["result"] = self._result(message["method"], message["params"])
        except Exception as error:
            reply["error"] = {"code": -32603, "message": f"{type(error).__name__}: {error}"}
        try:
            self._write(_dumps(reply))
        except ServerGoneError:
            pass

    def _result(self, method: str, params: Dict[str, Any]) -> Dict[str, Any]:
        if method == "network.request":
            request = NetworkRequest.from_wire(params)
            decider = self._deciders.get(request.ask)
            if decider is None:
                raise LookupError("nobody decides about it any more")
            return decider(request).to_wire()
        call = CommandCall.from_wire(params)
        handler = self._handlers.get((call.sandbox_id, call.name))
        if handler is None:
            raise LookupError(f"nothing answers `{call.name}` any more")
        return handler(call).to_wire()

    def _write(self, line: str) -> None:
        data = memoryview(line.encode("utf-8", "surrogatepass") + b"\n")
        with self._sending:
            sent = 0
            try:
                while sent < len(data):
                    sent += os.write(self._in, data[sent:])
            except OSError:
                self._end()
                raise self._gone_again() from None
            finally:
                if 0 < sent < len(data):
                    self._end("a message was cut off")

    # Ending.

    def _gone_again(self) -> CodepodError:
        gone = self._gone
        assert gone is not None
        return type(gone)(gone.message, hint=gone.hint)

    def _end(self, why: Optional[str] = None) -> None:
        """It is of no use any more: everybody who waits is told why."""
        if why is None:
            why = f"the codepod server ended ({self._status()})"
        error = ServerGoneError(why, hint="make a new sandbox: that starts a new server; what was not kept is gone")
        self._fail(error)
        try:
            self._process.kill()
        except OSError:
            pass

    def _status(self) -> str:
        try:
            status = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        return f"signal {-status}" if status < 0 else f"status {status}"

    def _fail(self, error: CodepodError) -> None:
        with self._lock:
            if self._gone is None:
                self._gone = error
            waiters = list(self._waiters.values())
            self._waiters.clear()
            for waiter in waiters:
                waiter.deliver((False, self._gone_again()))
            for sleeper in self._sleepers:
                if sleeper.asleep:
                    sleeper.asleep = False
                    sleeper.wake.release()

    def close(self) -> None:
        """Ends it: sandboxes that are kept are saved."""
        self._fail(ClosedError("the client was closed", hint="make a new one"))
        process = self._process
        try:
            if process.stdin is not None:
                process.stdin.close()
        except OSError:
            pass
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # The reader sees the end of the stream first; then it can be closed.
        reader = self._reader
        if reader is not None and reader is not threading.current_thread():
            reader.join(1.0)
        with self._lock:
            reading = self._reading
        if not reading and process.stdout is not None:
            process.stdout.close()

    def _abandon(self) -> None:
        """This process is a fork of the one that started the server: the server is the other's."""
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._reading = False
        self._sleepers = []
        self._waiters = {}
        self._gone = ServerGoneError(
            "this sandbox belongs to the process that this one was forked from", hint="make a sandbox after the fork"
        )
        # The server must see its end when the other process ends, not when this one does.
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.returncode = 0


_SERVERS: "weakref.WeakSet[Server]" = weakref.WeakSet()
#: The servers of this interpreter: without a network, and with.
_shared: Dict[bool, Server] = {}
_shared_lock = threading.Lock()


def shared_server(network: bool = False) -> Server:
    """The server of this interpreter, or that for sandboxes with a network; a new one if the last has gone."""
    server = _shared.get(network)
    if server is not None and server.alive:
        return server
    with _shared_lock:
        server = _shared.get(network)
        if server is None or not server.alive:
            server = _shared[network] = Server(network=network)
        return server


@atexit.register
def _close_all() -> None:
    for server in list(_SERVERS):
        if server.alive:
            server.close()


def _after_fork() -> None:
    global _shared_lock
    _shared_lock = threading.Lock()
    _shared.clear()
    for server in list(_SERVERS):
        server._abandon()
    _SERVERS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
