#ifndef CODEPOD_SYS_TIME_H
#define CODEPOD_SYS_TIME_H

#include_next <sys/time.h>

#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2

struct itimerval {
    struct timeval it_interval;
    struct timeval it_value;
};

#ifdef __cplusplus
extern "C" {
#endif

int getitimer(int, struct itimerval *);
int setitimer(int, const struct itimerval *, struct itimerval *);

#ifdef __cplusplus
}
#endif

#endif
