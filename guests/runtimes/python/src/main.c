/* The entry points of CPython in the sandbox.
 *
 *   _start            an ordinary start, as `python` everywhere; with `--codepod-snapshot FILE` it starts the interpreter, imports
 *                     what programs import most, and writes its memory to FILE
 *   codepod-resume    what the pre-initialised module has as `_start`: goes on from that memory. With `--codepod-turn FILE CODE` it goes on from a
 *                     session, runs the code, and keeps the session (session.c); with `--codepod-image FILE PACKAGES` it makes an image (image.c)
 *
 * Whatever a command line asks for that was settled when the memory was written (`-X`, `-W`, `-O`, `-I`, `PYTHON…` variables) is
 * started anew in the same memory: `COLD` holds what the linker put there.
 */
#define Py_BUILD_CORE
#include "Python.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_pystate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wasi/api.h>

#include "../posix/codepod.h"
#include "mend.h"
#include "session.h"

#define COLD "/usr/lib/python3.14/" NAME "-cold-start" /* NAME: that of the guest, from interpreter.bash */
#define TURN "--codepod-turn"

extern void __wasi_init_tp(void); /* what wasi-libc's own `_start` does first */
extern void __wasm_call_ctors(void);
extern int __main_void(void); /* wasi-libc: gets the arguments, calls main */
extern void __wasilibc_reset_preopens(void);
extern void __wasilibc_deinitialize_environ(void);
extern void __wasilibc_initialize_environ(void);
extern void codepod_restore_signals(void);
extern char **environ;
extern PyObject *codepod_begins_again;
extern void codepod_make_immortal(void);
extern void codepod_start_fresh(void);

/* Where the linker puts things. The stack lies below. */
extern unsigned char __global_base;

/* The commands of this module, as `cargo xtask guests` reads them. */
__asm__(".section .custom_section.codepod.commands,\"\",@\n"
        ".ascii \"python\\trun Python programs\\n\"\n"
        ".ascii \"python3\\trun Python programs\\n\"\n"
        ".ascii \"python3.14\\trun Python programs\\n\"\n"
        ".ascii \"black\\tformat programs in Python\\n\"\n"
        ".ascii \"coverage\\tmeasure what tests in Python run\\n\"\n"
        ".ascii \"flake8\\tfind mistakes in Python programs, and bad style\\n\"\n"
        ".ascii \"flask\\tinspect web applications in Python\\n\"\n"
        ".ascii \"pip\\tinstall packages of Python\\n\"\n"
        ".ascii \"pip3\\tinstall packages of Python\\n\"\n"
        ".ascii \"pip3.14\\tinstall packages of Python\\n\"\n"
        ".ascii \"pycodestyle\\tfind bad style in Python programs\\n\"\n"
        ".ascii \"pyflakes\\tfind mistakes in Python programs\\n\"\n"
        ".ascii \"pyproject-build\\tbuild packages of Python\\n\"\n"
        ".ascii \"pytest\\trun tests in Python\\n\"\n"
        ".ascii \"tqdm\\tshow how far a pipe has come\\n\"\n"
        ".ascii \"wheel\\tunpack and pack packages of Python\\n\"\n"
        ".text\n");

/* Modules that are built in besides upstream's: our own, and the compiled parts of packages; those that meson has built are in `modules.h`. */
#define MODULES                                                                                                                                      \
    MODULE("_kdf", PyInit__kdf)                                                                                                                      \
    MODULE("_posixsubprocess", PyInit__posixsubprocess)                                                                                              \
    MODULE("_ssl", PyInit__ssl)                                                                                                                      \
    MODULE("jiter.jiter", PyInit_jiter)                                                                                                              \
    MODULE("markupsafe._speedups", PyInit__speedups)                                                                                                 \
    MODULE("mmap", PyInit_mmap)                                                                                                                      \
    MODULE("pydantic_core._pydantic_core", PyInit__pydantic_core)                                                                                    \
    MODULE("regex._regex", PyInit__regex)                                                                                                            \
    MODULE("resource", PyInit_resource)
