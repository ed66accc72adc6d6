/* Made by `cargo xtask generate` from crates/codepod-abi/src/table.rs and wire.rs. Changes here are
   lost.

   The kernel's calls that WASI has no words for. Every call returns a WASI error number, 0 for
   success. */
#ifndef CODEPOD_CALLS_H
#define CODEPOD_CALLS_H

#include <stdint.h>

#define CODEPOD(name) __attribute__((import_module("codepod"), import_name(#name))) extern

#define CODEPOD_ROOT_FD 3u
#define CODEPOD_CWD_FD 4294967196u

#define CODEPOD_GROUP_INHERIT 4294967295u
#define CODEPOD_GROUP_NEW 0u

#define CODEPOD_OWNER_KEEP 4294967295u

#define CODEPOD_WAIT_NOHANG 1u
#define CODEPOD_WAIT_REPORT_STOPPED 2u
#define CODEPOD_WAIT_REPORT_CONTINUED 4u

#define CODEPOD_WAIT_EXITED 0u
#define CODEPOD_WAIT_SIGNALED 1u
#define CODEPOD_WAIT_STOPPED 2u
#define CODEPOD_WAIT_CONTINUED 3u

#define CODEPOD_SIGNAL_DEFAULT 0u
#define CODEPOD_SIGNAL_IGNORE 1u
#define CODEPOD_SIGNAL_CATCH 2u

#define CODEPOD_HASH_SHA1 1u
#define CODEPOD_HASH_SHA256 2u
#define CODEPOD_HASH_CALL_BYTES 262144u

#define CODEPOD_SOCKET_INET 1u
#define CODEPOD_SOCKET_UNIX 3u
#define CODEPOD_SOCKET_STREAM 6u
#define CODEPOD_SOCKET_DATAGRAM 5u
#define CODEPOD_SOCKET_PEEK 1u
#define CODEPOD_SOCKET_WAIT_ALL 2u
#define CODEPOD_SOCKET_DONT_WAIT 4u
#define CODEPOD_SOCKET_WHOLE_LENGTH 8u
#define CODEPOD_SOCKET_NO_SIGNAL 16u
#define CODEPOD_SOCKET_TRUNCATED 1u
#define CODEPOD_SOCKET_LOCAL 0u
#define CODEPOD_SOCKET_PEER 1u
#define CODEPOD_SOCKET_ADDRESS_SLOT 28u

#define CODEPOD_OPTION_KIND 1u
#define CODEPOD_OPTION_FAMILY 2u
#define CODEPOD_OPTION_LISTENING 3u
#define CODEPOD_OPTION_ERROR 4u
#define CODEPOD_OPTION_REUSE_ADDRESS 5u
#define CODEPOD_OPTION_REUSE_PORT 6u
#define CODEPOD_OPTION_BROADCAST 7u
#define CODEPOD_OPTION_KEEP_ALIVE 8u
#define CODEPOD_OPTION_LINGER 9u
#define CODEPOD_OPTION_RECEIVE_BUFFER 10u
#define CODEPOD_OPTION_SEND_BUFFER 11u
#define CODEPOD_OPTION_RECEIVE_TIMEOUT 12u
#define CODEPOD_OPTION_SEND_TIMEOUT 13u
#define CODEPOD_OPTION_NO_DELAY 14u
#define CODEPOD_OPTION_KEEP_IDLE 15u
#define CODEPOD_OPTION_KEEP_INTERVAL 16u
#define CODEPOD_OPTION_KEEP_COUNT 17u
#define CODEPOD_OPTION_PEER_PID 18u
#define CODEPOD_OPTION_PEER_UID 19u
#define CODEPOD_OPTION_PEER_GID 20u

struct codepod_spawn_request {
    const void *path;
    uint32_t path_len;
    const void *argv;
    uint32_t argv_len;
    const void *env;
    uint32_t env_len;
    const void *fds;
    uint32_t fds_len;
    const void *cwd;
    uint32_t cwd_len;
    uint32_t group;
    uint32_t flags;
};
_Static_assert(sizeof(struct codepod_spawn_request) == 48, "codepod_spawn_request has padding");

struct codepod_wait_result {
    uint32_t pid;
    uint32_t kind;
    uint32_t code;
};
_Static_assert(sizeof(struct codepod_wait_result) == 12, "codepod_wait_result has padding");

