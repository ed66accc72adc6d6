//! Wire types: how values lie in guest memory. All little-endian.
//!
//! WASI Preview 1 defines its own (`wasi`); the rest belong to the `codepod` namespace. A type here
//! knows its size and how to become bytes and back; it never touches a guest's memory itself.

use crate::table::In;

/// Constants of WASI Preview 1.
pub mod wasi {
    /// `clockid`: wall clock.
    pub const CLOCK_REALTIME: u32 = 0;
    /// `clockid`: never goes back.
    pub const CLOCK_MONOTONIC: u32 = 1;
    /// `clockid`: CPU time of the process.
    pub const CLOCK_PROCESS_CPUTIME: u32 = 2;
    /// `clockid`: CPU time of the thread.
    pub const CLOCK_THREAD_CPUTIME: u32 = 3;

    /// `filetype` values.
    pub mod filetype {
        /// Not known.
        pub const UNKNOWN: u8 = 0;
        /// Block device.
        pub const BLOCK_DEVICE: u8 = 1;
        /// Character device.
        pub const CHARACTER_DEVICE: u8 = 2;
        /// Directory.
        pub const DIRECTORY: u8 = 3;
        /// Regular file.
        pub const REGULAR_FILE: u8 = 4;
        /// Datagram socket.
        pub const SOCKET_DGRAM: u8 = 5;
        /// Stream socket.
        pub const SOCKET_STREAM: u8 = 6;
        /// Symbolic link.
        pub const SYMBOLIC_LINK: u8 = 7;
    }

    /// `fdflags` bits.
    pub mod fdflags {
        /// Every write goes to the end.
        pub const APPEND: u16 = 1;
        /// Writes are flushed.
        pub const DSYNC: u16 = 2;
        /// A call that would wait fails with `Again`.
        pub const NONBLOCK: u16 = 4;
        /// Reads are flushed.
        pub const RSYNC: u16 = 8;
        /// Writes are flushed with metadata.
        pub const SYNC: u16 = 16;
        /// All of them.
        pub const ALL: u16 = 31;
    }

    /// `oflags` bits of `path_open`.
    pub mod oflags {
        /// Create if absent.
        pub const CREAT: u32 = 1;
        /// Fail if it is no directory.
        pub const DIRECTORY: u32 = 2;
        /// Fail if it exists.
        pub const EXCL: u32 = 4;
        /// Cut to length 0.
        pub const TRUNC: u32 = 8;
        /// All of them.
        pub const ALL: u32 = 15;
    }

    /// `lookupflags`: follow a symbolic link at the end of the path.
    pub const LOOKUP_SYMLINK_FOLLOW: u32 = 1;

    /// `fstflags` bits.
    pub mod fstflags {
        /// Set the access time.
        pub const ATIM: u32 = 1;
        /// Set the access time to now.
        pub const ATIM_NOW: u32 = 2;
        /// Set the modification time.
        pub const MTIM: u32 = 4;
        /// Set the modification time to now.
        pub const MTIM_NOW: u32 = 8;
        /// All of them.
        pub const ALL: u32 = 15;
    }

