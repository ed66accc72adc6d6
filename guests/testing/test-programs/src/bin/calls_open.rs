//! Opening: every outcome of `path_open` and of `path_open_mode`, which differ in the mode only.

use codepod_abi::wire::CWD_FD;
use codepod_abi::wire::wasi::{fdflags, oflags};
use codepod_sys::Fd;
use codepod_sys::file::stat_open;
use test_programs::paths::{
    BOTH, READ, WRITE, create_directory, expect_path_errors, mkfifo, touch,
};
use test_programs::resources::{expect_interrupted, fill_descriptors, fill_nodes};
use test_programs::{
    BAD, CLOSED, Errno, HOME, ROOT, Scratch, Slot, at, call, check, expect_errno, expect_ok,
    finish, len,
};

/// Either call: descriptor, path, length, `oflags`, rights, `fdflags`, where the number goes.
type Open = fn(u32, u32, u32, u32, u64, u32, u32) -> u32;

fn plain(fd: u32, path: u32, length: u32, flags: u32, rights: u64, fdflags: u32, out: u32) -> u32 {
    call::path_open(fd, 1, path, length, flags, rights, 0, fdflags, out)
}

fn moded(fd: u32, path: u32, length: u32, flags: u32, rights: u64, fdflags: u32, out: u32) -> u32 {
    call::path_open_mode(fd, 1, path, length, flags, rights, fdflags, 0o600, out)
}

fn main() {
    for (name, open) in [("calls-open", plain as Open), ("calls-open-mode", moded)] {
        let scratch = Scratch::new(name);
        let opener = Opener(open);
        touch(scratch.fd, "file");
        expect_ok!(create_directory(scratch.fd, "folder"));
        opener.errors(scratch.fd);
        opener.waiting(scratch.fd);
        opener.starting_points(name);
        opener.no_nodes(scratch.fd);
    }
    modes();
    finish();
}

struct Opener(Open);

impl Opener {
    fn open(&self, fd: u32, path: &str, flags: u32, rights: u64, fdflags: u16) -> Result<u32, u32> {
        let opened = Slot::new(CLOSED);
        let path = path.as_bytes();
        let fdflags = fdflags.into();
        match self.0(fd, at(path), len(path), flags, rights, fdflags, opened.at()) {
            0 => Ok(opened.get()),
            number => Err(number),
        }
    }

    /// Opens and closes again; the number of the call.
    fn try_open(&self, fd: u32, path: &str, flags: u32, rights: u64, fdflags: u16) -> u32 {
        match self.open(fd, path, flags, rights, fdflags) {
            Ok(opened) => call::fd_close(opened),
            Err(number) => number,
        }
    }

    fn errors(&self, directory: u32) {
        // Success, Exist, IsDir, Mfile, Rofs and a path's errors; Intr, Nxio, NoSpc are below.
        let opened = Slot::new(CLOSED);
        expect_path_errors(line!(), "opening to read", |fd, path, length| {
            self.0(fd, path, length, 0, READ, 0, opened.at())
        });
        expect_path_errors(line!(), "opening to create", |fd, path, length| {
            self.0(fd, path, length, oflags::CREAT, BOTH, 0, opened.at())
        });
        expect_ok!(self.try_open(directory, "file", 0, BOTH, 0));
        expect_ok!(self.try_open(directory, "folder", 0, READ, 0));
        let exclusive = oflags::CREAT | oflags::EXCL;
        expect_ok!(self.try_open(directory, "fresh", exclusive, BOTH, 0));
        expect_errno!(
            self.try_open(directory, "file", exclusive, BOTH, 0),
            Errno::Exist
        );
        expect_errno!(self.try_open(directory, "absent", 0, READ, 0), Errno::NoEnt);
        expect_errno!(self.try_open(directory, "folder", 0, BOTH, 0), Errno::IsDir);
        expect_errno!(
            self.try_open(directory, "file", oflags::DIRECTORY, READ, 0),
            Errno::NotDir
        );
        expect_errno!(self.try_open(directory, "file", 16, READ, 0), Errno::Inval);
        expect_errno!(self.try_open(directory, "file", 0, READ, 32), Errno::Inval);
        expect_errno!(self.try_open(HOME, "rootfile", 0, BOTH, 0), Errno::Access);
        expect_errno!(self.try_open(HOME, "ro/file", 0, BOTH, 0), Errno::Rofs);
        expect_errno!(
            self.try_open(HOME, "ro/new", oflags::CREAT, BOTH, 0),
            Errno::Rofs
        );
        expect_ok!(self.try_open(HOME, "ro/file", 0, READ, 0));
        expect_errno!(
            self.0(directory, at(b"file"), 4, 0, READ, 0, BAD),
            Errno::Fault
        );
        let filled = fill_descriptors();
        expect_errno!(self.try_open(directory, "file", 0, READ, 0), Errno::Mfile);
        for fd in filled {
            call::fd_close(fd);
        }
    }

