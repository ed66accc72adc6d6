//! Types and permission bits of files. How they are printed and changed is in `codepod_mode`.

pub(crate) use codepod_mode::{Change, text};

use crate::system::{BLOCK_DEVICE, SOCKET, mode as kind};

/// Whether these type and permission bits are a directory's.
pub(crate) fn is_directory(mode: u32) -> bool {
    mode & kind::TYPE_MASK == kind::DIRECTORY
}

/// Whether they are a symbolic link's.
pub(crate) fn is_link(mode: u32) -> bool {
    mode & kind::TYPE_MASK == 0o120_000
}

/// Whether they are a device's.
pub(crate) fn is_device(mode: u32) -> bool {
    matches!(
        mode & kind::TYPE_MASK,
        BLOCK_DEVICE | kind::CHARACTER_DEVICE
    )
}

/// What `stat -c %F` says.
pub(crate) fn type_name(mode: u32, size: u64) -> &'static str {
    match mode & kind::TYPE_MASK {
        kind::DIRECTORY => "directory",
        0o120_000 => "symbolic link",
        kind::CHARACTER_DEVICE => "character special file",
        BLOCK_DEVICE => "block special file",
        kind::FIFO => "fifo",
        SOCKET => "socket",
        kind::REGULAR if size == 0 => "regular empty file",
        kind::REGULAR => "regular file",
        _ => "weird file",
    }
}
