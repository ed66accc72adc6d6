/* Threads that take turns. WebAssembly has one stack, so a thread cannot be put aside: when one has to wait, those that were started and have not
 * run yet run on top of it, each to its end. One that waits there for a thread below can never go on. If the one below could
 * go on, it is ended, and begins again when there is the next wait (`_adapt.py`); otherwise it is told so.
 *
 * A thread that waits for a descriptor looks at those of the threads below as well. Who waits there for connections is ended as soon as one below
 * could go on, and begins again: so a server runs whenever the others wait.
 *
 * A thread that sleeps on top of one that could go on keeps that one waiting. When it has done so for too long it is ended: most
 * likely it is a loop that only the other can end. ADR 33 says why, and what else there would be.
 *
 * Python needs nothing else: a thread that waits has given up the interpreter's lock, and waits in `pthread_cond_wait`. These functions take the place of
 * wasi-libc's, which know no threads.
 */
#define Py_BUILD_CORE
#include "Python.h"
#include "internal/pycore_ceval.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_pyerrors.h"
#include "internal/pycore_pystate.h"
#include "internal/pycore_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

/* A thread that was started and has not run. */
struct thread {
    struct thread *next;
    uintptr_t id;
    void *(*function)(void *);
    void *argument;
    int is_again; /* begins again */
};

/* A child that a thread waits for, and how it ended once that is known. */
struct child {
    pid_t pid, ended;
    int status, error;
};

/* A wait, on the stack of the thread that waits; the last is the top of the stack. */
struct wait {
    struct wait *below;
    pthread_cond_t *condition;
    int has_end; /* goes on at some time, whatever happens */
    int is_over;
    int64_t ready; /* when it could go on, by the monotonic clock in nanoseconds */
    const struct pollfd *polled; /* descriptors of which one lets it go on */
    nfds_t number;
    struct child *child;
};

enum { MAIN = 0x1000, DEEPEST = 200, MOST = 4096 };
#define SECONDS 1000000000ll
/* No time at all. */
#define NEVER INT64_MAX
/* How long a thread that sleeps may keep another waiting that could go on: less than a run may take if nobody says otherwise. */
#define PATIENCE (20 * SECONDS)
/* How long a thread may compute while others have not begun. They may wait for what it computes, and cannot wait on top of it. */
#define LONGEST_ALONE (2 * SECONDS)

static struct thread *first, **last = &first;
static struct wait *waiting;
static uintptr_t current = MAIN, made = MAIN;
static int depth, count;
/* Whether the thread that runs has let another go on since it began: then it cannot begin again unnoticed. */
static int has_signalled;
/* Whether it has made a socket listen, which would be closed if it began again. */
static int has_listened;
/* How many threads may still run in this wait: each once, and those that are started meanwhile. One that begins again runs in the next. */
static int turns;
/* The thread that ended to begin again. */
static uintptr_t ended;
/* When the thread that runs has begun to compute while others wait to begin; 0 until it is asked for. */
static int64_t alone_since;
/* What a signal's handler raised in another thread than the main one, which gets it. */
static PyObject *raised;
/* Whether the thread that runs is to end as soon as it looks for signals, and how. */
static enum end { GOES_ON, BEGINS_AGAIN, CANNOT_BEGIN_AGAIN, IS_LATE } must_end;

/* Which thread Python thinks this is. */
extern _Thread_local PyThreadState *_Py_tss_tstate;

/* posix/signal.c: sleeps until a time of the monotonic clock, without a look at threads. */
extern int codepod_sleep(int64_t until);

/* The interrupt word (crates/codepod-wasmtime/src/interrupt.rs): the host sets bits in the word that the interpreter's loop looks at. */
struct {
    PyThreadState **state;
    uint32_t offset, at_signal, at_tick;
} codepod_interrupt = {.offset = offsetof(PyThreadState, eval_breaker), .at_signal = _PY_SIGNALS_PENDING_BIT};

__attribute__((constructor)) static void name_interrupt_word(void)
{
    codepod_interrupt.state = &_Py_tss_tstate;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECONDS + time.tv_nsec;
}

