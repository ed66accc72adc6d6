#ifndef CODEPOD_SYS_SOCKET_H
#define CODEPOD_SYS_SOCKET_H

#include_next <sys/socket.h>

int socketpair(int, int, int, int[2]);

#endif
