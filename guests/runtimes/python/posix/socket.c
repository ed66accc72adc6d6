/* Sockets on the kernel's calls. Programs have Linux's numbers (<sys/socket.h>), the kernel wasi-libc's: addresses lie in memory alike but for
   the family. There is no ancillary data. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <wasi/api.h>

#include "codepod.h"

enum { KERNEL_INET6 = 2, NONBLOCK = 4, LONGEST = 128, SECOND = 1000000000, WASI_SHUT_RD = 1, WASI_SHUT_WR = 2 };

/* An address as the kernel has it. */
struct address {
    _Alignas(16) unsigned char bytes[LONGEST];
    uint32_t length;
};

/* Families. */

static int kernel_family(int family)
{
    switch (family) {
    case AF_INET: return CODEPOD_SOCKET_INET;
    case AF_INET6: return KERNEL_INET6;
    case AF_UNIX: return CODEPOD_SOCKET_UNIX;
    default: return family == AF_UNSPEC ? 0 : 0xffff;
    }
}

static int linux_family(int family)
{
    switch (family) {
    case CODEPOD_SOCKET_INET: return AF_INET;
    case KERNEL_INET6: return AF_INET6;
    case CODEPOD_SOCKET_UNIX: return AF_UNIX;
    default: return AF_UNSPEC;
    }
}

/* The kernel's form of an address. -1 if it is too short or too long to be one. */
static int to_kernel(const void *given, socklen_t length, struct address *address)
{
    uint16_t family;
    if (length < sizeof family || length > LONGEST) {
        errno = EINVAL;
        return -1;
    }
    memcpy(address->bytes, given, length);
    memcpy(&family, given, sizeof family);
    family = (uint16_t)kernel_family(family);
    memcpy(address->bytes, &family, sizeof family);
    address->length = length;
    return 0;
}

/* Writes as much of an address as fits, and its whole length. An address of IPv4 is as long as Linux's, with zeros behind it. */
static void from_kernel(const struct address *address, uint32_t length, void *result, socklen_t *room)
{
    struct address whole = {0};
    uint16_t family = 0;
    if (result == NULL || room == NULL) {
        return;
    }
    length = length < LONGEST ? length : LONGEST;
    if (length >= sizeof family) {
        memcpy(whole.bytes, address->bytes, length);
        memcpy(&family, address->bytes, sizeof family);
        family = (uint16_t)linux_family(family);
        memcpy(whole.bytes, &family, sizeof family);
        length = family == AF_INET ? sizeof(struct sockaddr_in) : length;
    }
    memcpy(result, whole.bytes, length < *room ? length : *room);
    *room = length;
}

int codepod_address_from_kernel(const void *slot, void *result, socklen_t *room)
{
    struct address address;
    memcpy(address.bytes, slot, CODEPOD_SOCKET_ADDRESS_SLOT);
    from_kernel(&address, CODEPOD_SOCKET_ADDRESS_SLOT, result, room);
    return ((struct sockaddr *)result)->sa_family;
}

int codepod_name_of_address(const struct sockaddr *given, socklen_t length, char *name, size_t size)
{
    struct address address;
    uint32_t used;
    if (to_kernel(given, length, &address) != 0 || codepod_result(codepod_name_of(address.bytes, address.length, name, size - 1, &used)) != 0) {
        return -1;
    }
    name[used] = '\0';
    return 0;
}

/* Why a connection was refused. */

static void ask_why(int fd)
{
    int number = errno;
    char text[sizeof ((struct codepod_reason *)0)->text];
    uint32_t used = 0;
    if (codepod_net_why((uint32_t)fd, text, sizeof text - 1, &used) != 0 || used == 0) {
        return;
    }
    text[used < sizeof text ? used : sizeof text - 1] = '\0';
    errno = number;
    codepod_note_reason(number, text);
}

/* Making sockets. */

/* The protocol of a kind. -1 if a socket of this family cannot have it. */
static int protocol_of(int family, int kind)
{
    if (family == AF_UNIX) {
        return 0;
    }
    return kind == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
}

