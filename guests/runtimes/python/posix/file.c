/* Files by path: as Linux does it, relative to the kernel's working directory, with modes and owners. This takes the place of
   wasi-libc's posix.o and at_fdcwd.o, which keep a working directory of their own. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>
#include <wasi/api.h>

#include "codepod.h"

enum { FOLLOW = 1, HELD = 1024 };

/* One bit for each descriptor that a program may inherit. */
static unsigned char inherited[HELD / 8];

int codepod_is_inherited(int fd)
{
    return fd >= 0 && fd < HELD && inherited[fd / 8] >> fd % 8 & 1;
}

void codepod_set_inherited(int fd, int yes)
{
    if (fd >= 0 && fd < HELD) {
        inherited[fd / 8] = (unsigned char)(yes ? inherited[fd / 8] | 1 << fd % 8 : inherited[fd / 8] & ~(1 << fd % 8));
    }
}

static int base(int fd)
{
    return fd == AT_FDCWD ? CODEPOD_CWD_FD : fd;
}

static uint32_t follow(int flags)
{
    return flags & AT_SYMLINK_NOFOLLOW ? 0 : FOLLOW;
}

/* Opening. */

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
    uint64_t rights = ~(__WASI_RIGHTS_FD_DATASYNC | __WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_WRITE | __WASI_RIGHTS_FD_ALLOCATE |
                        __WASI_RIGHTS_FD_READDIR | __WASI_RIGHTS_FD_FILESTAT_SET_SIZE) &
                      ((1ull << 30) - 1);
    int fd;
    switch (flags & O_ACCMODE) {
    case O_RDONLY: rights |= __WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_READDIR; break;
    case O_WRONLY:
        rights |= __WASI_RIGHTS_FD_WRITE | __WASI_RIGHTS_FD_DATASYNC | __WASI_RIGHTS_FD_ALLOCATE | __WASI_RIGHTS_FD_FILESTAT_SET_SIZE;
        break;
    case O_RDWR: rights = (1ull << 30) - 1; break;
    default: errno = EINVAL; return -1;
    }
    uint32_t error = codepod_path_open_mode(base(directory), flags & O_NOFOLLOW ? 0 : FOLLOW, path, strlen(path), flags >> 12 & 0xfff & 15,
                                            rights, flags & 0xfff, mode & 07777, &fd);
    if (codepod_result(error) != 0) {
        return -1;
    }
    codepod_set_inherited(fd, 0);
    return fd;
}

int __wasilibc_open_nomode(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags, 0666);
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0666;
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
    mode_t mode = 0666;
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    return open_at(directory, path, flags, mode);
}

DIR *opendirat(int directory, const char *path)
{
    int fd = open_at(directory, path, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) {
        return NULL;
    }
    DIR *opened = fdopendir(fd);
    if (opened == NULL) {
        close(fd);
    }
    return opened;
}

DIR *opendir(const char *path)
{
    return opendirat(AT_FDCWD, path);
}

/* What is known of a file. */

static struct timespec time_of(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
}

static int fill(uint32_t error, const struct codepod_stat *from, struct stat *to)
{
    if (codepod_result(error) != 0) {
        return -1;
    }
    *to = (struct stat){
        .st_dev = from->dev,
        .st_ino = from->ino,
        .st_nlink = from->nlink,
        .st_mode = from->mode,
        .st_uid = from->uid,
        .st_gid = from->gid,
        .st_rdev = from->rdev,
        .st_size = (off_t)from->size,
        .st_blksize = 4096,
        .st_blocks = (blkcnt_t)from->blocks,
        .st_atim = time_of(from->atime),
        .st_mtim = time_of(from->mtime),
        .st_ctim = time_of(from->ctime),
    };
    return 0;
}

int fstatat(int directory, const char *restrict path, struct stat *restrict result, int flags)
{
    struct codepod_stat stat;
    return fill(codepod_path_stat(base(directory), follow(flags), path, strlen(path), &stat), &stat, result);
}

int stat(const char *restrict path, struct stat *restrict result)
{
    return fstatat(AT_FDCWD, path, result, 0);
}

int lstat(const char *restrict path, struct stat *restrict result)
{
    return fstatat(AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW);
}

