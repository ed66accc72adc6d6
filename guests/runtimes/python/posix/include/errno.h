/* Errors have Linux's numbers: programs print them (`[Errno 2]`), and know them by heart. wasi-libc has WASI's; what it leaves in its
   own `errno` is taken over when a program looks. `errno.c` has both numbers of each. */
#ifndef CODEPOD_ERRNO_H
#define CODEPOD_ERRNO_H

#include_next <errno.h>

#undef errno
#ifdef __cplusplus
extern "C" {
#endif
int *codepod_errno(void);
#ifdef __cplusplus
}
#endif
#define errno (*codepod_errno())

#undef EPERM
#define EPERM 1
#undef ENOENT
#define ENOENT 2
#undef ESRCH
#define ESRCH 3
#undef EINTR
#define EINTR 4
#undef EIO
#define EIO 5
#undef ENXIO
#define ENXIO 6
#undef E2BIG
#define E2BIG 7
#undef ENOEXEC
#define ENOEXEC 8
#undef EBADF
#define EBADF 9
#undef ECHILD
#define ECHILD 10
#undef EAGAIN
#define EAGAIN 11
#undef ENOMEM
#define ENOMEM 12
#undef EACCES
#define EACCES 13
#undef EFAULT
#define EFAULT 14
#undef EBUSY
#define EBUSY 16
#undef EEXIST
#define EEXIST 17
#undef EXDEV
#define EXDEV 18
#undef ENODEV
#define ENODEV 19
#undef ENOTDIR
#define ENOTDIR 20
#undef EISDIR
#define EISDIR 21
#undef EINVAL
#define EINVAL 22
#undef ENFILE
#define ENFILE 23
#undef EMFILE
#define EMFILE 24
#undef ENOTTY
#define ENOTTY 25
#undef ETXTBSY
#define ETXTBSY 26
#undef EFBIG
#define EFBIG 27
#undef ENOSPC
#define ENOSPC 28
#undef ESPIPE
#define ESPIPE 29
#undef EROFS
#define EROFS 30
#undef EMLINK
#define EMLINK 31
#undef EPIPE
#define EPIPE 32
#undef EDOM
#define EDOM 33
#undef ERANGE
#define ERANGE 34
#undef EDEADLK
#define EDEADLK 35
#undef ENAMETOOLONG
#define ENAMETOOLONG 36
#undef ENOLCK
#define ENOLCK 37
#undef ENOSYS
#define ENOSYS 38
#undef ENOTEMPTY
#define ENOTEMPTY 39
#undef ELOOP
#define ELOOP 40
#undef ENOMSG
#define ENOMSG 42
#undef EIDRM
#define EIDRM 43
#undef ENOLINK
#define ENOLINK 67
#undef EPROTO
#define EPROTO 71
#undef EMULTIHOP
#define EMULTIHOP 72
#undef EBADMSG
#define EBADMSG 74
#undef EOVERFLOW
#define EOVERFLOW 75
#undef EILSEQ
#define EILSEQ 84
#undef ENOTSOCK
#define ENOTSOCK 88
#undef EDESTADDRREQ
#define EDESTADDRREQ 89
#undef EMSGSIZE
#define EMSGSIZE 90
#undef EPROTOTYPE
#define EPROTOTYPE 91
#undef ENOPROTOOPT
#define ENOPROTOOPT 92
#undef EPROTONOSUPPORT
#define EPROTONOSUPPORT 93
#undef ENOTSUP
#define ENOTSUP 95
#undef EAFNOSUPPORT
#define EAFNOSUPPORT 97
#undef EADDRINUSE
#define EADDRINUSE 98
#undef EADDRNOTAVAIL
#define EADDRNOTAVAIL 99
#undef ENETDOWN
#define ENETDOWN 100
#undef ENETUNREACH
#define ENETUNREACH 101
#undef ENETRESET
#define ENETRESET 102
#undef ECONNABORTED
#define ECONNABORTED 103
#undef ECONNRESET
#define ECONNRESET 104
#undef ENOBUFS
#define ENOBUFS 105
#undef EISCONN
#define EISCONN 106
#undef ENOTCONN
#define ENOTCONN 107
#undef ETIMEDOUT
#define ETIMEDOUT 110
#undef ECONNREFUSED
#define ECONNREFUSED 111
#undef EHOSTUNREACH
#define EHOSTUNREACH 113
#undef EALREADY
#define EALREADY 114
#undef EINPROGRESS
#define EINPROGRESS 115
#undef ESTALE
#define ESTALE 116
#undef EDQUOT
#define EDQUOT 122
#undef ECANCELED
#define ECANCELED 125
#undef EOWNERDEAD
#define EOWNERDEAD 130
#undef ENOTRECOVERABLE
#define ENOTRECOVERABLE 131
#undef EWOULDBLOCK
#define EWOULDBLOCK EAGAIN
#undef EOPNOTSUPP
#define EOPNOTSUPP ENOTSUP

/* Those that WASI has no number for. */
#define ENOTBLK 15
#define ECHRNG 44
#define ENOSTR 60
#define ENODATA 61
#define ETIME 62
#define ENOSR 63
#define EREMOTE 66
#define EUSERS 87
#define ESOCKTNOSUPPORT 94
#define EPFNOSUPPORT 96
#define ESHUTDOWN 108
#define ETOOMANYREFS 109
#define EHOSTDOWN 112
#define ENOMEDIUM 123
#define ENOKEY 126
#define EKEYEXPIRED 127

#endif
