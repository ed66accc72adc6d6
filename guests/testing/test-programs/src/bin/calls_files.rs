//! Modes, owners, access and fifos: every outcome of their calls.

use codepod_abi::wire::{OWNER_KEEP, Stat, mode};
use test_programs::paths::{self, READ, expect_path_errors, mkfifo, touch};
use test_programs::{
    BAD, CLOSED, Errno, HOME, ROOT, Scratch, Slot, at, call, check, expect_errno, expect_ok,
    finish, len,
};

fn main() {
    let scratch = Scratch::new("calls-files");
    let directory = scratch.fd;
    touch(directory, "file");
    stats(directory);
    modes(directory);
    owners(directory);
    access(directory);
    fifos(directory);
    drop(scratch);
    finish();
}

fn stats(directory: u32) {
    let stat = Slot::new(Stat::default());
    // path_stat: success and a path's errors.
    expect_path_errors(line!(), "path_stat", |fd, path, length| {
        call::path_stat(fd, 1, path, length, stat.at())
    });
    expect_ok!(call::path_stat(directory, 1, at(b"file"), 4, stat.at()));
    let found = stat.get();
    check!(
        found.mode & mode::TYPE_MASK == mode::REGULAR,
        "mode {:o}",
        found.mode
    );
    check!(
        (found.uid, found.gid, found.nlink) == (1000, 1000, 1),
        "{found:?}"
    );
    expect_errno!(
        call::path_stat(directory, 2, at(b"file"), 4, stat.at()),
        Errno::Inval
    );
    expect_errno!(
        call::path_stat(directory, 1, at(b"file"), 4, BAD),
        Errno::Fault
    );

    // fd_stat: success, Badf, Fault.
    expect_ok!(call::fd_stat(directory, stat.at()));
    check!(
        stat.get().mode & mode::TYPE_MASK == mode::DIRECTORY,
        "mode {:o}",
        stat.get().mode
    );
    expect_errno!(call::fd_stat(CLOSED, stat.at()), Errno::Badf);
    expect_errno!(call::fd_stat(directory, BAD), Errno::Fault);
}

fn modes(directory: u32) {
    let set = |fd, path: &[u8], bits| call::path_mode_set(fd, 1, at(path), len(path), bits);
    // path_mode_set: success, Perm, Rofs and a path's errors.
    expect_path_errors(line!(), "path_mode_set", |fd, path, length| {
        call::path_mode_set(fd, 1, path, length, 0o644)
    });
    expect_ok!(set(directory, b"file", 0o640));
    let stat = Slot::new(Stat::default());
    expect_ok!(call::path_stat(directory, 1, at(b"file"), 4, stat.at()));
    check!(
        stat.get().mode == mode::REGULAR | 0o640,
        "mode {:o}",
        stat.get().mode
    );
    expect_errno!(set(directory, b"file", 0o10000), Errno::Inval);
    expect_errno!(
        call::path_mode_set(directory, 2, at(b"file"), 4, 0o644),
        Errno::Inval
    );
    expect_errno!(set(HOME, b"rootfile", 0o666), Errno::Perm);
    expect_errno!(set(HOME, b"ro/file", 0o666), Errno::Rofs);

    // fd_mode_set: success, Badf, Inval, Perm.
    let (file, roots) = two_files(directory);
    expect_ok!(call::fd_mode_set(file, 0o600));
    expect_errno!(call::fd_mode_set(CLOSED, 0o600), Errno::Badf);
    expect_errno!(call::fd_mode_set(file, 0o10000), Errno::Inval);
    expect_errno!(call::fd_mode_set(roots, 0o666), Errno::Perm);
    call::fd_close(file);
    call::fd_close(roots);
}

fn owners(directory: u32) {
    let set =
        |fd, path: &[u8], uid, gid| call::path_owner_set(fd, 1, at(path), len(path), uid, gid);
    // path_owner_set: success, Perm, Rofs and a path's errors.
    expect_path_errors(line!(), "path_owner_set", |fd, path, length| {
        call::path_owner_set(fd, 1, path, length, 1000, 1000)
    });
    expect_ok!(set(directory, b"file", 1000, OWNER_KEEP));
    expect_errno!(set(directory, b"file", 0, OWNER_KEEP), Errno::Perm);
    expect_errno!(set(directory, b"file", OWNER_KEEP, 0), Errno::Perm);
    expect_errno!(set(HOME, b"rootfile", 1000, 1000), Errno::Perm);
    expect_errno!(set(HOME, b"ro/file", 1000, 1000), Errno::Rofs);
    expect_errno!(
        call::path_owner_set(directory, 2, at(b"file"), 4, 1000, 1000),
        Errno::Inval
    );

    // fd_owner_set: success, Badf, Perm.
    let (file, roots) = two_files(directory);
    expect_ok!(call::fd_owner_set(file, OWNER_KEEP, 1000));
    expect_errno!(call::fd_owner_set(CLOSED, 1000, 1000), Errno::Badf);
    expect_errno!(call::fd_owner_set(file, 0, 0), Errno::Perm);
    expect_errno!(call::fd_owner_set(roots, 1000, 1000), Errno::Perm);
    call::fd_close(file);
    call::fd_close(roots);
}

fn access(directory: u32) {
    let may = |fd, path: &[u8], bits| call::path_access(fd, 1, at(path), len(path), bits);
    // path_access: success, Access, Rofs and a path's errors.
    expect_path_errors(line!(), "path_access", |fd, path, length| {
        call::path_access(fd, 1, path, length, 0)
    });
    expect_ok!(may(directory, b"file", 0));
    expect_ok!(may(directory, b"file", 6));
    expect_errno!(may(directory, b"file", 1), Errno::Access);
    expect_ok!(may(HOME, b"rootfile", 4));
    expect_errno!(may(HOME, b"rootfile", 2), Errno::Access);
    expect_ok!(may(ROOT, b"secret", 0));
    expect_errno!(may(ROOT, b"secret", 1), Errno::Access);
    expect_errno!(may(HOME, b"ro/file", 2), Errno::Rofs);
    expect_ok!(may(HOME, b"ro/file", 4));
    expect_errno!(may(directory, b"file", 8), Errno::Inval);
}

fn fifos(directory: u32) {
    // path_mkfifo: success, Exist, Rofs and a path's errors; NoSpc is in `calls_path`.
    expect_path_errors(line!(), "path_mkfifo", |fd, path, length| {
        call::path_mkfifo(fd, path, length, 0o600)
    });
    expect_ok!(mkfifo(directory, "fifo"));
    let stat = Slot::new(Stat::default());
    expect_ok!(call::path_stat(directory, 1, at(b"fifo"), 4, stat.at()));
    check!(
        stat.get().mode == mode::FIFO | 0o600,
        "mode {:o}",
        stat.get().mode
    );
    expect_errno!(mkfifo(directory, "fifo"), Errno::Exist);
    expect_errno!(mkfifo(HOME, "ro/fifo"), Errno::Rofs);
}

fn two_files(directory: u32) -> (u32, u32) {
    let own = paths::open(directory, "file", 0, READ, 0).unwrap_or(CLOSED);
    let roots = paths::open(HOME, "rootfile", 0, READ, 0).unwrap_or(CLOSED);
    (own, roots)
}