struct codepod_stat {
    uint64_t dev;
    uint64_t ino;
    uint64_t nlink;
    uint64_t size;
    uint64_t blocks;
    uint64_t atime;
    uint64_t mtime;
    uint64_t ctime;
    uint64_t rdev;
    uint32_t mode;
    uint32_t uid;
    uint32_t gid;
    uint32_t reserved;
};
_Static_assert(sizeof(struct codepod_stat) == 88, "codepod_stat has padding");

struct codepod_terminal_state {
    uint32_t rows;
    uint32_t columns;
    uint32_t mode;
};
_Static_assert(sizeof(struct codepod_terminal_state) == 12, "codepod_terminal_state has padding");

struct codepod_received {
    uint32_t bytes;
    uint32_t flags;
    uint32_t address_len;
};
_Static_assert(sizeof(struct codepod_received) == 12, "codepod_received has padding");

/* Checks that the kernel serves the version a guest was built for, and returns its own. */
CODEPOD(abi_version)
uint32_t codepod_abi_version(uint32_t wanted, void *version);

/* Returns the process's ids: pid, parent, group, session, uid, gid, six `u32`. */
CODEPOD(proc_ids)
uint32_t codepod_proc_ids(void *ids);

/* Writes the working directory's path. */
CODEPOD(proc_cwd)
uint32_t codepod_proc_cwd(void *buf, uint32_t buf_len, void *used);

/* Changes the working directory. */
CODEPOD(proc_chdir)
uint32_t codepod_proc_chdir(uint32_t fd, const void *path, uint32_t path_len);

/* Sets the mask of permission bits that new files do not get, and returns the old one. */
CODEPOD(proc_umask)
uint32_t codepod_proc_umask(uint32_t mask, void *old);

/* Says which pages of 4,096 bytes of the process's own memory, from `start` on, may hold
   something else than its module put there: a bit for each, the lowest first. Bits for what is
   behind the end are 0. */
CODEPOD(memory_touched)
uint32_t codepod_memory_touched(const void *start, void *bitmap, uint32_t bitmap_len);

/* Takes `len` bytes, whole blocks and at most CODEPOD_HASH_CALL_BYTES, into the state of a hash,
   a `CODEPOD_HASH_SHA1` or another: with the host's instructions for it. `NotSup` when the host
   does not have that hash. */
CODEPOD(hash_blocks)
uint32_t codepod_hash_blocks(uint32_t hash, void *state, const void *blocks, uint32_t len);

/* Starts a program. `request` is a `struct codepod_spawn_request`. */
CODEPOD(proc_spawn)
uint32_t codepod_proc_spawn(const void *request, void *pid);

/* Waits for a child: `pid` > 0 that one, -1 any, 0 one of the own group, < -1 one of group
   `-pid`. `result` is a `struct codepod_wait_result`; with `WAIT_NOHANG` its pid is 0 when none
   has changed. */
CODEPOD(proc_wait)
uint32_t codepod_proc_wait(int32_t pid, uint32_t flags, void *result);

/* Sends a signal (Linux numbers): `pid` > 0 to that process, 0 to the own group, -1 to all
   others, < -1 to group `-pid`. Signal 0 only asks whether there is one. */
CODEPOD(proc_kill)
uint32_t codepod_proc_kill(int32_t pid, uint32_t signal);

/* Puts a process (0: itself) into a process group (0: one of its own). */
CODEPOD(proc_group_set)
uint32_t codepod_proc_group_set(uint32_t pid, uint32_t group);

/* Asks for SIGALRM after so many nanoseconds (0: no more), and returns what was left of the last
   request. */
CODEPOD(proc_alarm)
uint32_t codepod_proc_alarm(uint64_t after, void *left);

/* Says what a signal does: 0 default, 1 ignore, 2 catch; returns what it did before. */
CODEPOD(signal_action)
uint32_t codepod_signal_action(uint32_t signal, uint32_t action, void *old);

/* Takes the caught signals in `mask` that have arrived, as a set of bits (1 << number). */
CODEPOD(signal_take)
uint32_t codepod_signal_take(uint64_t mask, void *taken);

