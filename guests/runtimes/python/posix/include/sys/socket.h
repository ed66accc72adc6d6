#ifndef CODEPOD_SYS_SOCKET_H
#define CODEPOD_SYS_SOCKET_H

#include_next <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

int socketpair(int, int, int, int[2]);

#ifdef __cplusplus
}
#endif

#endif
