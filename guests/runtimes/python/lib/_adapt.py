"""Where upstream's own modules have to know that they are in the sandbox. Each is changed when it is first imported, whoever imports it."""
import sys

CANNOT_END = "this wait cannot end: threads in the sandbox take turns, and what it waits for waits for this thread to end"
TOO_LONG = "this thread was ended: threads in the sandbox take turns, and it has kept one waiting for 20 seconds that was to go on"
CANNOT_SPLIT = "a process of the sandbox cannot be split, so multiprocessing does not work: use subprocess, or concurrent.futures.ThreadPoolExecutor"


class BeginsAgain(SystemExit):
    """Ends a thread that waits on top of one that could go on. Its arguments are whether it has let another thread go on, whether it has waited
    there for too long, and whether it cannot begin again: it has a connection to the other, or a socket that would be closed."""

    def error(self, is_daemon):
        """What is raised in place of this, or None if the thread begins again. What a thread did that has let another go on would be done twice, so it
        begins again only if it is a worker (a daemon), which has nothing to remember."""
        has_signalled, is_late, _ = self.args
        if is_late:
            return RuntimeError(TOO_LONG)
        return RuntimeError(CANNOT_END) if self.is_over or has_signalled and not is_daemon else None

    @property
    def is_over(self):
        return self.args[2]


def threading(module):
    """Threads run one after another (threads.c): a thread that is started runs when another waits. One that was ended because it waited on top of
    another begins again."""

    def launch(self):
        module._limbo[self] = self
        try:
            module._start_joinable_thread(self._bootstrap, handle=self._os_thread_handle, daemon=self.daemon)
        except Exception:
            del module._limbo[self]
            raise

    def start(self):
        if not self._initialized:
            raise RuntimeError("thread.__init__() not called")
        if self._started.is_set():
            raise RuntimeError("threads can only be started once")
        if self._context is None:
            inherits = sys.flags.thread_inherit_context
            self._context = module._contextvars.copy_context() if inherits else module._contextvars.Context()
        self._started.set()
        launch(self)

    inner = module.Thread._bootstrap_inner

    def bootstrap_inner(self):
        work = {name: getattr(self, name) for name in ("_target", "_args", "_kwargs") if hasattr(self, name)}
        again = False

        def run(own=self.run):
            nonlocal again
            try:
                own()
            except BeginsAgain as end:
                error = end.error(self.daemon)
                again = error is None
                if not again:
                    raise error.with_traceback(end.__traceback__) from None

        self.run = run
        try:
            inner(self)
        finally:
            del self.run
            if again:
                vars(self).update(work)
                self._os_thread_handle = module._ThreadHandle()
                launch(self)

    module.Thread.start = start
    module.Thread._bootstrap_inner = bootstrap_inner


def pools(module):
    """A worker that waits for work could never go on (threads.c), so each item has a thread of its own, as many at once as there would be workers. Items
    that sleep or wait overlap."""

    def run(item, context):
        """As upstream's; an item whose thread begins again is still running."""
        future = item.future
        if not future.running() and not future.set_running_or_notify_cancel():
            return
        try:
            result = context.run(item.task)
        except BeginsAgain as end:
            if (error := end.error(False)) is None:
                raise
            future.set_exception(error.with_traceback(end.__traceback__))
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    def work(pool, item, context):
        try:
            context.initialize()
        except BeginsAgain:
            raise
        except BaseException:
            module._base.LOGGER.critical("Exception in initializer:", exc_info=True)
            pool._initializer_failed()
            item.future.set_exception(pool.BROKEN(pool._broken))
        else:
            run(item, context)
            context.finalize()
        with pool._shutdown_lock:
            thread = module.threading.current_thread()
            pool._threads = pool._threads - {thread}  # another, since somebody may look through this one
            pool._names.append(thread.name)
            begin_next(pool)

    def begin_next(pool):
        """Begins the next item, if a worker would be free."""
        while len(pool._threads) < pool._max_workers:
            try:
                item = pool._work_queue.get_nowait()
            except module.queue.Empty:
                return
            if item is not None:
                name = pool._names.pop() if pool._names else f"{pool._thread_name_prefix}_{len(pool._threads)}"
                thread = module.threading.Thread(name=name, target=work, args=(pool, item, pool._create_worker_context()))
                pool._threads.add(thread)
                thread.start()

    def adjust_thread_count(self):
        if not hasattr(self, "_names"):
            self._names = []
        begin_next(self)

    def shutdown(self, wait=True, *, cancel_futures=False):
        with self._shutdown_lock:
            self._shutdown = True
            while cancel_futures:
                try:
                    item = self._work_queue.get_nowait()
                except module.queue.Empty:
                    break
                if item is not None:
                    item.future.cancel()
        while wait and self._threads:
            next(iter(self._threads)).join()

    module.ThreadPoolExecutor._adjust_thread_count = adjust_thread_count
    module.ThreadPoolExecutor.shutdown = shutdown