/* Creates a pipe and returns its read and write ends. */
CODEPOD(fd_pipe)
uint32_t codepod_fd_pipe(void *read, void *write);

/* Reads from a descriptor as `fd_read` does, stops after the first byte that is `delimiter`, and
   takes nothing beyond it. */
CODEPOD(fd_read_until)
uint32_t codepod_fd_read_until(uint32_t fd, void *buf, uint32_t buf_len, uint32_t delimiter,
    void *nread);

/* Duplicates a descriptor onto the lowest free number from `least` on. */
CODEPOD(fd_dup)
uint32_t codepod_fd_dup(uint32_t fd, uint32_t least, void *new);

/* Duplicates a descriptor onto a number, closing what was there. */
CODEPOD(fd_dup_to)
uint32_t codepod_fd_dup_to(uint32_t fd, uint32_t to);

/* Creates two connected stream sockets. */
CODEPOD(sock_pair)
uint32_t codepod_sock_pair(void *first, void *second);

/* Locks an open file or unlocks it, as `flock(2)` does: `operation` is 1 for a shared lock, 2
   for an exclusive one, 8 for none. It waits while another open file of the same node holds a
   lock that excludes it; with 4 added it fails instead. */
CODEPOD(fd_lock)
uint32_t codepod_fd_lock(uint32_t fd, uint32_t operation);

/* Opens a path as `path_open` does; a file that is made gets these permission bits, less the
   umask. */
CODEPOD(path_open_mode)
uint32_t codepod_path_open_mode(uint32_t fd, uint32_t dirflags, const void *path,
    uint32_t path_len, uint32_t oflags, uint64_t rights, uint32_t fdflags, uint32_t mode,
    void *opened);

/* Returns what is known of a path, modes and owners included, as a `struct codepod_stat`. */
CODEPOD(path_stat)
uint32_t codepod_path_stat(uint32_t fd, uint32_t flags, const void *path, uint32_t path_len,
    void *stat);

/* Returns what is known of an open file, as a `struct codepod_stat`. */
CODEPOD(fd_stat)
uint32_t codepod_fd_stat(uint32_t fd, void *stat);

/* Sets the permission bits of a path. */
CODEPOD(path_mode_set)
uint32_t codepod_path_mode_set(uint32_t fd, uint32_t flags, const void *path, uint32_t path_len,
    uint32_t mode);

/* Sets the permission bits of an open file. */
CODEPOD(fd_mode_set)
uint32_t codepod_fd_mode_set(uint32_t fd, uint32_t mode);

/* Sets the owner and group of a path; 4294967295 leaves one as it is. */
CODEPOD(path_owner_set)
uint32_t codepod_path_owner_set(uint32_t fd, uint32_t flags, const void *path, uint32_t path_len,
    uint32_t uid, uint32_t gid);

/* Sets the owner and group of an open file. */
CODEPOD(fd_owner_set)
uint32_t codepod_fd_owner_set(uint32_t fd, uint32_t uid, uint32_t gid);

/* Checks whether the process may read (4), write (2), execute (1) a path; 0 asks whether it
   exists. */
CODEPOD(path_access)
uint32_t codepod_path_access(uint32_t fd, uint32_t flags, const void *path, uint32_t path_len,
    uint32_t mode);

/* Creates a fifo. */
CODEPOD(path_mkfifo)
uint32_t codepod_path_mkfifo(uint32_t fd, const void *path, uint32_t path_len, uint32_t mode);

/* Returns a terminal's size and mode as a `struct codepod_terminal_state`. */
CODEPOD(tty_get)
uint32_t codepod_tty_get(uint32_t fd, void *state);

/* Sets a terminal's size and mode. */
CODEPOD(tty_set)
uint32_t codepod_tty_set(uint32_t fd, const void *state);

/* Waits for the host's next request to this process, a a request; its standard input, output and
   error are then on 0, 1 and 2. When it does not fit, `used` is its size and it stays. */
CODEPOD(session_next)
uint32_t codepod_session_next(void *buf, uint32_t buf_len, void *used);

/* Answers the request: the exit status, and the state to go on from after this one (length 0: as
   before). 0, 1 and 2 read nothing and write nowhere then. */
CODEPOD(session_done)
uint32_t codepod_session_done(uint32_t status, const void *state, uint32_t state_len);

