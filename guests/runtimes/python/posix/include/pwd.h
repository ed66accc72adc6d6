#ifndef CODEPOD_PWD_H
#define CODEPOD_PWD_H

#include <stddef.h>
#include <sys/types.h>

struct passwd {
    char *pw_name;
    char *pw_passwd;
    uid_t pw_uid;
    gid_t pw_gid;
    char *pw_gecos;
    char *pw_dir;
    char *pw_shell;
};

#ifdef __cplusplus
extern "C" {
#endif

void setpwent(void);
void endpwent(void);
struct passwd *getpwent(void);
struct passwd *getpwuid(uid_t);
struct passwd *getpwnam(const char *);

#ifdef __cplusplus
}
#endif

#endif
