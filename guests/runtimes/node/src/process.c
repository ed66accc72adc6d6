/* The process: time, environment, ids, random numbers, signals, waiting for descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"
#include "process.h"
#ifdef __wasi__
#include "codepod.h"
#endif

extern char **environ;

/* Nanoseconds of the monotonic clock. */
static FUNCTION(now)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return JS_NewFloat64(ctx, (double)time.tv_sec * 1e9 + (double)time.tv_nsec);
}

static FUNCTION(sleep)
{
    double milliseconds = number_of(ctx, argv[0]);
    struct timespec time = {.tv_sec = (time_t)(milliseconds / 1000)};
    time.tv_nsec = (long)((milliseconds - (double)time.tv_sec * 1000) * 1e6);
    nanosleep(&time, NULL);
    return JS_UNDEFINED;
}

static FUNCTION(abort) { abort(); }

/* Names and values, one behind another. */
static FUNCTION(environment)
{
    JSValue list = JS_NewArray(ctx);
    uint32_t count = 0;
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        const char *equals = strchr(*variable, '=');
        if (equals == NULL) {
            continue;
        }
        put_entry(ctx, list, count++, text_from_utf8(ctx, (const uint8_t *)*variable, (size_t)(equals - *variable)));
        put_entry(ctx, list, count++, text_from_utf8(ctx, (const uint8_t *)equals + 1, strlen(equals + 1)));
    }
    return list;
}

/* [pid, parent, uid, effective uid, gid, effective gid] */
static FUNCTION(ids)
{
    const int ids[] = {getpid(), getppid(), (int)getuid(), (int)geteuid(), (int)getgid(), (int)getegid()};
    JSValue list = JS_NewArray(ctx);
    for (uint32_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        put_entry(ctx, list, i, JS_NewInt32(ctx, ids[i]));
    }
    return list;
}

/* 0 user, 1 effective user, 2 group, 3 effective group; the id it is to be. In a sandbox a process is
   who it is, as one without privileges is elsewhere. */
static FUNCTION(changeId)
{
    int64_t id = integer_of(ctx, argv[1]);
#ifdef __wasi__
    const int64_t now[] = {getuid(), geteuid(), getgid(), getegid()};
    return failed(ctx, now[integer_of(ctx, argv[0]) & 3] == id ? 0 : EPERM);
#else
    switch (integer_of(ctx, argv[0])) {
    case 0: return result_of(ctx, setuid((uid_t)id));
    case 1: return result_of(ctx, seteuid((uid_t)id));
    case 2: return result_of(ctx, setgid((gid_t)id));
    default: return result_of(ctx, setegid((gid_t)id));
    }
#endif
}

/* mask, or undefined to only ask: the one before. */
static FUNCTION(umask)
{
    mode_t before = umask(JS_IsUndefined(argv[0]) ? 0 : (mode_t)integer_of(ctx, argv[0]));
    if (JS_IsUndefined(argv[0])) {
        umask(before);
    }
    return JS_NewInt32(ctx, (int)before);
}

static FUNCTION(random)
{
    struct bytes bytes;
    if (bytes_of(ctx, argv[0], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    for (size_t at = 0; at < bytes.length; at += 256) {
        size_t piece = bytes.length - at < 256 ? bytes.length - at : 256;
        if (getentropy(bytes.at + at, piece) != 0) {
            return failed(ctx, errno);
        }
    }
    return JS_NewInt32(ctx, 0);
}

/* Microseconds of CPU: of the user and of the system. */
static FUNCTION(cpuTimes)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewFloat64(ctx, (double)usage.ru_utime.tv_sec * 1e6 + (double)usage.ru_utime.tv_usec));
    put_entry(ctx, list, 1, JS_NewFloat64(ctx, (double)usage.ru_stime.tv_sec * 1e6 + (double)usage.ru_stime.tv_usec));
    return list;
}

/* How much memory the process has. */
static FUNCTION(memorySize)
{
#ifdef __wasi__
    return JS_NewInt64(ctx, (int64_t)__builtin_wasm_memory_size(0) * 65536);
#else
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return JS_NewInt64(ctx, (int64_t)usage.ru_maxrss * 1024);
#endif
}

/* Signals. Handlers only note the number; the loop asks for it (bindings/loop.js). */

static volatile sig_atomic_t arrived[65];