def event_loop(module):
    """The end of a program is looked for by the event loop itself, not by a thread."""
    import os

    def add_child_handler(self, pid, callback, *args):
        loop = module.events.get_running_loop()

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

    module._ThreadedChildWatcher.add_child_handler = add_child_handler


def servers(module):
    """A server in a thread begins again (threads.c), and is not to when it was shut down meanwhile. A connection that it keeps open after its answer
    is closed when who asked goes on: it could not wait there for the next question."""
    serve = module.BaseServer.serve_forever

    def serve_forever(self, poll_interval=0.5):
        if self._BaseServer__shutdown_request:
            self._BaseServer__shutdown_request = False
        else:
            serve(self, poll_interval)

    def ends_connection(handle):
        def handle_one(self, *arguments):
            try:
                handle(self, *arguments)
            except BeginsAgain as end:
                if not end.is_over:
                    raise

        return handle_one

    module.BaseServer.serve_forever = serve_forever
    module.BaseServer._handle_request_noblock = ends_connection(module.BaseServer._handle_request_noblock)
    module.ThreadingMixIn.process_request_thread = ends_connection(module.ThreadingMixIn.process_request_thread)


def hashes(module):
    """Upstream has these from OpenSSL alone."""
    import _kdf

    module.pbkdf2_hmac, module.scrypt = _kdf.pbkdf2_hmac, _kdf.scrypt
    module.__all__ += ("pbkdf2_hmac", "scrypt")


def processes(module):
    """Says at once why, instead of failing in the middle."""

    def refuse(*arguments, **options):
        raise OSError(38, CANNOT_SPLIT)

    for name in ("Pool", "Manager", "Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Event", "Barrier", "Queue", "JoinableQueue", "SimpleQueue"):
        setattr(module.BaseContext, name, refuse)
    for name in ("Process", "ForkProcess", "SpawnProcess", "ForkServerProcess"):
        if hasattr(module, name):
            getattr(module, name).start = refuse


def process_pools(module):
    """Upstream finds out when a pool is made, and has a reason of its own."""
    module._system_limits_checked, module._system_limited = True, CANNOT_SPLIT


def signals(module):
    """What upstream has only with masks of signals, which are not here."""

    def valid_signals():
        numbers = {signal.value for signal in module.Signals}
        return {module.Signals(number) if number in numbers else number for number in range(1, module.NSIG) if number not in (32, 33)}

    def siginterrupt(signalnum, flag):
        """Calls that a signal interrupts are begun again by upstream, whatever this says."""

    module.valid_signals, module.siginterrupt = valid_signals, siginterrupt


def console(module):
    """The plain console is what there is here, and no reason for a warning."""
    module.CAN_USE_PYREPL, module.FAIL_REASON = False, ""


def elsewhere(name, function):
    """A change that is written in another module; `install` has imported it, before a program's own module of that name could be."""
    return lambda module: getattr(__import__(name), function)(module)


ADAPTED = {
    "_pyrepl.main": console,
    "build.env": elsewhere("_offline", "builds"),
    "pip._internal.resolution.resolvelib.factory": elsewhere("_offline", "resolver"),
    "pip._vendor.pyproject_hooks._impl": elsewhere("_offline", "hooks"),
    "pip._vendor.urllib3.util.retry": elsewhere("_offline", "retries"),
    "signal": signals,
    "socketserver": servers,
    "threading": threading,
    "traceback": elsewhere("_absent", "traceback"),
    "venv": elsewhere("_environments", "builder"),
    "concurrent.futures.process": process_pools,
    "concurrent.futures.thread": pools,
    "asyncio.unix_events": event_loop,
    "hashlib": hashes,
    "multiprocessing.context": processes,
}


class Finder:
    """Stands before all other finders, and gives what they find for an adapted module a loader that changes it once it is loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in ADAPTED:
            return None
        for finder in sys.meta_path:
            spec = None if finder is Finder else finder.find_spec(name, path, target)
            if spec is not None:
                execute = spec.loader.exec_module

                def exec_module(module):
                    execute(module)
                    ADAPTED[name](module)

                spec.loader = Loader(spec.loader, exec_module)
                return spec
        return None


class Loader:
    """A loader with another way to execute."""

    def __init__(self, loader, exec_module):
        self._loader = loader
        self.exec_module = exec_module

    def __getattr__(self, name):
        return getattr(self._loader, name)


def install():
    for name, change in ADAPTED.items():
        if name in sys.modules:
            change(sys.modules[name])
    sys.meta_path.insert(0, Finder)
    import _absent, _offline  # noqa: F401
    import _codepod
    import _environments
    import _tools

    _codepod.install()
    _tools.install()
    _environments.enter()
