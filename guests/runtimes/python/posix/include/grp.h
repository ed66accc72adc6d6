#ifndef CODEPOD_GRP_H
#define CODEPOD_GRP_H

#include <stddef.h>
#include <sys/types.h>

struct group {
    char *gr_name;
    char *gr_passwd;
    gid_t gr_gid;
    char **gr_mem;
};

#ifdef __cplusplus
extern "C" {
#endif

void setgrent(void);
void endgrent(void);
struct group *getgrent(void);
struct group *getgrgid(gid_t);
struct group *getgrnam(const char *);

#ifdef __cplusplus
}
#endif

#endif
