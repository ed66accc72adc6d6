/* Names of hosts, which the kernel knows, and of services and protocols, which are in a table. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codepod.h"

enum { MOST_ADDRESSES = 16, LONGEST_HOST = 256 };

int h_errno;

/* Services and protocols. */

static const struct service {
    const char *name;
    unsigned short port;
    const char *protocol;
} services[] = {
    {"echo", 7, "tcp"}, {"echo", 7, "udp"}, {"discard", 9, "tcp"}, {"discard", 9, "udp"}, {"daytime", 13, "tcp"}, {"ftp-data", 20, "tcp"},
    {"ftp", 21, "tcp"}, {"ssh", 22, "tcp"}, {"telnet", 23, "tcp"}, {"smtp", 25, "tcp"}, {"time", 37, "tcp"}, {"time", 37, "udp"},
    {"domain", 53, "tcp"}, {"domain", 53, "udp"}, {"tftp", 69, "udp"}, {"finger", 79, "tcp"}, {"http", 80, "tcp"}, {"pop3", 110, "tcp"},
    {"nntp", 119, "tcp"}, {"ntp", 123, "udp"}, {"imap2", 143, "tcp"}, {"snmp", 161, "tcp"}, {"snmp", 161, "udp"}, {"ldap", 389, "tcp"},
    {"https", 443, "tcp"}, {"https", 443, "udp"}, {"submissions", 465, "tcp"}, {"syslog", 514, "udp"}, {"submission", 587, "tcp"},
    {"ldaps", 636, "tcp"}, {"ftps", 990, "tcp"}, {"imaps", 993, "tcp"}, {"pop3s", 995, "tcp"}, {"socks", 1080, "tcp"},
    {"mysql", 3306, "tcp"}, {"postgresql", 5432, "tcp"}, {"amqp", 5672, "tcp"}, {"http-alt", 8080, "tcp"}, {"http-alt", 8080, "udp"},
};
static const struct {
    const char *name;
    int number;
} protocols[] = {{"ip", IPPROTO_IP}, {"icmp", IPPROTO_ICMP}, {"tcp", IPPROTO_TCP}, {"udp", IPPROTO_UDP}, {"ipv6", IPPROTO_IPV6}};

static char *no_aliases[] = {NULL};

static const struct service *find_service(const char *name, int port, const char *protocol)
{
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        const struct service *service = &services[i];
        int is_same = name != NULL ? strcmp(service->name, name) == 0 : service->port == port;
        if (is_same && (protocol == NULL || strcmp(service->protocol, protocol) == 0)) {
            return service;
        }
    }
    return NULL;
}

static struct servent *entry_of(const struct service *service)
{
    static struct servent entry;
    if (service == NULL) {
        return NULL;
    }
    entry = (struct servent){(char *)service->name, no_aliases, htons(service->port), (char *)service->protocol};
    return &entry;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
    return entry_of(find_service(name, 0, protocol));
}

struct servent *getservbyport(int port, const char *protocol)
{
    return entry_of(find_service(NULL, ntohs((uint16_t)port), protocol));
}

struct protoent *getprotobyname(const char *name)
{
    static struct protoent entry;
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        if (strcmp(protocols[i].name, name) == 0) {
            entry = (struct protoent){(char *)protocols[i].name, no_aliases, protocols[i].number};
            return &entry;
        }
    }
    return NULL;
}

/* Addresses of a name. */

/* Finds the addresses of IPv4. Returns how many, or a number of <netdb.h>. */
static int resolve(const char *name, int is_number, struct in_addr found[MOST_ADDRESSES])
{
    unsigned char slots[MOST_ADDRESSES][CODEPOD_SOCKET_ADDRESS_SLOT], six[16];
    uint32_t count = 0;
    if (inet_aton(name, &found[0])) {
        return 1;
    }
    if (inet_pton(AF_INET6, name, six) == 1) {
        return EAI_ADDRFAMILY;
    }
    if (is_number || *name == '\0') {
        return EAI_NONAME;
    }
    if (codepod_result(codepod_name_resolve(name, strlen(name), slots, sizeof slots, &count)) != 0) {
        switch (errno) {
        case ENOENT:
        case EINVAL: return EAI_NONAME;
        case EAGAIN: return EAI_AGAIN;
        case ENOMEM: return EAI_MEMORY;
        case EINTR: return EAI_SYSTEM;
        default: return EAI_FAIL;
        }
    }
    int kept = 0;
    for (uint32_t i = 0; i < count && i < MOST_ADDRESSES; i++) {
        struct sockaddr_storage address;
        socklen_t room = sizeof address;
        if (codepod_address_from_kernel(slots[i], &address, &room) == AF_INET) {
            found[kept++] = ((struct sockaddr_in *)&address)->sin_addr;
        }
    }
    return kept > 0 ? kept : EAI_NONAME;
}