/* Ticks are asked for only while they may change which thread runs. They come as pending calls, of which there need not be any; a request to drop the
   interpreter's lock would make whoever drops it wait for another thread to take it. */
static void ask_for_ticks(void)
{
    codepod_interrupt.at_tick = first != NULL ? _PY_CALLS_TO_DO_BIT : 0;
}

/* When the thread that runs has kept another waiting for too long. */
static int64_t too_late(void)
{
    int64_t earliest = NEVER;
    for (struct wait *wait = waiting; depth > 0 && wait != NULL; wait = wait->below) {
        earliest = wait->ready < earliest ? wait->ready : earliest;
    }
    return earliest > NEVER - PATIENCE ? NEVER : earliest + PATIENCE;
}

pthread_t pthread_self(void)
{
    return (pthread_t)current;
}

int pthread_create(pthread_t *restrict created, const pthread_attr_t *restrict attributes, void *(*function)(void *), void *restrict argument)
{
    (void)attributes;
    struct thread *thread = count < MOST ? malloc(sizeof *thread) : NULL;
    if (thread == NULL) {
        return EAGAIN;
    }
    *thread = (struct thread){.id = ++made, .function = function, .argument = argument, .is_again = current == ended};
    *last = thread;
    last = &thread->next;
    count++;
    turns += current != ended;
    ended = 0;
    *created = (pthread_t)thread->id;
    alone_since = 0;
    ask_for_ticks();
    return 0;
}

int pthread_detach(pthread_t thread)
{
    (void)thread;
    return 0;
}

/* Runs the thread that was started first, to its end. 0 if there is none, or the stack is too deep for one more. */
static int run_one(void)
{
    struct thread *thread = first;
    if (thread == NULL || turns <= 0 || depth >= DEEPEST) {
        return 0;
    }
    turns--;
    first = thread->next;
    if (first == NULL) {
        last = &first;
    }
    uintptr_t self = current;
    int signalled = has_signalled, listened = has_listened;
    PyThreadState *state = _Py_tss_tstate;
    void *gil_state = PyThread_tss_get(&_PyRuntime.autoTSSkey);
    current = thread->id;
    has_signalled = has_listened = 0;
    must_end = GOES_ON;
    _Py_tss_tstate = NULL;
    PyThread_tss_set(&_PyRuntime.autoTSSkey, NULL);
    depth++;
    count--;
    ask_for_ticks();
    thread->function(thread->argument);
    depth--;
    ask_for_ticks();
    _Py_tss_tstate = state;
    PyThread_tss_set(&_PyRuntime.autoTSSkey, gil_state);
    current = self;
    has_signalled = signalled;
    has_listened = listened;
    must_end = GOES_ON;
    alone_since = 0;
    free(thread);
    return 1;
}

/* A thread that sleeps or waits for something outside lets others run first, none that begins after the time until which it waits; it can go on whenever
   they cannot. Those that begin again meanwhile run the next time. Returns whether it is interrupted. */
int codepod_run_threads(int64_t until)
{
    struct wait wait = {.below = waiting, .is_over = 1, .ready = until};
    int left = turns;
    waiting = &wait;
    turns = count;
    while (raised == NULL && run_one() && (until == NEVER || now() < until)) {
    }
    turns = left;
    waiting = wait.below;
    return raised != NULL;
}

/* The time until which a thread may sleep that wants to sleep until then; earlier if it would keep another waiting for too long. */
int64_t codepod_may_sleep_until(int64_t wanted)
{
    int64_t late = too_late();
    return late < wanted ? late : wanted;
}

/* It has slept until then, and wanted more. */
void codepod_end_sleeper(void)
{
    must_end = IS_LATE;
}

/* Lets Python raise an exception in the thread that is about to return from its wait. It asks for such things in the main thread only, so
   this one passes for it until then. */
static uintptr_t true_self;

static void interrupt(int (*with)(void *))
{
    if (_PyEval_AddPendingCall(PyInterpreterState_Main(), with, NULL, 0) == _Py_ADD_PENDING_SUCCESS) {
        true_self = current;
        current = MAIN;
    }
}