static void note_signal(int number) { arrived[number] = 1; }

/* number, whether it is caught: as `sigaction`. */
static FUNCTION(catchSignal)
{
    int number = (int)integer_of(ctx, argv[0]);
    if (number < 1 || number > 64) {
        return failed(ctx, EINVAL);
    }
    /* A write to a pipe that nobody reads is to fail and not to end the process. Caught, not ignored:
       children would ignore it, too. */
    bool is_caught = JS_ToBool(ctx, argv[1]) || number == SIGPIPE;
    void (*before)(int) = signal(number, is_caught ? note_signal : SIG_DFL);
    return before == SIG_ERR ? failed(ctx, errno) : JS_NewInt32(ctx, 0);
}

/* The numbers of those that have arrived since it was asked last. */
static FUNCTION(takeSignals)
{
#ifdef __wasi__
    codepod_deliver_signals();
#endif
    JSValue list = JS_UNDEFINED;
    uint32_t count = 0;
    for (int number = 1; number <= 64; number++) {
        if (arrived[number]) {
            arrived[number] = 0;
            list = count == 0 ? JS_NewArray(ctx) : list;
            put_entry(ctx, list, count++, JS_NewInt32(ctx, number));
        }
    }
    return list;
}

bool signal_has_arrived(int number)
{
#ifdef __wasi__
    codepod_deliver_signals();
#endif
    return arrived[number] != 0;
}

static bool is_signal(int64_t number) { return number >= 1 && number <= 64; }

/* Whether a signal has arrived that nobody has asked for yet. */
static FUNCTION(hasSignal)
{
    int64_t number = integer_of(ctx, argv[0]);
    return JS_NewBool(ctx, is_signal(number) && signal_has_arrived((int)number));
}

/* The same, and now it has been asked for. */
static FUNCTION(takeSignal)
{
    int64_t number = integer_of(ctx, argv[0]);
    bool has_arrived = is_signal(number) && signal_has_arrived((int)number);
    if (has_arrived) {
        arrived[number] = 0;
    }
    return JS_NewBool(ctx, has_arrived);
}

static FUNCTION(kill) { return result_of(ctx, kill((pid_t)integer_of(ctx, argv[0]), (int)integer_of(ctx, argv[1]))); }

/* Int32Array of descriptors and events (1 readable, 2 writable), milliseconds or -1: how many are
   ready; their events are in the array then. A signal ends the wait with 0. */
static FUNCTION(poll)
{
    struct bytes bytes;
    if (bytes_of(ctx, argv[0], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    size_t count = bytes.length / 8;
    struct pollfd *polled = calloc(count + 1, sizeof *polled);
    if (polled == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    int32_t *pairs = (int32_t *)bytes.at;
    for (size_t i = 0; i < count; i++) {
        polled[i].fd = pairs[2 * i];
        polled[i].events = (short)((pairs[2 * i + 1] & 1 ? POLLIN : 0) | (pairs[2 * i + 1] & 2 ? POLLOUT : 0));
    }
    int ready = poll(polled, count, (int)integer_of(ctx, argv[1]));
    for (size_t i = 0; i < count; i++) {
        short events = ready > 0 ? polled[i].revents : 0;
        bool is_over = (events & (POLLHUP | POLLERR | POLLNVAL)) != 0;
        pairs[2 * i + 1] = (events & POLLIN || is_over ? 1 : 0) | (events & POLLOUT || is_over ? 2 : 0);
    }
    free(polled);
    return ready < 0 && errno != EINTR ? failed(ctx, errno) : JS_NewInt32(ctx, ready < 0 ? 0 : ready);
}

/* Which of the standard descriptors were made so that nobody waits for them: others may have them, too,
   and get them back as they were. */
static bool changed[3];

static int set_nonblocking(int fd, bool is_wanted)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || ((flags & O_NONBLOCK) != 0) == is_wanted) {
        return flags < 0 ? flags : 0;
    }
    if (fd >= 0 && fd < 3) {
        changed[fd] = is_wanted;
    }
    return fcntl(fd, F_SETFL, is_wanted ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

static FUNCTION(setNonblocking)
{
    return result_of(ctx, set_nonblocking((int)integer_of(ctx, argv[0]), JS_ToBool(ctx, argv[1])));
}

/* At the start: standard descriptors that are not open are /dev/null, so that no file gets their number. */
static FUNCTION(openStandard)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFL) < 0 && errno == EBADF && open("/dev/null", O_RDWR) < 0) {
            return failed(ctx, errno);
        }
    }
    return JS_NewInt32(ctx, 0);
}

