# What the pre-initialised interpreter does besides upstream's own code: `prepare` when the snapshot is made, `begin` when a program starts
# from it, `end` in place of the interpreter's finalisation, `turn` for each call of a session.
import atexit
import builtins
import gc
import importlib
import io
import os
import site
import stat
import sys

# What every interpreter has imported when a program begins; no file of the program's can take its place.
FIRST = frozenset(sys.modules) | frozenset(sys.builtin_module_names)

IMPORTS = """
    os sys io re json math random time datetime collections itertools functools pathlib textwrap string struct hashlib base64 typing
    dataclasses enum contextlib traceback linecache runpy importlib.util shutil csv tempfile decimal operator copy heapq bisect argparse
    statistics zlib urllib.parse codecs inspect ast abc warnings types weakref zipimport sqlite3 asyncio logging subprocess pickle glob
    fnmatch uuid secrets html xml.etree.ElementTree zipfile gzip bz2 lzma tarfile difflib pprint concurrent.futures fractions calendar
    queue threading configparser tomllib shlex platform unittest locale timeit hmac signal select selectors socket errno stat
    zoneinfo
""".split()


# Where the packages are that come with Python; those of the user's own go before them.
PACKAGES = "/usr/lib/python3.14/"


def prepare():
    global kept, newest, library
    for name in IMPORTS:
        importlib.import_module(name)
    importlib.import_module("_adapt").install()
    importlib.util.find_spec("yaml")  # reads the packages' directory
    prepared = frozenset()
    if importlib.util.find_spec("numpy"):
        prepared = importlib.import_module("_prepared").prepare("numpy", "numpy.fft", "numpy.linalg", "numpy.random")
    compile("print(1)", "<warm>", "exec")
    sys.stdout.flush()
    sys.stderr.flush()
    if (sysconfig := sys.modules.get("sysconfig")) is not None:
        sysconfig._CONFIG_VARS, sysconfig._CONFIG_VARS_INITIALIZED = None, False
    kept, newest = frozenset(sys.modules) | prepared, next(reversed(sys.modules))
    library = {name: sys.modules[name] for name in kept & frozenset(sys.modules) - FIRST if "." not in name and name[0] != "_"}
    warm()
    tidy()


def warm():
    """Does what every program does at its beginning and end, until the interpreter has adapted its code: otherwise each process adapts, and
    writes to, its own copy."""
    main = sys.modules["__main__"].__dict__
    names = dict(main)
    for _ in range(64):
        begin(False, True, False)
        forget_hidden(["/"])
        drop_names()
        main.update(names)
        flush()
    site.ENABLE_USER_SITE, site.USER_BASE, site.USER_SITE = False, None, None


# What is imported of a package beside itself when its image is made.
PARTS = {"matplotlib": ("matplotlib.pyplot", "matplotlib.backends.backend_agg")}


def prepare_image(packages):
    """Imports what only some programs begin with (image.c)."""
    global kept, newest
    os.environ["HOME"] = "/tmp"  # until a program begins
    prepared = frozenset()
    for package in packages.split():
        prepared = importlib.import_module("_prepared").prepare(package, *PARTS.get(package, ()))
    kept, newest = kept | frozenset(sys.modules) | prepared, next(reversed(sys.modules))
    tidy()


def tidy():
    sys.path_importer_cache.clear()
    importlib.invalidate_caches()
    gc.collect()
    gc.freeze()


def begin(unbuffered, uses_home, has_program=True):
    os.reload_environ()
    environ = os.environ
    library["random"].seed()
    library["tempfile"]._name_sequence = None
    library["logging"]._startTime = sys.modules["time"].time_ns()
    sees_home = sys.modules["_environments"].enter()
    if uses_home and sees_home and not environ.get("PYTHONNOUSERSITE"):
        site.ENABLE_USER_SITE, site.USER_BASE, site.USER_SITE = True, None, None
        if os.path.isdir(own := site.getusersitepackages()):
            behind = [path for path in sys.path if path.startswith(PACKAGES)]
            sys.path[:] = [path for path in sys.path if path not in behind]
            site.addsitedir(own)
            sys.path += behind
    if path := environ.get("PYTHONPATH"):
        sys.path[0:0] = path.split(":")
    if environ.get("PYTHONDONTWRITEBYTECODE"):
        sys.dont_write_bytecode = True
    if prefix := environ.get("PYTHONPYCACHEPREFIX"):
        sys.pycache_prefix = prefix
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
    if has_program:
        script = sys.argv[0]
        own = "." if script in ("", "-c", "-m") else script if os.path.isdir(script) else os.path.dirname(os.path.realpath(script))
        forget_hidden([own, *path.split(":")] if path else [own])


