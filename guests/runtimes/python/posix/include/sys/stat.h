#ifndef CODEPOD_SYS_STAT_H
#define CODEPOD_SYS_STAT_H

#include_next <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

int chmod(const char *, mode_t);
int fchmod(int, mode_t);
int fchmodat(int, const char *, mode_t, int);
mode_t umask(mode_t);
int mkfifo(const char *, mode_t);
int mkfifoat(int, const char *, mode_t);

#ifdef __cplusplus
}
#endif

#endif
