//! What the host says about a node, in our words.

use codepod_abi::Errno;
use rustix::fs::{FileType, Timespec};

use crate::node::{FileKind, InodeId, Stat};

pub(super) fn kind(stat: &rustix::fs::Stat) -> FileKind {
    kind_of(FileType::from_raw_mode(stat.st_mode))
}

pub(super) fn kind_of(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Other,
    }
}

pub(super) fn check_regular(stat: &rustix::fs::Stat) -> Result<(), Errno> {
    match kind(stat) {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(Errno::IsDir),
        FileKind::Symlink => Err(Errno::Loop),
        _ => Err(Errno::Nxio),
    }
}

/// Files and directories; what else there is stays as it is.
pub(super) fn check_plain(stat: &rustix::fs::Stat) -> Result<(), Errno> {
    match kind(stat) {
        FileKind::Directory => Ok(()),
        _ => check_regular(stat),
    }
}

/// The Vfs hands over single names only; a host must not depend on that.
pub(super) fn check_name(name: &[u8]) -> Result<(), Errno> {
    let plain = !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/') && !name.contains(&0);
    if plain { Ok(()) } else { Err(Errno::Inval) }
}

pub(super) fn nanoseconds(seconds: i64, nanoseconds: i64) -> u64 {
    u64::try_from(seconds)
        .unwrap_or(0)
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::try_from(nanoseconds).unwrap_or(0))
}

pub(super) fn timespec(time: Option<u64>) -> Timespec {
    match time {
        Some(ns) => Timespec {
            tv_sec: (ns / 1_000_000_000) as i64,
            tv_nsec: (ns % 1_000_000_000) as _,
        },
        None => Timespec {
            tv_sec: 0,
            tv_nsec: rustix::fs::UTIME_OMIT,
        },
    }
}

/// What the sandbox sees of a node with this number and owner.
#[expect(
    clippy::unnecessary_cast,
    reason = "the field types differ from host to host"
)]
pub(super) fn seen(stat: &rustix::fs::Stat, inode: InodeId, (uid, gid): (u32, u32)) -> Stat {
    Stat {
        inode: inode.0,
        device: 0,
        kind: kind(stat),
        mode: stat.st_mode as u16 & 0o777,
        uid,
        gid,
        nlink: stat.st_nlink as u64,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        blocks: u64::try_from(stat.st_blocks).unwrap_or(0),
        atime: nanoseconds(stat.st_atime as i64, stat.st_atime_nsec as i64),
        mtime: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        rdev: 0,
    }
}
