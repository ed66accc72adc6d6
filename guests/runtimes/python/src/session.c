/* Sessions: an interpreter that goes on from one call to the next. Between two calls there is no process, only a file of the sandbox with the pages of
 * memory that differ from those that every program starts with; so it is forked, saved and undone with the other files.
 *
 * The file: a header, then runs of pages, each with its first page and its length in front. A run of length 0 is the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wasi/api.h>

#include "../posix/codepod.h"
#include "session.h"

enum { PAGE = 4096, PIECE = 65536 };

struct header {
    char magic[8];
    uint64_t build;
    uint32_t pieces; /* of 64 KiB: how large memory is */
    uint32_t reserved;
};

struct run {
    uint32_t first, count;
};

static const char magic[8] = "cpysess1";

/* Which build this is: a digest of the memory that every program starts with. */
static uint64_t build;
static uint32_t first_pieces;
/* A digest of each page of that memory, from the first that is not of the stack; 0 for those that hold these very digests. What the host calls touched
   may have been written to by another process, and put back. */
static uint64_t digests[16384];

/* Where the linker puts things. The stack lies below: what is being restored never lies there. */
extern unsigned char __global_base;
extern void __wasilibc_reset_preopens(void);
extern void __wasilibc_deinitialize_environ(void);

static uint32_t lowest_page(void)
{
    return (uint32_t)((uintptr_t)&__global_base / PAGE);
}

/* Four sums at once, so that none waits for another. Never 0. */
static uint64_t digest_of(uint32_t page)
{
    const uint64_t *at = (const uint64_t *)(uintptr_t)(page * PAGE);
    uint64_t sums[4] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93};
    for (int i = 0; i < PAGE / 8; i += 4) {
        for (int j = 0; j < 4; j++) {
            sums[j] = (sums[j] ^ at[i + j]) * 0x100000001b3;
            sums[j] ^= sums[j] >> 29;
        }
    }
    uint64_t digest = sums[0] ^ sums[1] * 3 ^ sums[2] * 5 ^ sums[3] * 7;
    return digest != 0 ? digest : 1;
}

void codepod_session_prepare(void)
{
    first_pieces = __builtin_wasm_memory_size(0);
    uint32_t lowest = lowest_page(), end = first_pieces * (PIECE / PAGE);
    uint32_t own = (uint32_t)((uintptr_t)digests / PAGE), behind = (uint32_t)((uintptr_t)(&digests + 1) / PAGE);
    if (end - lowest > sizeof digests / sizeof *digests) {
        fprintf(stderr, "python3: session.c: there are more pages than digests\n");
        exit(1);
    }
    uint64_t all = 0xcbf29ce484222325;
    for (uint32_t page = lowest; page < end; page++) {
        uint64_t digest = page >= own && page <= behind ? 0 : digest_of(page);
        digests[page - lowest] = digest;
        all = (all ^ digest) * 0x100000001b3;
    }
    build = all;
}

/* Reads all of it without the C library, which may just be what is being written over. Also the rest of restoring leaves everything but the stack
   alone, save what is restored. */
static int read_all(int fd, void *to, size_t size)
{
    for (uint8_t *at = to; size > 0;) {
        __wasi_iovec_t part = {.buf = at, .buf_len = size};
        __wasi_size_t count = 0;
        if (__wasi_fd_read(fd, &part, 1, &count) != 0 || count == 0) {
            return 0;
        }
        at += count;
        size -= count;
    }
    return 1;
}

int codepod_session_restore(const char *path)
{
    int fd = -1;
    uint32_t error = codepod_path_open_mode(CODEPOD_CWD_FD, __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW, path, strlen(path), 0, __WASI_RIGHTS_FD_READ, 0, 0, &fd);
    if (error == __WASI_ERRNO_NOENT) {
        return 0;
    }
    if (error != 0) {
        return codepod_result(error);
    }
    struct header header;
    if (!read_all(fd, &header, sizeof header) || memcmp(header.magic, magic, sizeof magic) != 0 || header.build != build ||
        header.pieces < first_pieces || header.pieces > 32768) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    uint32_t pieces = __builtin_wasm_memory_size(0);
    if (header.pieces > pieces && __builtin_wasm_memory_grow(0, header.pieces - pieces) == (size_t)-1) {
        close(fd);
        errno = ENOMEM;
        return -1;
    }
    uint32_t lowest = lowest_page(), end = header.pieces * (PIECE / PAGE);
    for (;;) {
        struct run run;
        /* From here on there is no way back: half of one memory and half of another. */
        if (!read_all(fd, &run, sizeof run) || (run.count > 0 && (run.first < lowest || run.first >= end || run.count > end - run.first)) ||
            !read_all(fd, (void *)(uintptr_t)(run.first * PAGE), run.count * PAGE)) {
            __wasi_proc_exit(126);
        }
        if (run.count == 0) {
            break;
        }
    }
    (void)!__wasi_fd_close(fd);
    return 1;
}

static int write_all(int fd, const struct run *run)
{
    const uint8_t *heads = (const uint8_t *)run, *pages = (const uint8_t *)(uintptr_t)(run->first * PAGE);
    size_t head = sizeof *run, left = run->count * PAGE;
    while (head > 0 || left > 0) {
        __wasi_ciovec_t parts[2] = {{.buf = heads + sizeof *run - head, .buf_len = head}, {.buf = pages, .buf_len = left}};
        __wasi_size_t count = 0;
        if (__wasi_fd_write(fd, parts, 2, &count) != 0 || count == 0) {
            return 0;
        }
        size_t of_head = count < head ? count : head;
        head -= of_head;
        pages += count - of_head;
        left -= count - of_head;
    }
    return 1;
}

static int is_zero(uint32_t page)
{
    const uint64_t *at = (const uint64_t *)(uintptr_t)(page * PAGE);
    uint64_t any = 0;
    for (int i = 0; i < PAGE / 8; i++) {
        any |= at[i];
    }
    return any == 0;
}

int codepod_session_save(const char *path)
{
    char fresh[4096];
    if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return -1;
    }
    __wasilibc_reset_preopens();
    __wasilibc_deinitialize_environ();
    uint32_t pieces = __builtin_wasm_memory_size(0), end = pieces * (PIECE / PAGE), first = first_pieces * (PIECE / PAGE);
    uint32_t lowest = lowest_page();
    uint8_t touched[PIECE]; /* enough for 2 GiB */
    struct header header = {.build = build, .pieces = pieces};
    memcpy(header.magic, magic, sizeof magic);
    int good = codepod_memory_touched(NULL, touched, end / 8) == 0 && write(fd, &header, sizeof header) == sizeof header;
    struct run run = {0};
    for (uint32_t page = lowest; good && page < end; page++) {
        if ((touched[page / 8] >> (page % 8) & 1) == 0 || (page < first ? digests[page - lowest] == digest_of(page) : is_zero(page))) {
            continue;
        }
        if (run.count > 0 && run.first + run.count != page) {
            good = write_all(fd, &run);
            run.count = 0;
        }
        run.first = run.count == 0 ? page : run.first;
        run.count++;
    }
    good = good && (run.count == 0 || write_all(fd, &run)) && write_all(fd, &(struct run){0});
    int why = errno;
    close(fd);
    if (!good || rename(fresh, path) != 0) {
        why = good ? errno : why;
        unlink(fresh);
        errno = why;
        return -1;
    }
    return 0;
}
