/* Signals. The kernel remembers those that are caught; their handlers run here, between two steps of the program. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <wasi/api.h>

#include "codepod.h"

/* Of a program that has threads (src/threads.c): lets those run that were started, until a time of the monotonic clock, and says whether it is interrupted;
   says until when the thread that runs may sleep. */
extern int codepod_run_threads(int64_t until) __attribute__((weak));
extern int64_t codepod_may_sleep_until(int64_t wanted) __attribute__((weak));
extern void codepod_end_sleeper(void) __attribute__((weak));

static void (*handlers[_NSIG])(int);
static uint64_t caught;
static struct timeval alarm_interval;

/* Values that stand for actions: on wasm a function pointer of 1 is a function. */
void __SIG_IGN(int number) { (void)number; }
void __SIG_ERR(int number) { (void)number; }

void (*signal(int number, void (*handler)(int)))(int)
{
    if (number < 1 || number >= _NSIG || number == SIGKILL || number == SIGSTOP) {
        errno = EINVAL;
        return SIG_ERR;
    }
    uint32_t action = handler == SIG_DFL ? CODEPOD_SIGNAL_DEFAULT : handler == SIG_IGN ? CODEPOD_SIGNAL_IGNORE : CODEPOD_SIGNAL_CATCH;
    uint32_t old;
    if (codepod_result(codepod_signal_action((uint32_t)number, action, &old)) != 0) {
        return SIG_ERR;
    }
    void (*before)(int) = old == CODEPOD_SIGNAL_DEFAULT ? SIG_DFL : old == CODEPOD_SIGNAL_IGNORE ? SIG_IGN : handlers[number];
    handlers[number] = handler;
    if (number < 64) {
        caught = action == CODEPOD_SIGNAL_CATCH ? caught | 1ull << number : caught & ~(1ull << number);
    }
    return before;
}

void codepod_deliver_signals(void)
{
    uint64_t taken = 0;
    if (caught == 0 || codepod_signal_take(caught, &taken) != 0) {
        return;
    }
    for (int number = 1; taken != 0 && number < 64; number++) {
        if (taken >> number & 1) {
            taken &= ~(1ull << number);
            if (number == SIGALRM && (alarm_interval.tv_sec != 0 || alarm_interval.tv_usec != 0)) {
                uint64_t left;
                codepod_proc_alarm((uint64_t)alarm_interval.tv_sec * 1000000000 + (uint64_t)alarm_interval.tv_usec * 1000, &left);
            }
            if (handlers[number] != SIG_DFL && handlers[number] != SIG_IGN) {
                handlers[number](number);
            }
        }
    }
}

int kill(pid_t pid, int number)
{
    if (codepod_result(codepod_proc_kill(pid, (uint32_t)number)) != 0) {
        return -1;
    }
    codepod_deliver_signals();
    return 0;
}

int killpg(pid_t group, int number)
{
    if (group < 0) {
        errno = EINVAL;
        return -1;
    }
    return kill(group == 0 ? 0 : -group, number);
}

int raise(int number)
{
    return kill(getpid(), number);
}

/* An abort is the signal's own end, not a trap. */
void abort(void)
{
    signal(SIGABRT, SIG_DFL);
    kill(getpid(), SIGABRT);
    __builtin_trap();
}

/* Clocks. */

static struct timeval time_left(uint64_t nanoseconds)
{
    return (struct timeval){.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_usec = (suseconds_t)(nanoseconds % 1000000000 / 1000)};
}

int setitimer(int which, const struct itimerval *next, struct itimerval *old)
{
    if (which != ITIMER_REAL) {
        errno = EINVAL;
        return -1;
    }
    uint64_t left;
    uint64_t after = (uint64_t)next->it_value.tv_sec * 1000000000 + (uint64_t)next->it_value.tv_usec * 1000;
    if (codepod_result(codepod_proc_alarm(after, &left)) != 0) {
        return -1;
    }
    if (old != NULL) {
        *old = (struct itimerval){.it_interval = alarm_interval, .it_value = time_left(left)};
    }
    alarm_interval = after != 0 ? next->it_interval : (struct timeval){0};
    return 0;
}

