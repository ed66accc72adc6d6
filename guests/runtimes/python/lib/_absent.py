"""What is not in the sandbox says so, and what to do instead, where a program ends because of it."""

# The table that the shell's hints come from as well: kind, names and advice, with tabs between them.
TABLE = "/usr/share/codepod/absent"
# What `strerror` adds when the sandbox has refused a connection (posix/errno.c).
REFUSED = "(codepod: "

# Parts of the standard library that are not in the table under the name that is looked for first.
MODULES = {
    "readline": "lines are not edited here; `input()` works without it",
    "_curses": "there is no screen to draw on; print text, `rich` has tables and colours",
    "curses": "there is no screen to draw on; print text, `rich` has tables and colours",
    "_ctypes": "native libraries cannot be loaded; use Python, numpy, or a program through subprocess",
    "_tkinter": "there is no screen; matplotlib and PIL draw into files",
    "_multiprocessing": "processes cannot share memory; use subprocess, or concurrent.futures.ThreadPoolExecutor",
}
# Modules whose package has another name.
PACKAGES = {
    "Crypto": "pycryptodome", "PIL": "pillow", "cv2": "opencv-python", "docx": "python-docx", "fontTools": "fonttools", "grpc": "grpcio",
    "mpl_toolkits": "matplotlib", "pylab": "matplotlib", "sklearn": "scikit-learn", "zmq": "pyzmq",
}


def advice(kind, name):
    """What the table says about a package or a module; None if it says nothing."""
    try:
        with open(TABLE, encoding="utf-8") as table:
            for line in table:
                found, _, rest = line.rstrip("\n").partition("\t")
                names, _, text = rest.partition("\t")
                if found == kind and name in names.split(" "):
                    return text
    except (OSError, UnicodeError):
        pass
    return None


def advice_on_module(name):
    top = name.partition(".")[0]
    package = PACKAGES.get(top, top.replace("_", "-"))
    return MODULES.get(name) or MODULES.get(top) or advice("module", top) or advice("package", package)


def traceback(module):
    """Adds the advice where an error is shown. The error itself stays as it is: programs look at it to choose another way."""
    begin = module.TracebackException.__init__

    def __init__(self, exc_type, exc_value, *arguments, **options):
        begin(self, exc_type, exc_value, *arguments, **options)
        if isinstance(exc_value, ModuleNotFoundError) and isinstance(exc_value.name, str):
            if text := advice_on_module(exc_value.name):
                self._str = f"{self._str} (not in this sandbox: {text})"
        elif isinstance(exc_value, Exception) and REFUSED in self._str:
            # What it was made of says the same, at length.
            self.__cause__, self.__context__, self.__suppress_context__ = None, None, True

    module.TracebackException.__init__ = __init__
