//! Opening and creating by path with raw calls, and every way in which a path itself can be wrong.

use codepod_abi::Errno;
use codepod_abi::wire::wasi::{oflags, rights};

use crate::{BAD, CLOSED, HOME, ROOT, Slot, at, call, expect, len};

/// All that a file can have.
const FILE: u64 = rights::ALL & !(rights::SOCK_SHUTDOWN | rights::SOCK_ACCEPT);
/// The rights of a descriptor that only reads.
pub const READ: u64 = FILE
    & !(rights::FD_DATASYNC
        | rights::FD_WRITE
        | rights::FD_ALLOCATE
        | rights::FD_FILESTAT_SET_SIZE);
/// The rights of a descriptor that only writes.
pub const WRITE: u64 = FILE & !(rights::FD_READ | rights::FD_READDIR);
/// The rights of a descriptor that does both.
pub const BOTH: u64 = FILE & !rights::FD_READDIR;

/// Opens a path; follows links.
pub fn open(fd: u32, path: &str, oflags: u32, rights: u64, fdflags: u16) -> Result<u32, u32> {
    let opened = Slot::new(CLOSED);
    let path = path.as_bytes();
    let number = call::path_open(
        fd,
        1,
        at(path),
        len(path),
        oflags,
        rights,
        FILE,
        fdflags.into(),
        opened.at(),
    );
    match number {
        0 => Ok(opened.get()),
        number => Err(number),
    }
}

/// Opens a path and returns the number of the call; what was opened is closed again.
pub fn try_open(fd: u32, path: &str, oflags: u32, rights: u64, fdflags: u16) -> u32 {
    match open(fd, path, oflags, rights, fdflags) {
        Ok(opened) => call::fd_close(opened),
        Err(number) => number,
    }
}

/// Creates or empties a file for reading and writing. [`CLOSED`] when that fails.
pub fn create(fd: u32, path: &str) -> u32 {
    let opened = open(fd, path, oflags::CREAT | oflags::TRUNC, BOTH, 0);
    crate::check!(opened.is_ok(), "create {path}: {opened:?}");
    opened.unwrap_or(CLOSED)
}

/// Creates an empty file.
pub fn touch(fd: u32, path: &str) {
    call::fd_close(create(fd, path));
}

/// `path_create_directory`.
pub fn create_directory(fd: u32, path: &str) -> u32 {
    call::path_create_directory(fd, at(path.as_bytes()), len(path.as_bytes()))
}

/// `path_remove_directory`.
pub fn remove_directory(fd: u32, path: &str) -> u32 {
    call::path_remove_directory(fd, at(path.as_bytes()), len(path.as_bytes()))
}

/// `path_unlink_file`.
pub fn unlink(fd: u32, path: &str) -> u32 {
    call::path_unlink_file(fd, at(path.as_bytes()), len(path.as_bytes()))
}

/// `path_rename` below one directory.
pub fn rename(fd: u32, old: &str, new: &str) -> u32 {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    call::path_rename(fd, at(old), len(old), fd, at(new), len(new))
}

/// `path_link` below one directory.
pub fn link(fd: u32, old: &str, new: &str) -> u32 {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    call::path_link(fd, 0, at(old), len(old), fd, at(new), len(new))
}

/// `path_symlink`.
pub fn symlink(target: &str, fd: u32, new: &str) -> u32 {
    let (target, new) = (target.as_bytes(), new.as_bytes());
    call::path_symlink(at(target), len(target), fd, at(new), len(new))
}

/// `path_mkfifo` with mode 0600.
pub fn mkfifo(fd: u32, path: &str) -> u32 {
    call::path_mkfifo(fd, at(path.as_bytes()), len(path.as_bytes()), 0o600)
}

/// Makes a call with every path that cannot be: `Badf`, `Fault`, `Access`, `Inval`, `Loop`,
/// `NameTooLong`, `NoEnt` and `NotDir`. `call` takes a descriptor, an address and a length.
pub fn expect_path_errors(line: u32, name: &str, call: impl Fn(u32, u32, u32) -> u32) {
    let long_name = "n".repeat(256);
    let long_path = "./".repeat(2100) + "x";
    let _ = symlink("battery-loop", HOME, "battery-loop");
    let cases: &[(&str, u32, &str, Errno)] = &[
        ("closed descriptor", CLOSED, "x", Errno::Badf),
        (
            "directory without search permission",
            ROOT,
            "secret/x",
            Errno::Access,
        ),
        ("NUL in a path", HOME, "a\0b", Errno::Inval),
        ("link to itself", HOME, "battery-loop/x", Errno::Loop),
        ("long name", HOME, &long_name, Errno::NameTooLong),
        ("long path", HOME, &long_path, Errno::NameTooLong),
        ("missing directory", HOME, "absent/x", Errno::NoEnt),
        ("file as a directory", HOME, "plain.txt/x", Errno::NotDir),
    ];
    for (what, fd, path, errno) in cases {
        let number = call(*fd, at(path.as_bytes()), len(path.as_bytes()));
        expect(line, &format!("{name}, {what}"), number, Some(*errno));
    }
    let number = call(HOME, BAD, 32);
    expect(
        line,
        &format!("{name}, bad address"),
        number,
        Some(Errno::Fault),
    );
    let number = call(HOME, 16, u32::MAX);
    // A length that cannot be is too long or beyond the memory: both are right.
    let fault = number == u32::from(Errno::Fault.raw());
    let expected = if fault {
        Errno::Fault
    } else {
        Errno::NameTooLong
    };
    expect(
        line,
        &format!("{name}, endless path"),
        number,
        Some(expected),
    );
    unlink(HOME, "battery-loop");
}