static int kernel_kind(int family, int type, int protocol, uint32_t *kind)
{
    int wanted = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (family != AF_UNIX && family != AF_INET) {
        errno = EAFNOSUPPORT;
    }
    else if (wanted == SOCK_RAW && family == AF_INET) {
        errno = EPERM;
    }
    else if (wanted != SOCK_STREAM && wanted != SOCK_DGRAM) {
        errno = ESOCKTNOSUPPORT;
    }
    else if (protocol != 0 && protocol != protocol_of(family, wanted) && !(family == AF_UNIX && protocol == AF_UNIX)) {
        errno = EPROTONOSUPPORT;
    }
    else {
        *kind = wanted == SOCK_STREAM ? CODEPOD_SOCKET_STREAM : CODEPOD_SOCKET_DATAGRAM;
        return 0;
    }
    return -1;
}

int socket(int family, int type, int protocol)
{
    uint32_t kind;
    int fd;
    if (kernel_kind(family, type, protocol, &kind) != 0 ||
        codepod_result(codepod_sock_open((uint32_t)kernel_family(family), kind, type & SOCK_NONBLOCK ? NONBLOCK : 0, &fd)) != 0) {
        return -1;
    }
    codepod_set_inherited(fd, !(type & SOCK_CLOEXEC));
    return fd;
}

int socketpair(int family, int type, int protocol, int ends[2])
{
    uint32_t kind;
    if (kernel_kind(family, type, protocol, &kind) != 0) {
        return -1;
    }
    if (family != AF_UNIX || kind != CODEPOD_SOCKET_STREAM) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (codepod_result(codepod_sock_pair(&ends[0], &ends[1])) != 0) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        codepod_set_inherited(ends[i], !(type & SOCK_CLOEXEC));
        if (type & SOCK_NONBLOCK && codepod_result(__wasi_fd_fdstat_set_flags(ends[i], NONBLOCK)) != 0) {
            return -1;
        }
    }
    return 0;
}

int bind(int fd, const struct sockaddr *given, socklen_t length)
{
    struct address address;
    return to_kernel(given, length, &address) != 0 ? -1 : codepod_result(codepod_sock_bind((uint32_t)fd, address.bytes, address.length));
}

int listen(int fd, int backlog)
{
    /* Linux takes a negative number for the most there may be. */
    return codepod_result(codepod_sock_listen((uint32_t)fd, backlog < 0 ? SOMAXCONN : (uint32_t)backlog));
}

int connect(int fd, const struct sockaddr *given, socklen_t length)
{
    struct address address;
    if (to_kernel(given, length, &address) != 0) {
        return -1;
    }
    int result = codepod_result(codepod_sock_connect((uint32_t)fd, address.bytes, address.length));
    if (result != 0 && errno != EINPROGRESS && errno != EINTR) {
        ask_why(fd);
    }
    return result;
}

static int name_of(int fd, uint32_t which, struct sockaddr *result, socklen_t *room)
{
    struct address address;
    uint32_t used;
    if (codepod_result(codepod_sock_name((uint32_t)fd, which, address.bytes, LONGEST, &used)) != 0) {
        return -1;
    }
    from_kernel(&address, used, result, room);
    return 0;
}

int accept4(int fd, struct sockaddr *restrict result, socklen_t *restrict room, int flags)
{
    __wasi_fd_t accepted;
    if (codepod_result(__wasi_sock_accept(fd, flags & SOCK_NONBLOCK ? NONBLOCK : 0, &accepted)) != 0) {
        return -1;
    }
    codepod_set_inherited(accepted, !(flags & SOCK_CLOEXEC));
    /* The peer may have gone again: its address is then unknown. */
    if (result != NULL && room != NULL && name_of(accepted, CODEPOD_SOCKET_PEER, result, room) != 0) {
        *room = 0;
    }
    return accepted;
}