/* A result with the address and the name behind it. */
struct result {
    struct addrinfo info;
    struct sockaddr_in address;
    char name[];
};

static struct addrinfo *result(const struct addrinfo *kind, struct in_addr address, int port, const char *name)
{
    struct result *made = calloc(1, sizeof *made + (name != NULL ? strlen(name) + 1 : 0));
    if (made == NULL) {
        return NULL;
    }
    made->address.sin_family = AF_INET;
    made->address.sin_port = htons((uint16_t)port);
    made->address.sin_addr = address;
    made->info = (struct addrinfo){.ai_flags = kind->ai_flags,
                                   .ai_family = AF_INET,
                                   .ai_socktype = kind->ai_socktype,
                                   .ai_protocol = kind->ai_protocol,
                                   .ai_addrlen = sizeof made->address,
                                   .ai_addr = (struct sockaddr *)&made->address};
    if (name != NULL) {
        made->info.ai_canonname = strcpy(made->name, name);
    }
    return &made->info;
}

/* The port of a service for a kind of socket; -1 if the kind has no such service. */
static int port_of(const char *service, int flags, const struct addrinfo *kind)
{
    char *end;
    unsigned long number = strtoul(service, &end, 10);
    if (*service == '\0' || (*service >= '0' && *service <= '9' && *end == '\0')) {
        return (int)(number & 0xffff);
    }
    if (flags & AI_NUMERICSERV || kind->ai_socktype == SOCK_RAW) {
        return -1;
    }
    const struct service *found = find_service(service, 0, kind->ai_socktype == SOCK_STREAM ? "tcp" : "udp");
    return found != NULL ? found->port : -1;
}

/* The kinds of sockets that a hint asks for, of all three. */
static int kinds_of(const struct addrinfo *hint, struct addrinfo chosen[3])
{
    static const struct addrinfo all[] = {{.ai_socktype = SOCK_STREAM, .ai_protocol = IPPROTO_TCP},
                                          {.ai_socktype = SOCK_DGRAM, .ai_protocol = IPPROTO_UDP},
                                          {.ai_socktype = SOCK_RAW}};
    int count = 0;
    for (int i = 0; i < 3; i++) {
        int is_type = hint->ai_socktype == 0 || hint->ai_socktype == all[i].ai_socktype;
        int is_protocol = hint->ai_protocol == 0 || all[i].ai_protocol == 0 || hint->ai_protocol == all[i].ai_protocol;
        /* A raw socket has any protocol, so it is no answer to who asks for one only. */
        if (is_type && is_protocol && !(i == 2 && hint->ai_socktype == 0 && hint->ai_protocol != 0)) {
            chosen[count] = all[i];
            if (i == 2) {
                chosen[count].ai_protocol = hint->ai_protocol;
            }
            count++;
        }
    }
    return count;
}

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict given, struct addrinfo **restrict results)
{
    const struct addrinfo none = {0}, *hint = given != NULL ? given : &none;
    struct in_addr found[MOST_ADDRESSES] = {{.s_addr = htonl(hint->ai_flags & AI_PASSIVE ? INADDR_ANY : INADDR_LOOPBACK)}};
    struct addrinfo kinds[3], **last = results;
    int count = 1, kind_count = kinds_of(hint, kinds);
    *results = NULL;
    if (name == NULL && service == NULL) {
        return EAI_NONAME;
    }
    if (hint->ai_flags & AI_CANONNAME && name == NULL) {
        return EAI_BADFLAGS;
    }
    if (hint->ai_family != AF_UNSPEC && hint->ai_family != AF_INET) {
        return hint->ai_family == AF_INET6 ? EAI_ADDRFAMILY : EAI_FAMILY;
    }
    if (kind_count == 0) {
        return EAI_SOCKTYPE;
    }
    int ports[3], any = 0;
    for (int i = 0; i < kind_count; i++) {
        ports[i] = service != NULL ? port_of(service, hint->ai_flags, &kinds[i]) : 0;
        any |= ports[i] >= 0;
    }
    if (!any) {
        return hint->ai_flags & AI_NUMERICSERV ? EAI_NONAME : EAI_SERVICE;
    }
    if (name != NULL && (count = resolve(name, (hint->ai_flags & AI_NUMERICHOST) != 0, found)) < 0) {
        return count;
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < kind_count; k++) {
            if (ports[k] < 0) {
                continue;
            }
            kinds[k].ai_flags = hint->ai_flags;
            *last = result(&kinds[k], found[i], ports[k], hint->ai_flags & AI_CANONNAME && *results == NULL ? name : NULL);
            if (*last == NULL) {
                freeaddrinfo(*results);
                *results = NULL;
                return EAI_MEMORY;
            }
            last = &(*last)->ai_next;
        }
    }
    return 0;
}

