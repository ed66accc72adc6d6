//! The table: every call a guest can import, once.
//!
//! A line reads
//!
//! ```text
//! /// What it does.
//! [namespace grant] waiting name(argument: type, …) fails [Errno, …];
//! ```
//!
//! * `namespace` is `wasi` (`wasi_snapshot_preview1`) or `codepod`.
//! * `grant` is the [`Grant`] a module's manifest must hold to link the call.
//! * `waiting` is `ready` (never waits: linked as a plain function), `waits` (may wait: linked as
//!   an async function) or `ends` (does not return).
//! * [`In`] and [`Out`] are addresses in the guest's memory: what the kernel reads there, and what
//!   it writes. Every call but `proc_exit` returns an error number, 0 for success.
//! * `fails` names each documented error. A guest program must provoke each of them and success, or
//!   CI fails; `without success` marks the calls that cannot succeed yet.
//!
//! [`for_each_call!`](crate::for_each_call) hands all lines to a macro of the caller's choice;
//! [`CALLS`] has them as data.

use crate::Errno;

/// The address of something in the guest's memory that the kernel reads.
pub type In = u32;
/// The address of something in the guest's memory that the kernel writes, or reads and writes.
pub type Out = u32;

/// What a module's manifest must grant before a call can be linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grant {
    /// WASI Preview 1: every module has it.
    Wasi,
    /// Version handshake, own ids, working directory, umask.
    Base,
    /// Processes, signals, pipes, descriptors.
    Process,
    /// Modes, owners, fifos: what WASI cannot say about files.
    Files,
    /// Terminal size and mode.
    Terminal,
    /// Requests of the host to a process that serves it: the shell's.
    Session,
    /// Sockets with addresses, and names of hosts.
    Socket,
}

impl Grant {
    /// Every grant.
    pub const ALL: &'static [Grant] = &[
        Grant::Wasi,
        Grant::Base,
        Grant::Process,
        Grant::Files,
        Grant::Terminal,
        Grant::Session,
        Grant::Socket,
    ];

    /// The name as a manifest (`guest.toml`) writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Grant::Wasi => "wasi",
            Grant::Base => "base",
            Grant::Process => "process",
            Grant::Files => "files",
            Grant::Terminal => "terminal",
            Grant::Session => "session",
            Grant::Socket => "socket",
        }
    }

    /// The grant of a name in a manifest.
    pub fn from_name(name: &str) -> Option<Grant> {
        Grant::ALL
            .iter()
            .copied()
            .find(|grant| grant.name() == name)
    }
}

/// Whether a call may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// It always answers at once.
    Ready,
    /// It may wait for another process, the clock or the host.
    Waits,
    /// It does not return.
    Ends,
}

/// One line of the table, as data.
#[derive(Debug, Clone, Copy)]
pub struct CallInfo {
    /// The import module: `wasi_snapshot_preview1` or `codepod`.
    pub module: &'static str,
    /// The import name; also its name in traces.
    pub name: &'static str,
    /// What a manifest must grant.
    pub grant: Grant,
    /// Whether it may wait.
    pub waiting: Waiting,
    /// Argument names and types.
    pub params: &'static [(&'static str, &'static str)],
    /// The documented errors.
    pub fails: &'static [Errno],
    /// Whether it can succeed today.
    pub succeeds: bool,
    /// What it does.
    pub doc: &'static [&'static str],
}