    /// `rights` bits.
    pub mod rights {
        /// `fd_datasync`.
        pub const FD_DATASYNC: u64 = 1 << 0;
        /// `fd_read`.
        pub const FD_READ: u64 = 1 << 1;
        /// `fd_seek`.
        pub const FD_SEEK: u64 = 1 << 2;
        /// `fd_fdstat_set_flags`.
        pub const FD_FDSTAT_SET_FLAGS: u64 = 1 << 3;
        /// `fd_sync`.
        pub const FD_SYNC: u64 = 1 << 4;
        /// `fd_tell`.
        pub const FD_TELL: u64 = 1 << 5;
        /// `fd_write`.
        pub const FD_WRITE: u64 = 1 << 6;
        /// `fd_advise`.
        pub const FD_ADVISE: u64 = 1 << 7;
        /// `fd_allocate`.
        pub const FD_ALLOCATE: u64 = 1 << 8;
        /// `path_create_directory`.
        pub const PATH_CREATE_DIRECTORY: u64 = 1 << 9;
        /// `path_open` with `CREAT`.
        pub const PATH_CREATE_FILE: u64 = 1 << 10;
        /// `path_link`, source.
        pub const PATH_LINK_SOURCE: u64 = 1 << 11;
        /// `path_link`, target.
        pub const PATH_LINK_TARGET: u64 = 1 << 12;
        /// `path_open`.
        pub const PATH_OPEN: u64 = 1 << 13;
        /// `fd_readdir`.
        pub const FD_READDIR: u64 = 1 << 14;
        /// `path_readlink`.
        pub const PATH_READLINK: u64 = 1 << 15;
        /// `path_rename`, source.
        pub const PATH_RENAME_SOURCE: u64 = 1 << 16;
        /// `path_rename`, target.
        pub const PATH_RENAME_TARGET: u64 = 1 << 17;
        /// `path_filestat_get`.
        pub const PATH_FILESTAT_GET: u64 = 1 << 18;
        /// `path_open` with `TRUNC`.
        pub const PATH_FILESTAT_SET_SIZE: u64 = 1 << 19;
        /// `path_filestat_set_times`.
        pub const PATH_FILESTAT_SET_TIMES: u64 = 1 << 20;
        /// `fd_filestat_get`.
        pub const FD_FILESTAT_GET: u64 = 1 << 21;
        /// `fd_filestat_set_size`.
        pub const FD_FILESTAT_SET_SIZE: u64 = 1 << 22;
        /// `fd_filestat_set_times`.
        pub const FD_FILESTAT_SET_TIMES: u64 = 1 << 23;
        /// `path_symlink`.
        pub const PATH_SYMLINK: u64 = 1 << 24;
        /// `path_remove_directory`.
        pub const PATH_REMOVE_DIRECTORY: u64 = 1 << 25;
        /// `path_unlink_file`.
        pub const PATH_UNLINK_FILE: u64 = 1 << 26;
        /// `poll_oneoff` on the descriptor.
        pub const POLL_FD_READWRITE: u64 = 1 << 27;
        /// `sock_shutdown`.
        pub const SOCK_SHUTDOWN: u64 = 1 << 28;
        /// `sock_accept`.
        pub const SOCK_ACCEPT: u64 = 1 << 29;
        /// All of them.
        pub const ALL: u64 = (1 << 30) - 1;
    }

    /// `eventtype`: a clock reached its time.
    pub const EVENT_CLOCK: u8 = 0;
    /// `eventtype`: a descriptor can be read.
    pub const EVENT_FD_READ: u8 = 1;
    /// `eventtype`: a descriptor can be written.
    pub const EVENT_FD_WRITE: u8 = 2;
    /// `eventrwflags`: the other end is closed.
    pub const EVENT_HANGUP: u16 = 1;
    /// `subclockflags`: the timeout is a point in time.
    pub const SUBSCRIPTION_CLOCK_ABSTIME: u16 = 1;

    /// `riflags`: leave the data in the queue.
    pub const RECV_PEEK: u32 = 1;
    /// `riflags`: wait until the buffer is full.
    pub const RECV_WAITALL: u32 = 2;
    /// `sdflags`: no more receives.
    pub const SHUT_RD: u32 = 1;
    /// `sdflags`: no more sends.
    pub const SHUT_WR: u32 = 2;

    /// Size of a `ciovec`/`iovec`.
    pub const IOVEC_SIZE: u32 = 8;
    /// Size of a `subscription`.
    pub const SUBSCRIPTION_SIZE: u32 = 48;
    /// Size of an `event`.
    pub const EVENT_SIZE: u32 = 32;
    /// Size of a `dirent` head.
    pub const DIRENT_SIZE: usize = 24;
    /// Size of a `filestat`.
    pub const FILESTAT_SIZE: usize = 64;
    /// Size of an `fdstat`.
    pub const FDSTAT_SIZE: usize = 24;
}

/// `proc_wait`: return at once when no child has changed.
pub const WAIT_NOHANG: u32 = 1;
/// `proc_wait`: report children that were stopped.
pub const WAIT_STOPPED: u32 = 2;
/// `proc_wait`: report children that were continued.
pub const WAIT_CONTINUED: u32 = 4;
/// All flags of `proc_wait`.
pub const WAIT_ALL: u32 = 7;

