//! Permission bits for libc, and so for std.
//!
//! WASI knows none: wasi-libc's `stat` returns files without them and its `chmod` fails. The linker
//! sends these calls here (see `build.rs`), and they ask the kernel through codepod's own.
#![expect(
    unsafe_code,
    reason = "these are C functions, called by C and by std with pointers"
)]

use std::ffi::{CStr, c_char, c_int};

use codepod_abi::wire::Stat;
use codepod_abi::wire::wasi::LOOKUP_SYMLINK_FOLLOW;
use codepod_sys::file::{self, Links};
use codepod_sys::{Errno, Fd, raw};

unsafe extern "C" {
    fn __real___wasilibc_nocwd_fstatat(
        directory: c_int,
        path: *const c_char,
        stat: *mut libc::stat,
        flags: c_int,
    ) -> c_int;
    fn __real_fstat(fd: c_int, stat: *mut libc::stat) -> c_int;
}

/// `stat`, `lstat` and `fstatat` all end here, with a path below an open directory.
///
/// # Safety
///
/// `path` must be a string of C, and `stat` must point to room for the result.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap___wasilibc_nocwd_fstatat(
    directory: c_int,
    path: *const c_char,
    stat: *mut libc::stat,
    flags: c_int,
) -> c_int {
    let lookup = match flags & libc::AT_SYMLINK_NOFOLLOW {
        0 => LOOKUP_SYMLINK_FOLLOW,
        _ => 0,
    };
    let mut found = Stat::default();
    // SAFETY: the caller passes a string of C.
    let length = unsafe { CStr::from_ptr(path) }.count_bytes();
    // SAFETY: the call reads `length` bytes of the path and writes a `Stat` to `found`.
    let number = unsafe {
        raw::path_stat(
            directory as u32,
            lookup,
            path.expose_provenance() as u32,
            length as u32,
            (&raw mut found).expose_provenance() as u32,
        )
    };
    match codepod_sys::check(number) {
        Ok(()) => {
            // SAFETY: the caller passes room for the result.
            unsafe { stat.write(to_libc(&found)) };
            0
        }
        // It fails in the same way and says why in `errno`.
        // SAFETY: these are our own arguments.
        Err(_) => unsafe { __real___wasilibc_nocwd_fstatat(directory, path, stat, flags) },
    }
}

/// Writes what is known of an open file to `stat`.
///
/// # Safety
///
/// `stat` must point to room for the result.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_fstat(fd: c_int, stat: *mut libc::stat) -> c_int {
    match file::stat_open(Fd(fd as u32)) {
        Ok(found) => {
            // SAFETY: the caller passes room for the result.
            unsafe { stat.write(to_libc(&found)) };
            0
        }
        // SAFETY: these are our own arguments.
        Err(_) => unsafe { __real_fstat(fd, stat) },
    }
}

/// Sets the permission bits of a path.
///
/// # Safety
///
/// `path` must be a string of C.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_chmod(path: *const c_char, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller passes a string of C.
    let path = unsafe { CStr::from_ptr(path) };
    report(file::set_mode(
        path.to_bytes(),
        Links::Follow,
        mode & 0o7777,
    ))
}

/// Sets the permission bits of an open file.
#[unsafe(no_mangle)]
extern "C" fn __wrap_fchmod(fd: c_int, mode: libc::mode_t) -> c_int {
    report(file::set_mode_open(Fd(fd as u32), mode & 0o7777))
}

fn report(result: Result<(), Errno>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(errno) => {
            // SAFETY: libc returns the address of its `errno`, which lives as long as the only
            // thread.
            unsafe { *libc::__errno_location() = c_int::from(errno.raw()) };
            -1
        }
    }
}

fn to_libc(found: &Stat) -> libc::stat {
    // SAFETY: every field of the structure is a number or a structure of numbers, and 0 is one.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    stat.st_dev = found.dev;
    stat.st_ino = found.ino;
    stat.st_nlink = found.nlink;
    stat.st_mode = found.mode;
    stat.st_uid = found.uid;
    stat.st_gid = found.gid;
    stat.st_rdev = found.rdev;
    stat.st_size = found.size.cast_signed();
    stat.st_blksize = 4096;
    stat.st_blocks = found.blocks.cast_signed();
    stat.st_atim = timespec(found.atime);
    stat.st_mtim = timespec(found.mtime);
    stat.st_ctim = timespec(found.ctime);
    stat
}

fn timespec(nanoseconds: u64) -> libc::timespec {
    const SECOND: u64 = 1_000_000_000;
    libc::timespec {
        tv_sec: (nanoseconds / SECOND).cast_signed(),
        tv_nsec: (nanoseconds % SECOND) as _,
    }
}
