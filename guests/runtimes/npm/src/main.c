/* npm and npx: start node with npm's own program, and end as it ends. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codepod.h"

#define NODE "/usr/bin/node"
#define PROGRAMS "/usr/lib/node_modules/npm/bin/"

/* The commands of this module, as `cargo xtask guests` reads them. */
__asm__(".section .custom_section.codepod.commands,\"\",@\n"
        ".ascii \"npm\\tinstall packages of JavaScript, run scripts of a project\\n\"\n"
        ".ascii \"npx\\trun a command of a package of JavaScript\\n\"\n"
        ".text\n");

extern char **environ;

/* The pid, or -1 with `errno`. Standard input, output and errors are ours. */
static int start(char **arguments)
{
    uint32_t descriptors[] = {0, 0, 1, 1, 2, 2}, pid = 0;
    size_t arguments_length, environment_length;
    char *joined = codepod_joined(arguments, &arguments_length);
    char *environment = codepod_joined(environ, &environment_length);
    if (joined == NULL || environment == NULL) {
        errno = ENOMEM;
        return -1;
    }
    struct codepod_spawn_request request = {
        .path = NODE,
        .path_len = strlen(NODE),
        .argv = joined,
        .argv_len = arguments_length,
        .env = environment,
        .env_len = environment_length,
        .fds = descriptors,
        .fds_len = 3,
        .group = CODEPOD_GROUP_INHERIT,
    };
    return codepod_result(codepod_proc_spawn(&request, &pid)) == 0 ? (int)pid : -1;
}

int main(int count, char **given)
{
    const char *name = strrchr(given[0], '/');
    name = name != NULL ? name + 1 : given[0];
    char **arguments = calloc((size_t)count + 2, sizeof *arguments);
    if (arguments == NULL) {
        perror(name);
        return 1;
    }
    arguments[0] = "node";
    arguments[1] = strcmp(name, "npx") == 0 ? PROGRAMS "npx-cli.js" : PROGRAMS "npm-cli.js";
    memcpy(arguments + 2, given + 1, (size_t)count * sizeof *arguments);
    /* The terminal's signals go to the whole group; node decides. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    int pid = start(arguments), status = 0;
    if (pid < 0 && errno == ENOENT) {
        fprintf(stderr, "%s: there is no node: npm needs the part `js`\n", name);
        return 127;
    }
    if (pid < 0) {
        fprintf(stderr, "%s: %s: %s\n", name, NODE, strerror(errno));
        return 126;
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            perror(name);
            return 1;
        }
    }
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}