/* The exception that ends a thread that begins again; `driver.py` has it. */
PyObject *codepod_begins_again;

static int raise_end(enum end end)
{
    PyObject *flags = Py_BuildValue("(NNN)", PyBool_FromLong(has_signalled), PyBool_FromLong(end == IS_LATE), PyBool_FromLong(end == CANNOT_BEGIN_AGAIN));
    PyErr_SetObject(codepod_begins_again != NULL ? codepod_begins_again : PyExc_SystemExit, flags);
    Py_XDECREF(flags);
    return -1;
}

static int end_thread(void *unused)
{
    (void)unused;
    current = ended = true_self;
    return raise_end(BEGINS_AGAIN);
}

static int end_late_thread(void *unused)
{
    (void)unused;
    current = ended = true_self;
    return raise_end(IS_LATE);
}

#define CANNOT_END "this wait cannot end: threads in the sandbox take turns, and what it waits for waits for this thread to end"

static int say_deadlock(void *unused)
{
    (void)unused;
    current = true_self;
    PyErr_SetString(PyExc_RuntimeError, CANNOT_END);
    return -1;
}

/* What a signal's handler has raised ends all threads but the main one, which gets it. */
static int raise_in_main(void)
{
    PyErr_SetRaisedException(current == MAIN ? raised : PyObject_CallNoArgs(PyExc_SystemExit));
    if (current == MAIN) {
        raised = NULL;
    }
    return -1;
}

static int pass_on(void *unused)
{
    (void)unused;
    current = true_self;
    return raised != NULL ? raise_in_main() : 0;
}

static int64_t rest_until(const struct timespec *time)
{
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    int64_t seconds = time->tv_sec - real.tv_sec;
    return seconds > 1 << 30 ? NEVER / 2 : seconds * SECONDS + time->tv_nsec - real.tv_nsec;
}

/* Waits for a condition, or until a time (of the real-time clock). A return without either lets Python look for what `end_thread` and the others
   left it to do. */
static int wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    pthread_mutex_unlock(mutex);
    int64_t end = until != NULL ? now() + rest_until(until) : NEVER;
    struct wait wait = {.below = waiting, .condition = condition, .has_end = until != NULL, .ready = end};
    int result = 0, left = turns;
    waiting = &wait;
    turns = count;
    while (!wait.is_over && raised == NULL) {
        if ((until == NULL || now() < end) && run_one()) {
            continue;
        }
        if (until != NULL) {
            int64_t late = too_late(), next = late < end ? late : end;
            if (now() >= next) {
                result = end <= late ? ETIMEDOUT : 0;
                if (late < end) {
                    interrupt(end_late_thread);
                }
                break;
            }
            /* Those that began again meanwhile have their turn before it sleeps. */
            if (codepod_run_threads(next) || wait.is_over || now() >= next) {
                continue;
            }
            if (codepod_sleep(next) != 0) {
                break;
            }
            continue;
        }
        if (depth > 0) {
            int can_go_on = 0;
            for (struct wait *below = wait.below; below != NULL; below = below->below) {
                can_go_on |= below->is_over || below->has_end;
            }
            interrupt(can_go_on ? end_thread : say_deadlock);
            break;
        }
        codepod_run_threads(NEVER);
        /* Nothing but a signal can end this. */
        if (!wait.is_over && codepod_sleep(NEVER) != 0) {
            break;
        }
    }
    if (raised != NULL) {
        interrupt(pass_on);
    }
    turns = left;
    waiting = wait.below;
    pthread_mutex_lock(mutex);
    return result;
}

int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex)
{
    return wait_for(condition, mutex, NULL);
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
    return wait_for(condition, mutex, until);
}

static void let_go_on(struct wait *wait)
{
    wait->is_over = has_signalled = 1;
    wait->ready = now();
}

