//! Tests of files.

use codepod_shell_syntax::tree::BinaryTest;
use codepod_sys::file::{self, Links, Stat, mode};
use codepod_sys::process;

use crate::fds::{Open, descriptor_in};
use crate::shell::Shell;

/// The type bits of a block device; codepod has none.
const BLOCK_DEVICE: u32 = 0o060000;

/// A unary test of a path by its letter; false for a letter that is none.
pub(super) fn unary(shell: &Shell, operator: u8, written: &[u8]) -> bool {
    if written.is_empty() {
        return false;
    }
    let path = shell.fds.path(written);
    let access = |mode| file::access(&path, Links::Follow, mode).is_ok();
    match operator {
        b'r' => return access(file::READ),
        b'w' => return access(file::WRITE),
        b'x' => return access(file::EXECUTE),
        _ => {}
    }
    let links = match operator {
        b'h' | b'L' => Links::Keep,
        _ => Links::Follow,
    };
    let descriptor = descriptor_in(written).filter(|_| links == Links::Follow);
    let open = descriptor.and_then(|number| shell.fds.get(number));
    let stat = match open {
        // A command substitution has a pipe there in bash.
        Some(Open::Capture(_)) => return matches!(operator, b'a' | b'e' | b'p'),
        Some(Open::Kernel(fd)) => file::stat_open(fd.fd()),
        _ => file::stat_path(&path, links),
    };
    let Ok(stat) = stat else {
        return false;
    };
    let kind = |kind: u32| stat.mode & mode::TYPE_MASK == kind;
    match operator {
        b'a' | b'e' => true,
        b'f' => kind(mode::REGULAR),
        b'd' => kind(mode::DIRECTORY),
        b'h' | b'L' => kind(mode::SYMLINK),
        b'b' => kind(BLOCK_DEVICE),
        b'c' => kind(mode::CHARACTER_DEVICE),
        b'p' => kind(mode::FIFO),
        b'S' => kind(mode::SOCKET),
        b's' => stat.size > 0,
        b'u' => stat.mode & 0o4000 != 0,
        b'g' => stat.mode & 0o2000 != 0,
        b'k' => stat.mode & 0o1000 != 0,
        b'O' => process::ids().is_ok_and(|ids| ids.uid == stat.uid),
        b'G' => process::ids().is_ok_and(|ids| ids.gid == stat.gid),
        b'N' => stat.mtime > stat.atime,
        _ => false,
    }
}

/// `-nt`, `-ot`, `-ef`: a file that is not there is older than any other.
pub(super) fn compare(shell: &Shell, operator: BinaryTest, left: &[u8], right: &[u8]) -> bool {
    let left = stat(shell, left);
    let right = stat(shell, right);
    match (operator, left, right) {
        (BinaryTest::SameFile, Some(left), Some(right)) => {
            (left.dev, left.ino) == (right.dev, right.ino)
        }
        (BinaryTest::Newer, Some(left), Some(right)) => left.mtime > right.mtime,
        (BinaryTest::Older, Some(left), Some(right)) => left.mtime < right.mtime,
        (BinaryTest::Newer, Some(_), None) | (BinaryTest::Older, None, Some(_)) => true,
        _ => false,
    }
}

fn stat(shell: &Shell, path: &[u8]) -> Option<Stat> {
    file::stat_path(&shell.fds.path(path), Links::Follow).ok()
}
