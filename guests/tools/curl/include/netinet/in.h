/* What wasi-libc leaves out. The kernel has no options of that level, and says so. */
#ifndef CODEPOD_CURL_NETINET_IN_H
#define CODEPOD_CURL_NETINET_IN_H

#include_next <netinet/in.h>

#ifndef SOL_IP
#define SOL_IP 0
#endif

#endif