int pthread_cond_signal(pthread_cond_t *condition)
{
    for (struct wait *wait = waiting; wait != NULL; wait = wait->below) {
        if (wait->condition == condition && !wait->is_over) {
            let_go_on(wait);
            break;
        }
    }
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
    for (struct wait *wait = waiting; wait != NULL; wait = wait->below) {
        if (wait->condition == condition) {
            let_go_on(wait);
        }
    }
    return 0;
}

/* Calls in which a thread may wait for something outside: the others run meanwhile. */

extern int __real_poll(struct pollfd *, nfds_t, int);
extern pid_t __real_waitpid(pid_t, int *, int);

enum { MOST_POLLED = 1024 };
/* How long a thread waits before it lets others begin again. */
#define PAUSE (SECONDS / 100)

static int milliseconds_until(int64_t time)
{
    int64_t left = time == NEVER ? -1 : time - now();
    if (time == NEVER) {
        return -1;
    }
    return left <= 0 ? 0 : left > INT_MAX * (SECONDS / 1000) ? INT_MAX : (int)((left + SECONDS / 1000 - 1) / (SECONDS / 1000));
}

/* Whether a descriptor of a wait is ready. What the kernel says of them is not noted: who waits asks itself. */
static int any_ready(const struct pollfd *polled, nfds_t number)
{
    struct pollfd copy[MOST_POLLED];
    number = number < MOST_POLLED ? number : MOST_POLLED;
    memcpy(copy, polled, number * sizeof *copy);
    return number > 0 && __real_poll(copy, number, 0) > 0;
}

static int has_ended(struct child *child)
{
    if (child->ended == 0) {
        child->ended = __real_waitpid(child->pid, &child->status, WNOHANG);
        child->error = child->ended < 0 ? errno : 0;
    }
    return child->ended != 0;
}

/* The first wait from here on down that could go on now. */
static struct wait *ready_below(struct wait *wait)
{
    for (int64_t time = now(); wait != NULL; wait = wait->below) {
        int is_ready = wait->ready <= time || (wait->polled != NULL && any_ready(wait->polled, wait->number)) || (wait->child != NULL && has_ended(wait->child));
        if (is_ready) {
            return wait;
        }
    }
    return NULL;
}

static int is_listening(const struct pollfd *polled, nfds_t number)
{
    for (nfds_t i = 0; i < number; i++) {
        int yes = 0;
        socklen_t size = sizeof yes;
        if (getsockopt(polled[i].fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) == 0 && yes) {
            return 1;
        }
    }
    return 0;
}

static int is_same_name(const struct sockaddr_storage *one, socklen_t size, const struct sockaddr_storage *other, socklen_t other_size)
{
    return size == other_size && size > sizeof(sa_family_t) && size <= sizeof *one && memcmp(one, other, size) == 0;
}

/* Whether two descriptors are the ends of one connection, by their addresses. */
static int are_ends(int one, int other)
{
    struct sockaddr_storage local = {0}, peer = {0}, other_local = {0}, other_peer = {0};
    socklen_t sizes[4] = {sizeof local, sizeof local, sizeof local, sizeof local};
    return getsockname(one, (struct sockaddr *)&local, &sizes[0]) == 0 && getpeername(one, (struct sockaddr *)&peer, &sizes[1]) == 0 &&
           getsockname(other, (struct sockaddr *)&other_local, &sizes[2]) == 0 && getpeername(other, (struct sockaddr *)&other_peer, &sizes[3]) == 0 &&
           is_same_name(&local, sizes[0], &other_peer, sizes[3]) && is_same_name(&peer, sizes[1], &other_local, sizes[2]);
}

