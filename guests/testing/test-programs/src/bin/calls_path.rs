//! WASI's calls on paths but `path_open`: every outcome of each.

use codepod_abi::wire::wasi::fstflags;
use test_programs::paths::{
    create_directory, expect_path_errors, link, mkfifo, remove_directory, rename, symlink, touch,
    unlink,
};
use test_programs::resources::fill_nodes;
use test_programs::{
    BAD, Errno, HOME, Scratch, Slot, at, call, check, expect_errno, expect_ok, finish,
};

fn main() {
    let scratch = Scratch::new("calls-path");
    let directory = scratch.fd;
    create_and_remove(directory);
    stat_and_times(directory);
    links(directory);
    symlinks(directory);
    renames(directory);
    unlinks(directory);
    no_nodes(directory);
    drop(scratch);
    finish();
}

fn create_and_remove(directory: u32) {
    // path_create_directory: success, Exist, Rofs and a path's errors; NoSpc is below.
    expect_path_errors(
        line!(),
        "path_create_directory",
        call::path_create_directory,
    );
    expect_ok!(create_directory(directory, "made"));
    expect_errno!(create_directory(directory, "made"), Errno::Exist);
    expect_errno!(create_directory(HOME, "ro/new"), Errno::Rofs);

    // path_remove_directory: success, Busy, NotEmpty, Rofs and a path's errors.
    expect_path_errors(
        line!(),
        "path_remove_directory",
        call::path_remove_directory,
    );
    touch(directory, "made/inside");
    expect_errno!(remove_directory(directory, "made"), Errno::NotEmpty);
    expect_errno!(remove_directory(directory, "made/inside"), Errno::NotDir);
    expect_ok!(unlink(directory, "made/inside"));
    expect_ok!(remove_directory(directory, "made"));
    expect_errno!(remove_directory(HOME, "ro"), Errno::Busy);
    expect_errno!(remove_directory(HOME, "ro/dir"), Errno::Rofs);
}

fn stat_and_times(directory: u32) {
    touch(directory, "file");
    let (stat, file) = (Slot::new([0u64; 8]), b"file");
    // path_filestat_get: success and a path's errors.
    expect_path_errors(line!(), "path_filestat_get", |fd, path, length| {
        call::path_filestat_get(fd, 0, path, length, stat.at())
    });
    expect_ok!(call::path_filestat_get(
        directory,
        1,
        at(file),
        4,
        stat.at()
    ));
    expect_errno!(
        call::path_filestat_get(directory, 2, at(file), 4, stat.at()),
        Errno::Inval
    );
    expect_errno!(
        call::path_filestat_get(directory, 0, at(file), 4, BAD),
        Errno::Fault
    );

    // path_filestat_set_times: success, Perm, Rofs and a path's errors.
    let both = fstflags::ATIM | fstflags::MTIM;
    expect_path_errors(line!(), "path_filestat_set_times", |fd, path, length| {
        call::path_filestat_set_times(fd, 0, path, length, 1, 1, both)
    });
    expect_ok!(call::path_filestat_set_times(
        directory,
        1,
        at(file),
        4,
        5,
        6,
        both
    ));
    expect_ok!(call::path_filestat_get(
        directory,
        0,
        at(file),
        4,
        stat.at()
    ));
    check!(stat.get()[5..7] == [5, 6], "times {:?}", &stat.get()[5..7]);
    expect_errno!(
        call::path_filestat_set_times(directory, 0, at(file), 4, 5, 6, 16),
        Errno::Inval
    );
    expect_errno!(
        call::path_filestat_set_times(HOME, 0, at(b"rootfile"), 8, 5, 6, both),
        Errno::Perm
    );
    expect_errno!(
        call::path_filestat_set_times(HOME, 0, at(b"ro/file"), 7, 5, 6, both),
        Errno::Rofs
    );
}

fn links(directory: u32) {
    // path_link: success, Exist, Perm, Xdev and a path's errors, for the old and the new path.
    expect_path_errors(line!(), "path_link from", |fd, path, length| {
        call::path_link(fd, 0, path, length, directory, at(b"new"), 3)
    });
    expect_path_errors(line!(), "path_link to", |fd, path, length| {
        call::path_link(directory, 0, at(b"file"), 4, fd, path, length)
    });
    expect_ok!(link(directory, "file", "hard"));
    expect_errno!(link(directory, "file", "hard"), Errno::Exist);
    expect_errno!(
        call::path_link(directory, 2, at(b"file"), 4, directory, at(b"new"), 3),
        Errno::Inval
    );
    expect_ok!(create_directory(directory, "folder"));
    expect_errno!(link(directory, "folder", "new"), Errno::Perm);
    expect_errno!(
        call::path_link(directory, 0, at(b"file"), 4, HOME, at(b"other/x"), 7),
        Errno::Xdev
    );
    expect_ok!(unlink(directory, "hard"));
}