/* Creates a socket: its family (CODEPOD_SOCKET_INET or CODEPOD_SOCKET_UNIX), its kind
   (CODEPOD_SOCKET_STREAM or CODEPOD_SOCKET_DATAGRAM), and as `flags` non-blocking (4) or 0. */
CODEPOD(sock_open)
uint32_t codepod_sock_open(uint32_t family, uint32_t kind, uint32_t flags, void *opened);

/* Gives a socket an address of its own (a `sockaddr`). Port 0 is a free port from 32768 on; a
   path becomes a node with the permission bits that the umask leaves; the family alone, of a
   UNIX socket, is a free abstract name. */
CODEPOD(sock_bind)
uint32_t codepod_sock_bind(uint32_t fd, const void *address, uint32_t address_len);

/* Lets a stream socket take connections, and says how many may wait to be accepted. An IPv4
   socket without an address gets a free port. */
CODEPOD(sock_listen)
uint32_t codepod_sock_listen(uint32_t fd, uint32_t backlog);

/* Connects a socket, or says where a datagram socket sends to. It waits until a stream is
   connected; a non-blocking one fails with `InProgress` (IPv4) or `Again` (UNIX, while too many
   wait to be accepted). Beyond the sandbox the host's gateway decides: without one `Access`,
   with one any error that it names; `net_why` has the reason. */
CODEPOD(sock_connect)
uint32_t codepod_sock_connect(uint32_t fd, const void *address, uint32_t address_len);

/* Sends as `sock_send` does; a datagram to an address, unless that is empty. `flags` are
   CODEPOD_SOCKET_DONT_WAIT and CODEPOD_SOCKET_NO_SIGNAL. */
CODEPOD(sock_send_to)
uint32_t codepod_sock_send_to(uint32_t fd, const void *iovs, uint32_t iovs_len, uint32_t flags,
    const void *address, uint32_t address_len, void *nwritten);

/* Receives as `sock_recv` does, and writes the sender's address, as much of it as fits. `flags`
   are CODEPOD_SOCKET_PEEK, CODEPOD_SOCKET_WAIT_ALL, CODEPOD_SOCKET_DONT_WAIT and
   CODEPOD_SOCKET_WHOLE_LENGTH; `received` is a `struct codepod_received`. */
CODEPOD(sock_recv_from)
uint32_t codepod_sock_recv_from(uint32_t fd, const void *iovs, uint32_t iovs_len, uint32_t flags,
    void *address, uint32_t address_len, void *received);

/* Writes a socket's own address (CODEPOD_SOCKET_LOCAL) or the one it is connected to
   (CODEPOD_SOCKET_PEER), as much of it as fits; `used` is its whole length. */
CODEPOD(sock_name)
uint32_t codepod_sock_name(uint32_t fd, uint32_t which, void *address, uint32_t address_len,
    void *used);

/* Returns an option (`CODEPOD_OPTION_KIND` or another) as a `u64`. */
CODEPOD(sock_option_get)
uint32_t codepod_sock_option_get(uint32_t fd, uint32_t option, void *value);

/* Sets an option. Sizes of buffers are taken as near as the limits let them be. */
CODEPOD(sock_option_set)
uint32_t codepod_sock_option_set(uint32_t fd, uint32_t option, uint64_t value);

/* Finds the addresses of a host by its name, and writes as many as fit, each in
   CODEPOD_SOCKET_ADDRESS_SLOT bytes with port 0; `count` is how many there are. A name beyond
   the sandbox gets an address that stands for it here only. The host's gateway is asked whether
   there is such a name, and may name any error. */
CODEPOD(name_resolve)
uint32_t codepod_name_resolve(const void *name, uint32_t name_len, void *addresses,
    uint32_t addresses_len, void *count);

/* Finds the name that an address stands for. */
CODEPOD(name_of)
uint32_t codepod_name_of(const void *address, uint32_t address_len, void *name, uint32_t name_len,
    void *used);

/* Writes why the last `sock_connect` or `sock_send_to` of this descriptor was refused, as much
   of the text as fits; `used` is its whole length, 0 when there is no more to say than the error
   number does. */
CODEPOD(net_why)
uint32_t codepod_net_why(uint32_t fd, void *text, uint32_t text_len, void *used);

#endif