static int waits_for_each_other(const struct wait *one, const struct wait *other)
{
    for (nfds_t i = 0; i < one->number; i++) {
        for (nfds_t k = 0; k < other->number; k++) {
            if (are_ends(one->polled[i].fd, other->polled[k].fd)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether there are threads that have not begun once. */
static int any_new(void)
{
    const struct thread *thread = first;
    while (thread != NULL && thread->is_again) {
        thread = thread->next;
    }
    return thread != NULL;
}

/* How a thread that waits on top of others has to end, now that one of them could go on since a time. A thread that waits for connections only is a
   server: it begins again when the others wait, and what has come meanwhile waits for it. A socket that it has made itself would be closed with
   it, so such a thread does not begin again. */
static enum end end_of(const struct wait *wait, const struct wait *other, int64_t since)
{
    if (is_listening(wait->polled, wait->number)) {
        return has_listened ? CANNOT_BEGIN_AGAIN : BEGINS_AGAIN;
    }
    if (other->polled != NULL && waits_for_each_other(wait, other)) {
        return CANNOT_BEGIN_AGAIN;
    }
    return now() - since > PATIENCE ? IS_LATE : GOES_ON;
}

/* Sleeps until a descriptor of a wait or of those below is ready, or until a time. Returns an error number. */
static int sleep_for(const struct wait *wait, int64_t until)
{
    struct pollfd polled[MOST_POLLED];
    nfds_t number = 0;
    for (int is_top = 1; wait != NULL; wait = wait->below, is_top = 0) {
        /* One below that could go on already is not waited for. */
        if (!is_top && wait->polled != NULL && any_ready(wait->polled, wait->number)) {
            continue;
        }
        if (wait->child != NULL || (!is_top && wait->ready <= now())) {
            until = now() + PAUSE < until ? now() + PAUSE : until;
        }
        else {
            until = wait->ready < until ? wait->ready : until;
        }
        for (nfds_t i = 0; i < wait->number && number < MOST_POLLED; i++) {
            polled[number++] = wait->polled[i];
        }
    }
    if (number == 0) {
        return codepod_sleep(until);
    }
    return __real_poll(polled, number, milliseconds_until(until)) < 0 ? errno : 0;
}

static int can_go_on(struct wait *wait)
{
    struct wait alone = *wait;
    alone.below = NULL;
    return ready_below(&alone) != NULL;
}

/* Waits for one of some descriptors or a child, or until a time. Returns -1 if it is interrupted. */
static int wait_outside(struct wait *wait)
{
    int64_t since = 0;
    int left = turns, result = 0;
    wait->below = waiting;
    wait->is_over = 1;
    waiting = wait;
    while (!can_go_on(wait)) {
        struct wait *other = depth > 0 ? ready_below(wait->below) : NULL;
        since = other == NULL ? 0 : since == 0 ? now() : since;
        must_end = other != NULL ? end_of(wait, other, since) : GOES_ON;
        if (must_end == GOES_ON && depth > 0 && any_new() && !has_listened && !has_signalled && is_listening(wait->polled, wait->number)) {
            /* What has not begun may be its client, and cannot wait for it on top of it. */
            must_end = BEGINS_AGAIN;
        }
        if (must_end != GOES_ON || raised != NULL) {
            errno = EINTR;
            result = -1;
            break;
        }
        turns = count;
        while (raised == NULL && !can_go_on(wait) && run_one()) {
        }
        int error = raised == NULL && !can_go_on(wait) ? sleep_for(wait, first != NULL ? now() + PAUSE : NEVER) : 0;
        if (error == EINTR) {
            errno = EINTR;
            result = -1;
        }
        if (error != 0) {
            break; /* another error is the call's own to find */
        }
    }
    turns = left;
    waiting = wait->below;
    return result;
}

/* Whether a thread has nobody to let run or to wait for. */
static int is_alone(void)
{
    return first == NULL && depth == 0;
}

int __wrap_poll(struct pollfd *descriptors, nfds_t number, int timeout)
{
    struct wait wait = {.ready = timeout < 0 ? NEVER : now() + timeout * (SECONDS / 1000), .polled = descriptors, .number = number};
    if (!is_alone() && timeout != 0) {
        if (wait_outside(&wait) != 0) {
            return -1;
        }
        timeout = 0;
    }
    return __real_poll(descriptors, number, timeout);
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    struct child child = {.pid = pid};
    struct wait wait = {.ready = NEVER, .child = &child};
    if (is_alone() || options & WNOHANG) {
        return __real_waitpid(pid, status, options);
    }
    if (wait_outside(&wait) != 0) {
        return -1;
    }
    if (child.ended < 0) {
        errno = child.error;
    }
    else if (status != NULL) {
        *status = child.status;
    }
    return child.ended;
}

/* Whether others are to run while a call for a socket waits. */
static int lets_others_run(int fd, int flags)
{
    return !is_alone() && !(flags & MSG_DONTWAIT) && !(fcntl(fd, F_GETFL) & O_NONBLOCK);
}

/* Waits until a socket can be read from or written to, if the call would wait. -1 if it is interrupted. */
static int wait_for_socket(int fd, short events, int flags)
{
    struct pollfd polled = {.fd = fd, .events = events};
    struct wait wait = {.ready = NEVER, .polled = &polled, .number = 1};
    return lets_others_run(fd, flags) ? wait_outside(&wait) : 0;
}

#define RECEIVES(name, parameters, arguments, flags) \
    extern ssize_t __real_##name parameters; \
    ssize_t __wrap_##name parameters \
    { \
        return wait_for_socket(fd, POLLIN, flags) != 0 ? -1 : __real_##name arguments; \
    }

RECEIVES(recv, (int fd, void *data, size_t size, int flags), (fd, data, size, flags), flags)
RECEIVES(recvfrom, (int fd, void *restrict data, size_t size, int flags, struct sockaddr *restrict from, socklen_t *restrict room),
         (fd, data, size, flags, from, room), flags)
RECEIVES(recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), flags)

extern int __real_accept4(int, struct sockaddr *restrict, socklen_t *restrict, int);

int __wrap_accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict room, int flags)
{
    return wait_for_socket(fd, POLLIN, 0) != 0 ? -1 : __real_accept4(fd, from, room, flags);
}

/* A thread that sends sends what there is room for: who reads it may be a thread that has to run first. */
#define SENDS(name, parameters, arguments) \
    extern ssize_t __real_##name parameters; \
    ssize_t __wrap_##name parameters \
    { \
        int others = lets_others_run(fd, flags); \
        ssize_t sent = -1; \
        do { \
            if (wait_for_socket(fd, POLLOUT, flags & ~(others ? MSG_DONTWAIT : 0)) != 0) { \
                return -1; \
            } \
            flags |= others ? MSG_DONTWAIT : 0; \
            sent = __real_##name arguments; \
        } while (sent < 0 && others && errno == EAGAIN); \
        return sent; \
    }

SENDS(send, (int fd, const void *data, size_t size, int flags), (fd, data, size, flags))
SENDS(sendto, (int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length), (fd, data, size, flags, to, length))
SENDS(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))

extern int __real_connect(int, const struct sockaddr *, socklen_t);

/* Those that have not begun may be what it connects to. They keep nothing waiting for long: it could go on at once. */
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    struct wait wait = {.below = waiting, .is_over = 1};
    int left = turns;
    waiting = &wait;
    for (turns = count; raised == NULL && any_new() && run_one();) {
    }
    turns = left;
    waiting = wait.below;
    if (raised != NULL) {
        errno = EINTR;
        return -1;
    }
    return __real_connect(fd, address, length);
}

