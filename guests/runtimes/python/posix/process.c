/* Processes: started whole, since a program in WebAssembly cannot be split in two by fork(2). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codepod.h"

extern char **environ;

enum { PID, PARENT, GROUP, SESSION, UID, GID, IDS };

static uint32_t own_id(int which)
{
    uint32_t ids[IDS] = {0};
    codepod_proc_ids(ids);
    return ids[which];
}

pid_t getpid(void) { return (pid_t)own_id(PID); }
pid_t getppid(void) { return (pid_t)own_id(PARENT); }
pid_t getpgrp(void) { return (pid_t)own_id(GROUP); }
uid_t getuid(void) { return own_id(UID); }
uid_t geteuid(void) { return own_id(UID); }
gid_t getgid(void) { return own_id(GID); }
gid_t getegid(void) { return own_id(GID); }

/* Of others the kernel does not tell. */
static pid_t own_or_unknown(pid_t pid, int which)
{
    if (pid == 0 || pid == getpid()) {
        return (pid_t)own_id(which);
    }
    errno = EPERM;
    return -1;
}

pid_t getpgid(pid_t pid) { return own_or_unknown(pid, GROUP); }
pid_t getsid(pid_t pid) { return own_or_unknown(pid, SESSION); }

pid_t setsid(void)
{
    errno = EPERM;
    return -1;
}

int setpgid(pid_t pid, pid_t group)
{
    return codepod_result(codepod_proc_group_set((uint32_t)pid, (uint32_t)group));
}

int getgroups(int count, gid_t *groups)
{
    if (count > 0) {
        groups[0] = getgid();
    }
    return 1;
}

/* Starting. */

char *codepod_joined(char *const list[], size_t *length)
{
    *length = 0;
    for (size_t i = 0; list[i] != NULL; i++) {
        *length += strlen(list[i]) + 1;
    }
    char *all = malloc(*length + 1);
    if (all == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    char *end = all;
    for (size_t i = 0; list[i] != NULL; i++) {
        size_t size = strlen(list[i]) + 1;
        memcpy(end, list[i], size);
        end += size;
    }
    return all;
}

int codepod_spawn(const char *path, char *const argv[], char *const envp[])
{
    uint32_t fds[2 * 1024];
    uint32_t count = 0;
    for (uint32_t fd = 0; fd < 1024; fd++) {
        if ((fd < 3 && fcntl((int)fd, F_GETFL) != -1) || (fd >= 3 && codepod_is_inherited((int)fd) && fcntl((int)fd, F_GETFL) != -1)) {
            fds[2 * count] = fds[2 * count + 1] = fd;
            count++;
        }
    }
    size_t argv_length, env_length;
    char *arguments = codepod_joined(argv, &argv_length);
    char *variables = codepod_joined(envp, &env_length);
    int result = -1;
    if (arguments != NULL && variables != NULL) {
        struct codepod_spawn_request request = {
            .path = path,
            .path_len = strlen(path),
            .argv = arguments,
            .argv_len = argv_length,
            .env = variables,
            .env_len = env_length,
            .fds = fds,
            .fds_len = count,
            .group = CODEPOD_GROUP_INHERIT,
        };
        uint32_t pid;
        if (codepod_result(codepod_proc_spawn(&request, &pid)) == 0) {
            result = (int)pid;
        }
    }
    free(arguments);
    free(variables);
    return result;
}

/* A program that takes this one's place: it is started, waited for, and ends this one with its own end. Its number is another. */
int execve(const char *path, char *const argv[], char *const envp[])
{
    fflush(NULL);
    int pid = codepod_spawn(path, argv, envp);
    if (pid < 0) {
        return -1;
    }
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            _Exit(127);
        }
    }
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        kill(getpid(), WTERMSIG(status));
        _Exit(128 + WTERMSIG(status));
    }
    _Exit(WEXITSTATUS(status));
}

int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

int system(const char *command)
{
    if (command == NULL) {
        return 1;
    }
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN);
    void (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    int pid = codepod_spawn("/bin/sh", (char *[]){"sh", "-c", (char *)command, NULL}, environ);
    int status = -1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            status = -1;
            break;
        }
    }
    signal(SIGINT, interrupt);
    signal(SIGQUIT, quit);
    return status;
}

/* Waiting. */

pid_t waitpid(pid_t pid, int *status, int options)
{
    struct codepod_wait_result result;
    uint32_t flags = (options & WNOHANG ? 1u : 0u) | (options & WUNTRACED ? 2u : 0u) | (options & WCONTINUED ? 4u : 0u);
    if (codepod_result(codepod_proc_wait(pid, flags, &result)) != 0) {
        return -1;
    }
    if (result.pid != 0 && status != NULL) {
        switch (result.kind) {
        case CODEPOD_WAIT_EXITED: *status = (int)(result.code & 0xff) << 8; break;
        case CODEPOD_WAIT_SIGNALED: *status = (int)(result.code & 0x7f); break;
        case CODEPOD_WAIT_STOPPED: *status = (int)(result.code & 0xff) << 8 | 0x7f; break;
        default: *status = 0xffff;
        }
    }
    return (pid_t)result.pid;
}

pid_t wait(int *status)
{
    return waitpid(-1, status, 0);
}

int nice(int change)
{
    if (change == 0) {
        return 0;
    }
    errno = EPERM;
    return -1;
}
