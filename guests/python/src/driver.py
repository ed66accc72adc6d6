# What the pre-initialised interpreter does besides upstream's own code: `prepare` when the snapshot is made, `begin` when a program starts
# from it, `end` in place of the interpreter's finalisation.
import atexit
import builtins
import gc
import io
import os
import sys

IMPORTS = """
    os sys io re json math random time datetime collections itertools functools pathlib textwrap string struct hashlib base64 typing
    dataclasses enum contextlib traceback linecache runpy importlib.util shutil csv tempfile decimal operator copy heapq bisect argparse
    statistics zlib urllib.parse codecs inspect ast abc warnings types weakref zipimport sqlite3 asyncio logging subprocess pickle glob
    fnmatch uuid secrets html xml.etree.ElementTree zipfile gzip bz2 lzma tarfile difflib pprint concurrent.futures fractions calendar
    queue threading configparser tomllib shlex platform unittest locale timeit hmac signal select selectors socket errno stat
    zoneinfo
""".split()


def prepare():
    global kept
    import importlib
    for name in IMPORTS:
        importlib.import_module(name)
    take_turns()
    compile("print(1)", "<warm>", "exec")
    sys.stdout.flush()
    sys.stderr.flush()
    sys.path_importer_cache.clear()
    importlib.invalidate_caches()
    kept = frozenset(sys.modules)
    gc.collect()
    gc.freeze()


class BeginsAgain(SystemExit):
    """Ends a thread that waits on top of one that could go on. Its argument is whether it has let another thread go on: what it did would be done
    twice, so it begins again only if it is a worker (a daemon), which has nothing to remember."""


CANNOT_END = "this wait cannot end: threads in the sandbox take turns, and what it waits for waits for this thread to end"


def take_turns():
    """Threads run one after another (threads.c): a thread that is started runs when another waits. One that was ended because it waited on top of
    another begins again. Workers that wait for work would do little else, so a pool runs what it is given at once; and the end of a program is looked
    for by the event loop itself."""
    import asyncio.unix_events
    import concurrent.futures.thread as pools
    import threading

    def launch(self):
        threading._limbo[self] = self
        try:
            threading._start_joinable_thread(self._bootstrap, handle=self._os_thread_handle, daemon=self.daemon)
        except Exception:
            del threading._limbo[self]
            raise

    def start(self):
        if not self._initialized:
            raise RuntimeError("thread.__init__() not called")
        if self._started.is_set():
            raise RuntimeError("threads can only be started once")
        if self._context is None:
            inherits = sys.flags.thread_inherit_context
            self._context = threading._contextvars.copy_context() if inherits else threading._contextvars.Context()
        self._started.set()
        launch(self)

    inner = threading.Thread._bootstrap_inner

    def bootstrap_inner(self):
        work = {name: getattr(self, name) for name in ("_target", "_args", "_kwargs") if hasattr(self, name)}
        again = False

        def run(own=self.run):
            nonlocal again
            try:
                own()
            except BeginsAgain as end:
                again = self.daemon or not end.args[0]
                if not again:
                    raise RuntimeError(CANNOT_END).with_traceback(end.__traceback__) from None

        self.run = run
        try:
            inner(self)
        finally:
            del self.run
            if again:
                vars(self).update(work)
                self._os_thread_handle = threading._ThreadHandle()
                launch(self)

    threading.Thread.start = start
    threading.Thread._bootstrap_inner = bootstrap_inner

    def submit(self, function, /, *args, **kwargs):
        with self._shutdown_lock:
            if self._broken:
                raise pools.BrokenThreadPool(self._broken)
            if self._shutdown:
                raise RuntimeError("cannot schedule new futures after shutdown")
        future = pools._base.Future()
        if not self._threads:
            self._threads.add(None)
            self._context = self._create_worker_context()
            try:
                self._context.initialize()
            except BaseException:
                pools._base.LOGGER.critical("Exception in initializer:", exc_info=True)
                self._broken = "A thread initializer failed, the thread pool is not usable anymore"
                future.set_exception(pools.BrokenThreadPool(self._broken))
                return future
        pools._WorkItem(future, self._resolve_work_item_task(function, args, kwargs)).run(self._context)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._shutdown = True

    pools.ThreadPoolExecutor.submit = submit
    pools.ThreadPoolExecutor.shutdown = shutdown

    def add_child_handler(self, pid, callback, *args):
        loop = asyncio.unix_events.events.get_running_loop()

        def look(pause=0.001):
            try:
                found, status = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                found, code = pid, 255
            else:
                code = os.waitstatus_to_exitcode(status) if found else None
            if found:
                callback(pid, code, *args)
            elif not loop.is_closed():
                loop.call_later(pause, look, min(pause * 2, 0.05))

        loop.call_soon(look)

    asyncio.unix_events._ThreadedChildWatcher.add_child_handler = add_child_handler


def begin(unbuffered):
    os.reload_environ()
    environ = os.environ
    sys.modules["random"].seed()
    sys.modules["tempfile"]._name_sequence = None
    sys.modules["logging"]._startTime = sys.modules["time"].time_ns()
    if path := environ.get("PYTHONPATH"):
        sys.path[0:0] = path.split(":")
    if environ.get("PYTHONDONTWRITEBYTECODE"):
        sys.dont_write_bytecode = True
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            terminal = os.isatty(number)
            os.fstat(number)
        except OSError:
            setattr(sys, name, None)
            setattr(sys, f"__{name}__", None)
        else:
            if terminal and number == 1:
                sys.stdout.reconfigure(line_buffering=True)
    if unbuffered or environ.get("PYTHONUNBUFFERED"):
        for number, name in ((1, "stdout"), (2, "stderr")):
            old = getattr(sys, name)
            if old is not None:
                raw = io.FileIO(number, "wb", closefd=False)
                new = io.TextIOWrapper(raw, old.encoding, old.errors, write_through=True)
                new.mode = "w"
                setattr(sys, name, new)
                setattr(sys, f"__{name}__", new)


def end():
    """Does what a program sees of finalisation: threads end, functions of atexit run, what the program made is dropped, so that its files
    are flushed and its destructors run. Returns whether the output could be written."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    atexit._run_exitfuncs()
    good = flush()
    for name, module in list(sys.modules.items()):
        if name == "__main__" or name not in kept:
            names = getattr(module, "__dict__", None)
            if names is not None and names is not builtins.__dict__:
                for key in list(names):
                    if key != "__builtins__":
                        names[key] = None
    module = names = threading = None
    gc.collect()
    return flush() and good


def flush():
    good = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException as error:
            if stream is sys.stdout:
                good = False
                report(error)
    return good


def report(error):
    """What upstream prints of an error that it meets at the very end."""
    try:
        lines = sys.modules["traceback"].format_exception_only(error)
        sys.stderr.write("Exception ignored while flushing sys.stdout:\n" + "".join(lines))
        sys.stderr.flush()
    except BaseException:
        pass