#define MODULE(name, start) extern PyObject *start(void);
MODULES
#include "modules.h"
#undef MODULE
#define MODULE(name, start) {name, start},
static const struct {
    const char *name;
    PyObject *(*start)(void);
} modules[] = {
    MODULES
#include "modules.h"
};
#undef MODULE

static int is_snapshot;
static PyObject *driver;

static const char driver_source[] = {
#embed "driver.py"
    , 0};

static void must(PyStatus status)
{
    if (PyStatus_Exception(status)) {
        Py_ExitStatusException(status);
    }
}

static void must_object(const void *object)
{
    if (object == NULL) {
        PyErr_Print();
        exit(1);
    }
}

/* Calls a function of the driver; with arguments, if there are any. */
static PyObject *ask(const char *function, PyObject *first, PyObject *second)
{
    PyObject *called = PyDict_GetItemString(driver, function);
    return called != NULL ? PyObject_CallFunctionObjArgs(called, first, second, NULL) : NULL;
}

/* The module that adapts upstream's own, and what threads.c needs of it. */
static PyObject *adapt(void)
{
    PyObject *module = PyImport_ImportModule("_adapt");
    must_object(module);
    codepod_begins_again = PyObject_GetAttrString(module, "BeginsAgain");
    must_object(codepod_begins_again);
    if (!codepod_mend()) {
        must_object(NULL);
    }
    return module;
}

/* The snapshot. */

static void write_memory(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    size_t size = __builtin_wasm_memory_size(0) * 65536, done = 0;
    while (fd >= 0 && done < size) {
        ssize_t count = write(fd, (const char *)done, size - done < 1 << 20 ? size - done : 1 << 20);
        if (count <= 0) {
            break;
        }
        done += (size_t)count;
    }
    if (fd < 0 || done < size) {
        perror(path);
        exit(1);
    }
}

static int make_snapshot(const char *path)
{
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.parse_argv = 0;
    config.user_site_directory = 0; /* whose home it is, is known when a program begins */
    config.use_hash_seed = 0; /* a random secret, the same in every run of this build */
    must(PyConfig_SetBytesString(&config, &config.program_name, "/usr/bin/python3"));
    must(PyConfig_SetBytesString(&config, &config.executable, "/usr/bin/python3"));
    must(PyConfig_SetBytesString(&config, &config.base_executable, "/usr/bin/python3"));
    must(PyConfig_SetBytesString(&config, &config.home, "/usr"));
    must(Py_InitializeFromConfig(&config));
    PyConfig_Clear(&config);
    driver = PyDict_New();
    must_object(driver);
    PyDict_SetItemString(driver, "__builtins__", PyEval_GetBuiltins());
    PyDict_SetItemString(driver, "__name__", Py_None);
    must_object(PyRun_String(driver_source, Py_file_input, driver, driver));
    adapt();
    must_object(ask("prepare", NULL, NULL));
    codepod_make_immortal();
    codepod_start_fresh();
    __wasilibc_reset_preopens();
    __wasilibc_deinitialize_environ();
    is_snapshot = 1;
    codepod_session_prepare();
    write_memory(path);
    return 0;
}

/* Going on from it. */

/* Starts from nothing: puts back what the linker put into memory, and goes the ordinary way. Everything that this function still needs lies
   on the stack, which is below. */
