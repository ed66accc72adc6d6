#ifndef CODEPOD_ARPA_INET_H
#define CODEPOD_ARPA_INET_H

#include_next <arpa/inet.h>

/* wasi-libc's know families by its own numbers. */
#define inet_pton codepod_inet_pton
#define inet_ntop codepod_inet_ntop

#ifdef __cplusplus
extern "C" {
#endif

int inet_pton(int, const char *__restrict, void *__restrict);
const char *inet_ntop(int, const void *__restrict, char *__restrict, socklen_t);

#ifdef __cplusplus
}
#endif

#endif