int __wasilibc_stat(const char *restrict path, struct stat *restrict result, int flags)
{
    return fstatat(AT_FDCWD, path, result, flags);
}

int fstat(int fd, struct stat *result)
{
    struct codepod_stat stat;
    return fill(codepod_fd_stat(fd, &stat), &stat, result);
}

int faccessat(int directory, const char *path, int mode, int flags)
{
    /* wasi-libc's R_OK, W_OK and X_OK are the kernel's bits. */
    uint32_t wanted = (mode & R_OK ? 4u : 0u) | (mode & W_OK ? 2u : 0u) | (mode & X_OK ? 1u : 0u);
    return codepod_result(codepod_path_access(base(directory), follow(flags), path, strlen(path), wanted));
}

int access(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, 0);
}

int __wasilibc_access(const char *path, int mode, int flags)
{
    return faccessat(AT_FDCWD, path, mode, flags);
}

static int no_file_system(struct statvfs *result)
{
    (void)result;
    errno = ENOSYS;
    return -1;
}

int statvfs(const char *restrict path, struct statvfs *restrict result)
{
    (void)path;
    return no_file_system(result);
}

int fstatvfs(int fd, struct statvfs *result)
{
    (void)fd;
    return no_file_system(result);
}

/* Modes, owners and times. */

int fchmodat(int directory, const char *path, mode_t mode, int flags)
{
    return codepod_result(codepod_path_mode_set(base(directory), follow(flags), path, strlen(path), mode & 07777));
}

int chmod(const char *path, mode_t mode)
{
    return fchmodat(AT_FDCWD, path, mode, 0);
}

int fchmod(int fd, mode_t mode)
{
    return codepod_result(codepod_fd_mode_set(fd, mode & 07777));
}

mode_t umask(mode_t mask)
{
    uint32_t old = 022;
    codepod_proc_umask(mask & 0777, &old);
    return old;
}

int fchownat(int directory, const char *path, uid_t uid, gid_t gid, int flags)
{
    return codepod_result(codepod_path_owner_set(base(directory), follow(flags), path, strlen(path), uid, gid));
}

int chown(const char *path, uid_t uid, gid_t gid)
{
    return fchownat(AT_FDCWD, path, uid, gid, 0);
}

int lchown(const char *path, uid_t uid, gid_t gid)
{
    return fchownat(AT_FDCWD, path, uid, gid, AT_SYMLINK_NOFOLLOW);
}

int fchown(int fd, uid_t uid, gid_t gid)
{
    return codepod_result(codepod_fd_owner_set(fd, uid, gid));
}

/* The kernel's times for a pair of timespecs. */
static int times_of(const struct timespec times[2], uint64_t *access, uint64_t *change, __wasi_fstflags_t *flags)
{
    static const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    const struct timespec *given = times != NULL ? times : now;
    uint64_t *into[2] = {access, change};
    const __wasi_fstflags_t set[2] = {__WASI_FSTFLAGS_ATIM, __WASI_FSTFLAGS_MTIM};
    const __wasi_fstflags_t set_now[2] = {__WASI_FSTFLAGS_ATIM_NOW, __WASI_FSTFLAGS_MTIM_NOW};
    *flags = 0;
    for (int i = 0; i < 2; i++) {
        *into[i] = 0;
        if (given[i].tv_nsec == UTIME_NOW) {
            *flags |= set_now[i];
        }
        else if (given[i].tv_nsec != UTIME_OMIT) {
            if (given[i].tv_nsec < 0 || given[i].tv_nsec > 999999999 || given[i].tv_sec < 0) {
                errno = EINVAL;
                return -1;
            }
            *flags |= set[i];
            *into[i] = (uint64_t)given[i].tv_sec * 1000000000 + (uint64_t)given[i].tv_nsec;
        }
    }
    return 0;
}

int utimensat(int directory, const char *path, const struct timespec times[2], int flags)
{
    uint64_t access, change;
    __wasi_fstflags_t which;
    if (times_of(times, &access, &change, &which) != 0) {
        return -1;
    }
    return codepod_result(__wasi_path_filestat_set_times(base(directory), follow(flags), path, access, change, which));
}

int __wasilibc_utimens(const char *path, const struct timespec times[2], int flags)
{
    return utimensat(AT_FDCWD, path, times, flags);
}