int accept(int fd, struct sockaddr *restrict result, socklen_t *restrict room)
{
    return accept4(fd, result, room, 0);
}

int getsockname(int fd, struct sockaddr *restrict result, socklen_t *restrict room)
{
    return name_of(fd, CODEPOD_SOCKET_LOCAL, result, room);
}

int getpeername(int fd, struct sockaddr *restrict result, socklen_t *restrict room)
{
    return name_of(fd, CODEPOD_SOCKET_PEER, result, room);
}

int shutdown(int fd, int how)
{
    static const __wasi_sdflags_t flags[] = {WASI_SHUT_RD, WASI_SHUT_WR, WASI_SHUT_RD | WASI_SHUT_WR};
    if (how < SHUT_RD || how > SHUT_RDWR) {
        errno = EINVAL;
        return -1;
    }
    return codepod_result(__wasi_sock_shutdown(fd, flags[how]));
}

/* Sending and receiving. */

struct cmsghdr *codepod_next_control(const struct msghdr *message, const struct cmsghdr *control)
{
    const unsigned char *next = (const unsigned char *)control + CMSG_ALIGN(control->cmsg_len);
    const unsigned char *end = (const unsigned char *)message->msg_control + message->msg_controllen;
    int fits = control->cmsg_len >= sizeof *control && next <= end && (size_t)(end - next) >= sizeof *control;
    return fits ? (struct cmsghdr *)next : NULL;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct address address = {.length = 0};
    uint32_t kernel_flags = (flags & MSG_DONTWAIT ? CODEPOD_SOCKET_DONT_WAIT : 0) | (flags & MSG_NOSIGNAL ? CODEPOD_SOCKET_NO_SIGNAL : 0);
    uint32_t sent;
    if (flags & MSG_OOB || message->msg_controllen != 0) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (message->msg_name != NULL && message->msg_namelen != 0 && to_kernel(message->msg_name, message->msg_namelen, &address) != 0) {
        return -1;
    }
    if (codepod_result(codepod_sock_send_to((uint32_t)fd, message->msg_iov, message->msg_iovlen, kernel_flags, address.bytes, address.length, &sent)) != 0) {
        if (address.length != 0) {
            ask_why(fd);
        }
        return -1;
    }
    return (ssize_t)sent;
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *address, socklen_t length)
{
    struct iovec vector = {.iov_base = (void *)data, .iov_len = size};
    struct msghdr message = {.msg_name = (void *)address, .msg_namelen = address != NULL ? length : 0, .msg_iov = &vector, .msg_iovlen = 1};
    return sendmsg(fd, &message, flags);
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
    return sendto(fd, data, size, flags, NULL, 0);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct address address;
    struct codepod_received received;
    uint32_t kernel_flags = (flags & MSG_PEEK ? CODEPOD_SOCKET_PEEK : 0) | (flags & MSG_WAITALL ? CODEPOD_SOCKET_WAIT_ALL : 0) |
                            (flags & MSG_DONTWAIT ? CODEPOD_SOCKET_DONT_WAIT : 0) | (flags & MSG_TRUNC ? CODEPOD_SOCKET_WHOLE_LENGTH : 0);
    if (flags & (MSG_OOB | MSG_ERRQUEUE)) {
        errno = flags & MSG_OOB ? EINVAL : EAGAIN;
        return -1;
    }
    if (codepod_result(codepod_sock_recv_from((uint32_t)fd, message->msg_iov, message->msg_iovlen, kernel_flags, address.bytes, LONGEST, &received)) != 0) {
        return -1;
    }
    if (message->msg_name != NULL) {
        from_kernel(&address, received.address_len, message->msg_name, &message->msg_namelen);
    }
    message->msg_controllen = 0;
    message->msg_flags = received.flags & CODEPOD_SOCKET_TRUNCATED ? MSG_TRUNC : 0;
    return (ssize_t)received.bytes;
}