void freeaddrinfo(struct addrinfo *results)
{
    while (results != NULL) {
        struct addrinfo *next = results->ai_next;
        free(results); /* the beginning of a `struct result` */
        results = next;
    }
}

/* As glibc says it. */
const char *gai_strerror(int number)
{
    switch (number) {
    case EAI_BADFLAGS: return "Bad value for ai_flags";
    case EAI_NONAME: return "Name or service not known";
    case EAI_AGAIN: return "Temporary failure in name resolution";
    case EAI_FAIL: return "Non-recoverable failure in name resolution";
    case EAI_NODATA: return "No address associated with hostname";
    case EAI_FAMILY: return "ai_family not supported";
    case EAI_SOCKTYPE: return "ai_socktype not supported";
    case EAI_SERVICE: return "Servname not supported for ai_socktype";
    case EAI_ADDRFAMILY: return "Address family for hostname not supported";
    case EAI_MEMORY: return "Memory allocation failure";
    case EAI_SYSTEM: return "System error";
    case EAI_OVERFLOW: return "Result too large for supplied buffer";
    default: return "Unknown error";
    }
}

const char *hstrerror(int number)
{
    switch (number) {
    case 0: return "Resolver Error 0 (no error)";
    case HOST_NOT_FOUND: return "Unknown host";
    case TRY_AGAIN: return "Host name lookup failure";
    case NO_RECOVERY: return "Unknown server error";
    case NO_DATA: return "No address associated with name";
    default: return "Unknown resolver error";
    }
}

/* Names of addresses. */

int getnameinfo(const struct sockaddr *restrict given, socklen_t length, char *restrict host, socklen_t host_size, char *restrict service,
                socklen_t service_size, int flags)
{
    const struct sockaddr_in *address = (const struct sockaddr_in *)given;
    if (length < sizeof *address || address->sin_family != AF_INET) {
        return EAI_FAMILY;
    }
    if (host != NULL && host_size > 0) {
        char name[LONGEST_HOST];
        if (flags & NI_NUMERICHOST || codepod_name_of_address(given, length, name, sizeof name) != 0) {
            if (flags & NI_NAMEREQD) {
                return EAI_NONAME;
            }
            inet_ntop(AF_INET, &address->sin_addr, name, sizeof name);
        }
        if (snprintf(host, host_size, "%s", name) >= (int)host_size) {
            return EAI_OVERFLOW;
        }
    }
    if (service != NULL && service_size > 0) {
        const struct service *found = NULL;
        int port = ntohs(address->sin_port);
        if (!(flags & NI_NUMERICSERV)) {
            found = find_service(NULL, port, flags & NI_DGRAM ? "udp" : "tcp");
        }
        int used = found != NULL ? snprintf(service, service_size, "%s", found->name) : snprintf(service, service_size, "%d", port);
        if (used >= (int)service_size) {
            return EAI_OVERFLOW;
        }
    }
    return 0;
}

