/* `_posixsubprocess` for the sandbox: what `subprocess` starts programs with. Upstream's forks; here the kernel starts the program whole, so a
   function that runs between fork and exec (`preexec_fn`) cannot be had, and is refused. */
#include "Python.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../posix/codepod.h"

extern char **environ;

/* No child has this number: `subprocess` waits for it when the program could not be started, and finds none. */
enum { NO_CHILD = 0x3fffffff, MOST_FDS = 1024 };

/* The bytes of a sequence of paths or strings, as a list that ends with NULL; its strings belong to `held`. */
static char **strings_of(PyObject *sequence, PyObject *held)
{
    Py_ssize_t count = PySequence_Size(sequence);
    if (count < 0) {
        return NULL;
    }
    char **list = PyMem_Calloc((size_t)count + 1, sizeof *list);
    if (list == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *bytes = NULL;
        PyObject *item = PySequence_GetItem(sequence, i);
        int converted = item != NULL && PyUnicode_FSConverter(item, &bytes);
        Py_XDECREF(item);
        if (!converted || PyList_Append(held, bytes) < 0) {
            Py_XDECREF(bytes);
            PyMem_Free(list);
            return NULL;
        }
        list[i] = PyBytes_AS_STRING(bytes);
        Py_DECREF(bytes);
    }
    return list;
}

/* What the child is to have open; never the end of the pipe on which a failure is told. Returns the number of pairs. */
static uint32_t descriptors(uint32_t *pairs, const int standard[3], int close_others, PyObject *passed, int reports)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        int fd = standard[i] == -1 ? (int)i : standard[i];
        if (fcntl(fd, F_GETFD) != -1) {
            pairs[2 * count] = (uint32_t)fd;
            pairs[2 * count++ + 1] = i;
        }
    }
    for (uint32_t fd = 3; fd < MOST_FDS; fd++) {
        int wanted = !close_others && codepod_is_inherited((int)fd);
        for (Py_ssize_t i = 0; !wanted && i < PyTuple_GET_SIZE(passed); i++) {
            wanted = PyLong_AsLong(PyTuple_GET_ITEM(passed, i)) == (long)fd;
        }
        if (wanted && (int)fd != reports && fcntl((int)fd, F_GETFD) != -1) {
            pairs[2 * count] = pairs[2 * count + 1] = fd;
            count++;
        }
    }
    return count;
}

/* Tells `subprocess` why, over the pipe on which it waits for that. */
static void report(int fd, int error, const char *what)
{
    char text[64];
    int length = snprintf(text, sizeof text, "OSError:%X:%s", (unsigned)error, what);
    ssize_t written = write(fd, text, (size_t)length);
    (void)written;
}

PyDoc_STRVAR(fork_exec_doc, "Starts a program; the arguments are those of upstream's function of this name.");

static PyObject *fork_exec(PyObject *module, PyObject *args)
{
    PyObject *process_args, *executables, *passed, *cwd_object, *env_object, *gid, *groups, *uid, *preexec;
    int close_fds, p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, errpipe_read, errpipe_write, restore_signals, new_session, mask;
    int group;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOpO!OOiiiiiiiippiOOOiO:fork_exec", &process_args, &executables, &close_fds, &PyTuple_Type, &passed, &cwd_object,
                          &env_object, &p2cread, &p2cwrite, &c2pread, &c2pwrite, &errread, &errwrite, &errpipe_read, &errpipe_write,
                          &restore_signals, &new_session, &group, &gid, &groups, &uid, &mask, &preexec)) {
        return NULL;
    }
    if (preexec != Py_None) {
        PyErr_SetString(PyExc_NotImplementedError, "preexec_fn: the sandbox starts programs without forking, so nothing can run in between");
        return NULL;
    }
    if (gid != Py_None || groups != Py_None || uid != Py_None) {
        errno = EPERM;
        return PyErr_SetFromErrno(PyExc_PermissionError);
    }
    PyObject *result = NULL, *cwd = NULL;
    PyObject *held = PyList_New(0);
    char **argv = NULL, **paths = NULL, **envp = NULL;
    char *joined = NULL, *variables = NULL;
    if (held == NULL || (argv = strings_of(process_args, held)) == NULL || (paths = strings_of(executables, held)) == NULL) {
        goto done;
    }
    if (env_object != Py_None && (envp = strings_of(env_object, held)) == NULL) {
        goto done;
    }
    if (cwd_object != Py_None && !PyUnicode_FSConverter(cwd_object, &cwd)) {
        goto done;
    }
    size_t argv_length, env_length;
    joined = codepod_joined(argv, &argv_length);
    variables = codepod_joined(envp != NULL ? envp : environ, &env_length);
    if (joined == NULL || variables == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    uint32_t pairs[2 * MOST_FDS];
    struct codepod_spawn_request request = {
        .argv = joined,
        .argv_len = argv_length,
        .env = variables,
        .env_len = env_length,
        .fds = pairs,
        .fds_len = descriptors(pairs, (const int[]){p2cread, c2pwrite, errwrite}, close_fds, passed, errpipe_write),
        .cwd = cwd != NULL ? PyBytes_AS_STRING(cwd) : NULL,
        .cwd_len = cwd != NULL ? (uint32_t)PyBytes_GET_SIZE(cwd) : 0,
        .group = new_session || group == 0 ? CODEPOD_GROUP_NEW : group > 0 ? (uint32_t)group : CODEPOD_GROUP_INHERIT,
    };
    struct stat directory;
    uint32_t pid = NO_CHILD;
    if (cwd != NULL && (stat(PyBytes_AS_STRING(cwd), &directory) != 0 || (!S_ISDIR(directory.st_mode) && (errno = ENOTDIR)))) {
        report(errpipe_write, errno, "noexec:chdir");
    }
    else {
        /* The child gets these as they are while it is started. */
        void (*broken_pipe)(int) = restore_signals ? signal(SIGPIPE, SIG_DFL) : SIG_DFL;
        mode_t old_mask = mask >= 0 ? umask((mode_t)mask) : 0;
        int error = ENOENT;
        for (char **path = paths; *path != NULL; path++) {
            request.path = *path;
            request.path_len = strlen(*path);
            if (codepod_result(codepod_proc_spawn(&request, &pid)) == 0) {
                error = 0;
                break;
            }
            pid = NO_CHILD;
            if (errno != ENOENT && errno != ENOTDIR) {
                error = errno;
            }
        }
        if (mask >= 0) {
            umask(old_mask);
        }
        if (restore_signals) {
            signal(SIGPIPE, broken_pipe);
        }
        if (error != 0) {
            report(errpipe_write, error, "");
        }
    }
    result = PyLong_FromLong((long)pid);
done:
    free(joined);
    free(variables);
    PyMem_Free(argv);
    PyMem_Free(paths);
    PyMem_Free(envp);
    Py_XDECREF(cwd);
    Py_XDECREF(held);
    return result;
}

static PyMethodDef methods[] = {{"fork_exec", fork_exec, METH_VARARGS, fork_exec_doc}, {0}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_posixsubprocess", .m_doc = "Starts programs for subprocess.", .m_methods = methods};

PyMODINIT_FUNC PyInit__posixsubprocess(void)
{
    return PyModuleDef_Init(&definition);
}