/// Calls `$callback!` with every line of the table, after the tokens in the brackets.
#[macro_export]
macro_rules! for_each_call {
    ($callback:ident [$($first:tt)*]) => {
        $callback! {
            $($first)*

            /// Writes the arguments: pointers to `argv`, NUL-terminated strings to `argv_buf`.
            [wasi Wasi] ready args_get(argv: Out, argv_buf: Out) fails [Fault];
            /// Returns the number of arguments and the size of their strings.
            [wasi Wasi] ready args_sizes_get(argc: Out, argv_buf_size: Out) fails [Fault];
            /// Writes the environment: pointers to `environ`, `NAME=value` strings to
            /// `environ_buf`.
            [wasi Wasi] ready environ_get(environ: Out, environ_buf: Out) fails [Fault];
            /// Returns the number of environment variables and the size of their strings.
            [wasi Wasi] ready environ_sizes_get(count: Out, buf_size: Out) fails [Fault];
            /// Returns the resolution of a clock in nanoseconds.
            [wasi Wasi] ready clock_res_get(clock: u32, resolution: Out) fails [Inval, Fault];
            /// Returns the time of a clock in nanoseconds.
            [wasi Wasi] ready clock_time_get(clock: u32, precision: u64, time: Out) fails [Inval, Fault];
            /// Takes advice about future reads; it changes nothing.
            [wasi Wasi] ready fd_advise(fd: u32, offset: u64, len: u64, advice: u32) fails [Badf, Inval, Spipe];
            /// Makes sure that a file is at least `offset + len` bytes long.
            [wasi Wasi] ready fd_allocate(fd: u32, offset: u64, len: u64) fails [Badf, Inval, Spipe, Fbig, NotCapable];
            /// Closes a descriptor.
            [wasi Wasi] ready fd_close(fd: u32) fails [Badf];
            /// Flushes a file's content. Memory files are always flushed.
            [wasi Wasi] ready fd_datasync(fd: u32) fails [Badf, Inval];
            /// Returns a descriptor's type, flags and rights.
            [wasi Wasi] ready fd_fdstat_get(fd: u32, stat: Out) fails [Badf, Fault];
            /// Sets a descriptor's flags (append, non-blocking, sync).
            [wasi Wasi] ready fd_fdstat_set_flags(fd: u32, flags: u32) fails [Badf, Inval];
            /// Takes rights away from a descriptor.
            [wasi Wasi] ready fd_fdstat_set_rights(fd: u32, base: u64, inheriting: u64) fails [Badf, NotCapable];
            /// Returns what is known of an open file.
            [wasi Wasi] ready fd_filestat_get(fd: u32, stat: Out) fails [Badf, Fault];
            /// Cuts or extends an open file.
            [wasi Wasi] ready fd_filestat_set_size(fd: u32, size: u64) fails [Badf, Inval, Fbig, NotCapable];
            /// Sets an open file's times.
            [wasi Wasi] ready fd_filestat_set_times(fd: u32, atime: u64, mtime: u64, flags: u32) fails [Badf, Inval, Perm];
            /// Reads at an offset without moving the descriptor's own.
            [wasi Wasi] ready fd_pread(fd: u32, iovs: In, iovs_len: u32, offset: u64, nread: Out) fails [Badf, Fault, Inval, IsDir, Spipe, NotCapable];
            /// Describes a preopened directory: its name's length.
            [wasi Wasi] ready fd_prestat_get(fd: u32, prestat: Out) fails [Badf, Fault];
            /// Writes a preopened directory's name.
            [wasi Wasi] ready fd_prestat_dir_name(fd: u32, path: Out, path_len: u32) fails [Badf, Fault, NameTooLong];
            /// Writes at an offset without moving the descriptor's own.
            [wasi Wasi] ready fd_pwrite(fd: u32, iovs: In, iovs_len: u32, offset: u64, nwritten: Out) fails [Badf, Fault, Inval, Spipe, Fbig, NoSpc, NotCapable];
            /// Reads from a descriptor; waits for a pipe, a terminal or a socket to have something.
            [wasi Wasi] waits fd_read(fd: u32, iovs: In, iovs_len: u32, nread: Out) fails [Badf, Fault, Inval, IsDir, Again, ConnRefused, ConnReset, Intr, NotCapable, NotConn];
            /// Lists a directory from a cookie on, as many entries as fit.
            [wasi Wasi] ready fd_readdir(fd: u32, buf: Out, buf_len: u32, cookie: u64, used: Out) fails [Badf, Fault, NotDir];
            /// Moves a descriptor onto another open one, which is closed.
            [wasi Wasi] ready fd_renumber(from: u32, to: u32) fails [Badf];
            /// Moves a descriptor's offset.
            [wasi Wasi] ready fd_seek(fd: u32, offset: i64, whence: u32, new_offset: Out) fails [Badf, Fault, Inval, Spipe];
            /// Flushes a file. Memory files are always flushed.
            [wasi Wasi] ready fd_sync(fd: u32) fails [Badf, Inval];
            /// Returns a descriptor's offset.
            [wasi Wasi] ready fd_tell(fd: u32, offset: Out) fails [Badf, Fault, Spipe];
            /// Writes to a descriptor; waits while a pipe or the host's sink is full. Without
            /// readers the process gets SIGPIPE, and `Pipe` where that is ignored.
            [wasi Wasi] waits fd_write(fd: u32, iovs: In, iovs_len: u32, nwritten: Out) fails [Badf, Fault, Inval, Again, ConnRefused, ConnReset, DestAddrReq, Intr, MsgSize, NotConn, Perm, Pipe, Fbig, NoSpc, NotCapable];
            /// Creates a directory.
            [wasi Wasi] ready path_create_directory(fd: u32, path: In, path_len: u32) fails [Badf, Fault, Access, Exist, Inval, Loop, NameTooLong, NoEnt, NoSpc, NotDir, Rofs];
            /// Returns what is known of a path.
            [wasi Wasi] ready path_filestat_get(fd: u32, flags: u32, path: In, path_len: u32, stat: Out) fails [Badf, Fault, Access, Inval, Loop, NameTooLong, NoEnt, NotDir];
            /// Sets the times of a path.
            [wasi Wasi] ready path_filestat_set_times(fd: u32, flags: u32, path: In, path_len: u32, atime: u64, mtime: u64, fst_flags: u32) fails [Badf, Fault, Access, Inval, Loop, NameTooLong, NoEnt, NotDir, Perm, Rofs];
            /// Makes a hard link.
            [wasi Wasi] ready path_link(old_fd: u32, old_flags: u32, old_path: In, old_path_len: u32, new_fd: u32, new_path: In, new_path_len: u32) fails [Badf, Fault, Access, Exist, Inval, Loop, NameTooLong, NoEnt, NotDir, Perm, Xdev];
            /// Opens or creates a file or directory. A fifo waits for its other end.
            [wasi Wasi] waits path_open(fd: u32, dirflags: u32, path: In, path_len: u32, oflags: u32, rights_base: u64, rights_inheriting: u64, fdflags: u32, opened: Out) fails [Badf, Fault, Access, Exist, Inval, Intr, IsDir, Loop, Mfile, NameTooLong, NoEnt, NoSpc, NotDir, Nxio, Rofs];
            /// Reads a symbolic link.
            [wasi Wasi] ready path_readlink(fd: u32, path: In, path_len: u32, buf: Out, buf_len: u32, used: Out) fails [Badf, Fault, Access, Inval, Loop, NameTooLong, NoEnt, NotDir];
            /// Removes an empty directory.
            [wasi Wasi] ready path_remove_directory(fd: u32, path: In, path_len: u32) fails [Badf, Fault, Access, Busy, Inval, Loop, NameTooLong, NoEnt, NotDir, NotEmpty, Rofs];
            /// Renames a file or directory, replacing what has the new name.
            [wasi Wasi] ready path_rename(fd: u32, old_path: In, old_path_len: u32, new_fd: u32, new_path: In, new_path_len: u32) fails [Badf, Fault, Access, Busy, Inval, IsDir, Loop, NameTooLong, NoEnt, NotDir, NotEmpty, Xdev];
            /// Makes a symbolic link.
            [wasi Wasi] ready path_symlink(old_path: In, old_path_len: u32, fd: u32, new_path: In, new_path_len: u32) fails [Badf, Fault, Access, Exist, Inval, Loop, NameTooLong, NoEnt, NoSpc, NotDir, Rofs];
            /// Removes a file, symbolic link or fifo.
            [wasi Wasi] ready path_unlink_file(fd: u32, path: In, path_len: u32) fails [Badf, Fault, Access, Inval, IsDir, Loop, NameTooLong, NoEnt, NotDir, Rofs];
            /// Waits until a descriptor is ready or a clock has reached a time. A socket is ready for
            /// reading when it has a connection to accept, too, and for writing when it is connected;
            /// and for both when it has an error to tell.
            [wasi Wasi] waits poll_oneoff(subscriptions: In, events: Out, nsubscriptions: u32, nevents: Out) fails [Fault, Inval, Intr];
            /// Ends the process.
            [wasi Wasi] ends proc_exit(status: u32) fails [];
            /// Sends a signal (WASI's numbers) to the process itself.
            [wasi Wasi] ready proc_raise(signal: u32) fails [Inval];
            /// Fills a buffer with random bytes.
            [wasi Wasi] waits random_get(buf: Out, buf_len: u32) fails [Fault];
            /// Lets other processes run.
            [wasi Wasi] waits sched_yield() fails [];
            /// Accepts a connection; waits for one. `flags` may be non-blocking (4), for the new
            /// descriptor. `sock_name` tells who has connected.
            [wasi Wasi] waits sock_accept(fd: u32, flags: u32, accepted: Out) fails [Badf, NotSock, Fault, Inval, Again, Intr, Mfile, NotSup];
            /// Receives from a socket: bytes of a stream, or the next message. When that is longer than
            /// the buffers, the rest of it is lost, and `out_flags` are 1.
            [wasi Wasi] waits sock_recv(fd: u32, iovs: In, iovs_len: u32, flags: u32, nread: Out, out_flags: Out) fails [Badf, NotSock, Fault, Inval, Again, ConnRefused, ConnReset, Intr, NotConn];
            /// Sends to the peer of a socket.
            [wasi Wasi] waits sock_send(fd: u32, iovs: In, iovs_len: u32, flags: u32, nwritten: Out) fails [Badf, NotSock, Fault, Inval, Again, ConnRefused, ConnReset, DestAddrReq, Intr, MsgSize, NotConn, Perm, Pipe];
            /// Closes one or both directions of a socket.
            [wasi Wasi] ready sock_shutdown(fd: u32, how: u32) fails [Badf, NotSock, Inval, NotConn];

            /// Checks that the kernel serves the version a guest was built for, and returns its
            /// own.
            [codepod Base] ready abi_version(wanted: u32, version: Out) fails [NotSup, Fault];
            /// Returns the process's ids: pid, parent, group, session, uid, gid, six `u32`.
            [codepod Base] ready proc_ids(ids: Out) fails [Fault];
            /// Writes the working directory's path.
            [codepod Base] ready proc_cwd(buf: Out, buf_len: u32, used: Out) fails [Fault, NoEnt, Range];
            /// Changes the working directory.
            [codepod Base] ready proc_chdir(fd: u32, path: In, path_len: u32) fails [Badf, Fault, Access, Inval, Loop, NameTooLong, NoEnt, NotDir];
            /// Sets the mask of permission bits that new files do not get, and returns the old one.
            [codepod Base] ready proc_umask(mask: u32, old: Out) fails [Fault];
            /// Says which pages of 4,096 bytes of the process's own memory, from `start` on, may
            /// hold something else than its module put there: a bit for each, the lowest first.
            /// Bits for what is behind the end are 0.
            [codepod Base] ready memory_touched(start: In, bitmap: Out, bitmap_len: u32) fails [Fault, Inval];

            /// Takes `len` bytes, whole blocks and at most [`crate::wire::Hash::CALL_BYTES`], into
            /// the state of a hash, a [`crate::wire::Hash`]: with the host's instructions for it.
            /// `NotSup` when the host does not have that hash.
            [codepod Base] ready hash_blocks(hash: u32, state: Out, blocks: In, len: u32) fails [Fault, Inval, NotSup];

            /// Starts a program. `request` is a [`crate::wire::SpawnRequest`].
            [codepod Process] waits proc_spawn(request: In, pid: Out) fails [Fault, Access, Again, Badf, Inval, IsDir, Loop, NameTooLong, NoEnt, NoExec, NotDir, Perm, TooBig];
            /// Waits for a child: `pid` > 0 that one, -1 any, 0 one of the own group, < -1 one of
            /// group `-pid`. `result` is a [`crate::wire::WaitResult`]; with `WAIT_NOHANG` its pid
            /// is 0 when none has changed.
            [codepod Process] waits proc_wait(pid: i32, flags: u32, result: Out) fails [Fault, Child, Inval, Intr];
            /// Sends a signal (Linux numbers): `pid` > 0 to that process, 0 to the own group, -1 to
            /// all others, < -1 to group `-pid`. Signal 0 only asks whether there is one.
            [codepod Process] ready proc_kill(pid: i32, signal: u32) fails [Inval, Srch];
            /// Puts a process (0: itself) into a process group (0: one of its own).
            [codepod Process] ready proc_group_set(pid: u32, group: u32) fails [Inval, Perm, Srch];
            /// Asks for SIGALRM after so many nanoseconds (0: no more), and returns what was left
            /// of the last request.
            [codepod Process] ready proc_alarm(after: u64, left: Out) fails [Fault];
            /// Says what a signal does: 0 default, 1 ignore, 2 catch; returns what it did before.
            [codepod Process] ready signal_action(signal: u32, action: u32, old: Out) fails [Fault, Inval];
            /// Takes the caught signals in `mask` that have arrived, as a set of bits (1 <<
            /// number).
            [codepod Process] ready signal_take(mask: u64, taken: Out) fails [Fault];
            /// Creates a pipe and returns its read and write ends.
            [codepod Process] ready fd_pipe(read: Out, write: Out) fails [Fault, Mfile, Nfile];
            /// Reads from a descriptor as `fd_read` does, stops after the first byte that is
            /// `delimiter`, and takes nothing beyond it.
            [codepod Process] waits fd_read_until(fd: u32, buf: Out, buf_len: u32, delimiter: u32, nread: Out) fails [Badf, Fault, Inval, IsDir, Again, ConnRefused, ConnReset, Intr, NotCapable, NotConn];
            /// Duplicates a descriptor onto the lowest free number from `least` on.
            [codepod Process] ready fd_dup(fd: u32, least: u32, new: Out) fails [Badf, Fault, Inval, Mfile];
            /// Duplicates a descriptor onto a number, closing what was there.
            [codepod Process] ready fd_dup_to(fd: u32, to: u32) fails [Badf];
            /// Creates two connected stream sockets.
            [codepod Process] ready sock_pair(first: Out, second: Out) fails [Fault, Mfile, Nfile];

            /// Locks an open file or unlocks it, as `flock(2)` does: `operation` is 1 for a shared
            /// lock, 2 for an exclusive one, 8 for none. It waits while another open file of the
            /// same node holds a lock that excludes it; with 4 added it fails instead.
            [codepod Files] waits fd_lock(fd: u32, operation: u32) fails [Badf, Inval, Again, Intr];
            /// Opens a path as `path_open` does; a file that is made gets these permission bits,
            /// less the umask.
            [codepod Files] waits path_open_mode(fd: u32, dirflags: u32, path: In, path_len: u32, oflags: u32, rights: u64, fdflags: u32, mode: u32, opened: Out) fails [Badf, Fault, Access, Exist, Inval, Intr, IsDir, Loop, Mfile, NameTooLong, NoEnt, NoSpc, NotDir, Nxio, Rofs];
            /// Returns what is known of a path, modes and owners included, as a
            /// [`crate::wire::Stat`].
            [codepod Files] ready path_stat(fd: u32, flags: u32, path: In, path_len: u32, stat: Out) fails [Badf, Fault, Access, Inval, Loop, NameTooLong, NoEnt, NotDir];
            /// Returns what is known of an open file, as a [`crate::wire::Stat`].
            [codepod Files] ready fd_stat(fd: u32, stat: Out) fails [Badf, Fault];
            /// Sets the permission bits of a path.
            [codepod Files] ready path_mode_set(fd: u32, flags: u32, path: In, path_len: u32, mode: u32) fails [Badf, Fault, Access, Inval, Loop, NameTooLong, NoEnt, NotDir, Perm, Rofs];
            /// Sets the permission bits of an open file.
            [codepod Files] ready fd_mode_set(fd: u32, mode: u32) fails [Badf, Inval, Perm];
            /// Sets the owner and group of a path; 4294967295 leaves one as it is.
            [codepod Files] ready path_owner_set(fd: u32, flags: u32, path: In, path_len: u32, uid: u32, gid: u32) fails [Badf, Fault, Access, Inval, Loop, NameTooLong, NoEnt, NotDir, Perm, Rofs];
            /// Sets the owner and group of an open file.
            [codepod Files] ready fd_owner_set(fd: u32, uid: u32, gid: u32) fails [Badf, Perm];
            /// Checks whether the process may read (4), write (2), execute (1) a path; 0 asks
            /// whether it exists.
            [codepod Files] ready path_access(fd: u32, flags: u32, path: In, path_len: u32, mode: u32) fails [Badf, Fault, Access, Inval, Loop, NameTooLong, NoEnt, NotDir, Rofs];
            /// Creates a fifo.
            [codepod Files] ready path_mkfifo(fd: u32, path: In, path_len: u32, mode: u32) fails [Badf, Fault, Access, Exist, Inval, Loop, NameTooLong, NoEnt, NoSpc, NotDir, Rofs];

            /// Returns a terminal's size and mode as a [`crate::wire::TerminalState`].
            [codepod Terminal] ready tty_get(fd: u32, state: Out) fails [Badf, Fault, NotTy];
            /// Sets a terminal's size and mode.
            [codepod Terminal] ready tty_set(fd: u32, state: In) fails [Badf, Fault, Inval, NotTy];

            /// Waits for the host's next request to this process, a [`crate::session::Request`];
            /// its standard input, output and error are then on 0, 1 and 2. When it does not fit,
            /// `used` is its size and it stays.
            [codepod Session] waits session_next(buf: Out, buf_len: u32, used: Out) fails [Fault, Inval, Intr, Perm, Range];
            /// Answers the request: the exit status, and the state to go on from after this one
            /// (length 0: as before). 0, 1 and 2 read nothing and write nowhere then.
            [codepod Session] ready session_done(status: u32, state: In, state_len: u32) fails [Fault, Inval, Perm, TooBig];

            /// Creates a socket: its family ([`crate::wire::socket::INET`] or
            /// [`crate::wire::socket::UNIX`]), its kind ([`crate::wire::socket::STREAM`] or
            /// [`crate::wire::socket::DATAGRAM`]), and as `flags` non-blocking (4) or 0.
            [codepod Socket] ready sock_open(family: u32, kind: u32, flags: u32, opened: Out) fails [Fault, Inval, AfNoSupport, ProtoNoSupport, Mfile, Nfile];
            /// Gives a socket an address of its own ([`crate::wire::socket`]). Port 0 is a free port
            /// from 32768 on; a path becomes a node with the permission bits that the umask leaves;
            /// the family alone, of a UNIX socket, is a free abstract name.
            [codepod Socket] ready sock_bind(fd: u32, address: In, address_len: u32) fails [Badf, NotSock, Fault, Access, AddrInUse, AddrNotAvail, AfNoSupport, Inval, Loop, NoEnt, NoSpc, NotDir, Rofs];
            /// Lets a stream socket take connections, and says how many may wait to be accepted. An
            /// IPv4 socket without an address gets a free port.
            [codepod Socket] ready sock_listen(fd: u32, backlog: u32) fails [Badf, NotSock, Inval, AddrInUse, NotSup];
            /// Connects a socket, or says where a datagram socket sends to. It waits until a stream
            /// is connected; a non-blocking one fails with `InProgress` (IPv4) or `Again` (UNIX,
            /// while too many wait to be accepted). Beyond the sandbox the host's gateway decides:
            /// without one `Access`, with one any error that it names; `net_why` has the reason.
            [codepod Socket] waits sock_connect(fd: u32, address: In, address_len: u32) fails [Badf, NotSock, Fault, Access, AfNoSupport, Again, Already, ConnAborted, ConnRefused, InProgress, Intr, Inval, IsConn, Loop, Nfile, NoEnt, NotDir, Perm, Prototype];
            /// Sends as `sock_send` does; a datagram to an address, unless that is empty. `flags` are
            /// [`crate::wire::socket::DONT_WAIT`] and [`crate::wire::socket::NO_SIGNAL`].
            [codepod Socket] waits sock_send_to(fd: u32, iovs: In, iovs_len: u32, flags: u32, address: In, address_len: u32, nwritten: Out) fails [Badf, NotSock, Fault, Access, AfNoSupport, Again, ConnRefused, ConnReset, DestAddrReq, Intr, Inval, IsConn, Loop, MsgSize, NoEnt, NotConn, NotDir, NotSup, Perm, Pipe, Prototype];
            /// Receives as `sock_recv` does, and writes the sender's address, as much of it as fits.
            /// `flags` are [`crate::wire::socket::PEEK`], [`crate::wire::socket::WAIT_ALL`],
            /// [`crate::wire::socket::DONT_WAIT`] and [`crate::wire::socket::WHOLE_LENGTH`];
            /// `received` is a [`crate::wire::socket::Received`].
            [codepod Socket] waits sock_recv_from(fd: u32, iovs: In, iovs_len: u32, flags: u32, address: Out, address_len: u32, received: Out) fails [Badf, NotSock, Fault, Again, ConnRefused, ConnReset, Intr, Inval, NotConn];
            /// Writes a socket's own address ([`crate::wire::socket::LOCAL`]) or the one it is
            /// connected to ([`crate::wire::socket::PEER`]), as much of it as fits; `used` is its
            /// whole length.
            [codepod Socket] ready sock_name(fd: u32, which: u32, address: Out, address_len: u32, used: Out) fails [Badf, NotSock, Fault, Inval, NotConn];
            /// Returns an option ([`crate::wire::socket::SocketOption`]) as a `u64`.
            [codepod Socket] ready sock_option_get(fd: u32, option: u32, value: Out) fails [Badf, NotSock, Fault, NoProtoOpt];
            /// Sets an option. Sizes of buffers are taken as near as the limits let them be.
            [codepod Socket] ready sock_option_set(fd: u32, option: u32, value: u64) fails [Badf, NotSock, Inval, NoProtoOpt];
            /// Finds the addresses of a host by its name, and writes as many as fit, each in
            /// [`crate::wire::socket::ADDRESS_SLOT`] bytes with port 0; `count` is how many there
            /// are. A name beyond the sandbox gets an address that stands for it here only. The
            /// host's gateway is asked whether there is such a name, and may name any error.
            [codepod Socket] waits name_resolve(name: In, name_len: u32, addresses: Out, addresses_len: u32, count: Out) fails [Fault, Inval, NoEnt];
            /// Finds the name that an address stands for.
            [codepod Socket] ready name_of(address: In, address_len: u32, name: Out, name_len: u32, used: Out) fails [Fault, AfNoSupport, Inval, NoEnt, Range];
            /// Writes why the last `sock_connect` or `sock_send_to` of this descriptor was refused, as
            /// much of the text as fits; `used` is its whole length, 0 when there is no more to say
            /// than the error number does.
            [codepod Socket] ready net_why(fd: u32, text: Out, text_len: u32, used: Out) fails [Badf, NotSock, Fault];
        }
    };
}

