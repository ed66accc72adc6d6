/* The kernel's calls, and what the files of this library share. */
#ifndef CODEPOD_H
#define CODEPOD_H

#include <stddef.h>
#include <sys/socket.h>

#include "calls.h"

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
void codepod_set_inherited(int fd, int yes);
/* What `strerror` adds to the words of an error number until there is another error: why a connection was refused. */
struct codepod_reason {
    int number;
    char text[512];
};
void codepod_note_reason(int number, const char *text);
/* Linux's form of an address of the kernel, and its family. */
int codepod_address_from_kernel(const void *slot, void *result, socklen_t *room);
/* The name that an address stands for. -1 if it stands for none. */
int codepod_name_of_address(const struct sockaddr *address, socklen_t length, char *name, size_t size);

#endif
