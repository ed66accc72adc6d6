//! What WASI cannot say about files: modes, owners, access, fifos, the umask.
//!
//! Paths mean what they mean to std: relative ones start at the working directory as [`crate::cwd`]
//! keeps it.

use std::path::Path;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::LOOKUP_SYMLINK_FOLLOW;
use codepod_abi::wire::{OWNER_KEEP, Stat};

use crate::cwd;
use crate::descriptor::Fd;
use crate::process::path_bytes;
use crate::{address, address_mut, check, raw};

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

/// What is known of a path.
///
/// Fails with [`Errno::NoEnt`], [`Errno::NotDir`], [`Errno::Access`], [`Errno::Loop`] or
/// [`Errno::NameTooLong`] when the path leads nowhere.
pub fn stat(path: &Path, links: Links) -> Result<Stat, Errno> {
    let path = below_root(path);
    let mut stat = Stat::default();
    // SAFETY: the call reads the path and writes a `Stat` to `stat`.
    let number = unsafe {
        raw::path_stat(
            Fd::ROOT.0,
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

/// Sets the permission bits of a path.
///
/// Fails as [`stat()`] does, and with [`Errno::Perm`] for another's file, [`Errno::Rofs`] where nothing
/// can be written and [`Errno::Inval`] for other bits.
pub fn set_mode(path: &Path, links: Links, mode: u32) -> Result<(), Errno> {
    let path = below_root(path);
    // SAFETY: the call reads the path only.
    check(unsafe {
        raw::path_mode_set(
            Fd::ROOT.0,
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
    // SAFETY: no address is passed.
    check(unsafe { raw::fd_mode_set(fd.0, mode) })
}

/// Sets the owner and group of a path; `None` leaves one as it is. Fails as [`set_mode`] does.
pub fn set_owner(
    path: &Path,
    links: Links,
    uid: Option<u32>,
    gid: Option<u32>,
) -> Result<(), Errno> {
    let path = below_root(path);
    // SAFETY: the call reads the path only.
    check(unsafe {
        raw::path_owner_set(
            Fd::ROOT.0,
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
    // SAFETY: no address is passed.
    check(unsafe { raw::fd_owner_set(fd.0, uid, gid) })
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
/// Fails with [`Errno::Access`] when it may not, [`Errno::Rofs`] when nobody can write there, and as
/// [`stat()`] does.
pub fn access(path: &Path, links: Links, mode: u32) -> Result<(), Errno> {
    let path = below_root(path);
    // SAFETY: the call reads the path only.
    check(unsafe {
        raw::path_access(
            Fd::ROOT.0,
            links.flags(),
            address(path.as_ptr()),
            path.len() as u32,
            mode,
        )
    })
}

/// Creates a fifo. Fails with [`Errno::Exist`] when there is something, and as [`set_mode`] does.
pub fn mkfifo(path: &Path, mode: u32) -> Result<(), Errno> {
    let path = below_root(path);
    // SAFETY: the call reads the path only.
    check(unsafe { raw::path_mkfifo(Fd::ROOT.0, address(path.as_ptr()), path.len() as u32, mode) })
}

/// Sets the mask of permission bits that new files do not get, and returns the old one.
pub fn umask(mask: u32) -> Result<u32, Errno> {
    let mut old = 0u32;
    // SAFETY: the call writes to `old` only.
    let number = unsafe { raw::proc_umask(mask, address_mut(&mut old)) };
    check(number).map(|()| old)
}

fn below_root(path: &Path) -> Vec<u8> {
    cwd::below_root(path_bytes(path))
}