extern int __real_listen(int, int);

int __wrap_listen(int fd, int backlog)
{
    has_listened = 1;
    return __real_listen(fd, backlog);
}

int pthread_join(pthread_t thread, void **result)
{
    (void)thread;
    codepod_run_threads(NEVER);
    if (result != NULL) {
        *result = NULL;
    }
    return 0;
}

/* Signals. The host sets the bit for them when one has arrived; here they are taken from the kernel. Python's own handlers run in the main thread; where
   another runs on top of that, it runs them in its place. */

extern int __real__Py_HandlePending(PyThreadState *);
extern int __real__PyErr_CheckSignalsTstate(PyThreadState *);
extern int __real_PyErr_CheckSignals(void);
extern void codepod_deliver_signals(void);

int __wrap__PyErr_CheckSignalsTstate(PyThreadState *state)
{
    codepod_deliver_signals();
    return __real__PyErr_CheckSignalsTstate(state);
}

static int handle_as_main(PyThreadState *state)
{
    uintptr_t self = current;
    codepod_deliver_signals();
    current = MAIN;
    int failed = __real__PyErr_CheckSignalsTstate(state);
    current = self;
    if (failed) {
        Py_XSETREF(raised, PyErr_GetRaisedException());
        return raise_in_main();
    }
    return 0;
}

