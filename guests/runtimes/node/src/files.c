/* Files: the calls of the system that `fs` is made of, with Linux's numbers for flags and errors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#ifndef __wasi__
#include <sys/vfs.h>
#endif
#include <unistd.h>

#include "engine.h"

/* A path, as bytes that end: a string as UTF-8, or a Buffer, which need not be UTF-8. */
struct path {
    char text[PATH_MAX];
};

/* 0, or the error that the path is too long or has a NUL in it. */
static int path_of(JSContext *ctx, JSValueConst value, struct path *path)
{
    size_t length;
    int error = 0;
    if (JS_IsString(value)) {
        const char *text = JS_ToCStringLen(ctx, &length, value);
        if (text == NULL) {
            JS_FreeValue(ctx, JS_GetException(ctx));
            return ENOMEM;
        }
        error = length >= sizeof path->text ? ENAMETOOLONG : memchr(text, 0, length) != NULL ? EINVAL : 0;
        if (error == 0) {
            memcpy(path->text, text, length + 1);
        }
        JS_FreeCString(ctx, text);
        return error;
    }
    struct bytes bytes;
    if (bytes_of(ctx, value, &bytes) != 0) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return EINVAL;
    }
    if (bytes.length >= sizeof path->text) {
        return ENAMETOOLONG;
    }
    if (memchr(bytes.at, 0, bytes.length) != NULL) {
        return EINVAL;
    }
    memcpy(path->text, bytes.at, bytes.length);
    path->text[bytes.length] = '\0';
    return 0;
}

#define PATH(name, value)                                                                                              \
    struct path name;                                                                                                  \
    {                                                                                                                  \
        int error = path_of(ctx, value, &name);                                                                        \
        if (error != 0) {                                                                                              \
            return failed(ctx, error);                                                                                 \
        }                                                                                                              \
    }
#define INTEGER(value) ((int)integer_of(ctx, value))

/* A name of the system's, which is a string if it is UTF-8, and its bytes if not. */
static JSValue name_of(JSContext *ctx, const char *name, size_t length)
{
    JSValue bytes = JS_NewArrayBufferCopy(ctx, (const uint8_t *)name, length);
    JSValue result = text_from_utf8(ctx, (const uint8_t *)name, length);
    struct text text;
    if (!JS_IsException(result) && text_open(ctx, result, &text) == 0) {
        bool differs = false;
        for (size_t i = 0; i < text.length; i++) {
            differs |= text_unit(&text, i) == 0xfffd;
        }
        text_close(ctx, &text);
        if (differs) {
            JS_FreeValue(ctx, result);
            return bytes;
        }
    }
    JS_FreeValue(ctx, bytes);
    return result;
}

/* Linux's numbers, which Node's constants have, as this system's. */
static int open_flags(int64_t wanted)
{
    static const struct {
        int64_t number;
        int here;
    } known[] = {
        {0100, O_CREAT}, {0200, O_EXCL}, {01000, O_TRUNC}, {02000, O_APPEND}, {04000, O_NONBLOCK},
        {0200000, O_DIRECTORY}, {0400000, O_NOFOLLOW}, {010000, O_DSYNC}, {04000000, O_SYNC},
    };
    int flags = (wanted & 3) == 0 ? O_RDONLY : (wanted & 3) == 1 ? O_WRONLY : O_RDWR;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (wanted & known[i].number) {
            flags |= known[i].here;
        }
    }
    return flags;
}

/* path, flags, mode: a descriptor. */
static FUNCTION(open)
{
    PATH(path, argv[0])
    return result_of(ctx, open(path.text, open_flags(integer_of(ctx, argv[1])) | O_CLOEXEC, (mode_t)INTEGER(argv[2])));
}

static FUNCTION(close) { return result_of(ctx, close(INTEGER(argv[0]))); }