/// `signal_action`: the default action.
pub const SIGNAL_DEFAULT: u32 = 0;
/// `signal_action`: ignore it.
pub const SIGNAL_IGNORE: u32 = 1;
/// `signal_action`: remember it for `signal_take`; calls that wait fail with `Intr`.
pub const SIGNAL_CATCH: u32 = 2;

/// In calls that take a path and the directory it starts from: the root, whatever else has this
/// number.
pub const ROOT_FD: u32 = 3;
/// In the same calls: the working directory. No descriptor has this number.
pub const CWD_FD: u32 = 0xffff_ff9c;

/// What `fd_lock` does: one of the first three, and `NONBLOCK` or not. The numbers are Linux's.
pub mod lock {
    /// A lock that others may have, too.
    pub const SHARED: u32 = 1;
    /// A lock that excludes all others.
    pub const EXCLUSIVE: u32 = 2;
    /// No lock any more.
    pub const UNLOCK: u32 = 8;
    /// Fail with `Again` where it would wait.
    pub const NONBLOCK: u32 = 4;
}

/// In `path_owner_set` and `fd_owner_set`: leave it as it is.
pub const OWNER_KEEP: u32 = u32::MAX;

/// `SpawnRequest::group`: stay in the parent's group.
pub const GROUP_INHERIT: u32 = u32::MAX;
/// `SpawnRequest::group`: a new group, led by the child.
pub const GROUP_NEW: u32 = 0;

/// `hash_blocks`: which hash. Its state is the words of FIPS 180-4, each of 32 bits and
/// little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Hash {
    /// SHA-1: five words.
    Sha1 = 1,
    /// SHA-256: eight words.
    Sha256 = 2,
}

impl Hash {
    /// The most bytes of one call: it does not wait, so it must be short.
    pub const CALL_BYTES: u32 = 256 << 10;
    /// The longest state.
    pub const STATE_BYTES: usize = 32;
    /// A block of either.
    pub const BLOCK_BYTES: u32 = 64;

    /// The hash of a number.
    pub const fn from_number(number: u32) -> Option<Hash> {
        match number {
            1 => Some(Hash::Sha1),
            2 => Some(Hash::Sha256),
            _ => None,
        }
    }

    /// How many bytes its state has.
    pub const fn state_len(self) -> usize {
        match self {
            Hash::Sha1 => 20,
            Hash::Sha256 => 32,
        }
    }
}

/// A wire type as data: for the header of guests in C.
#[derive(Debug, Clone, Copy)]
pub struct StructInfo {
    /// Its name.
    pub name: &'static str,
    /// Bytes on the wire.
    pub size: usize,
    /// Names and types of its fields.
    pub fields: &'static [(&'static str, &'static str)],
}

macro_rules! wire_struct {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $ty:ident,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[repr(C)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $ty,)*
        }

        impl $name {
            /// Bytes on the wire.
            pub const SIZE: usize = 0 $(+ size_of::<$ty>())*;

            /// Its name, size and fields.
            pub const INFO: $crate::wire::StructInfo = $crate::wire::StructInfo {
                name: stringify!($name),
                size: Self::SIZE,
                fields: &[$((stringify!($field), stringify!($ty))),*],
            };

            /// As bytes.
            pub fn to_bytes(&self) -> [u8; Self::SIZE] {
                let mut bytes = [0; Self::SIZE];
                let mut at = 0;
                $(
                    bytes[at..at + size_of::<$ty>()].copy_from_slice(&self.$field.to_le_bytes());
                    at += size_of::<$ty>();
                )*
                debug_assert!(at == Self::SIZE);
                bytes
            }

            /// From bytes.
            pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
                let mut at = 0;
                let value = Self { $(
                    $field: {
                        let mut raw = [0; size_of::<$ty>()];
                        raw.copy_from_slice(&bytes[at..at + size_of::<$ty>()]);
                        at += size_of::<$ty>();
                        <$ty>::from_le_bytes(raw)
                    },
                )* };
                debug_assert!(at == Self::SIZE);
                value
            }
        }

        // The guest reads and writes it as a C struct: no padding may creep in.
        const _: () = assert!(size_of::<$name>() == $name::SIZE);
    };
}

pub mod socket;

