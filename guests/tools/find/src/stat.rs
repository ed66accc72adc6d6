//! What is known of a file.

use std::io;

use codepod_sys::file::{Links, Stat};
#[cfg(unix)]
use codepod_tool::path;

/// A file of this kind, in `st_mode`.
pub(crate) mod kind {
    pub(crate) const MASK: u32 = 0o170_000;
    pub(crate) const FIFO: u32 = 0o010_000;
    pub(crate) const CHARACTER: u32 = 0o020_000;
    pub(crate) const DIRECTORY: u32 = 0o040_000;
    pub(crate) const BLOCK: u32 = 0o060_000;
    pub(crate) const REGULAR: u32 = 0o100_000;
    pub(crate) const LINK: u32 = 0o120_000;
    pub(crate) const SOCKET: u32 = 0o140_000;
}

/// What is known of a path, or of what a link at its end leads to.
pub(crate) fn stat(name: &[u8], links: Links) -> io::Result<Stat> {
    match codepod_sys::file::stat_path(name, links) {
        #[cfg(unix)]
        Err(codepod_sys::Errno::NoSys) => native(name, links),
        result => result.map_err(codepod_sys::io_error),
    }
}

/// A file's state where there is no kernel of codepod: for trying a tool on the machine itself.
#[cfg(unix)]
fn native(name: &[u8], links: Links) -> io::Result<Stat> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = match links {
        Links::Follow => std::fs::metadata(path(name)),
        Links::Keep => std::fs::symlink_metadata(path(name)),
    }?;
    let time = |seconds: i64, rest: i64| (seconds * 1_000_000_000 + rest).max(0) as u64;
    Ok(Stat {
        dev: metadata.dev(),
        ino: metadata.ino(),
        nlink: metadata.nlink(),
        size: metadata.size(),
        blocks: metadata.blocks(),
        atime: time(metadata.atime(), metadata.atime_nsec()),
        mtime: time(metadata.mtime(), metadata.mtime_nsec()),
        ctime: time(metadata.ctime(), metadata.ctime_nsec()),
        mode: metadata.mode(),
        uid: metadata.uid(),
        gid: metadata.gid(),
        ..Stat::default()
    })
}

/// The letter that `-type` and `%y` have for a mode.
pub(crate) fn letter(mode: u32) -> u8 {
    match mode & kind::MASK {
        kind::FIFO => b'p',
        kind::CHARACTER => b'c',
        kind::DIRECTORY => b'd',
        kind::BLOCK => b'b',
        kind::LINK => b'l',
        kind::SOCKET => b's',
        _ => b'f',
    }
}