__attribute__((noinline)) static void start_cold(void)
{
    int fd = open(COLD, O_RDONLY);
    unsigned char *at = &__global_base;
    unsigned char *end = (unsigned char *)(__builtin_wasm_memory_size(0) * 65536);
    if (fd < 0) {
        fprintf(stderr, "python3: %s: %s\n", COLD, strerror(errno));
        _Exit(126);
    }
    for (;;) {
        __wasi_iovec_t part = {.buf = at, .buf_len = (size_t)(end - at)};
        __wasi_size_t count = 0;
        if (__wasi_fd_read(fd, &part, 1, &count) != 0) {
            __wasi_proc_exit(126);
        }
        if (count == 0) {
            break;
        }
        at += count;
    }
    __builtin_memset(at, 0, (size_t)(end - at));
    (void)!__wasi_fd_close(fd);
    __wasi_init_tp();
    __wasm_call_ctors();
    exit(__main_void());
}

/* Whether the environment asks for something that was settled when the memory was written. */
static int needs_cold_environment(void)
{
    static const char *const fine[] = {"PYTHONPATH=", "PYTHONUNBUFFERED=", "PYTHONDONTWRITEBYTECODE=", "PYTHONNOUSERSITE=", "PYTHONINSPECT=",
                                       "PYTHONSTARTUP=", "PYTHON_BASIC_REPL=", "PYTHONIOENCODING=utf-8", "PYTHONUTF8=1",
                                       "PYTHONHASHSEED=random", "PYTHON_COLORS=", "PYTHON_HISTORY="};
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        if (strncmp(*variable, "PYTHON", 6) != 0 || (*variable)[strcspn(*variable, "=")] == '\0' ||
            (*variable)[strcspn(*variable, "=") + 1] == '\0') {
            continue;
        }
        int known = 0;
        for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
            known |= strncmp(*variable, fine[i], strlen(fine[i])) == 0;
        }
        if (!known) {
            return 1;
        }
    }
    return 0;
}

static wchar_t *decoded(const char *text)
{
    wchar_t *wide = Py_DecodeLocale(text, NULL);
    if (wide == NULL) {
        fprintf(stderr, "python3: not enough memory for the arguments\n");
        _Exit(1);
    }
    return wide;
}

static void set_list(const char *name, PyWideStringList *list, int count, char **strings, const char *first)
{
    int extra = first != NULL;
    list->length = count + extra;
    list->items = PyMem_RawCalloc((size_t)(count + extra + 1), sizeof *list->items);
    PyObject *shown = PyList_New(count + extra);
    for (int i = 0; i < count + extra; i++) {
        list->items[i] = decoded(extra && i == 0 ? first : strings[i - extra]);
        PyList_SET_ITEM(shown, i, PyUnicode_FromWideChar(list->items[i], -1));
    }
    PySys_SetObject(name, shown);
    Py_DECREF(shown);
}

/* Commands that are programs in Python; lib/_tools.py knows what they run. */
static const char *const tools[] = {"black", "coverage",    "flake8",   "flask",           "pip",    "pip3", "pip3.14",
                                    "pytest", "pycodestyle", "pyflakes", "pyproject-build", "tqdm", "wheel"};

/* Whether it was called as one of them; if so, the settings say so. */
static int take_tool(PyConfig *config, int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = argc == 0 ? "" : slash != NULL ? slash + 1 : argv[0];
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (strcmp(name, tools[i]) == 0) {
            char path[64], code[64];
            snprintf(path, sizeof path, "/usr/bin/%s", name);
            snprintf(code, sizeof code, "import _tools; _tools.run('%s')\n", name);
            config->run_command = decoded(code);
            config->safe_path = 1;
            set_list("orig_argv", &config->orig_argv, argc, argv, NULL);
            set_list("argv", &config->argv, argc - 1, argv + 1, path);
            return 1;
        }
    }
    return 0;
}

