/* The kernel's calls that WASI has no words for. `codepod-abi` describes them (table.rs, wire.rs). Every call returns a WASI error
   number, 0 for success; a pointer is 32 bits wide. */
#ifndef CODEPOD_H
#define CODEPOD_H

#include <stddef.h>
#include <stdint.h>

#define CODEPOD(name) __attribute__((import_module("codepod"), import_name(#name))) extern

struct codepod_spawn {
    const char *path;
    uint32_t path_len;
    const char *argv; /* strings with a NUL behind each */
    uint32_t argv_len;
    const char *env;
    uint32_t env_len;
    const uint32_t *fds; /* pairs: ours, the child's */
    uint32_t fds_len;
    const char *cwd;
    uint32_t cwd_len;
    uint32_t group;
    uint32_t flags;
};

struct codepod_wait {
    uint32_t pid, kind, code;
};

struct codepod_stat {
    uint64_t dev, ino, nlink, size, blocks, atime, mtime, ctime, rdev;
    uint32_t mode, uid, gid, reserved;
};

struct codepod_terminal {
    uint32_t rows, columns, mode;
};

enum { CODEPOD_CWD = -100, CODEPOD_GROUP_INHERIT = -1, CODEPOD_GROUP_NEW = 0 };
enum { CODEPOD_EXITED, CODEPOD_SIGNALED, CODEPOD_STOPPED, CODEPOD_CONTINUED };
enum { CODEPOD_SHA1 = 1, CODEPOD_SHA256, CODEPOD_HASH_BYTES = 256 << 10 };
enum { CODEPOD_DEFAULT, CODEPOD_IGNORE, CODEPOD_CATCH };

CODEPOD(proc_ids) uint32_t codepod_proc_ids(uint32_t ids[6]);
CODEPOD(proc_cwd) uint32_t codepod_proc_cwd(char *buffer, uint32_t size, uint32_t *used);
CODEPOD(proc_chdir) uint32_t codepod_proc_chdir(int fd, const char *path, uint32_t length);
CODEPOD(proc_umask) uint32_t codepod_proc_umask(uint32_t mask, uint32_t *old);
CODEPOD(memory_touched) uint32_t codepod_memory_touched(const void *start, uint8_t *bitmap, uint32_t length);
CODEPOD(hash_blocks) uint32_t codepod_hash_blocks(uint32_t hash, uint32_t *state, const uint8_t *blocks, uint32_t length);
CODEPOD(proc_spawn) uint32_t codepod_proc_spawn(const struct codepod_spawn *request, uint32_t *pid);
CODEPOD(proc_wait) uint32_t codepod_proc_wait(int32_t pid, uint32_t flags, struct codepod_wait *result);
CODEPOD(proc_kill) uint32_t codepod_proc_kill(int32_t pid, uint32_t signal);
CODEPOD(proc_group_set) uint32_t codepod_proc_group_set(uint32_t pid, uint32_t group);
CODEPOD(proc_alarm) uint32_t codepod_proc_alarm(uint64_t after, uint64_t *left);
CODEPOD(signal_action) uint32_t codepod_signal_action(uint32_t signal, uint32_t action, uint32_t *old);
CODEPOD(signal_take) uint32_t codepod_signal_take(uint64_t mask, uint64_t *taken);
CODEPOD(fd_pipe) uint32_t codepod_fd_pipe(int *read, int *write);
CODEPOD(fd_dup) uint32_t codepod_fd_dup(int fd, uint32_t least, int *fresh);
CODEPOD(fd_dup_to) uint32_t codepod_fd_dup_to(int fd, int to);
CODEPOD(sock_pair) uint32_t codepod_sock_pair(int *first, int *second);
CODEPOD(path_open_mode)
uint32_t codepod_path_open_mode(int fd, uint32_t dirflags, const char *path, uint32_t length, uint32_t oflags, uint64_t rights,
                                uint32_t fdflags, uint32_t mode, int *opened);
CODEPOD(path_stat) uint32_t codepod_path_stat(int fd, uint32_t flags, const char *path, uint32_t length, struct codepod_stat *stat);
CODEPOD(fd_stat) uint32_t codepod_fd_stat(int fd, struct codepod_stat *stat);
CODEPOD(path_mode_set) uint32_t codepod_path_mode_set(int fd, uint32_t flags, const char *path, uint32_t length, uint32_t mode);
CODEPOD(fd_mode_set) uint32_t codepod_fd_mode_set(int fd, uint32_t mode);
CODEPOD(path_owner_set)
uint32_t codepod_path_owner_set(int fd, uint32_t flags, const char *path, uint32_t length, uint32_t uid, uint32_t gid);
CODEPOD(fd_owner_set) uint32_t codepod_fd_owner_set(int fd, uint32_t uid, uint32_t gid);
CODEPOD(path_access) uint32_t codepod_path_access(int fd, uint32_t flags, const char *path, uint32_t length, uint32_t mode);
CODEPOD(path_mkfifo) uint32_t codepod_path_mkfifo(int fd, const char *path, uint32_t length, uint32_t mode);
CODEPOD(tty_get) uint32_t codepod_tty_get(int fd, struct codepod_terminal *state);
CODEPOD(tty_set) uint32_t codepod_tty_set(int fd, const struct codepod_terminal *state);

/* Between the files of this library. */

/* 0, or -1 with `errno` for the WASI number that a call returned. */
int codepod_result(uint32_t number);
/* Linux's number for WASI's. */
int codepod_linux_errno(int number);
/* Runs the handlers of the signals that have arrived. */
void codepod_deliver_signals(void);
/* Starts a program, as the body of execve(2) sees it: nothing is searched for. Descriptors 0, 1, 2 and those that programs may inherit
   go along. Returns the child, or -1. */
int codepod_spawn(const char *path, char *const argv[], char *const envp[]);
/* The strings of a list, one behind another; the caller frees it. */
char *codepod_joined(char *const list[], size_t *length);
/* Whether a program that is started gets this descriptor. */
int codepod_is_inherited(int fd);

#endif