/* Called by whoever was interrupted, and by functions that take long. */
int __wrap_PyErr_CheckSignals(void)
{
    PyThreadState *state = _Py_tss_tstate;
    if (raised != NULL) {
        return raise_in_main();
    }
    if (must_end != GOES_ON) {
        enum end end = must_end;
        must_end = GOES_ON;
        ended = current;
        return raise_end(end);
    }
    /* A call that was interrupted has taken the signals itself, which the main thread's state then shows. */
    PyThreadState *main_state = &PyInterpreterState_Main()->_initial_thread.base;
    int any = _Py_eval_breaker_bit_is_set(state, _PY_SIGNALS_PENDING_BIT) || _Py_eval_breaker_bit_is_set(main_state, _PY_SIGNALS_PENDING_BIT);
    if (any && current != MAIN) {
        _Py_unset_eval_breaker_bit(state, _PY_SIGNALS_PENDING_BIT);
        _Py_unset_eval_breaker_bit(main_state, _PY_SIGNALS_PENDING_BIT);
        if (handle_as_main(state) != 0) {
            return -1;
        }
    }
    else if (any) {
        codepod_deliver_signals();
    }
    return __real_PyErr_CheckSignals();
}

/* At a tick: a thread that computes lets others begin if it has done so for long; it may be waiting for them. */
static int take_tick(void)
{
    int64_t time = now();
    if (alone_since == 0 || alone_since > time) {
        alone_since = time;
    }
    if (time - alone_since < LONGEST_ALONE || _PyRuntimeState_GetFinalizing(&_PyRuntime) != NULL) {
        return 0;
    }
    PyThreadState *own = PyEval_SaveThread();
    codepod_run_threads(NEVER);
    alone_since = 0;
    PyEval_RestoreThread(own);
    return raised != NULL ? raise_in_main() : 0;
}

int __wrap__Py_HandlePending(PyThreadState *state)
{
    if (_Py_eval_breaker_bit_is_set(state, _PY_SIGNALS_PENDING_BIT) && current != MAIN) {
        _Py_unset_eval_breaker_bit(state, _PY_SIGNALS_PENDING_BIT);
        if (handle_as_main(state) != 0) {
            return -1;
        }
    }
    if (first != NULL && _Py_eval_breaker_bit_is_set(state, _PY_CALLS_TO_DO_BIT) && take_tick() != 0) {
        return -1;
    }
    return __real__Py_HandlePending(state);
}

/* Values of threads: Python keeps one, and `run_one` puts it back. */

enum { KEYS = 64 };
static void *values[KEYS];
static unsigned char is_taken[KEYS];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    (void)destructor;
    for (pthread_key_t i = 0; i < KEYS; i++) {
        if (!is_taken[i]) {
            is_taken[i] = 1;
            values[i] = NULL;
            *key = i;
            return 0;
        }
    }
    return EAGAIN;
}

int pthread_key_delete(pthread_key_t key)
{
    is_taken[key] = 0;
    return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
    return values[key];
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    values[key] = (void *)value;
    return 0;
}

/* The stack of C code: what CPython may use of it, and it stops before. It cannot see the engine's own stack, of which a frame takes several times
   as much, so that has to last longer: half of this one is never used. */

enum { STACK_TOP = 8 << 20, STACK_USED = 4 << 20 };

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    (void)thread;
    *attributes = (pthread_attr_t){0};
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *restrict attributes, size_t *restrict size)
{
    (void)attributes;
    *size = 0;
    return 0;
}

int pthread_attr_getstack(const pthread_attr_t *restrict attributes, void **restrict start, size_t *restrict size)
{
    (void)attributes;
    *start = (void *)(STACK_TOP - STACK_USED);
    *size = STACK_USED;
    return 0;
}
