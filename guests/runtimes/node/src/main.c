/* The entry points of node.
 *
 *   _start            an ordinary start: runs Node's library, then the program. With `--codepod-snapshot FILE` it runs the library
 *                     only, and writes the memory to FILE
 *   codepod-resume    what the pre-initialised module has as `_start`: goes on from that memory. With `--codepod-turn FILE CODE` it
 *                     goes on from a session, runs the code, and keeps the session; with `--codepod-image FILE ""` it writes a
 *                     session that nothing has run in, by which the host knows the build (python/src/session.c)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"

#ifndef __wasi__
#include <sys/wait.h>
#endif

#ifdef __wasi__
#include <wasi/api.h>

#include "codepod.h"
#include "session.h"

#define LIBRARY "/usr/lib/node/library"
#define TURN "--codepod-turn"

extern char **environ;
extern void codepod_restore_signals(void);
extern void __wasilibc_reset_preopens(void);
extern void __wasilibc_deinitialize_environ(void);
extern void __wasilibc_initialize_environ(void);
extern int __main_void(void);

/* The commands of this module, as `cargo xtask guests` reads them. */
__asm__(".section .custom_section.codepod.commands,\"\",@\n"
        ".ascii \"node\\trun programs in JavaScript\\n\"\n"
        ".text\n");

static int is_image;

static int write_memory(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    size_t size = (size_t)__builtin_wasm_memory_size(0) * 65536, done = 0;
    while (fd >= 0 && done < size) {
        ssize_t count = write(fd, (const char *)(uintptr_t)done, size - done < 1 << 20 ? size - done : 1 << 20);
        if (count <= 0) {
            break;
        }
        done += (size_t)count;
    }
    if (fd < 0 || done < size) {
        perror(path);
        return 1;
    }
    return 0;
}

static int make_image(const char *path)
{
    if (context_make() != 0) {
        return 1;
    }
    context_seal();
    __wasilibc_reset_preopens();
    __wasilibc_deinitialize_environ();
    is_image = 1;
    codepod_session_prepare();
    return write_memory(path);
}

/* Takes the next turn of a session, with everything that it needs on the stack: the rest of memory is the session's. */
__attribute__((noinline, noreturn)) static void take_turn(const char *path, const char *code, bool goes_on)
{
    __wasilibc_initialize_environ();
    char **variables = environ, *first_variable = variables[0];
    codepod_restore_signals();
    library_open(LIBRARY);
    int status = context_turn(code, goes_on);
    if (first_variable != NULL) {
        /* The C library forgets them and would leave them behind in each turn. */
        free(variables);
        free(first_variable);
    }
    if (codepod_session_save(path) != 0) {
        fprintf(stderr, "node: %s: the session is as it was before: %s\n", path, strerror(errno));
        _Exit(126);
    }
    _Exit(status);
}

/* A turn of a session, if the command line asks for one. Nothing is allocated before the session is there: what this process
   would write outside the stack, the session does not know of. */
static void take_session(void)
{
    enum { LONGEST = 2 << 20 };
    __wasi_size_t count = 0, size = 0;
    if (__wasi_args_sizes_get(&count, &size) != 0 || count != 4 || size > LONGEST) {
        return; /* `main` says what is too long */
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
        fprintf(stderr, "node: %s: %s\n", path, why);
        _Exit(126);
    }
    take_turn(path, code, goes_on != 0);
}

__attribute__((export_name("codepod-resume"))) void codepod_resume(void)
{
    take_session();
    __wasilibc_initialize_environ();
    exit(__main_void());
}
#endif

#ifndef __wasi__
/* Starts as from an image: processes forked after Node's library has run. Prints how long one took, the median. */
static int compare(const void *a, const void *b)
{
    return *(const double *)a < *(const double *)b ? -1 : 1;
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int measure(int count, int argc, char **argv)
{
    double *took = calloc((size_t)count, sizeof *took);
    if (count < 1 || took == NULL || context_make() != 0) {
        return 1;
    }
    for (int i = 0; i < count; i++) {
        double began = microseconds();
        pid_t child = fork();
        if (child == 0) {
            took[i] = microseconds();
            int status = context_run(argc, argv);
            fprintf(stderr, "%.0f\n", microseconds() - took[i]);
            _Exit(status);
        }
        waitpid(child, NULL, 0);
        took[i] = microseconds() - began;
    }
    qsort(took, (size_t)count, sizeof *took, compare);
    fprintf(stderr, "node: %.0f us from fork to exit, median of %d\n", took[count / 2], count);
    return 0;
}

/* Takes the turns of a session in one process, to try them without a sandbox. */
static int take_turns(int count, char **code)
{
    if (context_make() != 0) {
        return 1;
    }
    for (int i = 0; i < count; i++) {
        int status = context_turn(code[i], i > 0);
        if (status != 0) {
            fprintf(stderr, "node: status %d\n", status);
        }
    }
    return 0;
}
#endif

int main(int argc, char **argv)
{
#ifdef __wasi__
    library_open(LIBRARY);
    if (is_image && argc == 4 && strcmp(argv[1], "--codepod-image") == 0) {
        if (codepod_session_save(argv[2]) != 0) {
            perror(argv[2]);
            _Exit(1);
        }
        _Exit(0);
    }
    if (is_image && argc == 4 && strcmp(argv[1], TURN) == 0) {
        fprintf(stderr, "node: the code is too long: %zu bytes\n", strlen(argv[3]));
        _Exit(126);
    }
    if (is_image) {
        _Exit(context_run(argc, argv));
    }
    if (argc == 3 && strcmp(argv[1], "--codepod-snapshot") == 0) {
        return make_image(argv[2]);
    }
#else
    if (argc > 1 && strcmp(argv[1], "--plain") == 0) {
        return plain_run(argc - 2, argv + 2);
    }
    library_open(getenv("NODE_LIBRARY") != NULL ? getenv("NODE_LIBRARY") : library_beside());
    if (argc > 1 && strcmp(argv[1], "--turns") == 0) {
        return take_turns(argc - 2, argv + 2);
    }
    const char *starts = getenv("NODE_STARTS");
    if (starts != NULL) {
        return measure(atoi(starts), argc, argv);
    }
#endif
    int status = context_make() != 0 ? 7 : context_run(argc, argv);
    fflush(NULL);
    _Exit(status);
}
