//! Files by path: opening, and what WASI cannot say of them: modes, owners, access, fifos, the
//! umask.
//!
//! Paths are bytes. Relative ones start at the process's working directory as the kernel has it.

use codepod_abi::Errno;
use codepod_abi::wire::wasi::{LOOKUP_SYMLINK_FOLLOW, fdflags, oflags, rights};
pub use codepod_abi::wire::{Stat, mode};

use codepod_abi::wire::OWNER_KEEP;

use crate::descriptor::Fd;
use crate::{address, address_mut, calls, check, raw};

/// Whether a symbolic link at the end of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It is.
    Follow,
    /// The link itself is meant.
    Keep,
}

impl Links {
    fn flags(self) -> u32 {
        match self {
            Links::Follow => LOOKUP_SYMLINK_FOLLOW,
            Links::Keep => 0,
        }
    }
}

/// How a file is opened, as the flags of `open(2)` say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenOptions {
    /// `O_RDONLY`, or half of `O_RDWR`.
    pub read: bool,
    /// `O_WRONLY`, or the other half.
    pub write: bool,
    /// `O_APPEND`: every write goes to the end.
    pub append: bool,
    /// `O_CREAT`: make a file if there is none.
    pub create: bool,
    /// `O_EXCL`: fail if there is something.
    pub exclusive: bool,
    /// `O_TRUNC`: empty the file.
    pub truncate: bool,
    /// `O_DIRECTORY`: fail if it is no directory.
    pub directory: bool,
    /// `O_NOFOLLOW` when it is [`Links::Keep`].
    pub links: Links,
    /// Permission bits of a file that is made, before the umask takes some away.
    pub mode: u32,
}

impl OpenOptions {
    /// To read: `<`.
    pub const READ: OpenOptions = OpenOptions {
        read: true,
        write: false,
        append: false,
        create: false,
        exclusive: false,
        truncate: false,
        directory: false,
        links: Links::Follow,
        mode: 0o666,
    };
    /// To write a file from its start, made or emptied: `>`.
    pub const WRITE: OpenOptions = OpenOptions {
        read: false,
        write: true,
        create: true,
        truncate: true,
        ..OpenOptions::READ
    };
    /// To write at the end, made if there is none: `>>`.
    pub const APPEND: OpenOptions = OpenOptions {
        truncate: false,
        append: true,
        ..OpenOptions::WRITE
    };
    /// To read and write, made if there is none: `<>`.
    pub const READ_WRITE: OpenOptions = OpenOptions {
        read: true,
        truncate: false,
        ..OpenOptions::WRITE
    };
}

/// What a descriptor that only reads may do: everything but write.
const READING: u64 = rights::ALL
    & !(rights::FD_DATASYNC
        | rights::FD_WRITE
        | rights::FD_ALLOCATE
        | rights::FD_FILESTAT_SET_SIZE);
/// What a descriptor that only writes may do.
const WRITING: u64 = rights::ALL & !(rights::FD_READ | rights::FD_READDIR);

/// Opens a path. A fifo waits for its other end.
///
/// Fails with [`Errno::NoEnt`], [`Errno::NotDir`], [`Errno::Access`], [`Errno::Loop`] or
/// [`Errno::NameTooLong`] when the path leads nowhere, [`Errno::Exist`] when there is something and
/// `exclusive` was asked for, [`Errno::IsDir`] for writing to a directory, [`Errno::Rofs`] and
/// [`Errno::NoSpc`] where nothing can be made, [`Errno::Nxio`] for a terminal that is not there,
/// [`Errno::Mfile`] when no number is free and [`Errno::Intr`] when a caught signal came first.
pub fn open(path: &[u8], options: OpenOptions) -> Result<Fd, Errno> {
    let flag = |set: bool, bit: u32| if set { bit } else { 0 };
    let flags = flag(options.create, oflags::CREAT)
        | flag(options.exclusive, oflags::EXCL)
        | flag(options.truncate, oflags::TRUNC)
        | flag(options.directory, oflags::DIRECTORY);
    let rights = match (options.read, options.write) {
        (true, true) => READING | WRITING,
        (false, true) => WRITING,
        _ => READING,
    };
    let mut opened = 0u32;
    // SAFETY: the call reads the path and writes to `opened`.
    let number = unsafe {
        raw::path_open_mode(
            Fd::CWD.0,
            options.links.flags(),
            address(path.as_ptr()),
            path.len() as u32,
            flags,
            rights,
            flag(options.append, fdflags::APPEND.into()),
            options.mode,
            address_mut(&mut opened),
        )
    };
    check(number).map(|()| Fd(opened))
}

/// What is known of a path.
///
/// Fails with [`Errno::NoEnt`], [`Errno::NotDir`], [`Errno::Access`], [`Errno::Loop`] or
/// [`Errno::NameTooLong`] when the path leads nowhere.
pub fn stat_path(path: &[u8], links: Links) -> Result<Stat, Errno> {
    let mut stat = Stat::default();
    // SAFETY: the call reads the path and writes a `Stat` to `stat`.
    let number = unsafe {
        raw::path_stat(
            Fd::CWD.0,
            links.flags(),
            address(path.as_ptr()),
            path.len() as u32,
            address_mut(&raw mut stat),
        )
    };
    check(number).map(|()| stat)
}

