/* Node's library and our bindings: one file that pack.py makes.
 *
 * A line for each source, `OFFSET LENGTH NAME`, then an empty line, then the sources one behind
 * another; offsets count from the first of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine.h"

static const char *library_path;
static int descriptor = -1;

void library_open(const char *path)
{
    library_path = path;
    descriptor = -1;
}

#ifndef __wasi__
/* The file `library` in the program's own directory, where builds for this machine have it: programs start
 * node with no variables at all. */
const char *library_beside(void)
{
    static char path[4096 + sizeof "library"];
    ssize_t length = readlink("/proc/self/exe", path, 4096);
    while (length > 0 && path[length - 1] != '/') {
        length--;
    }
    strcpy(path + (length > 0 ? length : 0), "library");
    return path;
}
#endif

static int library(void)
{
    if (descriptor < 0) {
        descriptor = open(library_path, O_RDONLY | O_CLOEXEC);
    }
    return descriptor;
}

/* Closes it, so that no descriptor is left behind; it is opened again when it is needed. */
static FUNCTION(closeLibrary)
{
    if (descriptor >= 0) {
        close(descriptor);
        descriptor = -1;
    }
    return JS_UNDEFINED;
}

/* offset, length: a piece of the file as text. */
static FUNCTION(readLibrary)
{
    int fd = library();
    size_t length = (size_t)integer_of(ctx, argv[1]), done = 0;
    int64_t offset = integer_of(ctx, argv[0]);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
        return JS_ThrowInternalError(ctx, "%s: %s", library_path, strerror(errno));
    }
    if (offset < 0 || offset > info.st_size) {
        return JS_ThrowInternalError(ctx, "%s: no such place", library_path);
    }
    if (JS_IsUndefined(argv[1])) {
        length = (size_t)(info.st_size - offset);
    }
    uint8_t *bytes = malloc(length + 1);
    while (bytes != NULL && done < length) {
        ssize_t count = pread(fd, bytes + done, length - done, offset + (int64_t)done);
        if (count <= 0) {
            free(bytes);
            return JS_ThrowInternalError(ctx, "%s: ends early", library_path);
        }
        done += (size_t)count;
    }
    if (bytes == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    JSValue text = text_from_utf8(ctx, bytes, length);
    free(bytes);
    return text;
}

const struct native library_natives[] = {NATIVE(readLibrary), NATIVE(closeLibrary), {0}};
