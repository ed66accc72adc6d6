//! The small values that the whole crate speaks: ids, kinds, metadata, ways to open.
//!
//! A [`NodeRef`] names a node and keeps nothing alive; `Vfs::open` and `Vfs::retain` do that.

/// A node's number within its mount. Numbers are synthetic on every backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InodeId(pub u64);

/// A mount's number within its [`Vfs`](crate::Vfs). The root is 0; numbers are not used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MountId(pub u32);

/// A node of a [`Vfs`](crate::Vfs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeRef {
    /// The mount that the node is on.
    pub mount: MountId,
    /// The node's number there.
    pub inode: InodeId,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, also the magic ones of `/proc/PID/fd`.
    Symlink,
    /// A named pipe; the kernel does its I/O.
    Fifo,
    /// A name that a socket of the sandbox has, or had; the kernel knows which.
    Socket,
    /// A character device; the kernel does its I/O, see [`Device`].
    CharDevice,
    /// Something of the host that the sandbox can see and remove but not open: a socket, a device.
    Other,
}

/// The devices of `/dev`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Device {
    /// Swallows writes, reads as empty.
    Null,
    /// Swallows writes, reads as zeros.
    Zero,
    /// Refuses writes with `NoSpc`, reads as zeros.
    Full,
    /// Random bytes.
    Random,
    /// Random bytes.
    Urandom,
    /// The caller's terminal.
    Tty,
}

impl Device {
    /// All of them.
    pub(crate) const ALL: [Device; 6] = [
        Device::Null,
        Device::Zero,
        Device::Full,
        Device::Random,
        Device::Urandom,
        Device::Tty,
    ];

    /// Linux's number for it, as in `st_rdev`: major and minor in one.
    pub const fn number(self) -> u64 {
        let (major, minor) = match self {
            Device::Null => (1, 3),
            Device::Zero => (1, 5),
            Device::Full => (1, 7),
            Device::Random => (1, 8),
            Device::Urandom => (1, 9),
            Device::Tty => (5, 0),
        };
        (major << 8) | minor
    }
}

/// What is known about a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The node's number.
    pub inode: u64,
    /// The mount's number plus one.
    pub device: u64,
    /// What it is.
    pub kind: FileKind,
    /// Permission bits with set-user, set-group and sticky bit; no type bits.
    pub mode: u16,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Names it has; 0 for a deleted file that is still open.
    pub nlink: u64,
    /// Bytes; of a link, the length of its target.
    pub size: u64,
    /// Allocated blocks of 512 bytes.
    pub blocks: u64,
    /// Last access in nanoseconds since 1970. Reading does not change it.
    pub atime: u64,
    /// Last change of content in nanoseconds since 1970.
    pub mtime: u64,
    /// Last change of metadata in nanoseconds since 1970.
    pub ctime: u64,
    /// A device's number.
    pub rdev: u64,
}

/// One entry, as `read_dir` hands it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirEntryRef<'a> {
    /// The name, without slashes.
    pub name: &'a [u8],
    /// The node's number.
    pub inode: u64,
    /// What it is.
    pub kind: FileKind,
    /// Where to go on after this entry.
    pub next: u64,
}

/// What is asked of a node: the bits of `access(2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access(pub u8);

impl Access {
    /// That it exists.
    pub const EXISTS: Access = Access(0);
    /// Execute a file or search a directory.
    pub const EXECUTE: Access = Access(1);
    /// Write.
    pub const WRITE: Access = Access(2);
    /// Read.
    pub const READ: Access = Access(4);

    /// Both of them.
    pub const fn and(self, other: Access) -> Access {
        Access(self.0 | other.0)
    }

    /// Whether all of `other` is asked for.
    pub const fn has(self, other: Access) -> bool {
        self.0 & other.0 == other.0
    }
}

/// How to open a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenOptions {
    /// Reading is wanted, so it must be permitted.
    pub read: bool,
    /// Writing is wanted, so it must be permitted.
    pub write: bool,
    /// Writing at the end is wanted; permission as for `write`.
    pub append: bool,
    /// Make a regular file if there is none.
    pub create: bool,
    /// With `create`: fail with `Exist` if there is one, and do not follow a link at the end.
    pub exclusive: bool,
    /// Empty a regular file; needs `write` or `append`.
    pub truncate: bool,
    /// Fail with `NotDir` on anything but a directory.
    pub directory: bool,
    /// Follow a link at the end; without it a link there fails with `Loop`.
    pub follow: bool,
    /// Permission bits of a new file, before the caller's umask.
    pub mode: u16,
}

impl OpenOptions {
    /// Read what is there, following links.
    pub const READ: OpenOptions = OpenOptions {
        read: true,
        write: false,
        append: false,
        create: false,
        exclusive: false,
        truncate: false,
        directory: false,
        follow: true,
        mode: 0o666,
    };

    /// Write, making or emptying the file, as `>` does.
    pub const REPLACE: OpenOptions = OpenOptions {
        read: false,
        write: true,
        create: true,
        truncate: true,
        ..Self::READ
    };

    /// Whether it asks to write in any way.
    pub const fn writes(&self) -> bool {
        self.write || self.append
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions::READ
    }
}

/// Takes directory entries one by one; `false` stops the listing before that entry.
pub type DirSink<'a> = &'a mut dyn FnMut(DirEntryRef<'_>) -> bool;

/// A node to be made.
#[derive(Debug, Clone, Copy)]
pub struct New<'a> {
    /// What it is.
    pub body: NewBody<'a>,
    /// Its permission bits; the umask has been applied.
    pub mode: u16,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
}

/// What a node to be made is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewBody<'a> {
    /// An empty regular file.
    File,
    /// An empty directory.
    Directory,
    /// A symbolic link with its target.
    Symlink(&'a [u8]),
    /// A named pipe.
    Fifo,
    /// A name for a socket.
    Socket,
}