macro_rules! call_infos {
    (@module wasi) => { "wasi_snapshot_preview1" };
    (@module codepod) => { "codepod" };
    (@waiting ready) => { Waiting::Ready };
    (@waiting waits) => { Waiting::Waits };
    (@waiting ends) => { Waiting::Ends };
    (@succeeds) => { true };
    (@succeeds without success) => { false };
    ($(
        $(#[doc = $doc:literal])*
        [$namespace:ident $grant:ident] $waiting:ident $name:ident ( $($param:ident : $ty:ident),* )
            fails [$($errno:ident),*] $(without $success:ident)? ;
    )*) => {
        /// Every call, in the table's order.
        pub const CALLS: &[CallInfo] = &[$(
            CallInfo {
                module: call_infos!(@module $namespace),
                name: stringify!($name),
                grant: Grant::$grant,
                waiting: call_infos!(@waiting $waiting),
                params: &[$((stringify!($param), stringify!($ty))),*],
                fails: &[$(Errno::$errno),*],
                succeeds: call_infos!(@succeeds $(without $success)?),
                doc: &[$($doc),*],
            },
        )*];

        /// A call's number: its place in [`CALLS`].
        #[expect(non_camel_case_types, reason = "a call is named as guests import it")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Call {
            $($(#[doc = $doc])* $name,)*
        }

        impl Call {
            /// The call's line.
            pub const fn info(self) -> &'static CallInfo {
                &CALLS[self as usize]
            }
        }
    };
}

for_each_call!(call_infos []);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wasi_preview_1_is_complete() {
        let wasi = CALLS
            .iter()
            .filter(|call| call.grant == Grant::Wasi)
            .count();
        assert_eq!(wasi, 46);
    }

    #[test]
    fn names_are_unique() {
        for (i, call) in CALLS.iter().enumerate() {
            assert!(
                CALLS[i + 1..].iter().all(|other| other.name != call.name),
                "{}",
                call.name
            );
        }
    }

    #[test]
    fn wasi_lines_belong_to_the_wasi_grant() {
        for call in CALLS {
            assert_eq!(
                call.module == "codepod",
                call.grant != Grant::Wasi,
                "{}",
                call.name
            );
        }
    }

    #[test]
    fn a_call_knows_its_line() {
        assert_eq!(Call::fd_pipe.info().name, "fd_pipe");
    }
}
