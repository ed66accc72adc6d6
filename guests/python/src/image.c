/* The image of pandas: memory in which it has been imported, kept as sessions are (session.c). A program whose text has that word goes on from there in
 * place of the snapshot, so that importing it takes no time. The word may be there for another reason, and pandas may be imported without it: either
 * way the program does the same, only later or with more memory.
 *
 * Nothing is allocated before: what this process writes outside the stack, the image does not know of.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <wasi/api.h>

#include "../posix/codepod.h"
#include "session.h"

#define IMAGE "/usr/lib/python3.14/pandas.image"
#define WORD "pandas"

enum { LONGEST = 1 << 20, MOST_WORDS = 1024, PIECE = 1 << 15 };

static int has_word(const char *text, size_t size)
{
    return memmem(text, size, WORD, strlen(WORD)) != NULL;
}

/* Whether the beginning of a file has the word. */
static int file_has_word(const char *path)
{
    int fd = -1, found = 0;
    char text[PIECE];
    size_t kept = 0, all = 0;
    if (codepod_path_open_mode(CODEPOD_CWD, __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW, path, strlen(path), 0, __WASI_RIGHTS_FD_READ, 0, 0, &fd) != 0) {
        return 0;
    }
    while (!found && all < LONGEST) {
        __wasi_iovec_t part = {.buf = (uint8_t *)text + kept, .buf_len = PIECE - kept};
        __wasi_size_t count = 0;
        if (__wasi_fd_read(fd, &part, 1, &count) != 0 || count == 0) {
            break;
        }
        found = has_word(text, kept + count);
        all += count;
        /* The word may lie across two pieces. */
        size_t end = kept + count;
        kept = end < strlen(WORD) ? end : strlen(WORD) - 1;
        memmove(text, text + end - kept, kept);
    }
    (void)!__wasi_fd_close(fd);
    return found;
}

/* Whether the program that the command line names has the word. Only a regular file is looked at: what a pipe holds is for the program. */
static int program_has_word(void)
{
    __wasi_size_t count = 0, size = 0;
    if (__wasi_args_sizes_get(&count, &size) != 0 || count < 2 || count > MOST_WORDS || size > LONGEST) {
        return 0;
    }
    uint8_t *words[MOST_WORDS + 1], *text = __builtin_alloca(size);
    if (__wasi_args_get(words, text) != 0) {
        return 0;
    }
    for (__wasi_size_t i = 1; i < count; i++) {
        const char *word = (const char *)words[i];
        if (word[0] != '-') {
            struct codepod_stat stat;
            int is_file = codepod_path_stat(CODEPOD_CWD, 1, word, strlen(word), &stat) == 0 && (stat.mode & 0170000) == 0100000;
            return is_file && file_has_word(word);
        }
        const char *program = strchr(word, 'c');
        if (program != NULL) {
            program = program[1] != 0 || i + 1 == count ? program + 1 : (const char *)words[i + 1];
            return has_word(program, strlen(program));
        }
        if (word[1] == 0 || strpbrk(word + 1, "-mWX") != NULL) {
            return 0;
        }
    }
    return 0;
}

void codepod_take_image(void)
{
    if (program_has_word()) {
        (void)!codepod_session_restore(IMAGE);
    }
}
