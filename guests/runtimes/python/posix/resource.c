/* Limits and use of resources. The sandbox has limits of its own, which a process can neither ask for nor change; here are those that Linux would show
 * for a process that has none, and what cannot be kept is refused. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <wasi/api.h>

#include "codepod.h"

/* WASI's clock of a process; wasi-libc has no name for it. */
enum { PROCESS_CPUTIME = 2 };

int getrlimit(int resource, struct rlimit *limit)
{
    if (resource < 0 || resource >= RLIM_NLIMITS) {
        errno = EINVAL;
        return -1;
    }
    limit->rlim_cur = limit->rlim_max = RLIM_INFINITY;
    if (resource == RLIMIT_CORE) {
        limit->rlim_cur = limit->rlim_max = 0;
    }
    return 0;
}

/* What is so already can be set. */
int setrlimit(int resource, const struct rlimit *limit)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) {
        return -1;
    }
    if (limit->rlim_cur > limit->rlim_max) {
        errno = EINVAL;
        return -1;
    }
    if (limit->rlim_cur != now.rlim_cur || limit->rlim_max != now.rlim_max) {
        errno = EPERM;
        return -1;
    }
    return 0;
}

int getrusage(int who, struct rusage *usage)
{
    __wasi_timestamp_t used;
    if (who != RUSAGE_SELF) {
        errno = who == RUSAGE_CHILDREN ? ENOSYS : EINVAL;
        return -1;
    }
    memset(usage, 0, sizeof *usage);
    if (codepod_result(__wasi_clock_time_get(PROCESS_CPUTIME, 1, &used)) != 0) {
        return -1;
    }
    usage->ru_utime.tv_sec = (time_t)(used / 1000000000);
    usage->ru_utime.tv_usec = (suseconds_t)(used / 1000 % 1000000);
    usage->ru_maxrss = (long)(__builtin_wasm_memory_size(0) * 64);
    return 0;
}
