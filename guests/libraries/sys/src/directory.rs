//! Directories: what is in them.

use codepod_abi::Errno;
use codepod_abi::wire::wasi::{DIRENT_SIZE, filetype};

use crate::descriptor::{self, Fd};
use crate::file::{self, OpenOptions};
use crate::{address_mut, check, raw};

/// What an entry is, as far as a listing tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A character device.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// A socket.
    Socket,
    /// A fifo, or something that only [`file::stat_path`] knows.
    Other,
}

impl FileType {
    /// From WASI's number.
    pub fn from_raw(number: u8) -> FileType {
        match number {
            filetype::REGULAR_FILE => FileType::File,
            filetype::DIRECTORY => FileType::Directory,
            filetype::SYMBOLIC_LINK => FileType::Symlink,
            filetype::CHARACTER_DEVICE => FileType::CharacterDevice,
            filetype::BLOCK_DEVICE => FileType::BlockDevice,
            filetype::SOCKET_DGRAM | filetype::SOCKET_STREAM => FileType::Socket,
            _ => FileType::Other,
        }
    }
}

/// The names in a directory with their types, without `.` and `..`, in no order.
///
/// Fails with [`Errno::NotDir`] when it is none, [`Errno::Access`] when it may not be read, and as
/// [`file::open`] does.
pub fn list(path: &[u8]) -> Result<Vec<(Vec<u8>, FileType)>, Errno> {
    let options = OpenOptions {
        directory: true,
        ..OpenOptions::READ
    };
    let fd = file::open(path, options)?;
    let names = list_open(fd);
    // It was ours and is open: closing cannot fail.
    let _ = descriptor::close(fd);
    names
}

/// Lists an open directory. Fails with [`Errno::Badf`] and [`Errno::NotDir`].
pub fn list_open(fd: Fd) -> Result<Vec<(Vec<u8>, FileType)>, Errno> {
    let mut names = Vec::new();
    let mut buffer = vec![0u8; 4096];
    let mut cookie = 0u64;
    loop {
        let mut used = 0u32;
        // SAFETY: the call writes at most `buffer.len()` bytes to `buffer`, and to `used`.
        let number = unsafe {
            raw::fd_readdir(
                fd.0,
                address_mut(buffer.as_mut_ptr()),
                buffer.len() as u32,
                cookie,
                address_mut(&mut used),
            )
        };
        check(number)?;
        let used = (used as usize).min(buffer.len());
        let taken = take(&buffer[..used], &mut cookie, &mut names);
        if used < buffer.len() {
            return Ok(names);
        }
        if !taken {
            // Not even one entry fitted.
            buffer.resize(buffer.len() * 4, 0);
        }
    }
}

/// Adds the entries that are whole and sets the cookie after the last; whether there was one.
fn take(mut rest: &[u8], cookie: &mut u64, names: &mut Vec<(Vec<u8>, FileType)>) -> bool {
    let mut any = false;
    while let Some((head, tail)) = rest.split_first_chunk::<DIRENT_SIZE>() {
        let length = u32::from_le_bytes([head[16], head[17], head[18], head[19]]) as usize;
        let Some((name, tail)) = tail.split_at_checked(length) else {
            break;
        };
        let [a, b, c, d, e, f, g, h, ..] = *head;
        *cookie = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        any = true;
        if name != b"." && name != b".." {
            names.push((name.to_vec(), FileType::from_raw(head[20])));
        }
        rest = tail;
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(next: u64, kind: u8, name: &[u8]) -> Vec<u8> {
        let mut bytes = next.to_le_bytes().to_vec();
        bytes.extend(0u64.to_le_bytes());
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend([kind, 0, 0, 0]);
        bytes.extend(name);
        bytes
    }

    #[test]
    fn an_entry_that_was_cut_is_left_for_the_next_call() {
        let mut bytes = entry(1, filetype::DIRECTORY, b".");
        bytes.extend(entry(2, filetype::REGULAR_FILE, b"a b"));
        let whole = bytes.len();
        bytes.extend(entry(3, filetype::SYMBOLIC_LINK, b"cut"));
        for end in whole..bytes.len() {
            let (mut cookie, mut names) = (0, Vec::new());
            assert!(take(&bytes[..end], &mut cookie, &mut names));
            assert_eq!(cookie, 2);
            assert_eq!(names, [(b"a b".to_vec(), FileType::File)]);
        }
    }
}
