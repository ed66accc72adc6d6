/* Threads that take turns. WebAssembly has one stack, so a thread cannot be put aside: when one has to wait, those that were started and have not
 * run yet run on top of it, each to its end. One that waits there for a thread below can never go on. If the one below could
 * go on, it is ended, and begins again when there is the next wait (`driver.py`); otherwise it is told so.
 *
 * Python needs nothing else: a thread that waits has given up the interpreter's lock, and waits in `pthread_cond_wait`. These functions take the place of
 * wasi-libc's, which know no threads.
 */
#define Py_BUILD_CORE
#include "Python.h"
#include "internal/pycore_ceval.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_pystate.h"
#include "internal/pycore_runtime.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

/* A thread that was started and has not run. */
struct thread {
    struct thread *next;
    uintptr_t id;
    void *(*function)(void *);
    void *argument;
};

/* A wait, on the stack of the thread that waits; the last is the top of the stack. */
struct wait {
    struct wait *below;
    pthread_cond_t *condition;
    int has_end; /* goes on at some time, whatever happens */
    int is_over;
};

enum { MAIN = 0x1000, DEEPEST = 200, MOST = 4096 };

static struct thread *first, **last = &first;
static struct wait *waiting;
static uintptr_t current = MAIN, made = MAIN;
static int depth, count;
/* Whether the thread that runs has let another go on since it began: then it cannot begin again unnoticed. */
static int has_signalled;
/* How many threads may still run in this wait: each once, and those that are started meanwhile. One that begins again runs in the next. */
static int turns;
/* The thread that ended to begin again. */
static uintptr_t ended;

/* Which thread Python thinks this is. */
extern _Thread_local PyThreadState *_Py_tss_tstate;

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
    *thread = (struct thread){.id = ++made, .function = function, .argument = argument};
    *last = thread;
    last = &thread->next;
    count++;
    turns += current != ended;
    ended = 0;
    *created = (pthread_t)thread->id;
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
    int signalled = has_signalled;
    PyThreadState *state = _Py_tss_tstate;
    void *gil_state = PyThread_tss_get(&_PyRuntime.autoTSSkey);
    current = thread->id;
    has_signalled = 0;
    _Py_tss_tstate = NULL;
    PyThread_tss_set(&_PyRuntime.autoTSSkey, NULL);
    depth++;
    count--;
    thread->function(thread->argument);
    depth--;
    _Py_tss_tstate = state;
    PyThread_tss_set(&_PyRuntime.autoTSSkey, gil_state);
    current = self;
    has_signalled = signalled;
    free(thread);
    return 1;
}

/* A thread that sleeps lets others run first; it can go on whenever they cannot. Those that begin again meanwhile run the next time. */
void codepod_run_threads(void)
{
    struct wait wait = {.below = waiting, .is_over = 1};
    int left = turns;
    waiting = &wait;
    turns = count;
    while (run_one()) {
    }
    turns = left;
    waiting = wait.below;
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

static int end_thread(void *unused)
{
    (void)unused;
    current = ended = true_self;
    PyErr_SetObject(codepod_begins_again != NULL ? codepod_begins_again : PyExc_SystemExit, has_signalled ? Py_True : Py_False);
    return -1;
}

#define CANNOT_END "this wait cannot end: threads in the sandbox take turns, and what it waits for waits for this thread to end"

static int say_deadlock(void *unused)
{
    (void)unused;
    current = true_self;
    PyErr_SetString(PyExc_RuntimeError, CANNOT_END);
    return -1;
}

/* Waits for a condition, or until a time (of the real-time clock). A return without either lets Python look for what `end_thread` and the others
   left it to do. */
static int wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    pthread_mutex_unlock(mutex);
    struct wait wait = {.below = waiting, .condition = condition, .has_end = until != NULL};
    int result = 0, left = turns;
    waiting = &wait;
    turns = count;
    while (!wait.is_over) {
        if (run_one()) {
            continue;
        }
        if (until != NULL) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            long long rest = (until->tv_sec - now.tv_sec) * 1000000000ll + until->tv_nsec - now.tv_nsec;
            struct timespec pause = {.tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000};
            result = rest <= 0 || nanosleep(&pause, NULL) == 0 ? ETIMEDOUT : 0;
            break;
        }
        if (depth > 0) {
            int can_go_on = 0;
            for (struct wait *below = wait.below; below != NULL; below = below->below) {
                can_go_on |= below->is_over || below->has_end;
            }
            interrupt(can_go_on ? end_thread : say_deadlock);
            break;
        }
        /* Nothing but a signal can end this. */
        struct timespec long_time = {.tv_sec = 3600};
        if (nanosleep(&long_time, NULL) != 0) {
            break;
        }
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

int pthread_cond_signal(pthread_cond_t *condition)
{
    for (struct wait *wait = waiting; wait != NULL; wait = wait->below) {
        if (wait->condition == condition && !wait->is_over) {
            wait->is_over = has_signalled = 1;
            break;
        }
    }
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
    for (struct wait *wait = waiting; wait != NULL; wait = wait->below) {
        if (wait->condition == condition) {
            wait->is_over = has_signalled = 1;
        }
    }
    return 0;
}

/* Calls in which a thread may wait for something outside: the others run first. */

extern int __real_poll(struct pollfd *, nfds_t, int);
extern int __real_select(int, fd_set *restrict, fd_set *restrict, fd_set *restrict, struct timeval *restrict);
extern pid_t __real_waitpid(pid_t, int *, int);

int __wrap_poll(struct pollfd *descriptors, nfds_t number, int timeout)
{
    if (first != NULL && timeout != 0) {
        codepod_run_threads();
    }
    return __real_poll(descriptors, number, timeout);
}

int __wrap_select(int number, fd_set *restrict read, fd_set *restrict write, fd_set *restrict except, struct timeval *restrict timeout)
{
    if (first != NULL && (timeout == NULL || timeout->tv_sec != 0 || timeout->tv_usec != 0)) {
        codepod_run_threads();
    }
    return __real_select(number, read, write, except, timeout);
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    if (first != NULL && !(options & WNOHANG)) {
        codepod_run_threads();
    }
    return __real_waitpid(pid, status, options);
}

int pthread_join(pthread_t thread, void **result)
{
    (void)thread;
    codepod_run_threads();
    if (result != NULL) {
        *result = NULL;
    }
    return 0;
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
