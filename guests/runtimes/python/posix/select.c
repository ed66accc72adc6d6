/* select(2) as poll(2): wasi-libc's refuses to look for exceptional conditions, of which there are none here. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>

int select(int number, fd_set *restrict read, fd_set *restrict write, fd_set *restrict except, struct timeval *restrict timeout)
{
    struct pollfd polled[FD_SETSIZE];
    nfds_t count = 0;
    int wait = -1, ready = 0;
    if (number < 0 || number > FD_SETSIZE || (timeout != NULL && (timeout->tv_sec < 0 || timeout->tv_usec < 0))) {
        errno = EINVAL;
        return -1;
    }
    for (int fd = 0; fd < number; fd++) {
        short events = (short)((read != NULL && FD_ISSET(fd, read) ? POLLIN : 0) | (write != NULL && FD_ISSET(fd, write) ? POLLOUT : 0));
        if (events != 0) {
            polled[count++] = (struct pollfd){.fd = fd, .events = events};
        }
    }
    if (timeout != NULL) {
        long long milliseconds = timeout->tv_sec > INT_MAX / 1000 ? INT_MAX : timeout->tv_sec * 1000 + (timeout->tv_usec + 999) / 1000;
        wait = milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
    }
    if (poll(polled, count, wait) < 0) {
        return -1;
    }
    for (nfds_t i = 0; i < count; i++) {
        if (polled[i].revents & POLLNVAL) {
            errno = EBADF;
            return -1;
        }
    }
    for (fd_set *sets[3] = {read, write, except}, **set = sets; set < sets + 3; set++) {
        if (*set != NULL) {
            FD_ZERO(*set);
        }
    }
    for (nfds_t i = 0; i < count; i++) {
        short failed = polled[i].revents & (POLLERR | POLLHUP);
        if (read != NULL && polled[i].events & POLLIN && polled[i].revents & (POLLIN | failed)) {
            FD_SET(polled[i].fd, read);
            ready++;
        }
        if (write != NULL && polled[i].events & POLLOUT && polled[i].revents & (POLLOUT | (failed & POLLERR))) {
            FD_SET(polled[i].fd, write);
            ready++;
        }
    }
    return ready;
}
