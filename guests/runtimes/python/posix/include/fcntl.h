#ifndef CODEPOD_FCNTL_H
#define CODEPOD_FCNTL_H

#include_next <fcntl.h>

/* wasi-libc has none, since nothing is started there: a bit that no other flag has. */
#undef O_CLOEXEC
#define O_CLOEXEC 0x20000000

#define F_DUPFD 0
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#define F_DUPFD_CLOEXEC 1030
#ifndef F_RDLCK
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#endif

#endif
