#ifndef CODEPOD_NETINET_IN_H
#define CODEPOD_NETINET_IN_H

#include_next <netinet/in.h>

#define IPPROTO_ICMPV6 58

#endif