/* Reads the command line into the interpreter's settings. 0 if it asks for something that only a start from nothing gives. */
static int take_command_line(PyConfig *config, int argc, char **argv)
{
    int i = 1, versions = 0;
    const char *command = NULL, *module = NULL;
    for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0' && command == NULL && module == NULL; i++) {
        if (strcmp(argv[i], "--version") == 0) {
            versions++;
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        for (const char *letter = argv[i] + 1; *letter != '\0'; letter++) {
            switch (*letter) {
            case 'u': config->buffered_stdio = 0; break;
            case 'B': config->write_bytecode = 0; break;
            case 'q': config->quiet = 1; break;
            case 'i': config->inspect = config->interactive = 1; break;
            case 's': config->user_site_directory = 0; break;
            case 'V': versions++; break;
            case 'c':
            case 'm': {
                const char *value = letter[1] != '\0' ? letter + 1 : i + 1 < argc ? argv[++i] : NULL;
                if (value == NULL) {
                    return 0; /* upstream has the message */
                }
                *(*letter == 'c' ? &command : &module) = value;
                letter += strlen(letter) - 1;
                break;
            }
            default: return 0;
            }
        }
    }
    if (versions > 0) {
        printf("Python %s\n", versions > 1 ? Py_GetVersion() : PY_VERSION);
        fflush(NULL);
        _Exit(0);
    }
    set_list("orig_argv", &config->orig_argv, argc, argv, NULL);
    if (command != NULL) {
        size_t length = strlen(command);
        char *line = PyMem_RawMalloc(length + 2);
        memcpy(line, command, length);
        memcpy(line + length, "\n", 2);
        config->run_command = decoded(line);
        set_list("argv", &config->argv, argc - i, argv + i, "-c");
    }
    else if (module != NULL) {
        config->run_module = decoded(module);
        set_list("argv", &config->argv, argc - i, argv + i, "-m");
    }
    else if (i < argc) {
        if (strcmp(argv[i], "-") != 0) {
            char directory[4096];
            config->run_filename = decoded(argv[i]);
            /* Upstream makes it absolute, so that tracebacks and `__file__` say so. */
            if (argv[i][0] != '/' && getcwd(directory, sizeof directory) != NULL) {
                size_t size = strlen(directory) + strlen(argv[i]) + 2;
                char *path = PyMem_RawMalloc(size);
                snprintf(path, size, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory, argv[i]);
                config->run_filename = decoded(path);
            }
        }
        set_list("argv", &config->argv, argc - i, argv + i, NULL);
        /* The directory of the script is the first that modules are looked for in: also that is absolute. */
        if (config->run_filename != NULL) {
            config->argv.items[0] = config->run_filename;
        }
    }
    else {
        set_list("argv", &config->argv, 0, NULL, "");
    }
    return 1;
}

/* Takes the next turn of a session, with everything that it needs on the stack: the rest of memory is the session's. */
__attribute__((noinline, noreturn)) static void take_turn(const char *path, const char *code, int goes_on)
{
    __wasilibc_initialize_environ();
    char **variables = environ, *first_variable = variables[0];
    codepod_restore_signals();
    PyObject *text = PyUnicode_DecodeFSDefault(code);
    PyObject *status = text != NULL ? ask("turn", text, PyBool_FromLong(goes_on)) : NULL;
    if (status == NULL) {
        PyErr_Print();
        _Exit(1);
    }
    int number = (int)PyLong_AsLong(status);
    Py_DECREF(status);
    Py_DECREF(text);
    PyErr_Clear();
    fflush(NULL);
    if (first_variable != NULL) {
        /* The C library forgets them and would leave them behind in each turn. What the program has set lies elsewhere. */
        free(variables);
        free(first_variable);
    }
    if (codepod_session_save(path) != 0) {
        fprintf(stderr, "python3: %s: the session is as it was before: %s\n", path, strerror(errno));
        _Exit(126);
    }
    _Exit(number);
}

/* A turn of a session, if the command line asks for one. Nothing is allocated before the session is there: what this process would write outside the
   stack, the session does not know of. */
