/* Child processes: pipes, starting a program, and its end. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine.h"
#ifdef __wasi__
#include "codepod.h"
#else
#include <signal.h>
#endif

enum { MOST_DESCRIPTORS = 64 };

/* Strings of an array as a list that ends with NULL; freed with free_list. */
static char **list_of(JSContext *ctx, JSValueConst array)
{
    int64_t count = 0;
    if (JS_GetLength(ctx, array, &count) < 0 || count > 1 << 20) {
        return NULL;
    }
    char **list = calloc((size_t)count + 1, sizeof *list);
    for (int64_t i = 0; list != NULL && i < count; i++) {
        JSValue value = JS_GetPropertyUint32(ctx, array, (uint32_t)i);
        const char *text = JS_ToCString(ctx, value);
        list[i] = strdup(text != NULL ? text : "");
        JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, value);
    }
    return list;
}

static void free_list(char **list)
{
    for (char **each = list; each != NULL && *each != NULL; each++) {
        free(*each);
    }
    free(list);
}

/* [end to read, end to write] */
static FUNCTION(pipe)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return failed(ctx, errno);
    }
    JSValue list = JS_NewArray(ctx);
    for (uint32_t i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        put_entry(ctx, list, i, JS_NewInt32(ctx, ends[i]));
    }
    return list;
}

/* Two ends, each to read and to write. */
static FUNCTION(socketPair)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return failed(ctx, errno);
    }
    JSValue list = JS_NewArray(ctx);
    for (uint32_t i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        put_entry(ctx, list, i, JS_NewInt32(ctx, ends[i]));
    }
    return list;
}

/* What a child is started with. */
struct child {
    const char *path;
    char **arguments, **environment;
    const char *directory; /* or NULL */
    int descriptors[MOST_DESCRIPTORS]; /* what the child has as 0, 1, …; -1: nothing */
    int descriptor_count;
    bool own_group;
};

#ifdef __wasi__

/* The pid, or -1 with `errno`. */
static int start(const struct child *child)
{
    uint32_t pairs[2 * MOST_DESCRIPTORS], count = 0, pid = 0;
    size_t arguments_length, environment_length;
    struct stat directory;
    if (child->directory != NULL && stat(child->directory, &directory) != 0) {
        return -1;
    }
    for (int i = 0; i < child->descriptor_count; i++) {
        if (child->descriptors[i] >= 0) {
            pairs[2 * count] = (uint32_t)child->descriptors[i];
            pairs[2 * count++ + 1] = (uint32_t)i;
        }
    }
    char *arguments = codepod_joined(child->arguments, &arguments_length);
    char *environment = codepod_joined(child->environment, &environment_length);
    struct codepod_spawn_request request = {
        .path = child->path,
        .path_len = strlen(child->path),
        .argv = arguments,
        .argv_len = arguments_length,
        .env = environment,
        .env_len = environment_length,
        .fds = pairs,
        .fds_len = count,
        .cwd = child->directory,
        .cwd_len = child->directory != NULL ? strlen(child->directory) : 0,
        .group = child->own_group ? CODEPOD_GROUP_NEW : CODEPOD_GROUP_INHERIT,
    };
    int result = -1;
    if (arguments == NULL || environment == NULL) {
        errno = ENOMEM;
    }
    else if (codepod_result(codepod_proc_spawn(&request, &pid)) == 0) {
        result = (int)pid;
    }
    int error = errno;
    free(arguments);
    free(environment);
    errno = error;
    return result;
}

#else

/* In the child: what it is to have open, and where it is. Does not return. */
static void become(const struct child *child, int report)
{
    int high[MOST_DESCRIPTORS];
    setpgid(0, child->own_group ? 0 : getpgrp());
    for (int i = 0; i < child->descriptor_count; i++) {
        high[i] = child->descriptors[i] < 0 ? -1 : fcntl(child->descriptors[i], F_DUPFD_CLOEXEC, 100);
    }
    for (int i = 0; i < child->descriptor_count; i++) {
        if (high[i] >= 0) {
            dup2(high[i], i);
        }
        else {
            close(i);
        }
    }
    for (int number = 1; number < 32; number++) {
        signal(number, SIG_DFL);
    }
    if (child->directory == NULL || chdir(child->directory) == 0) {
        execve(child->path, child->arguments, child->environment);
    }
    int error = errno;
    (void)!write(report, &error, sizeof error);
    _exit(127);
}

static int start(const struct child *child)
{
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        int high = fcntl(report[1], F_DUPFD_CLOEXEC, 200);
        become(child, high);
    }
    close(report[1]);
    bool has_failed = pid > 0 && read(report[0], &error, sizeof error) == sizeof error;
    close(report[0]);
    if (has_failed) {
        waitpid(pid, NULL, 0);
        errno = error;
        return -1;
    }
    return pid;
}

#endif

/* path, arguments, environment, directory or undefined, descriptors, own group: the pid. */
static FUNCTION(spawn)
{
    struct child child = {.own_group = JS_ToBool(ctx, argv[5]) != 0};
    int64_t count = 0;
    if (JS_GetLength(ctx, argv[4], &count) < 0) {
        return JS_EXCEPTION;
    }
    if (count > MOST_DESCRIPTORS) {
        return failed(ctx, EMFILE);
    }
    for (; child.descriptor_count < count; child.descriptor_count++) {
        JSValue fd = JS_GetPropertyUint32(ctx, argv[4], (uint32_t)child.descriptor_count);
        child.descriptors[child.descriptor_count] = (int)integer_of(ctx, fd);
        JS_FreeValue(ctx, fd);
    }
    child.path = JS_ToCString(ctx, argv[0]);
    child.directory = JS_IsUndefined(argv[3]) ? NULL : JS_ToCString(ctx, argv[3]);
    child.arguments = list_of(ctx, argv[1]);
    child.environment = list_of(ctx, argv[2]);
    JSValue result = JS_EXCEPTION;
    if (child.path != NULL && child.arguments != NULL && child.environment != NULL) {
        result = result_of(ctx, start(&child));
    }
    JS_FreeCString(ctx, child.path);
    JS_FreeCString(ctx, child.directory);
    free_list(child.arguments);
    free_list(child.environment);
    return result;
}

/* pid, whether to wait: [exit status, signal] of a child that has ended, undefined if it runs. */
static FUNCTION(wait)
{
    int status = 0;
    pid_t ended = waitpid((pid_t)integer_of(ctx, argv[0]), &status, JS_ToBool(ctx, argv[1]) ? 0 : WNOHANG);
    if (ended <= 0) {
        return ended == 0 || errno == EINTR ? JS_UNDEFINED : failed(ctx, errno);
    }
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewInt32(ctx, WIFEXITED(status) ? WEXITSTATUS(status) : 0));
    put_entry(ctx, list, 1, JS_NewInt32(ctx, WIFSIGNALED(status) ? WTERMSIG(status) : 0));
    return list;
}

const struct native spawn_natives[] = {NATIVE(pipe), NATIVE(socketPair), NATIVE(spawn), NATIVE(wait), {0}};