int futimens(int fd, const struct timespec times[2])
{
    uint64_t access, change;
    __wasi_fstflags_t which;
    if (times_of(times, &access, &change, &which) != 0) {
        return -1;
    }
    return codepod_result(__wasi_fd_filestat_set_times(fd, access, change, which));
}

int utimes(const char *path, const struct timeval times[2])
{
    struct timespec exact[2];
    for (int i = 0; times != NULL && i < 2; i++) {
        exact[i] = (struct timespec){.tv_sec = times[i].tv_sec, .tv_nsec = times[i].tv_usec * 1000};
    }
    return utimensat(AT_FDCWD, path, times != NULL ? exact : NULL, 0);
}

int utime(const char *path, const struct utimbuf *times)
{
    struct timespec exact[2];
    if (times != NULL) {
        exact[0] = (struct timespec){.tv_sec = times->actime};
        exact[1] = (struct timespec){.tv_sec = times->modtime};
    }
    return utimensat(AT_FDCWD, path, times != NULL ? exact : NULL, 0);
}

/* Names. */

int mkdirat(int directory, const char *path, mode_t mode)
{
    if (codepod_result(__wasi_path_create_directory(base(directory), path)) != 0) {
        return -1;
    }
    mode_t mask = umask(0);
    umask(mask);
    /* A directory is made with the bits that nearly all have; others are set behind it. */
    return (mode & 07777) == 0777 ? 0 : fchmodat(directory, path, mode & 07777 & ~mask, 0);
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int mkfifoat(int directory, const char *path, mode_t mode)
{
    return codepod_result(codepod_path_mkfifo(base(directory), path, strlen(path), mode & 07777));
}

int mkfifo(const char *path, mode_t mode)
{
    return mkfifoat(AT_FDCWD, path, mode);
}

int __wasilibc_unlinkat(int directory, const char *path)
{
    return codepod_result(__wasi_path_unlink_file(base(directory), path));
}

int __wasilibc_rmdirat(int directory, const char *path)
{
    return codepod_result(__wasi_path_remove_directory(base(directory), path));
}

int unlinkat(int directory, const char *path, int flags)
{
    return flags & AT_REMOVEDIR ? __wasilibc_rmdirat(directory, path) : __wasilibc_unlinkat(directory, path);
}

int unlink(const char *path)
{
    return __wasilibc_unlinkat(AT_FDCWD, path);
}

int rmdir(const char *path)
{
    return __wasilibc_rmdirat(AT_FDCWD, path);
}

int remove(const char *path)
{
    if (unlink(path) == 0) {
        return 0;
    }
    return errno == EISDIR ? rmdir(path) : -1;
}

int renameat(int directory, const char *path, int new_directory, const char *new_path)
{
    return codepod_result(__wasi_path_rename(base(directory), path, base(new_directory), new_path));
}

int rename(const char *path, const char *new_path)
{
    return renameat(AT_FDCWD, path, AT_FDCWD, new_path);
}

int linkat(int directory, const char *path, int new_directory, const char *new_path, int flags)
{
    uint32_t which = flags & AT_SYMLINK_FOLLOW ? FOLLOW : 0;
    return codepod_result(__wasi_path_link(base(directory), which, path, base(new_directory), new_path));
}

int link(const char *path, const char *new_path)
{
    return linkat(AT_FDCWD, path, AT_FDCWD, new_path, 0);
}

int symlinkat(const char *target, int directory, const char *path)
{
    return codepod_result(__wasi_path_symlink(target, base(directory), path));
}

int symlink(const char *target, const char *path)
{
    return symlinkat(target, AT_FDCWD, path);
}

ssize_t readlinkat(int directory, const char *restrict path, char *restrict buffer, size_t size)
{
    __wasi_size_t used;
    if (codepod_result(__wasi_path_readlink(base(directory), path, (uint8_t *)buffer, size, &used)) != 0) {
        return -1;
    }
    return (ssize_t)used;
}

ssize_t readlink(const char *restrict path, char *restrict buffer, size_t size)
{
    return readlinkat(AT_FDCWD, path, buffer, size);
}

/* The working directory. */

int chdir(const char *path)
{
    return codepod_result(codepod_proc_chdir(CODEPOD_CWD_FD, path, strlen(path)));
}

int fchdir(int fd)
{
    return codepod_result(codepod_proc_chdir(fd, ".", 1));
}

char *getcwd(char *buffer, size_t size)
{
    char path[PATH_MAX];
    uint32_t used;
    if (codepod_result(codepod_proc_cwd(path, sizeof path - 1, &used)) != 0) {
        return NULL;
    }
    path[used] = '\0';
    if (buffer == NULL) {
        return strdup(path);
    }
    if (used >= size) {
        errno = ERANGE;
        return NULL;
    }
    return memcpy(buffer, path, used + 1);
}

/* Descriptors. */

int pipe2(int ends[2], int flags)
{
    if (codepod_result(codepod_fd_pipe(&ends[0], &ends[1])) != 0) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        codepod_set_inherited(ends[i], !(flags & O_CLOEXEC));
        if (flags & O_NONBLOCK) {
            fcntl(ends[i], F_SETFL, O_NONBLOCK);
        }
    }
    return 0;
}

