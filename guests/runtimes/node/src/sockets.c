/* Sockets: streams and datagrams over IP and between UNIX sockets, none of which waits; names of hosts.
 *
 * An address is given as host (digits) and port, or as the path of a UNIX socket with the port -1. What
 * a call returns has it as [host, port, family], family 4 or 6, or as a path.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine.h"

enum { LONGEST_NAME = 1025, LONGEST_SERVICE = 32, MOST_DATAGRAM = 65536 };

/* Of <netinet/in.h>; the sandbox's C library has no multicast, and then these are refused with ENOPROTOOPT. */
enum { TIME_TO_LIVE = 2, TYPE_OF_SERVICE = 1, MULTICAST_INTERFACE = 32, MULTICAST_TTL = 33, MULTICAST_LOOP = 34, JOIN = 35, LEAVE = 36, JOIN_SOURCE = 39, LEAVE_SOURCE = 40 };

struct place {
    struct sockaddr_storage address;
    socklen_t length;
};

/* Reads host and port, or a path: 0, or an error number. A zone behind a % is left to the system. */
static int place_of(JSContext *ctx, JSValueConst host, JSValueConst port, struct place *place)
{
    size_t length;
    int64_t number = integer_of(ctx, port);
    const char *text = JS_ToCStringLen(ctx, &length, host);
    if (text == NULL) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return EINVAL;
    }
    memset(place, 0, sizeof *place);
    int error = 0;
    struct sockaddr_in *four = (struct sockaddr_in *)&place->address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&place->address;
    if (number < 0) {
        struct sockaddr_un *local = (struct sockaddr_un *)&place->address;
        if (length > sizeof local->sun_path - (length > 0 && text[0] == '\0' ? 0 : 1)) {
            error = ENAMETOOLONG;
        }
        else {
            local->sun_family = AF_UNIX;
            memcpy(local->sun_path, text, length);
            /* An abstract name is as long as it is given; a path has a zero behind it. */
            place->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (length > 0 && text[0] == '\0' ? 0 : 1));
        }
    }
    else if (number > 65535) {
        error = EINVAL;
    }
    else if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)number);
        place->length = sizeof *four;
    }
    else if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons((uint16_t)number);
        place->length = sizeof *six;
    }
    else {
        /* With a zone: only getaddrinfo knows its number. */
        struct addrinfo hint = {.ai_flags = AI_NUMERICHOST, .ai_family = AF_INET6}, *found = NULL;
        if (strchr(text, '%') != NULL && getaddrinfo(text, NULL, &hint, &found) == 0 && found->ai_addrlen <= sizeof *six) {
            memcpy(six, found->ai_addr, found->ai_addrlen);
            six->sin6_port = htons((uint16_t)number);
            place->length = found->ai_addrlen;
            freeaddrinfo(found);
        }
        else {
            error = EINVAL;
        }
    }
    JS_FreeCString(ctx, text);
    return error;
}

static JSValue value_of(JSContext *ctx, const struct place *place)
{
    char text[INET6_ADDRSTRLEN + 1] = "";
    const struct sockaddr_in *four = (const struct sockaddr_in *)&place->address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&place->address;
    if (place->length >= sizeof(sa_family_t) && place->address.ss_family == AF_UNIX) {
        const struct sockaddr_un *local = (const struct sockaddr_un *)&place->address;
        size_t length = place->length - offsetof(struct sockaddr_un, sun_path);
        length = length > sizeof local->sun_path ? 0 : length;
        if (length > 0 && local->sun_path[0] != '\0') {
            length = strnlen(local->sun_path, length);
        }
        return text_from_utf8(ctx, (const uint8_t *)local->sun_path, length);
    }
    bool is_six = place->length >= sizeof(sa_family_t) && place->address.ss_family == AF_INET6;
    int port = ntohs(is_six ? six->sin6_port : four->sin_port);
    if (is_six) {
        inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
    }
    else {
        inet_ntop(AF_INET, &four->sin_addr, text, sizeof text);
    }
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewString(ctx, text));
    put_entry(ctx, list, 1, JS_NewInt32(ctx, port));
    put_entry(ctx, list, 2, JS_NewInt32(ctx, is_six ? 6 : 4));
    return list;
}

const char *socket_kind(int fd)
{
    struct place place = {.length = sizeof place.address};
    int type = 0;
    socklen_t length = sizeof type;
    if (getsockname(fd, (struct sockaddr *)&place.address, &place.length) != 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0) {
        return "UNKNOWN";
    }
    bool is_local = place.address.ss_family == AF_UNIX;
    return type == SOCK_STREAM ? (is_local ? "PIPE" : "TCP") : type == SOCK_DGRAM && !is_local ? "UDP" : "UNKNOWN";
}