ssize_t recvfrom(int fd, void *restrict data, size_t size, int flags, struct sockaddr *restrict result, socklen_t *restrict room)
{
    struct iovec vector = {.iov_base = data, .iov_len = size};
    struct msghdr message = {.msg_name = room != NULL ? result : NULL, .msg_namelen = room != NULL ? *room : 0, .msg_iov = &vector, .msg_iovlen = 1};
    ssize_t count = recvmsg(fd, &message, flags);
    if (count >= 0 && room != NULL) {
        *room = message.msg_namelen;
    }
    return count;
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
    return recvfrom(fd, data, size, flags, NULL, NULL);
}

/* Options. */

enum form { NUMBER, KIND, FAMILY, ERROR, LINGER, TIME };

static const struct option {
    int level, name;
    uint32_t number;
    enum form form;
} options[] = {
    {SOL_SOCKET, SO_TYPE, CODEPOD_OPTION_KIND, KIND},
    {SOL_SOCKET, SO_DOMAIN, CODEPOD_OPTION_FAMILY, FAMILY},
    {SOL_SOCKET, SO_ACCEPTCONN, CODEPOD_OPTION_LISTENING, NUMBER},
    {SOL_SOCKET, SO_ERROR, CODEPOD_OPTION_ERROR, ERROR},
    {SOL_SOCKET, SO_REUSEADDR, CODEPOD_OPTION_REUSE_ADDRESS, NUMBER},
    {SOL_SOCKET, SO_REUSEPORT, CODEPOD_OPTION_REUSE_PORT, NUMBER},
    {SOL_SOCKET, SO_BROADCAST, CODEPOD_OPTION_BROADCAST, NUMBER},
    {SOL_SOCKET, SO_KEEPALIVE, CODEPOD_OPTION_KEEP_ALIVE, NUMBER},
    {SOL_SOCKET, SO_LINGER, CODEPOD_OPTION_LINGER, LINGER},
    {SOL_SOCKET, SO_RCVBUF, CODEPOD_OPTION_RECEIVE_BUFFER, NUMBER},
    {SOL_SOCKET, SO_SNDBUF, CODEPOD_OPTION_SEND_BUFFER, NUMBER},
    {SOL_SOCKET, SO_RCVTIMEO, CODEPOD_OPTION_RECEIVE_TIMEOUT, TIME},
    {SOL_SOCKET, SO_SNDTIMEO, CODEPOD_OPTION_SEND_TIMEOUT, TIME},
    {IPPROTO_TCP, TCP_NODELAY, CODEPOD_OPTION_NO_DELAY, NUMBER},
    {IPPROTO_TCP, TCP_KEEPIDLE, CODEPOD_OPTION_KEEP_IDLE, NUMBER},
    {IPPROTO_TCP, TCP_KEEPINTVL, CODEPOD_OPTION_KEEP_INTERVAL, NUMBER},
    {IPPROTO_TCP, TCP_KEEPCNT, CODEPOD_OPTION_KEEP_COUNT, NUMBER},
};

static const struct option *find_option(int level, int name)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].level == level && options[i].name == name) {
            return &options[i];
        }
    }
    errno = ENOPROTOOPT;
    return NULL;
}

static int get_number(int fd, uint32_t option, uint64_t *value)
{
    return codepod_result(codepod_sock_option_get((uint32_t)fd, option, value));
}

static void give(const void *value, socklen_t size, void *result, socklen_t *room)
{
    *room = *room < size ? *room : size;
    memcpy(result, value, *room);
}

static int give_number(int number, void *result, socklen_t *room)
{
    give(&number, sizeof number, result, room);
    return 0;
}

static int get_credentials(int fd, void *result, socklen_t *room)
{
    uint64_t pid, uid, gid;
    if (get_number(fd, CODEPOD_OPTION_PEER_PID, &pid) != 0 || get_number(fd, CODEPOD_OPTION_PEER_UID, &uid) != 0 ||
        get_number(fd, CODEPOD_OPTION_PEER_GID, &gid) != 0) {
        return -1;
    }
    struct ucred credentials = {.pid = (pid_t)pid, .uid = (uid_t)uid, .gid = (gid_t)gid};
    give(&credentials, sizeof credentials, result, room);
    return 0;
}

