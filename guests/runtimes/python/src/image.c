/* Images: memory in which a large package has been imported, kept as sessions are (session.c). A program whose text has its name goes on from there in
 * place of the snapshot, so that importing it takes no time. The word may be there for another reason, and the package may be imported without it:
 * either way the program does the same, only later or with more memory.
 *
 * Nothing is allocated before: what this process writes outside the stack, the image does not know of.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <wasi/api.h>

#include "../posix/codepod.h"
#include "session.h"

#define IMAGES "/usr/lib/python3.14/"

/* The first that a program names is taken: it has those behind it as well (build.sh, step_images). */
static const struct {
    const char *word, *path;
} images[] = {{"matplotlib", IMAGES "matplotlib.image"}, {"pandas", IMAGES "pandas.image"}};

enum { COUNT = sizeof images / sizeof *images, LONGEST = 1 << 20, LONGEST_WORD = 16, MOST_WORDS = 1024, PIECE = 1 << 15 };

/* The image that a text wants, COUNT for none. */
static int wanted_by(const char *text, size_t size)
{
    int image = 0;
    while (image < COUNT && memmem(text, size, images[image].word, strlen(images[image].word)) == NULL) {
        image++;
    }
    return image;
}

/* The image that the beginning of a file wants. */
static int wanted_by_file(const char *path)
{
    int fd = -1, image = COUNT;
    char text[PIECE];
    size_t kept = 0, all = 0;
    if (codepod_path_open_mode(CODEPOD_CWD_FD, __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW, path, strlen(path), 0, __WASI_RIGHTS_FD_READ, 0, 0, &fd) != 0) {
        return COUNT;
    }
    while (image > 0 && all < LONGEST) {
        __wasi_iovec_t part = {.buf = (uint8_t *)text + kept, .buf_len = PIECE - kept};
        __wasi_size_t count = 0;
        if (__wasi_fd_read(fd, &part, 1, &count) != 0 || count == 0) {
            break;
        }
        size_t end = kept + count;
        int found = wanted_by(text, end);
        image = found < image ? found : image;
        all += count;
        /* A word may lie across two pieces. */
        kept = end < LONGEST_WORD ? end : LONGEST_WORD;
        memmove(text, text + end - kept, kept);
    }
    (void)!__wasi_fd_close(fd);
    return image;
}

/* The image that the program wants which the command line names. Only a regular file is looked at: what a pipe holds is for the program. */
static int wanted_by_program(void)
{
    __wasi_size_t count = 0, size = 0;
    if (__wasi_args_sizes_get(&count, &size) != 0 || count < 2 || count > MOST_WORDS || size > LONGEST) {
        return COUNT;
    }
    uint8_t *words[MOST_WORDS + 1], *text = __builtin_alloca(size);
    if (__wasi_args_get(words, text) != 0) {
        return COUNT;
    }
    for (__wasi_size_t i = 1; i < count; i++) {
        const char *word = (const char *)words[i];
        if (word[0] != '-') {
            struct codepod_stat stat;
            int is_file = codepod_path_stat(CODEPOD_CWD_FD, 1, word, strlen(word), &stat) == 0 && (stat.mode & 0170000) == 0100000;
            return is_file ? wanted_by_file(word) : COUNT;
        }
        const char *program = strchr(word, 'c');
        if (program != NULL) {
            program = program[1] != 0 || i + 1 == count ? program + 1 : (const char *)words[i + 1];
            return wanted_by(program, strlen(program));
        }
        if (word[1] == 0 || strpbrk(word + 1, "-mWX") != NULL) {
            return COUNT;
        }
    }
    return COUNT;
}

void codepod_take_image(void)
{
    int image = wanted_by_program();
    if (image < COUNT) {
        (void)!codepod_session_restore(images[image].path);
    }
}