/* fd, bytes, offset, length, position (-1: where it is): how many. */
static JSValue transfer(JSContext *ctx, JSValueConst *argv, bool writes)
{
    struct bytes bytes;
    int fd = INTEGER(argv[0]);
    if (bytes_of(ctx, argv[1], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    int64_t offset = integer_of(ctx, argv[2]), length = integer_of(ctx, argv[3]), position = integer_of(ctx, argv[4]);
    if (offset < 0 || length < 0 || offset > (int64_t)bytes.length || length > (int64_t)bytes.length - offset) {
        return failed(ctx, EINVAL);
    }
    uint8_t *at = bytes.at + offset;
    ssize_t count;
    do {
        count = writes ? (position < 0 ? write(fd, at, (size_t)length) : pwrite(fd, at, (size_t)length, position))
                       : (position < 0 ? read(fd, at, (size_t)length) : pread(fd, at, (size_t)length, position));
    } while (count < 0 && errno == EINTR);
    return result_of(ctx, count);
}

static FUNCTION(read) { return transfer(ctx, argv, false); }
static FUNCTION(write) { return transfer(ctx, argv, true); }

/* Reads a descriptor to its end. NULL with `errno`. */
static uint8_t *read_whole(int fd, size_t *length)
{
    struct stat info;
    size_t room = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? (size_t)info.st_size + 1 : 65536;
    uint8_t *bytes = malloc(room);
    *length = 0;
    while (bytes != NULL) {
        if (*length == room) {
            uint8_t *grown = room > SIZE_MAX / 2 ? NULL : realloc(bytes, room *= 2);
            if (grown == NULL) {
                break;
            }
            bytes = grown;
        }
        ssize_t count = read(fd, bytes + *length, room - *length);
        if (count == 0) {
            return bytes;
        }
        if (count < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
        }
        else if (count < 0 && errno != EINTR) {
            int error = errno;
            free(bytes);
            errno = error;
            return NULL;
        }
        else if (count > 0) {
            *length += (size_t)count;
        }
    }
    free(bytes);
    errno = ENOMEM;
    return NULL;
}

/* A descriptor or a path: the file as text. */
static FUNCTION(readText)
{
    int fd;
    bool opens = !JS_IsNumber(argv[0]);
    if (opens) {
        PATH(path, argv[0])
        fd = open(path.text, O_RDONLY | O_CLOEXEC);
    }
    else {
        fd = INTEGER(argv[0]);
    }
    if (fd < 0) {
        return failed(ctx, errno);
    }
    size_t length;
    uint8_t *bytes = read_whole(fd, &length);
    int error = errno;
    if (opens) {
        close(fd);
    }
    if (bytes == NULL) {
        return failed(ctx, error);
    }
    JSValue text = text_from_utf8(ctx, bytes, length);
    free(bytes);
    return text;
}

/* What is known of a file, in the order of Node's stat arrays; nanoseconds are numbers of their own. */
static JSValue put_stat(JSContext *ctx, JSValueConst into, const struct stat *info)
{
    struct bytes bytes;
    const double fields[18] = {
        (double)info->st_dev, info->st_mode, (double)info->st_nlink, info->st_uid, info->st_gid, (double)info->st_rdev,
        (double)info->st_blksize, (double)info->st_ino, (double)info->st_size, (double)info->st_blocks,
        (double)info->st_atim.tv_sec, (double)info->st_atim.tv_nsec, (double)info->st_mtim.tv_sec, (double)info->st_mtim.tv_nsec,
        (double)info->st_ctim.tv_sec, (double)info->st_ctim.tv_nsec,
        /* The time of birth is not kept; Linux's own file systems that do not keep it say the same. */
        (double)info->st_ctim.tv_sec, (double)info->st_ctim.tv_nsec,
    };
    if (bytes_of(ctx, into, &bytes) != 0) {
        return JS_EXCEPTION;
    }
    if (bytes.length < sizeof fields) {
        return failed(ctx, EINVAL);
    }
    memcpy(bytes.at, fields, sizeof fields);
    return JS_NewInt32(ctx, 0);
}

static FUNCTION(stat)
{
    PATH(path, argv[0])
    struct stat info;
    return stat(path.text, &info) != 0 ? failed(ctx, errno) : put_stat(ctx, argv[1], &info);
}

static FUNCTION(lstat)
{
    PATH(path, argv[0])
    struct stat info;
    return lstat(path.text, &info) != 0 ? failed(ctx, errno) : put_stat(ctx, argv[1], &info);
}

static FUNCTION(fstat)
{
    struct stat info;
    return fstat(INTEGER(argv[0]), &info) != 0 ? failed(ctx, errno) : put_stat(ctx, argv[1], &info);
}

/* Of a file system: type, sizes of blocks, blocks in all, free, and for us; files in all and free. */
static FUNCTION(statfs)
{
    PATH(path, argv[0])
    double type = 0;
#ifndef __wasi__
    struct statfs kind;
    if (statfs(path.text, &kind) != 0) {
        return failed(ctx, errno);
    }
    type = (double)kind.f_type;
#endif
    struct statvfs info;
    if (statvfs(path.text, &info) != 0) {
        return failed(ctx, errno);
    }
    const double fields[] = {
        type, (double)info.f_bsize, (double)info.f_frsize, (double)info.f_blocks,
        (double)info.f_bfree, (double)info.f_bavail, (double)info.f_files, (double)info.f_ffree,
    };
    JSValue list = JS_NewArray(ctx);
    for (uint32_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        put_entry(ctx, list, i, JS_NewFloat64(ctx, fields[i]));
    }
    return list;
}

/* 0 for a file, 1 for a directory, or an error: what resolving modules asks thousands of times. */
static FUNCTION(kind)
{
    PATH(path, argv[0])
    struct stat info;
    return stat(path.text, &info) != 0 ? failed(ctx, errno) : JS_NewInt32(ctx, S_ISDIR(info.st_mode) ? 1 : 0);
}

/* Names and kinds (of uv_dirent_type_t), one behind another. */
static FUNCTION(readDirectory)
{
    PATH(path, argv[0])
    DIR *directory = opendir(path.text);
    if (directory == NULL) {
        return failed(ctx, errno);
    }
    JSValue list = JS_NewArray(ctx);
    uint32_t count = 0;
    struct dirent *entry;
    while ((errno = 0, entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        int kind = 0;
        switch (entry->d_type) {
        case DT_REG: kind = 1; break;
        case DT_DIR: kind = 2; break;
        case DT_LNK: kind = 3; break;
        case DT_FIFO: kind = 4; break;
#ifdef DT_SOCK
        case DT_SOCK: kind = 5; break;
#endif
        case DT_CHR: kind = 6; break;
        case DT_BLK: kind = 7; break;
        }
        put_entry(ctx, list, count++, name_of(ctx, entry->d_name, strlen(entry->d_name)));
        put_entry(ctx, list, count++, JS_NewInt32(ctx, kind));
    }
    int error = errno;
    closedir(directory);
    if (error != 0) {
        JS_FreeValue(ctx, list);
        return failed(ctx, error);
    }
    return list;
}

#define OF_PATH(name, call)                                                                                            \
    static FUNCTION(name)                                                                                              \
    {                                                                                                                  \
        PATH(path, argv[0])                                                                                            \
        return result_of(ctx, call);                                                                                   \
    }
#define OF_TWO_PATHS(name, call)                                                                                       \
    static FUNCTION(name)                                                                                              \
    {                                                                                                                  \
        PATH(from, argv[0])                                                                                            \
        PATH(to, argv[1])                                                                                              \
        return result_of(ctx, call);                                                                                   \
    }
OF_PATH(mkdir, mkdir(path.text, (mode_t)INTEGER(argv[1])))
OF_PATH(rmdir, rmdir(path.text))
OF_PATH(unlink, unlink(path.text))
OF_PATH(access, access(path.text, INTEGER(argv[1])))
OF_PATH(chmod, chmod(path.text, (mode_t)INTEGER(argv[1])))
OF_PATH(chown, chown(path.text, (uid_t)INTEGER(argv[1]), (gid_t)INTEGER(argv[2])))
OF_PATH(lchown, lchown(path.text, (uid_t)INTEGER(argv[1]), (gid_t)INTEGER(argv[2])))
OF_PATH(chdir, chdir(path.text))
OF_TWO_PATHS(rename, rename(from.text, to.text))
OF_TWO_PATHS(link, link(from.text, to.text))
OF_TWO_PATHS(symlink, symlink(from.text, to.text))

static FUNCTION(fchmod) { return result_of(ctx, fchmod(INTEGER(argv[0]), (mode_t)INTEGER(argv[1]))); }
static FUNCTION(fchown) { return result_of(ctx, fchown(INTEGER(argv[0]), (uid_t)INTEGER(argv[1]), (gid_t)INTEGER(argv[2]))); }
static FUNCTION(ftruncate) { return result_of(ctx, ftruncate(INTEGER(argv[0]), integer_of(ctx, argv[1]))); }
static FUNCTION(fsync) { return result_of(ctx, fsync(INTEGER(argv[0]))); }

static FUNCTION(mkdtemp)
{
    PATH(path, argv[0])
    if (strlen(path.text) + 7 > sizeof path.text) {
        return failed(ctx, ENAMETOOLONG);
    }
    strcat(path.text, "XXXXXX");
    /* Not mkdtemp(3), which wasi-libc lacks. */
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char *end = path.text + strlen(path.text) - 6;
    for (int tries = 0; tries < 100; tries++) {
        uint8_t random[6];
        if (getentropy(random, sizeof random) != 0) {
            return failed(ctx, errno);
        }
        for (int i = 0; i < 6; i++) {
            end[i] = letters[random[i] % (sizeof letters - 1)];
        }
        if (mkdir(path.text, 0700) == 0) {
            return name_of(ctx, path.text, strlen(path.text));
        }
        if (errno != EEXIST) {
            return failed(ctx, errno);
        }
    }
    return failed(ctx, EEXIST);
}

static FUNCTION(readlink)
{
    PATH(path, argv[0])
    char target[PATH_MAX];
    ssize_t length = readlink(path.text, target, sizeof target);
    return length < 0 ? failed(ctx, errno) : name_of(ctx, target, (size_t)length);
}

static FUNCTION(realpath)
{
    PATH(path, argv[0])
    char target[PATH_MAX];
    return realpath(path.text, target) == NULL ? failed(ctx, errno) : name_of(ctx, target, strlen(target));
}

static FUNCTION(cwd)
{
    char path[PATH_MAX];
    return getcwd(path, sizeof path) == NULL ? failed(ctx, errno) : name_of(ctx, path, strlen(path));
}

static struct timespec time_of(double seconds)
{
    double whole = floor(seconds);
    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)round((seconds - whole) * 1e6) * 1000};
}

/* path, time of access, time of change, whether a link itself is meant. */
static FUNCTION(utimes)
{
    PATH(path, argv[0])
    struct timespec times[2] = {time_of(number_of(ctx, argv[1])), time_of(number_of(ctx, argv[2]))};
    return result_of(ctx, utimensat(AT_FDCWD, path.text, times, JS_ToBool(ctx, argv[3]) ? AT_SYMLINK_NOFOLLOW : 0));
}

static FUNCTION(futimes)
{
    struct timespec times[2] = {time_of(number_of(ctx, argv[1])), time_of(number_of(ctx, argv[2]))};
    return result_of(ctx, futimens(INTEGER(argv[0]), times));
}

/* from, to, flags (1: not over another file): copies content and mode. */
static FUNCTION(copyFile)
{
    PATH(from, argv[0])
    PATH(to, argv[1])
    struct stat info, other;
    int source = open(from.text, O_RDONLY | O_CLOEXEC);
    if (source < 0 || fstat(source, &info) != 0) {
        int error = errno;
        if (source >= 0) {
            close(source);
        }
        return failed(ctx, error);
    }
    if (S_ISDIR(info.st_mode)) {
        close(source);
        return failed(ctx, EISDIR);
    }
    bool is_same = stat(to.text, &other) == 0 && other.st_ino == info.st_ino && other.st_dev == info.st_dev;
    int target = open(to.text, O_WRONLY | O_CREAT | O_CLOEXEC | (INTEGER(argv[2]) & 1 ? O_EXCL : 0), info.st_mode & 07777);
    int error = target < 0 ? errno : 0;
    if (error == 0 && !is_same) {
        size_t room = 1 << 18;
        uint8_t *piece = malloc(room);
        ssize_t count = 0;
        error = piece == NULL ? ENOMEM : ftruncate(target, 0) != 0 ? errno : 0;
        while (error == 0 && (count = read(source, piece, room)) > 0) {
            for (ssize_t done = 0; error == 0 && done < count;) {
                ssize_t written = write(target, piece + done, (size_t)(count - done));
                error = written < 0 ? errno : 0;
                done += written;
            }
        }
        error = count < 0 ? errno : error;
        fchmod(target, info.st_mode & 07777);
        free(piece);
    }
    close(source);
    if (target >= 0) {
        close(target);
    }
    return failed(ctx, error);
}

/* What a descriptor is: the names of util.guessHandleType. */
static FUNCTION(descriptorKind)
{
    struct stat info;
    int fd = INTEGER(argv[0]);
    const char *kind = "INVALID";
    if (fstat(fd, &info) == 0) {
        kind = isatty(fd)                                        ? "TTY"
               : S_ISREG(info.st_mode) || S_ISCHR(info.st_mode) ? "FILE"
               : S_ISFIFO(info.st_mode)                          ? "PIPE"
               : S_ISSOCK(info.st_mode)                          ? socket_kind(fd)
                                                                  : "UNKNOWN";
    }
    return JS_NewString(ctx, kind);
}

const struct native file_natives[] = {
    NATIVE(open), NATIVE(close), NATIVE(read), NATIVE(write), NATIVE(readText), NATIVE(stat), NATIVE(lstat), NATIVE(fstat),
    NATIVE(statfs), NATIVE(kind), NATIVE(readDirectory), NATIVE(mkdir), NATIVE(rmdir), NATIVE(unlink), NATIVE(access), NATIVE(chmod),
    NATIVE(chown), NATIVE(lchown), NATIVE(chdir), NATIVE(rename), NATIVE(link), NATIVE(symlink), NATIVE(fchmod), NATIVE(fchown),
    NATIVE(ftruncate), NATIVE(fsync), NATIVE(mkdtemp), NATIVE(readlink), NATIVE(realpath), NATIVE(cwd), NATIVE(utimes),
    NATIVE(futimes), NATIVE(copyFile), NATIVE(descriptorKind), {0},
};