static int get_protocol(int fd, void *result, socklen_t *room)
{
    uint64_t kind, family;
    if (get_number(fd, CODEPOD_OPTION_KIND, &kind) != 0 || get_number(fd, CODEPOD_OPTION_FAMILY, &family) != 0) {
        return -1;
    }
    return give_number(protocol_of(linux_family((int)family), kind == CODEPOD_SOCKET_STREAM ? SOCK_STREAM : SOCK_DGRAM), result, room);
}

int getsockopt(int fd, int level, int name, void *restrict result, socklen_t *restrict room)
{
    if (level == SOL_SOCKET && name == SO_PEERCRED) {
        return get_credentials(fd, result, room);
    }
    if (level == SOL_SOCKET && name == SO_PROTOCOL) {
        return get_protocol(fd, result, room);
    }
    const struct option *option = find_option(level, name);
    uint64_t value;
    if (option == NULL || get_number(fd, option->number, &value) != 0) {
        return -1;
    }
    switch (option->form) {
    case NUMBER: return give_number((int)value, result, room);
    case KIND: return give_number(value == CODEPOD_SOCKET_STREAM ? SOCK_STREAM : SOCK_DGRAM, result, room);
    case FAMILY: return give_number(linux_family((int)value), result, room);
    case ERROR: {
        int number = value == 0 ? 0 : codepod_linux_errno((int)value);
        if (number != 0) {
            errno = number;
            ask_why(fd);
        }
        return give_number(number, result, room);
    }
    case LINGER: {
        struct linger linger = {.l_onoff = (int)(value >> 32), .l_linger = (int)(uint32_t)value};
        give(&linger, sizeof linger, result, room);
        return 0;
    }
    case TIME: {
        struct timeval time = {.tv_sec = (time_t)(value / SECOND), .tv_usec = (suseconds_t)(value % SECOND / 1000)};
        give(&time, sizeof time, result, room);
        return 0;
    }
    }
    return 0;
}

/* A time of an option in nanoseconds: a `struct timeval`, or two numbers of 32 bits, as programs pack one themselves. -1 if it is none. */
static int64_t nanoseconds_of(const void *value, socklen_t size)
{
    struct timeval time;
    int32_t packed[2];
    if (size == sizeof packed) {
        memcpy(packed, value, sizeof packed);
        time = (struct timeval){.tv_sec = packed[0], .tv_usec = packed[1]};
    }
    else if (size >= sizeof time) {
        memcpy(&time, value, sizeof time);
    }
    else {
        return -1;
    }
    if (time.tv_usec < 0 || time.tv_usec >= 1000000 || time.tv_sec < 0) {
        return -1;
    }
    /* What is longer than centuries is for ever. */
    return time.tv_sec > INT64_MAX / SECOND / 2 ? 0 : time.tv_sec * SECOND + time.tv_usec * 1000;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    const struct option *option = find_option(level, name);
    struct linger linger;
    int64_t number = -1;
    int given;
    if (option == NULL) {
        return -1;
    }
    if (option->form == TIME) {
        number = nanoseconds_of(value, size);
    }
    else if (option->form == LINGER && size >= sizeof linger) {
        memcpy(&linger, value, sizeof linger);
        number = linger.l_onoff != 0 ? (int64_t)1 << 32 | (uint32_t)linger.l_linger : 0;
    }
    else if (option->form != LINGER && size >= sizeof given) {
        memcpy(&given, value, sizeof given);
        number = (uint32_t)given;
    }
    if (number < 0) {
        errno = option->form == TIME && size >= sizeof(int32_t[2]) ? EDOM : EINVAL;
        return -1;
    }
    return codepod_result(codepod_sock_option_set((uint32_t)fd, option->number, (uint64_t)number));
}
