#ifndef CODEPOD_SYS_UN_H
#define CODEPOD_SYS_UN_H

#include <__typedef_sa_family_t.h>
#include <string.h>

#define __wasilibc___struct_sockaddr_un_h

struct sockaddr_un {
    sa_family_t sun_family;
    char sun_path[108];
};

#define SUN_LEN(address) (offsetof(struct sockaddr_un, sun_path) + strlen((address)->sun_path))

#endif