int pipe(int ends[2])
{
    return pipe2(ends, 0);
}

static int dup_from(int fd, int least, int inherit)
{
    int fresh;
    if (codepod_result(codepod_fd_dup(fd, (uint32_t)least, &fresh)) != 0) {
        return -1;
    }
    codepod_set_inherited(fresh, inherit);
    return fresh;
}

int dup(int fd)
{
    return dup_from(fd, 0, 1);
}

int dup3(int fd, int to, int flags)
{
    if (fd == to) {
        errno = EINVAL;
        return -1;
    }
    if (codepod_result(codepod_fd_dup_to(fd, to)) != 0) {
        return -1;
    }
    codepod_set_inherited(to, !(flags & O_CLOEXEC));
    return to;
}

int dup2(int fd, int to)
{
    if (fd == to) {
        __wasi_fdstat_t state;
        return codepod_result(__wasi_fd_fdstat_get(fd, &state)) == 0 ? to : -1;
    }
    return dup3(fd, to, 0);
}

/* Locks a whole file, as fcntl.flock() and fcntl.lockf() ask for it: the kernel has locks of open files, and none of their parts. */
static int lock_whole(int fd, const struct flock *wanted, int waits)
{
    uint32_t operation;
    if (wanted->l_whence != SEEK_SET || wanted->l_start != 0 || wanted->l_len != 0) {
        errno = ENOLCK;
        return -1;
    }
    switch (wanted->l_type) {
    case F_RDLCK: operation = 1; break;
    case F_WRLCK: operation = 2; break;
    case F_UNLCK: operation = 8; break;
    default: errno = EINVAL; return -1;
    }
    return codepod_result(codepod_fd_lock(fd, operation | (waits ? 0 : 4)));
}

int fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    int argument = va_arg(list, int);
    va_end(list);
    __wasi_fdstat_t state;
    switch (command) {
    case F_DUPFD: return dup_from(fd, argument, 1);
    case F_DUPFD_CLOEXEC: return dup_from(fd, argument, 0);
    }
    if (codepod_result(__wasi_fd_fdstat_get(fd, &state)) != 0) {
        return -1;
    }
    switch (command) {
    case F_GETFD: return fd < 3 || codepod_is_inherited(fd) ? 0 : FD_CLOEXEC;
    case F_SETFD: codepod_set_inherited(fd, !(argument & FD_CLOEXEC)); return 0;
    case F_GETFL: {
        int flags = state.fs_flags;
        int reads = (state.fs_rights_base & (__WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_READDIR)) != 0;
        int writes = (state.fs_rights_base & __WASI_RIGHTS_FD_WRITE) != 0;
        return flags | (reads ? O_RDONLY : 0) | (writes ? O_WRONLY : 0);
    }
    case F_SETFL: return codepod_result(__wasi_fd_fdstat_set_flags(fd, (__wasi_fdflags_t)(argument & 0xfff)));
    case F_GETLK: errno = ENOLCK; return -1;
    case F_SETLK:
    case F_SETLKW: return lock_whole(fd, (const struct flock *)(uintptr_t)argument, command == F_SETLKW);
    default: errno = EINVAL; return -1;
    }
}

void sync(void)
{
}