wire_struct! {
    /// What `proc_spawn` starts. Pointers and lengths are the caller's.
    SpawnRequest {
        /// Path of the program; it is not searched for.
        path: In,
        /// Its length.
        path_len: u32,
        /// Arguments, each ended by a NUL.
        argv: In,
        /// Length of all of them.
        argv_len: u32,
        /// `NAME=value` strings, each ended by a NUL.
        env: In,
        /// Length of all of them.
        env_len: u32,
        /// Pairs of `u32`: a descriptor of the caller and its number in the child. Nothing else is
        /// passed on.
        fds: In,
        /// Number of pairs.
        fds_len: u32,
        /// Working directory of the child; empty for the caller's.
        cwd: In,
        /// Its length.
        cwd_len: u32,
        /// Process group: [`GROUP_INHERIT`], [`GROUP_NEW`] or one to join.
        group: u32,
        /// No flags are defined: 0.
        flags: u32,
    }
}

wire_struct! {
    /// What `proc_wait` found.
    WaitResult {
        /// The child; 0 when none has changed and `WAIT_NOHANG` was given.
        pid: u32,
        /// [`WaitResult::EXITED`], `SIGNALED`, `STOPPED` or `CONTINUED`.
        kind: u32,
        /// Exit status or signal number.
        code: u32,
    }
}

impl WaitResult {
    /// It ended by itself; `code` is its status.
    pub const EXITED: u32 = 0;
    /// A signal ended it; `code` is the signal.
    pub const SIGNALED: u32 = 1;
    /// A signal stopped it; `code` is the signal.
    pub const STOPPED: u32 = 2;
    /// It goes on.
    pub const CONTINUED: u32 = 3;
}

wire_struct! {
    /// What `path_stat` and `fd_stat` return.
    Stat {
        /// Device number.
        dev: u64,
        /// Inode number.
        ino: u64,
        /// Links to it.
        nlink: u64,
        /// Bytes.
        size: u64,
        /// Blocks of 512 bytes that it takes.
        blocks: u64,
        /// Access time in nanoseconds.
        atime: u64,
        /// Modification time in nanoseconds.
        mtime: u64,
        /// Change time in nanoseconds.
        ctime: u64,
        /// Device that a device node stands for.
        rdev: u64,
        /// Type and permission bits, as `st_mode`.
        mode: u32,
        /// Owner.
        uid: u32,
        /// Group.
        gid: u32,
        /// Nothing yet: 0.
        reserved: u32,
    }
}

wire_struct! {
    /// A terminal's size and mode.
    TerminalState {
        /// Rows.
        rows: u32,
        /// Columns.
        columns: u32,
        /// [`TerminalState::CANONICAL`] and the other bits.
        mode: u32,
    }
}

impl TerminalState {
    /// Input comes by lines.
    pub const CANONICAL: u32 = 1;
    /// Input is shown.
    pub const ECHO: u32 = 2;
    /// Control characters become signals.
    pub const SIGNALS: u32 = 4;
    /// All mode bits.
    pub const ALL: u32 = 7;
}

/// Every wire type of the `codepod` namespace.
pub const STRUCTS: &[StructInfo] = &[
    SpawnRequest::INFO,
    WaitResult::INFO,
    Stat::INFO,
    TerminalState::INFO,
    socket::Received::INFO,
];

/// `st_mode` type bits.
pub mod mode {
    /// Mask of the type.
    pub const TYPE_MASK: u32 = 0o170000;
    /// Fifo.
    pub const FIFO: u32 = 0o010000;
    /// Character device.
    pub const CHARACTER_DEVICE: u32 = 0o020000;
    /// Directory.
    pub const DIRECTORY: u32 = 0o040000;
    /// Regular file.
    pub const REGULAR: u32 = 0o100000;
    /// Symbolic link.
    pub const SYMLINK: u32 = 0o120000;
    /// Socket.
    pub const SOCKET: u32 = 0o140000;
    /// Permission bits, set-id and sticky included.
    pub const PERMISSIONS: u32 = 0o7777;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wire_struct_survives_its_bytes() {
        let result = WaitResult {
            pid: 7,
            kind: WaitResult::SIGNALED,
            code: 13,
        };
        assert_eq!(WaitResult::from_bytes(&result.to_bytes()), result);
        assert_eq!(SpawnRequest::SIZE, 48);
        assert_eq!(Stat::SIZE, 88);
    }
}