    fn waiting(&self, directory: u32) {
        // A fifo: success, Intr, Nxio.
        expect_ok!(mkfifo(directory, "fifo"));
        expect_errno!(
            self.try_open(directory, "fifo", 0, WRITE, fdflags::NONBLOCK),
            Errno::Nxio
        );
        expect_ok!(self.try_open(directory, "fifo", 0, READ, fdflags::NONBLOCK));
        expect_interrupted(line!(), "opening a fifo to read", || {
            self.try_open(directory, "fifo", 0, READ, 0)
        });
        expect_interrupted(line!(), "opening a fifo to write", || {
            self.try_open(directory, "fifo", 0, WRITE, 0)
        });
        // With a reader there, writing can begin.
        let reading = self.open(directory, "fifo", 0, READ, fdflags::NONBLOCK);
        expect_ok!(self.try_open(directory, "fifo", 0, WRITE, 0));
        call::fd_close(reading.unwrap_or(CLOSED));
    }

    /// Paths start at the root and at the working directory, which are no descriptors of ours.
    fn starting_points(&self, scratch: &str) {
        let below_home = format!("{scratch}/file");
        let below_root = format!("home/user/{scratch}/file");
        let absolute = format!("/{below_root}");
        for (fd, path) in [
            (CWD_FD, &below_home),
            (ROOT, &below_root),
            (CWD_FD, &absolute),
            (ROOT, &absolute),
        ] {
            expect_ok!(self.try_open(fd, path, 0, READ, 0));
        }
        expect_errno!(self.try_open(CWD_FD, &below_root, 0, READ, 0), Errno::NoEnt);
    }

    fn no_nodes(&self, directory: u32) {
        // NoSpc.
        let made = fill_nodes(directory);
        check!(made > 10, "only {made} nodes fitted");
        expect_errno!(
            self.try_open(directory, "last", oflags::CREAT, BOTH, 0),
            Errno::NoSpc
        );
        // What there is can still be used.
        expect_ok!(self.try_open(directory, "file", oflags::CREAT, BOTH, 0));
    }
}

/// What is made has the mode that was asked for, less the umask (022); what is there keeps its own.
fn modes() {
    let scratch = Scratch::new("calls-open-modes");
    let opened = Slot::new(CLOSED);
    for (name, asked, expected) in [
        (b"all", 0o777, 0o755),
        (b"own", 0o600, 0o600),
        (b"all", 0o600, 0o755),
    ] {
        expect_ok!(call::path_open_mode(
            scratch.fd,
            1,
            at(name),
            len(name),
            oflags::CREAT,
            BOTH,
            0,
            asked,
            opened.at()
        ));
        let mode = stat_open(Fd(opened.get())).map(|stat| stat.mode & 0o7777);
        check!(mode == Ok(expected), "{asked:o} became {mode:?}");
        call::fd_close(opened.get());
    }
    let other_bits = call::path_open_mode(
        scratch.fd,
        1,
        at(b"all"),
        3,
        0,
        READ,
        0,
        0o10000,
        opened.at(),
    );
    expect_errno!(other_bits, Errno::Inval);
}
