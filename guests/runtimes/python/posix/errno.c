/* Error numbers: Linux's for programs, WASI's from the kernel and from wasi-libc. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codepod.h"

static const struct {
    unsigned char linux_number, wasi_number;
    const char *words;
} errors[] = {
#define E(name, linux_number, wasi_number, words) {linux_number, wasi_number, words},
#include "errnos.def"
#undef E
};

enum { COUNT = sizeof errors / sizeof *errors, WASI_NOTCAPABLE = 76 };

/* wasi-libc's own variable; <errno.h> of this library hides its name. */
extern _Thread_local int libc_errno __asm__("errno");
static int number;
static struct codepod_reason reason;

void codepod_note_reason(int of, const char *text)
{
    reason.number = of;
    snprintf(reason.text, sizeof reason.text, "%s", text);
}

int codepod_linux_errno(int wasi)
{
    if (wasi == WASI_NOTCAPABLE) {
        return EBADF; /* a descriptor that was not opened for this */
    }
    for (int i = 0; i < COUNT; i++) {
        if (errors[i].wasi_number == wasi) {
            return errors[i].linux_number;
        }
    }
    return EIO;
}

int *codepod_errno(void)
{
    if (libc_errno != 0) {
        number = codepod_linux_errno(libc_errno);
        libc_errno = reason.number = 0;
        if (number == EINTR) {
            codepod_deliver_signals();
            number = EINTR;
        }
    }
    return &number;
}

int codepod_result(uint32_t wasi)
{
    if (wasi == 0) {
        return 0;
    }
    libc_errno = reason.number = 0;
    number = codepod_linux_errno((int)wasi);
    if (number == EINTR) {
        codepod_deliver_signals();
        number = EINTR;
    }
    return -1;
}

char *strerror(int error)
{
    static char made[sizeof reason.text + 100];
    if (error == 0) {
        return "Success";
    }
    for (int i = 0; i < COUNT; i++) {
        if (errors[i].linux_number == error && error != reason.number) {
            return (char *)errors[i].words;
        }
        if (errors[i].linux_number == error) {
            snprintf(made, sizeof made, "%s (codepod: %s)", errors[i].words, reason.text);
            return made;
        }
    }
    snprintf(made, sizeof made, "Unknown error %d", error);
    return made;
}

char *strerror_l(int error, locale_t locale)
{
    (void)locale;
    return strerror(error);
}

int strerror_r(int error, char *buffer, size_t size)
{
    const char *words = strerror(error);
    if (strlen(words) >= size) {
        return ERANGE;
    }
    strcpy(buffer, words);
    return 0;
}

void perror(const char *what)
{
    const char *words = strerror(errno);
    if (what != NULL && *what != '\0') {
        fprintf(stderr, "%s: ", what);
    }
    fprintf(stderr, "%s\n", words);
}
