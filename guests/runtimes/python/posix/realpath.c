/* Paths without links, relative to the kernel's working directory; wasi-libc's knows only its own. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 4096, LINKS = 40 };

char *realpath(const char *restrict path, char *restrict resolved)
{
    char left[LONGEST], done[LONGEST], target[2 * LONGEST];
    int links = 0;
    if (path == NULL || *path == '\0') {
        errno = path == NULL ? EINVAL : ENOENT;
        return NULL;
    }
    if (strlen(path) >= sizeof left) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    strcpy(left, path);
    if (*path == '/') {
        *done = '\0';
    }
    else if (getcwd(done, sizeof done) == NULL) {
        return NULL;
    }
    size_t length = strcmp(done, "/") == 0 ? 0 : strlen(done);
    for (char *at = left; *at != '\0';) {
        size_t part = strcspn(at, "/");
        char *next = at + part + (at[part] == '/');
        if (part == 0 || (part == 1 && at[0] == '.')) {
            at = next;
            continue;
        }
        if (part == 2 && at[0] == '.' && at[1] == '.') {
            while (length > 0 && done[--length] != '/') {
            }
            at = next;
            continue;
        }
        if (length + 1 + part >= sizeof done) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        done[length] = '/';
        memcpy(done + length + 1, at, part);
        done[length + 1 + part] = '\0';
        struct stat stat;
        if (lstat(done, &stat) != 0) {
            return NULL;
        }
        if (!S_ISLNK(stat.st_mode)) {
            if (*next != '\0' && !S_ISDIR(stat.st_mode)) {
                errno = ENOTDIR;
                return NULL;
            }
            length += 1 + part;
            at = next;
            continue;
        }
        ssize_t size = readlink(done, target, LONGEST);
        if (size < 0 || ++links > LINKS || (size_t)size + 1 + strlen(next) >= sizeof left) {
            errno = size < 0 ? errno : links > LINKS ? ELOOP : ENAMETOOLONG;
            return NULL;
        }
        target[size] = '/';
        strcpy(target + size + 1, next);
        strcpy(left, target);
        length = *left == '/' ? 0 : length;
        at = left;
    }
    strcpy(done + length, length == 0 ? "/" : "");
    return resolved != NULL ? strcpy(resolved, done) : strdup(done);
}
