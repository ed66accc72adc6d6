/* Mapped files: a copy in memory, which a shared mapping writes back when it is flushed or unmapped. What others write to the file meanwhile is not
 * seen. */
#define _WASI_EMULATED_MMAN
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct mapping {
    struct mapping *next;
    char *memory;
    size_t size;
    off_t offset;
    int fd; /* where it is written back to, or -1 */
} *mappings;

void *mmap(void *wanted, size_t size, int protection, int flags, int fd, off_t offset)
{
    (void)wanted;
    int kind = flags & MAP_TYPE, is_file = (flags & MAP_ANONYMOUS) == 0;
    if (size == 0 || (flags & MAP_FIXED) != 0 || (kind != MAP_SHARED && kind != MAP_PRIVATE) || (protection & PROT_EXEC) != 0 || offset < 0) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    struct mapping *made = malloc(sizeof *made);
    /* As much as whole pages: programs may write behind the file's end. */
    char *memory = made != NULL ? aligned_alloc(4096, (size + 4095) & ~(size_t)4095) : NULL;
    if (memory == NULL) {
        free(made);
        errno = ENOMEM;
        return MAP_FAILED;
    }
    memset(memory, 0, (size + 4095) & ~(size_t)4095);
    *made = (struct mapping){.next = mappings, .memory = memory, .size = size, .offset = offset, .fd = -1};
    int good = 1;
    for (size_t done = 0; is_file && done < size;) {
        ssize_t count = pread(fd, memory + done, size - done, offset + (off_t)done);
        good = count >= 0;
        if (count <= 0) {
            break;
        }
        done += (size_t)count;
    }
    if (good && is_file && kind == MAP_SHARED && (protection & PROT_WRITE) != 0) {
        made->fd = dup(fd);
        good = made->fd >= 0;
    }
    if (!good) {
        free(memory);
        free(made);
        return MAP_FAILED;
    }
    mappings = made;
    return memory;
}

/* Writes a part of a mapping back, as far as the file reaches. */
static int write_back(struct mapping *mapping, size_t start, size_t end)
{
    off_t length = mapping->fd >= 0 ? lseek(mapping->fd, 0, SEEK_END) - mapping->offset : 0;
    if (mapping->fd < 0 || length <= 0) {
        return 0;
    }
    for (end = end < (size_t)length ? end : (size_t)length; start < end;) {
        ssize_t count = pwrite(mapping->fd, mapping->memory + start, end - start, mapping->offset + (off_t)start);
        if (count <= 0) {
            return -1;
        }
        start += (size_t)count;
    }
    return 0;
}

int msync(void *start, size_t size, int flags)
{
    (void)flags;
    for (struct mapping *at = mappings; at != NULL; at = at->next) {
        if ((char *)start >= at->memory && (char *)start < at->memory + at->size) {
            size_t first = (size_t)((char *)start - at->memory);
            return write_back(at, first, size < at->size - first ? first + size : at->size);
        }
    }
    errno = ENOMEM;
    return -1;
}

int munmap(void *memory, size_t size)
{
    (void)size;
    for (struct mapping **at = &mappings; *at != NULL; at = &(*at)->next) {
        if ((*at)->memory == memory) {
            struct mapping *gone = *at;
            *at = gone->next;
            int result = write_back(gone, 0, gone->size);
            if (gone->fd >= 0) {
                close(gone->fd);
            }
            free(gone->memory);
            free(gone);
            return result;
        }
    }
    errno = EINVAL;
    return -1;
}

int madvise(void *start, size_t size, int advice)
{
    (void)start, (void)size, (void)advice;
    return 0;
}
