/* The entry points of node.
 *
 *   _start            an ordinary start: runs Node's library, then the program. With `--codepod-snapshot FILE` it runs the library
 *                     only, and writes the memory to FILE
 *   codepod-resume    what the pre-initialised module has as `_start`: goes on from that memory
 */
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
#define LIBRARY "/usr/lib/node/library"

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
    return write_memory(path);
}

__attribute__((export_name("codepod-resume"))) void codepod_resume(void)
{
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
#endif

int main(int argc, char **argv)
{
#ifdef __wasi__
    library_open(LIBRARY);
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
    const char *starts = getenv("NODE_STARTS");
    if (starts != NULL) {
        return measure(atoi(starts), argc, argv);
    }
#endif
    int status = context_make() != 0 ? 7 : context_run(argc, argv);
    fflush(NULL);
    _Exit(status);
}
