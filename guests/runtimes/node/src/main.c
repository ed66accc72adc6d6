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
#include <unistd.h>

#include "engine.h"

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
    const char *path = getenv("NODE_LIBRARY");
    if (path == NULL) {
        fprintf(stderr, "node: NODE_LIBRARY has to name the file that pack.py has made\n");
        return 2;
    }
    library_open(path);
#endif
    int status = context_make() != 0 ? 7 : context_run(argc, argv);
    fflush(NULL);
    _Exit(status);
}
