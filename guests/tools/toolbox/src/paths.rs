//! Calls that make, link, rename and remove files, with the kernel's error numbers, and the parts
//! of paths.
//!
//! An empty path names nothing, though wasi-libc takes it for the working directory.

use std::fs::{self, File};
use std::io;

use codepod_tool::path as as_path;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

use crate::system::{self, Errno, Links, Result, Stat};

/// The result of a call of std's for a path.
fn checked<'a, T>(
    path: &'a [u8],
    call: impl FnOnce(&'a std::path::Path) -> io::Result<T>,
) -> Result<T> {
    if path.is_empty() {
        return Err(Errno::NoEnt);
    }
    call(as_path(path)).map_err(|error| system::errno(&error))
}

/// Gives a file another path, in place of what is there.
pub(crate) fn rename(from: &[u8], to: &[u8]) -> Result<()> {
    if to.is_empty() {
        return Err(Errno::NoEnt);
    }
    checked(from, |from| fs::rename(from, as_path(to)))
}

/// Gives a file a second path. `links` says whether a symbolic link's target gets it.
pub(crate) fn hard_link(from: &[u8], to: &[u8], links: Links) -> Result<()> {
    if to.is_empty() {
        return Err(Errno::NoEnt);
    }
    let flags = match links {
        Links::Follow => AtFlags::SYMLINK_FOLLOW,
        Links::Keep => AtFlags::empty(),
    };
    checked(from, |from| {
        Ok(rustix::fs::linkat(CWD, from, CWD, as_path(to), flags)?)
    })
}

/// Makes a symbolic link with this text.
pub(crate) fn symbolic_link(text: &[u8], path: &[u8]) -> Result<()> {
    if text.is_empty() {
        return Err(Errno::NoEnt);
    }
    checked(path, |path| {
        Ok(rustix::fs::symlinkat(as_path(text), CWD, path)?)
    })
}

/// Removes what is no directory.
pub(crate) fn remove_file(path: &[u8]) -> Result<()> {
    checked(path, fs::remove_file)
}

/// Removes an empty directory.
pub(crate) fn remove_directory(path: &[u8]) -> Result<()> {
    // libc would make it the directory's own name.
    if last_part(path) == b"." {
        system::stat(path, Links::Follow)?;
        return Err(Errno::Inval);
    }
    checked(path, fs::remove_dir)
}

/// Makes a directory with the mode that the umask gives.
pub(crate) fn make_directory(path: &[u8]) -> Result<()> {
    checked(path, fs::create_dir)
}

/// Opens a file to read.
pub(crate) fn open(path: &[u8]) -> Result<File> {
    checked(path, File::open)
}

/// Opens a file with these options.
pub(crate) fn open_with(path: &[u8], options: &fs::OpenOptions) -> Result<File> {
    checked(path, |path| options.open(path))
}

/// Gives a path the times of access and of modification of another file.
pub(crate) fn copy_times(from: &Stat, path: &[u8], links: Links) -> Result<()> {
    let time = |nanoseconds: u64| Timespec {
        tv_sec: (nanoseconds / 1_000_000_000).cast_signed(),
        tv_nsec: (nanoseconds % 1_000_000_000) as _,
    };
    let times = Timestamps {
        last_access: time(from.atime),
        last_modification: time(from.mtime),
    };
    let flags = match links {
        Links::Follow => AtFlags::empty(),
        Links::Keep => AtFlags::SYMLINK_NOFOLLOW,
    };
    checked(path, |path| Ok(utimensat(CWD, path, &times, flags)?))
}

/// Whether two paths led to one file.
pub(crate) fn is_same_file(one: &Stat, other: &Stat) -> bool {
    (one.dev, one.ino) == (other.dev, other.ino)
}

/// Makes something beside a path, then gives it that path in one step. What was there is gone only
/// when the new file is complete.
pub(crate) fn replace(path: &[u8], make: impl Fn(&[u8]) -> Result<()>) -> Result<()> {
    let name = format!(".new-{:08x}", system::random());
    let beside = join(directory(path), name.as_bytes());
    make(&beside)?;
    let renamed = rename(&beside, path);
    // Still there where the rename failed, or where both are names of one file.
    match remove_file(&beside) {
        Ok(()) | Err(Errno::NoEnt) => renamed,
        Err(errno) => renamed.and(Err(errno)),
    }
}

/// Whether two paths are one entry of one directory.
pub(crate) fn is_same_entry(one: &[u8], other: &[u8]) -> bool {
    if last_part(one) != last_part(other) {
        return false;
    }
    let [one, other] = [one, other].map(|path| system::stat(directory(path), Links::Follow));
    matches!((one, other), (Ok(one), Ok(other)) if is_same_file(&one, &other))
}

/// The last part of a path with the slashes behind it; empty for `/`.
pub(crate) fn last_part_with_slashes(path: &[u8]) -> &[u8] {
    let end = without_slashes(path).len();
    let start = path[..end].iter().rposition(|byte| *byte == b'/');
    match start {
        Some(at) => &path[at + 1..],
        None if path.starts_with(b"/") => b"",
        None => path,
    }
}

/// The last part of a path; empty for `/`.
pub(crate) fn last_part(path: &[u8]) -> &[u8] {
    let part = last_part_with_slashes(path);
    let end = part.iter().position(|byte| *byte == b'/');
    &part[..end.unwrap_or(part.len())]
}

/// What stands before the last part of a path: `.` where nothing does.
pub(crate) fn directory(path: &[u8]) -> &[u8] {
    let part = last_part_with_slashes(path);
    let before = &path[..path.len() - part.len()];
    match without_slashes(before) {
        [] => b".",
        directory => directory,
    }
}

/// A path without the slashes at its end. The root stays.
pub(crate) fn without_slashes(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/');
    match end {
        Some(last) => &path[..=last],
        None => &path[..path.len().min(1)],
    }
}

/// A name in a directory.
pub(crate) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let directory = without_slashes(directory);
    let slash: &[u8] = if matches!(directory, b"" | b"/") {
        b""
    } else {
        b"/"
    };
    [directory, slash, name].concat()
}

/// Whether a part of a path is `.` or `..`.
pub(crate) fn is_dots(part: &[u8]) -> bool {
    matches!(part, b"." | b"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_a_last_part_and_a_directory() {
        let cases: [(&[u8], &[u8], &[u8]); 8] = [
            (b"a", b"a", b"."),
            (b"a/", b"a", b"."),
            (b"d/a", b"a", b"d"),
            (b"d//a//", b"a", b"d"),
            (b"/a", b"a", b"/"),
            (b"/", b"", b"/"),
            (b"//", b"", b"/"),
            (b"", b"", b"."),
        ];
        for (path, part, before) in cases {
            assert_eq!(last_part(path), part);
            assert_eq!(directory(path), before);
        }
    }
}
