/* What wasi-libc leaves out: nothing has urgent data here, so that nobody sets it. */
#ifndef CODEPOD_CURL_POLL_H
#define CODEPOD_CURL_POLL_H

#include_next <poll.h>

#ifndef POLLPRI
#define POLLPRI 0x0100
#endif

#endif