fn symlinks(directory: u32) {
    // path_symlink: success, Exist, Rofs and a path's errors; NoSpc is below.
    expect_path_errors(line!(), "path_symlink", |fd, path, length| {
        call::path_symlink(at(b"target"), 6, fd, path, length)
    });
    expect_ok!(symlink("target", directory, "soft"));
    expect_errno!(symlink("target", directory, "soft"), Errno::Exist);
    expect_errno!(symlink("target", HOME, "ro/soft"), Errno::Rofs);
    expect_errno!(symlink("tar\0get", directory, "nul"), Errno::Inval);
    expect_errno!(
        call::path_symlink(BAD, 32, directory, at(b"bad"), 3),
        Errno::Fault
    );

    // path_readlink: success and a path's errors.
    let (buffer, used) = (Slot::new([0u8; 16]), Slot::new(0u32));
    expect_path_errors(line!(), "path_readlink", |fd, path, length| {
        call::path_readlink(fd, path, length, buffer.at(), 16, used.at())
    });
    expect_ok!(call::path_readlink(
        directory,
        at(b"soft"),
        4,
        buffer.at(),
        16,
        used.at()
    ));
    check!(
        used.get() == 6 && &buffer.get()[..6] == b"target",
        "target {:?}",
        buffer.get()
    );
    expect_errno!(
        call::path_readlink(directory, at(b"file"), 4, buffer.at(), 16, used.at()),
        Errno::Inval
    );
    expect_errno!(
        call::path_readlink(directory, at(b"soft"), 4, BAD, 16, used.at()),
        Errno::Fault
    );
}

fn renames(directory: u32) {
    // path_rename: success, Busy, Inval, IsDir, NotDir, NotEmpty, Xdev and a path's errors.
    expect_path_errors(line!(), "path_rename from", |fd, path, length| {
        call::path_rename(fd, path, length, directory, at(b"new"), 3)
    });
    expect_path_errors(line!(), "path_rename to", |fd, path, length| {
        call::path_rename(directory, at(b"file"), 4, fd, path, length)
    });
    expect_ok!(rename(directory, "file", "moved"));
    expect_ok!(rename(directory, "moved", "file"));
    expect_errno!(rename(directory, "absent", "x"), Errno::NoEnt);
    expect_errno!(rename(directory, "file", "folder"), Errno::IsDir);
    expect_errno!(rename(directory, "folder", "file"), Errno::NotDir);
    expect_errno!(rename(directory, "folder", "folder/inner"), Errno::Inval);
    expect_ok!(create_directory(directory, "full"));
    touch(directory, "full/inside");
    expect_errno!(rename(directory, "folder", "full"), Errno::NotEmpty);
    expect_errno!(rename(HOME, "ro", "calls-path/ro"), Errno::Busy);
    expect_errno!(rename(HOME, "calls-path/file", "other/x"), Errno::Xdev);
}

fn unlinks(directory: u32) {
    // path_unlink_file: success, IsDir, Rofs and a path's errors.
    expect_path_errors(line!(), "path_unlink_file", call::path_unlink_file);
    touch(directory, "doomed");
    expect_ok!(unlink(directory, "doomed"));
    expect_errno!(unlink(directory, "doomed"), Errno::NoEnt);
    expect_errno!(unlink(directory, "folder"), Errno::IsDir);
    expect_errno!(unlink(HOME, "ro/file"), Errno::Rofs);
}

fn no_nodes(directory: u32) {
    // path_create_directory, path_symlink, path_mkfifo: NoSpc.
    let made = fill_nodes(directory);
    check!(made > 10, "only {made} nodes fitted");
    expect_errno!(create_directory(directory, "last"), Errno::NoSpc);
    expect_errno!(symlink("target", directory, "last"), Errno::NoSpc);
    expect_errno!(mkfifo(directory, "last"), Errno::NoSpc);
    // What there is can still be removed.
    expect_ok!(remove_directory(directory, "node0"));
    expect_ok!(create_directory(directory, "last"));
}