int getitimer(int which, struct itimerval *now)
{
    if (which != ITIMER_REAL) {
        *now = (struct itimerval){0};
        return 0;
    }
    uint64_t left, ignored;
    if (codepod_result(codepod_proc_alarm(0, &left)) != 0) {
        return -1;
    }
    if (left != 0) {
        codepod_proc_alarm(left, &ignored);
    }
    *now = (struct itimerval){.it_interval = alarm_interval, .it_value = time_left(left)};
    return 0;
}

unsigned alarm(unsigned seconds)
{
    struct itimerval next = {.it_value.tv_sec = seconds}, old = {0};
    setitimer(ITIMER_REAL, &next, &old);
    return (unsigned)old.it_value.tv_sec + (old.it_value.tv_usec > 0);
}

int pause(void)
{
    struct timespec long_time = {.tv_sec = 1000000000};
    while (nanosleep(&long_time, NULL) == 0) {
    }
    return -1;
}

/* Sleeps until a time of the monotonic clock; wasi-libc returns WASI's number here. */
int codepod_sleep(int64_t until)
{
    __wasi_subscription_t subscription = {.u = {.tag = __WASI_EVENTTYPE_CLOCK,
                                                .u.clock = {.id = __WASI_CLOCKID_MONOTONIC,
                                                            .timeout = until > 0 ? (uint64_t)until : 0,
                                                            .flags = __WASI_SUBCLOCKFLAGS_SUBSCRIPTION_CLOCK_ABSTIME}}};
    __wasi_event_t event;
    __wasi_size_t count;
    if (codepod_result(__wasi_poll_oneoff(&subscription, &event, 1, &count)) != 0) {
        return errno;
    }
    return event.error == 0 ? 0 : codepod_linux_errno(event.error);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
    if (wanted->tv_nsec < 0 || wanted->tv_nsec > 999999999) {
        return EINVAL;
    }
    struct timespec now = {0};
    int64_t until = (int64_t)wanted->tv_sec * 1000000000 + wanted->tv_nsec;
    if (wanted->tv_sec > INT64_MAX / 1000000000 - 1) {
        until = INT64_MAX;
    }
    /* By the monotonic clock, whatever it was asked by. */
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t start = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (!(flags & TIMER_ABSTIME)) {
        until = until > INT64_MAX - start ? INT64_MAX : start + until;
    }
    else if (clock != CLOCK_MONOTONIC) {
        clock_gettime(clock, &now);
        until -= (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - start;
    }
    (void)left;
    int64_t end = until;
    if (codepod_run_threads != NULL) {
        if (codepod_run_threads(until)) {
            return EINTR;
        }
        end = codepod_may_sleep_until(until);
    }
    int error = codepod_sleep(end);
    if (error == 0 && end < until) {
        codepod_end_sleeper();
        return EINTR;
    }
    return error;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    int error = clock_nanosleep(CLOCK_REALTIME, 0, wanted, left);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return 0;
}

/* Tells the kernel again what signals do: a process that goes on from a snapshot has an owner's settings, not these. A signal that it was
   started with as ignored stays so. */
void codepod_restore_signals(void)
{
    for (int number = 1; number < _NSIG; number++) {
        uint32_t old;
        if (handlers[number] == SIG_IGN) {
            codepod_signal_action((uint32_t)number, CODEPOD_SIGNAL_IGNORE, &old);
        }
        else if (handlers[number] != SIG_DFL && codepod_signal_action((uint32_t)number, CODEPOD_SIGNAL_CATCH, &old) == 0 && old == CODEPOD_SIGNAL_IGNORE) {
            codepod_signal_action((uint32_t)number, CODEPOD_SIGNAL_IGNORE, &old);
        }
    }
}