static void take_session(void)
{
    enum { LONGEST = 4 << 20 };
    __wasi_size_t count = 0, size = 0;
    if (__wasi_args_sizes_get(&count, &size) != 0 || count != 4) {
        return;
    }
    if (size > LONGEST) {
        return; /* too long for a turn; `resumed` says so */
    }
    uint8_t *words[5] = {0}, *text = __builtin_alloca(size);
    if (__wasi_args_get(words, text) != 0 || strcmp((char *)words[1], TURN) != 0) {
        return;
    }
    const char *path = (const char *)words[2], *code = (const char *)words[3];
    int goes_on = codepod_session_restore(path);
    if (goes_on < 0) {
        const char *why = errno == EINVAL   ? "this session was made by another build of codepod, or is damaged; start a new one"
                          : errno == ENOMEM ? "not enough memory for this session"
                                            : strerror(errno);
        fprintf(stderr, "python3: %s: %s\n", path, why);
        _Exit(126);
    }
    take_turn(path, code, goes_on);
}

/* When this is built: imports more than the snapshot has, and keeps that (image.c). */
static int make_image(const char *path, const char *packages)
{
    must_object(ask("prepare_image", PyUnicode_FromString(packages), NULL));
    codepod_make_immortal();
    codepod_start_fresh();
    fflush(NULL);
    if (codepod_session_save(path) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}

static int resumed(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--codepod-image") == 0) {
        _Exit(make_image(argv[2], argv[3]));
    }
    if (argc == 4 && strcmp(argv[1], TURN) == 0) {
        fprintf(stderr, "python3: the code is too long: %zu bytes\n", strlen(argv[3]));
        _Exit(126);
    }
    PyConfig *config = (PyConfig *)_PyInterpreterState_GetConfig(_PyInterpreterState_GET());
    config->user_site_directory = 1;
    if (!take_tool(config, argc, argv) && (needs_cold_environment() || !take_command_line(config, argc, argv))) {
        start_cold();
    }
    codepod_restore_signals();
    PyObject *begun = ask("begin", PyBool_FromLong(!config->buffered_stdio), PyBool_FromLong(config->user_site_directory));
    if (begun == NULL) {
        PyErr_Print();
        _Exit(1);
    }
    Py_DECREF(begun);
    if (!config->write_bytecode) {
        PySys_SetObject("dont_write_bytecode", Py_True);
    }
    return Py_RunMain();
}

/* What upstream does at the end of a program would touch, and so copy, nearly every page of the snapshot. */
extern int __real_Py_FinalizeEx(void);

int __wrap_Py_FinalizeEx(void)
{
    if (!is_snapshot) {
        return __real_Py_FinalizeEx();
    }
    int status = 0;
    PyObject *ended = ask("end", NULL, NULL);
    if (ended == NULL) {
        PyErr_Print();
    }
    else {
        status = PyObject_IsTrue(ended) ? 0 : -1;
        Py_DECREF(ended);
    }
    fflush(NULL);
    return status;
}

/* Nothing is freed at the end: the memory goes with the process. */
void __wrap__PyImport_Fini2(void) {}
void __wrap__PyRuntime_Finalize(void) {}
void __wrap__PyPathConfig_ClearGlobal(void) {}

int main(int argc, char **argv)
{
    if (is_snapshot) {
        return resumed(argc, argv);
    }
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        PyImport_AppendInittab(modules[i].name, modules[i].start);
    }
    if (argc == 3 && strcmp(argv[1], "--codepod-snapshot") == 0) {
        return make_snapshot(argv[2]);
    }
    /* As Py_BytesMain, but for the place of the library: it need not be looked for. */
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    must(PyConfig_SetBytesArgv(&config, argc, argv));
    if (getenv("PYTHONHOME") == NULL) {
        must(PyConfig_SetBytesString(&config, &config.home, "/usr"));
    }
    PyStatus status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    must(status);
    must_object(PyObject_CallMethod(adapt(), "install", NULL));
    return Py_RunMain();
}

__attribute__((export_name("codepod-resume"))) void codepod_resume(void)
{
    take_session();
    codepod_take_image();
    __wasilibc_initialize_environ();
    exit(__main_void());
}