void process_leave(void)
{
    for (int fd = 0; fd < 3; fd++) {
        if (changed[fd]) {
            set_nonblocking(fd, false);
        }
    }
    fflush(NULL);
}

static FUNCTION(exit)
{
    process_leave();
    _Exit((int)integer_of(ctx, argv[0]));
}

/* [columns, rows] of a terminal, or an error. */
#ifdef __wasi__
static FUNCTION(windowSize)
{
    struct codepod_terminal_state state;
    if (codepod_result(codepod_tty_get((uint32_t)integer_of(ctx, argv[0]), &state)) != 0) {
        return failed(ctx, errno);
    }
    int columns = (int)state.columns, rows = (int)state.rows;
#else
#include <sys/ioctl.h>
static FUNCTION(windowSize)
{
    struct winsize size;
    if (ioctl((int)integer_of(ctx, argv[0]), TIOCGWINSZ, &size) != 0) {
        return failed(ctx, errno);
    }
    int columns = size.ws_col, rows = size.ws_row;
#endif
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewInt32(ctx, columns));
    put_entry(ctx, list, 1, JS_NewInt32(ctx, rows));
    return list;
}

/* descriptor, whether keys are handed out as they are pressed: without lines, echo and signals. What the terminal was like
   before comes back when that ends. */
#ifdef __wasi__
static FUNCTION(setRawMode)
{
    enum { RAW = 0 }; /* none of the bits of a terminal's mode */
    static uint32_t before;
    static bool is_raw;
    uint32_t fd = (uint32_t)integer_of(ctx, argv[0]);
    bool wanted = JS_ToBool(ctx, argv[1]) == 1;
    struct codepod_terminal_state state;
    if (codepod_result(codepod_tty_get(fd, &state)) != 0) {
        return failed(ctx, errno);
    }
    if (wanted == is_raw) {
        return JS_NewInt32(ctx, 0);
    }
    before = wanted ? state.mode : before;
    state.mode = wanted ? RAW : before;
    if (codepod_result(codepod_tty_set(fd, &state)) != 0) {
        return failed(ctx, errno);
    }
    is_raw = wanted;
    return JS_NewInt32(ctx, 0);
}
#else
#include <termios.h>
static FUNCTION(setRawMode)
{
    static struct termios before;
    static bool is_raw;
    int fd = (int)integer_of(ctx, argv[0]);
    bool wanted = JS_ToBool(ctx, argv[1]) == 1;
    struct termios state;
    if (wanted == is_raw) {
        return JS_NewInt32(ctx, 0);
    }
    if (tcgetattr(fd, &state) != 0) {
        return failed(ctx, errno);
    }
    if (wanted) {
        before = state;
        state.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
        state.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    }
    if (tcsetattr(fd, TCSADRAIN, wanted ? &state : &before) != 0) {
        return failed(ctx, errno);
    }
    is_raw = wanted;
    return JS_NewInt32(ctx, 0);
}
#endif

/* The path of this program, by which it can start itself. */
static FUNCTION(executable)
{
    char path[4096] = "/usr/bin/node";
#ifndef __wasi__
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
#endif
    return JS_NewString(ctx, path);
}

static FUNCTION(hostname)
{
    char name[256] = "localhost";
#ifndef __wasi__
    gethostname(name, sizeof name - 1);
#endif
    return JS_NewString(ctx, name);
}

const struct native process_natives[] = {
    NATIVE(now), NATIVE(sleep), NATIVE(exit), NATIVE(abort), NATIVE(environment), NATIVE(ids), NATIVE(changeId), NATIVE(umask), NATIVE(random),
    NATIVE(cpuTimes), NATIVE(memorySize), NATIVE(catchSignal), NATIVE(takeSignals), NATIVE(hasSignal), NATIVE(takeSignal), NATIVE(kill),
    NATIVE(poll), NATIVE(setNonblocking), NATIVE(openStandard), NATIVE(windowSize), NATIVE(setRawMode), NATIVE(executable), NATIVE(hostname), {0},
};