/// What is known of an open file. Fails with [`Errno::Badf`].
pub fn stat_open(fd: Fd) -> Result<Stat, Errno> {
    let mut stat = Stat::default();
    // SAFETY: the call writes a `Stat` to `stat`.
    let number = unsafe { raw::fd_stat(fd.0, address_mut(&raw mut stat)) };
    check(number).map(|()| stat)
}

/// Where a symbolic link leads.
///
/// Fails as [`stat_path`] does, and with [`Errno::Inval`] when it is none.
pub fn read_link(path: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0u8; 256];
    loop {
        let mut used = 0u32;
        // SAFETY: the call reads the path and writes at most `buffer.len()` bytes to `buffer`, and
        // to `used`.
        let number = unsafe {
            raw::path_readlink(
                Fd::CWD.0,
                address(path.as_ptr()),
                path.len() as u32,
                address_mut(buffer.as_mut_ptr()),
                buffer.len() as u32,
                address_mut(&mut used),
            )
        };
        check(number)?;
        let used = used as usize;
        // A full buffer may have cut it.
        if used < buffer.len() {
            buffer.truncate(used);
            return Ok(buffer);
        }
        buffer.resize(buffer.len() * 4, 0);
    }
}

/// Removes a file, symbolic link or fifo. Fails as [`stat_path`] does, and with [`Errno::IsDir`]
/// and [`Errno::Rofs`].
pub fn remove(path: &[u8]) -> Result<(), Errno> {
    // SAFETY: the call reads the path only.
    check(unsafe { raw::path_unlink_file(Fd::CWD.0, address(path.as_ptr()), path.len() as u32) })
}

/// Sets the permission bits of a path.
///
/// Fails as [`stat_path`] does, and with [`Errno::Perm`] for another's file, [`Errno::Rofs`] where
/// nothing can be written and [`Errno::Inval`] for other bits.
pub fn set_mode(path: &[u8], links: Links, mode: u32) -> Result<(), Errno> {
    // SAFETY: the call reads the path only.
    check(unsafe {
        raw::path_mode_set(
            Fd::CWD.0,
            links.flags(),
            address(path.as_ptr()),
            path.len() as u32,
            mode,
        )
    })
}

/// Sets the permission bits of an open file.
///
/// Fails with [`Errno::Badf`], [`Errno::Perm`] for another's file, [`Errno::Inval`] for other bits.
pub fn set_mode_open(fd: Fd, mode: u32) -> Result<(), Errno> {
    calls::fd_mode_set(fd.0, mode)
}

/// Sets the owner and group of a path; `None` leaves one as it is. Fails as [`set_mode`] does.
pub fn set_owner(
    path: &[u8],
    links: Links,
    uid: Option<u32>,
    gid: Option<u32>,
) -> Result<(), Errno> {
    // SAFETY: the call reads the path only.
    check(unsafe {
        raw::path_owner_set(
            Fd::CWD.0,
            links.flags(),
            address(path.as_ptr()),
            path.len() as u32,
            uid.unwrap_or(OWNER_KEEP),
            gid.unwrap_or(OWNER_KEEP),
        )
    })
}

/// Sets the owner and group of an open file; `None` leaves one as it is.
///
/// Fails with [`Errno::Badf`] and with [`Errno::Perm`] where only root may.
pub fn set_owner_open(fd: Fd, uid: Option<u32>, gid: Option<u32>) -> Result<(), Errno> {
    let (uid, gid) = (uid.unwrap_or(OWNER_KEEP), gid.unwrap_or(OWNER_KEEP));
    calls::fd_owner_set(fd.0, uid, gid)
}

/// In [`access`]: may it be read?
pub const READ: u32 = 4;
/// In [`access`]: may it be written?
pub const WRITE: u32 = 2;
/// In [`access`]: may it be executed, or searched?
pub const EXECUTE: u32 = 1;
/// In [`access`]: is it there?
pub const EXISTS: u32 = 0;

/// Checks whether the process may do all of `mode` with a path.
///
/// Fails with [`Errno::Access`] when it may not, [`Errno::Rofs`] when nobody can write there, and
/// as [`stat_path`] does.
pub fn access(path: &[u8], links: Links, mode: u32) -> Result<(), Errno> {
    // SAFETY: the call reads the path only.
    check(unsafe {
        raw::path_access(
            Fd::CWD.0,
            links.flags(),
            address(path.as_ptr()),
            path.len() as u32,
            mode,
        )
    })
}

/// Creates a fifo. Fails with [`Errno::Exist`] when there is something, and as [`set_mode`] does.
pub fn mkfifo(path: &[u8], mode: u32) -> Result<(), Errno> {
    // SAFETY: the call reads the path only.
    check(unsafe { raw::path_mkfifo(Fd::CWD.0, address(path.as_ptr()), path.len() as u32, mode) })
}

/// Sets the mask of permission bits that new files do not get, and returns the old one.
pub fn umask(mask: u32) -> Result<u32, Errno> {
    let mut old = 0u32;
    // SAFETY: the call writes to `old` only.
    let number = unsafe { raw::proc_umask(mask, address_mut(&mut old)) };
    check(number).map(|()| old)
}