def forget_hidden(directories):
    """Forgets modules of the library that the snapshot has imported and that a file of the program hides, as it would if nothing had been
    imported: a `random.py` beside the program is its `random`."""
    for directory in directories:
        try:
            names = os.listdir(directory or ".")
        except OSError:
            continue
        for name in names:
            module, _, ending = name.partition(".")
            if module in library and (ending == "py" or not ending and os.path.isfile(f"{directory or '.'}/{name}/__init__.py")):
                for known in [known for known in sys.modules if known == module or known.startswith(f"{module}.")]:
                    del sys.modules[known]


turns = 0
files = ()
place = "/"


def turn(code, goes_on):
    """Runs code in a session, as it would be typed in: what the last line is, is shown. Returns the status that a program would end with."""
    global turns
    if goes_on:
        go_on()
    else:
        sys.argv = [""]
        begin(False, True)
        sys.modules["_seeds"].begin_session()
        sys.path.insert(0, "")
    # Somebody reads the output while the code runs (crates/codepod/src/python.rs): a line is written when it ends.
    is_streamed = os.environ.pop("CODEPOD_STREAMED", None) is not None
    if isinstance(sys.__stdout__, io.TextIOWrapper):
        sys.__stdout__.reconfigure(line_buffering=is_streamed)
    turns += 1
    name = f"<turn {turns}>"
    try:
        run_turn(code, name)
        wait_for_threads()
        status = 0
    except SystemExit as end:
        status = end.code
        if status is not None and not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
        status = (status or 0) & 255
    except BaseException as error:
        # Without the frames of this file.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_globals is globals():
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        status = 130 if isinstance(error, KeyboardInterrupt) else 1
    if not flush():
        status = status or 120
        # What nobody could read is not for the readers of the next turn.
        nowhere = os.open("/dev/null", os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        flush()
    remember_files()
    return status


def run_turn(code, name):
    ast, linecache = library["ast"], library["linecache"]
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    space = sys.modules["__main__"].__dict__
    tree = compile(code, name, "exec", ast.PyCF_ONLY_AST, True)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    programs = [compile(tree, name, "exec", 0, True)]
    if last is not None:
        programs.append(compile(ast.Expression(last.value), name, "eval", 0, True))
    exec(programs[0], space)
    if last is not None:
        sys.displayhook(eval(programs[1], space))
    # Who may show its lines later: a function that it defines. Otherwise each turn would leave something behind, in another page of memory.
    if not any(isinstance(constant, type(programs[0])) for program in programs for constant in program.co_consts):
        linecache.cache.pop(name, None)


def wait_for_threads():
    threading = library["threading"]
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()


def remember_files():
    """Files that the session has open, so that the next turn can open them again."""
    global files, place
    fcntl = importlib.import_module("fcntl")
    found = []
    for number in map(int, os.listdir("/proc/self/fd")):
        try:
            path = os.readlink(f"/proc/self/fd/{number}")
            if number > 2 and path.startswith("/") and stat.S_ISREG(os.fstat(number).st_mode):
                flags = fcntl.fcntl(number, fcntl.F_GETFL) & ~(os.O_CREAT | os.O_EXCL | os.O_TRUNC)
                found.append((number, path, flags, os.lseek(number, 0, os.SEEK_CUR)))
        except OSError:
            pass
    files, place = tuple(found), os.getcwd()


def go_on():
    """Makes this process what the last one of the session was: its files are open again, its directory is the current one."""
    os.reload_environ()
    sys.modules["_seeds"].go_on()
    library["tempfile"]._name_sequence = None
    for number, path, flags, offset in files:
        try:
            opened = os.open(path, flags)
            os.lseek(opened, offset, os.SEEK_SET)
            if opened != number:
                os.dup2(opened, number, False)
                os.close(opened)
        except OSError:
            pass
    try:
        os.chdir(place)
    except OSError:
        pass
    if sys.stdin is sys.__stdin__ and sys.stdin is not None:
        sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), sys.stdin.encoding, sys.stdin.errors)


def end():
    """Does what a program sees of finalisation: threads end, functions of atexit run, what the program made is dropped, so that its files
    are flushed and its destructors run. Returns whether the output could be written."""
    library["threading"]._shutdown()
    atexit._run_exitfuncs()
    good = flush()
    gc.callbacks.clear()  # as at upstream's end: what they need has no names any more
    drop_names()
    gc.collect()
    return flush() and good


def drop_names():
    """Drops what the program has named. Modules of the snapshot are not even looked at: they lie all over memory."""
    modules = []
    for name, module in reversed(sys.modules.items()):
        if name == newest:
            break
        if name not in kept:
            modules.append(module)
    for module in (sys.modules.get("__main__"), *reversed(modules)):
        if module is not None:
            names = getattr(module, "__dict__", None)
            if names is not None and names is not builtins.__dict__:
                for key in list(names):
                    if key != "__builtins__":
                        names[key] = None


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
        lines = library["traceback"].format_exception_only(error)
        sys.stderr.write("Exception ignored while flushing sys.stdout:\n" + "".join(lines))
        sys.stderr.flush()
    except BaseException:
        pass