/* The older calls. */

/* A name with its addresses in the caller's memory. ERANGE if there is not enough of it. */
static int fill(const char *name, const struct in_addr *addresses, int count, struct hostent *entry, char *buffer, size_t size)
{
    /* The pointers come first: to each address, NULL, and no aliases. */
    size_t begin = -(uintptr_t)buffer % sizeof(char *), pointers = (size_t)count + 2, name_size = strlen(name) + 1;
    if (size < begin + pointers * sizeof(char *) + (size_t)count * sizeof *addresses + name_size) {
        return ERANGE;
    }
    char **list = (char **)(void *)(buffer + begin);
    char *data = (char *)(list + pointers);
    for (int i = 0; i < count; i++, data += sizeof *addresses) {
        list[i] = memcpy(data, &addresses[i], sizeof *addresses);
    }
    list[count] = list[count + 1] = NULL;
    *entry = (struct hostent){.h_name = memcpy(data, name, name_size),
                              .h_aliases = &list[count + 1],
                              .h_addrtype = AF_INET,
                              .h_length = sizeof *addresses,
                              .h_addr_list = list};
    return 0;
}

int gethostbyname_r(const char *name, struct hostent *entry, char *buffer, size_t size, struct hostent **found, int *error)
{
    struct in_addr addresses[MOST_ADDRESSES];
    int count = resolve(name, 0, addresses);
    *found = NULL;
    if (count < 0) {
        *error = count == EAI_AGAIN ? TRY_AGAIN : count == EAI_NONAME ? HOST_NOT_FOUND : count == EAI_ADDRFAMILY ? NO_DATA : NO_RECOVERY;
        return 0;
    }
    int number = fill(name, addresses, count, entry, buffer, size);
    if (number == 0) {
        *found = entry;
    }
    return number;
}

int gethostbyaddr_r(const void *given, socklen_t length, int family, struct hostent *entry, char *buffer, size_t size, struct hostent **found, int *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    char name[LONGEST_HOST];
    *found = NULL;
    if (family != AF_INET || length != sizeof address.sin_addr) {
        *error = NO_RECOVERY;
        return EAFNOSUPPORT;
    }
    memcpy(&address.sin_addr, given, sizeof address.sin_addr);
    if (codepod_name_of_address((struct sockaddr *)&address, sizeof address, name, sizeof name) != 0) {
        *error = HOST_NOT_FOUND;
        return 0;
    }
    int number = fill(name, &address.sin_addr, 1, entry, buffer, size);
    if (number == 0) {
        *found = entry;
    }
    return number;
}

enum { ENTRY = 1024 };
static struct hostent host;
static char host_buffer[ENTRY];

struct hostent *gethostbyname(const char *name)
{
    struct hostent *found;
    gethostbyname_r(name, &host, host_buffer, ENTRY, &found, &h_errno);
    return found;
}

struct hostent *gethostbyaddr(const void *address, socklen_t length, int family)
{
    struct hostent *found;
    gethostbyaddr_r(address, length, family, &host, host_buffer, ENTRY, &found, &h_errno);
    return found;
}

/* wasi-libc's own have its numbers of families. */
#undef inet_pton
#undef inet_ntop
extern int libc_inet_pton(int, const char *restrict, void *restrict) __asm__("inet_pton");
extern const char *libc_inet_ntop(int, const void *restrict, char *restrict, socklen_t) __asm__("inet_ntop");
enum { LIBC_INET = 1, LIBC_INET6 = 2 };

static int libc_family(int family)
{
    return family == AF_INET ? LIBC_INET : family == AF_INET6 ? LIBC_INET6 : -1;
}

int codepod_inet_pton(int family, const char *restrict text, void *restrict address)
{
    int result = libc_inet_pton(libc_family(family), text, address);
    if (result < 0) {
        errno = EAFNOSUPPORT;
    }
    return result;
}

const char *codepod_inet_ntop(int family, const void *restrict address, char *restrict text, socklen_t size)
{
    return libc_inet_ntop(libc_family(family), address, text, size);
}
