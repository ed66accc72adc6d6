//! What the test programs share: raw calls, a tiny assertion kit, and ways to get into each error.
//!
//! A program calls the kernel through [`call`] and says what it expects with [`expect_ok!`],
//! [`expect_errno!`] and [`check!`]; what was not so is printed as `FAIL line: text` and makes
//! [`finish`] end the program with status 1. Programs work in a directory of their own below the
//! working directory ([`Scratch`]) and leave nothing behind.
//!
//! The fixture that the host gives them: user and group 1000, working directory `/home/user`,
//! descriptor 3 = `/` ([`ROOT`]); `ro/` is a read-only mount with `file` and `dir/`, `other/` a
//! second file system, `/secret` root's 0700 with `file`, `rootfile` root's 0644, `plain.txt` not
//! executable, `garbage` executable nonsense.

#![expect(
    unsafe_code,
    reason = "wrong addresses are passed to the kernel on purpose"
)]

pub mod call;
pub mod paths;
pub mod resources;
pub mod sockets;
mod verdict;

pub use codepod_abi::{Errno, Signal};
pub use verdict::{expect, fail, failures, finish};

use std::cell::UnsafeCell;

use codepod_abi::wire::wasi::oflags::DIRECTORY;

/// The descriptor of `/`.
pub const ROOT: u32 = 3;
/// The descriptor of the working directory, after [`start`].
pub const HOME: u32 = 4;
/// A number that no descriptor has.
pub const CLOSED: u32 = 60;
/// An address beyond the memory, whatever its length.
pub const BAD: u32 = 0xffff_fff0;
/// More iovecs than a call takes.
pub const TOO_MANY_IOVECS: u32 = 1025;

/// Makes [`HOME`] the working directory's descriptor, whether or not the kernel preopens it.
pub fn start() {
    let stat = Slot::new([0u64; 3]);
    if call::fd_fdstat_get(HOME, stat.at()) != 0 {
        // The lowest free number is the one that is wanted.
        let opened = paths::open(ROOT, "home/user", DIRECTORY, paths::READ, 0);
        check!(opened == Ok(HOME), "the working directory: {opened:?}");
    }
}

/// Checks a condition and goes on.
#[macro_export]
macro_rules! check {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            $crate::fail(line!(), &format!($($text)+));
        }
    };
}

/// Makes a call that has to succeed; its value says whether it did.
#[macro_export]
macro_rules! expect_ok {
    ($call:expr) => {
        $crate::expect(line!(), stringify!($call), $call, None)
    };
}

/// Makes a call that has to fail with this error.
#[macro_export]
macro_rules! expect_errno {
    ($call:expr, $errno:expr) => {
        $crate::expect(line!(), stringify!($call), $call, Some($errno))
    };
}

/// A place in memory that the kernel reads and writes behind Rust's back.
#[derive(Debug, Default)]
#[repr(C, align(8))]
pub struct Slot<T>(UnsafeCell<T>);

impl<T: Copy> Slot<T> {
    /// A place holding `value`.
    pub const fn new(value: T) -> Slot<T> {
        Slot(UnsafeCell::new(value))
    }

    /// Where it is.
    pub fn at(&self) -> u32 {
        self.0.get().expose_provenance() as u32
    }

    /// What it holds now.
    pub fn get(&self) -> T {
        // SAFETY: the pointer comes from a live cell, and nothing else runs in this process.
        unsafe { self.0.get().read() }
    }

    /// Puts something else into it.
    pub fn set(&self, value: T) {
        // SAFETY: the pointer comes from a live cell, and nothing else runs in this process.
        unsafe { self.0.get().write(value) }
    }
}

/// Where a slice is, for calls that read it.
pub fn at(bytes: &[u8]) -> u32 {
    bytes.as_ptr().expose_provenance() as u32
}

/// How long a slice is.
pub fn len(bytes: &[u8]) -> u32 {
    bytes.len() as u32
}

/// One iovec over `bytes`, for calls that read them.
pub fn iovec(bytes: &[u8]) -> Slot<[u32; 2]> {
    Slot::new([at(bytes), len(bytes)])
}

/// One iovec over a slot.
pub fn iovec_of<const N: usize>(buffer: &Slot<[u8; N]>) -> Slot<[u32; 2]> {
    Slot::new([buffer.at(), N as u32])
}

/// A directory of the program's own, below the working directory; removed with what is in it.
#[derive(Debug)]
pub struct Scratch {
    name: &'static str,
    /// Its descriptor.
    pub fd: u32,
}

impl Scratch {
    /// Creates and opens it.
    pub fn new(name: &'static str) -> Scratch {
        start();
        paths::create_directory(HOME, name);
        let fd = paths::open(HOME, name, DIRECTORY, paths::READ, 0);
        check!(fd.is_ok(), "scratch directory {name}: {fd:?}");
        Scratch {
            name,
            fd: fd.unwrap_or(CLOSED),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        resources::remove_all(self.fd);
        call::fd_close(self.fd);
        expect_ok!(call::path_remove_directory(
            HOME,
            at(self.name.as_bytes()),
            len(self.name.as_bytes())
        ));
    }
}