/* family (1 UNIX, 4, 6), whether for datagrams: a descriptor. */
static FUNCTION(socketOpen)
{
    int64_t family = integer_of(ctx, argv[0]);
    int domain = family == 1 ? AF_UNIX : family == 6 ? AF_INET6 : AF_INET;
    int type = JS_ToBool(ctx, argv[1]) ? SOCK_DGRAM : SOCK_STREAM;
    return result_of(ctx, socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

/* fd, host, port */
static FUNCTION(socketBind)
{
    struct place place;
    int error = place_of(ctx, argv[1], argv[2], &place);
    return error != 0 ? failed(ctx, error) : result_of(ctx, bind((int)integer_of(ctx, argv[0]), (struct sockaddr *)&place.address, place.length));
}

/* fd, host, port: 0, or -EINPROGRESS while it goes on. Without a host a datagram socket is parted from its peer. */
static FUNCTION(socketConnect)
{
    struct place place = {.address.ss_family = AF_UNSPEC, .length = sizeof(struct sockaddr)};
    int error = JS_IsUndefined(argv[1]) ? 0 : place_of(ctx, argv[1], argv[2], &place);
    return error != 0 ? failed(ctx, error) : result_of(ctx, connect((int)integer_of(ctx, argv[0]), (struct sockaddr *)&place.address, place.length));
}

static FUNCTION(socketListen) { return result_of(ctx, listen((int)integer_of(ctx, argv[0]), (int)integer_of(ctx, argv[1]))); }

static FUNCTION(socketAccept)
{
    int fd = accept4((int)integer_of(ctx, argv[0]), NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return result_of(ctx, fd);
}

/* fd, whether the peer's: an address, or an error. */
static FUNCTION(socketName)
{
    struct place place = {.length = sizeof place.address};
    int fd = (int)integer_of(ctx, argv[0]);
    int result = JS_ToBool(ctx, argv[1]) ? getpeername(fd, (struct sockaddr *)&place.address, &place.length)
                                         : getsockname(fd, (struct sockaddr *)&place.address, &place.length);
    return result != 0 ? failed(ctx, errno) : value_of(ctx, &place);
}

/* What has become of a connection that was begun: 0, or an error. */
static FUNCTION(socketError)
{
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt((int)integer_of(ctx, argv[0]), SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
        error = errno;
    }
    return failed(ctx, error);
}

static FUNCTION(socketShutdown) { return result_of(ctx, shutdown((int)integer_of(ctx, argv[0]), SHUT_WR)); }

/* The next close ends the connection with a reset. */
static FUNCTION(socketReset)
{
    struct linger linger = {.l_onoff = 1};
    return result_of(ctx, setsockopt((int)integer_of(ctx, argv[0]), SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
}

/* Options by the numbers of bindings/sockets.js. */
static const struct {
    int level, name, six;
} options[] = {
    {SOL_SOCKET, SO_REUSEADDR, 0}, {SOL_SOCKET, SO_REUSEPORT, 0}, {SOL_SOCKET, SO_KEEPALIVE, 0}, {IPPROTO_TCP, TCP_NODELAY, 0},
    {IPPROTO_TCP, TCP_KEEPIDLE, 0}, {IPPROTO_TCP, TCP_KEEPINTVL, 0}, {IPPROTO_TCP, TCP_KEEPCNT, 0}, {SOL_SOCKET, SO_BROADCAST, 0},
    {SOL_SOCKET, SO_RCVBUF, 0}, {SOL_SOCKET, SO_SNDBUF, 0}, {IPPROTO_IP, TIME_TO_LIVE, 16}, {IPPROTO_IP, MULTICAST_TTL, 18},
    {IPPROTO_IP, MULTICAST_LOOP, 19}, {IPPROTO_IPV6, 26, 26}, {IPPROTO_IP, TYPE_OF_SERVICE, 67},
};

static bool is_six(int fd)
{
    struct place place = {.length = sizeof place.address};
    return getsockname(fd, (struct sockaddr *)&place.address, &place.length) == 0 && place.address.ss_family == AF_INET6;
}

/* fd, option, value or undefined to ask: 0 or the value, or an error. */
static FUNCTION(socketOption)
{
    int fd = (int)integer_of(ctx, argv[0]), value = (int)integer_of(ctx, argv[2]);
    int64_t which = integer_of(ctx, argv[1]);
    if (which < 0 || which >= (int64_t)(sizeof options / sizeof *options)) {
        return failed(ctx, EINVAL);
    }
    int level = options[which].level, name = options[which].name;
    if (options[which].six != 0 && is_six(fd)) {
        level = IPPROTO_IPV6;
        name = options[which].six;
    }
    if (!JS_IsUndefined(argv[2])) {
        return result_of(ctx, setsockopt(fd, level, name, &value, sizeof value));
    }
    socklen_t length = sizeof value;
    return getsockopt(fd, level, name, &value, &length) != 0 ? failed(ctx, errno) : JS_NewInt32(ctx, value);
}

/* fd, whether to join, group, interface or undefined, source or undefined */
static FUNCTION(socketMembership)
{
    struct place group, card = {0}, source;
    JSValue zero = JS_NewInt32(ctx, 0);
    int fd = (int)integer_of(ctx, argv[0]);
    bool joins = JS_ToBool(ctx, argv[1]) != 0;
    if (place_of(ctx, argv[2], zero, &group) != 0 || (!JS_IsUndefined(argv[3]) && place_of(ctx, argv[3], zero, &card) != 0)) {
        return failed(ctx, EINVAL);
    }
    if (group.address.ss_family == AF_INET6) {
        /* struct ipv6_mreq */
        struct {
            struct in6_addr address;
            unsigned card;
        } request = {((struct sockaddr_in6 *)&group.address)->sin6_addr, ((struct sockaddr_in6 *)&card.address)->sin6_scope_id};
        return JS_IsUndefined(argv[4]) ? result_of(ctx, setsockopt(fd, IPPROTO_IPV6, joins ? 20 : 21, &request, sizeof request)) : failed(ctx, ENOPROTOOPT);
    }
    struct in_addr request[3] = {((struct sockaddr_in *)&group.address)->sin_addr, ((struct sockaddr_in *)&card.address)->sin_addr, {0}};
    if (JS_IsUndefined(argv[4])) {
        return result_of(ctx, setsockopt(fd, IPPROTO_IP, joins ? JOIN : LEAVE, request, 2 * sizeof *request));
    }
    if (place_of(ctx, argv[4], zero, &source) != 0) {
        return failed(ctx, EINVAL);
    }
    request[2] = ((struct sockaddr_in *)&source.address)->sin_addr;
    return result_of(ctx, setsockopt(fd, IPPROTO_IP, joins ? JOIN_SOURCE : LEAVE_SOURCE, request, sizeof request));
}

/* fd, the address of an interface. */
static FUNCTION(socketMulticastInterface)
{
    struct place card;
    int fd = (int)integer_of(ctx, argv[0]);
    if (place_of(ctx, argv[1], JS_NewInt32(ctx, 0), &card) != 0) {
        return failed(ctx, EINVAL);
    }
    if (card.address.ss_family == AF_INET6) {
        unsigned number = ((struct sockaddr_in6 *)&card.address)->sin6_scope_id;
        return result_of(ctx, setsockopt(fd, IPPROTO_IPV6, 17, &number, sizeof number));
    }
    struct in_addr address = ((struct sockaddr_in *)&card.address)->sin_addr;
    return result_of(ctx, setsockopt(fd, IPPROTO_IP, MULTICAST_INTERFACE, &address, sizeof address));
}

/* fd, bytes, host or undefined, port: how many bytes were sent. */
static FUNCTION(socketSend)
{
    struct bytes bytes;
    struct place place = {0};
    /* Bytes last: whatever runs while an address becomes text cannot take them away then. */
    int error = JS_IsUndefined(argv[2]) ? 0 : place_of(ctx, argv[2], argv[3], &place);
    if (error != 0) {
        return failed(ctx, error);
    }
    if (bytes_of(ctx, argv[1], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    const struct sockaddr *address = place.length != 0 ? (struct sockaddr *)&place.address : NULL;
    return result_of(ctx, sendto((int)integer_of(ctx, argv[0]), bytes.at, bytes.length, MSG_NOSIGNAL, address, place.length));
}

/* fd: [bytes, host, port, family] of one datagram, or an error. */
static FUNCTION(socketReceive)
{
    uint8_t *room = malloc(MOST_DATAGRAM);
    if (room == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    struct place place = {.length = sizeof place.address};
    ssize_t count = recvfrom((int)integer_of(ctx, argv[0]), room, MOST_DATAGRAM, 0, (struct sockaddr *)&place.address, &place.length);
    if (count < 0) {
        int error = errno;
        free(room);
        return failed(ctx, error);
    }
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewArrayBufferCopy(ctx, room, (size_t)count));
    put_entry(ctx, list, 1, value_of(ctx, &place));
    free(room);
    return list;
}

/* Names. */

/* As libuv numbers the errors of getaddrinfo. */
static JSValue resolver_failed(JSContext *ctx, int error)
{
    static const struct {
        int error, number;
    } numbers[] = {{EAI_ADDRFAMILY, 3000}, {EAI_AGAIN, 3001}, {EAI_BADFLAGS, 3002}, {EAI_FAIL, 3004}, {EAI_FAMILY, 3005},
                   {EAI_MEMORY, 3006}, {EAI_NODATA, 3007}, {EAI_NONAME, 3008}, {EAI_OVERFLOW, 3009}, {EAI_SERVICE, 3010}, {EAI_SOCKTYPE, 3011}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].error == error) {
            return failed(ctx, numbers[i].number);
        }
    }
    return failed(ctx, error == EAI_SYSTEM ? errno : EIO);
}

/* host, family (0, 4, 6), flags: a list of addresses, or an error. */
static FUNCTION(nameLookup)
{
    int64_t family = integer_of(ctx, argv[1]);
    struct addrinfo hint = {
        .ai_flags = (int)integer_of(ctx, argv[2]),
        .ai_family = family == 4 ? AF_INET : family == 6 ? AF_INET6 : AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
    };
    struct addrinfo *found = NULL;
    const char *name = JS_ToCString(ctx, argv[0]);
    if (name == NULL) {
        return JS_EXCEPTION;
    }
    int error = getaddrinfo(name, NULL, &hint, &found);
    JS_FreeCString(ctx, name);
    if (error != 0) {
        return resolver_failed(ctx, error);
    }
    JSValue list = JS_NewArray(ctx);
    uint32_t count = 0;
    for (struct addrinfo *each = found; each != NULL; each = each->ai_next) {
        struct place place = {.length = each->ai_addrlen};
        if (each->ai_addrlen <= sizeof place.address && (each->ai_family == AF_INET || each->ai_family == AF_INET6)) {
            memcpy(&place.address, each->ai_addr, each->ai_addrlen);
            put_entry(ctx, list, count++, value_of(ctx, &place));
        }
    }
    freeaddrinfo(found);
    return list;
}

/* address, port: [host, service], or an error. */
static FUNCTION(nameOf)
{
    struct place place;
    char host[LONGEST_NAME], service[LONGEST_SERVICE];
    int error = place_of(ctx, argv[0], argv[1], &place);
    if (error != 0) {
        return failed(ctx, error);
    }
    error = getnameinfo((struct sockaddr *)&place.address, place.length, host, sizeof host, service, sizeof service, NI_NAMEREQD);
    if (error != 0) {
        return resolver_failed(ctx, error);
    }
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, text_from_utf8(ctx, (const uint8_t *)host, strlen(host)));
    put_entry(ctx, list, 1, text_from_utf8(ctx, (const uint8_t *)service, strlen(service)));
    return list;
}

/* text: [family, ArrayBuffer of 4 or 16 bytes] of an address in digits, undefined for anything else. */
static FUNCTION(addressBytes)
{
    uint8_t bytes[16];
    const char *text = JS_ToCString(ctx, argv[0]);
    if (text == NULL) {
        return JS_EXCEPTION;
    }
    int family = inet_pton(AF_INET, text, bytes) == 1 ? 4 : inet_pton(AF_INET6, text, bytes) == 1 ? 6 : 0;
    JS_FreeCString(ctx, text);
    if (family == 0) {
        return JS_UNDEFINED;
    }
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewInt32(ctx, family));
    put_entry(ctx, list, 1, JS_NewArrayBufferCopy(ctx, bytes, family == 4 ? 4 : 16));
    return list;
}

/* 4 or 16 bytes: the address in digits. */
static FUNCTION(addressText)
{
    struct bytes bytes;
    char text[INET6_ADDRSTRLEN + 1];
    if (bytes_of(ctx, argv[0], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    if (bytes.length != 4 && bytes.length != 16) {
        return JS_UNDEFINED;
    }
    return JS_NewString(ctx, inet_ntop(bytes.length == 4 ? AF_INET : AF_INET6, bytes.at, text, sizeof text));
}

const struct native socket_natives[] = {
    NATIVE(socketOpen), NATIVE(socketBind), NATIVE(socketConnect), NATIVE(socketListen), NATIVE(socketAccept), NATIVE(socketName),
    NATIVE(socketError), NATIVE(socketShutdown), NATIVE(socketReset), NATIVE(socketOption), NATIVE(socketMembership),
    NATIVE(socketMulticastInterface), NATIVE(socketSend), NATIVE(socketReceive), NATIVE(nameLookup), NATIVE(nameOf),
    NATIVE(addressBytes), NATIVE(addressText), {0},
};
