//! Descriptors: reading, writing, closing and duplicating them.
//!
//! A [`Fd`] is a number, not an owner: what closes it is a decision of the program, as in a shell.

use std::io;

use codepod_abi::Errno;
use codepod_abi::wire::CWD_FD;
use codepod_abi::wire::wasi::{FDSTAT_SIZE, fdflags};

use crate::{address, address_mut, calls, check, io_error, raw};

/// A descriptor's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fd(pub u32);

impl Fd {
    /// Standard input.
    pub const STDIN: Fd = Fd(0);
    /// Standard output.
    pub const STDOUT: Fd = Fd(1);
    /// Standard error.
    pub const STDERR: Fd = Fd(2);
    /// In calls that take a path: the root directory, whatever else has this number.
    pub const ROOT: Fd = Fd(3);
    /// In calls that take a path: the working directory.
    pub const CWD: Fd = Fd(CWD_FD);

    /// The number of something that std has open. It stays std's to close.
    #[cfg(any(unix, target_os = "wasi"))]
    pub fn of(open: &impl std::os::fd::AsRawFd) -> Fd {
        Fd(open.as_raw_fd().cast_unsigned())
    }
}

/// Reads into `buffer` and returns how much; 0 at the end.
///
/// Fails with [`Errno::Again`] where it would wait and must not, [`Errno::Intr`] when a caught
/// signal came first, [`Errno::IsDir`] on a directory, [`Errno::Badf`] when `fd` cannot be read.
pub fn read(fd: Fd, buffer: &mut [u8]) -> Result<usize, Errno> {
    let iovec = [address_mut(buffer.as_mut_ptr()), buffer.len() as u32];
    let mut count = 0u32;
    // SAFETY: the call reads one iovec and writes within the buffer it names, which is borrowed for
    // writing, and to `count`.
    let number = unsafe { raw::fd_read(fd.0, address(&iovec), 1, address_mut(&mut count)) };
    check(number).map(|()| count as usize)
}

/// Reads as [`read`] does, but stops after the first `delimiter` and takes nothing beyond it.
///
/// The last byte read is the delimiter, unless `buffer` was full, the end was there or there was no
/// more yet: then the rest of the line comes with the next call. Fails as [`read`] does.
pub fn read_until(fd: Fd, buffer: &mut [u8], delimiter: u8) -> Result<usize, Errno> {
    let mut count = 0u32;
    // SAFETY: the call writes within the buffer, which is borrowed for writing, and to `count`.
    let number = unsafe {
        raw::fd_read_until(
            fd.0,
            address_mut(buffer.as_mut_ptr()),
            buffer.len() as u32,
            delimiter.into(),
            address_mut(&mut count),
        )
    };
    check(number).map(|()| count as usize)
}

/// Writes from `bytes` and returns how much went.
///
/// Fails as [`read`] does, and with [`Errno::Pipe`] when nobody can read it and SIGPIPE is ignored,
/// [`Errno::NoSpc`] and [`Errno::Fbig`] when there is no room.
pub fn write(fd: Fd, bytes: &[u8]) -> Result<usize, Errno> {
    let iovec = [address(bytes.as_ptr()), bytes.len() as u32];
    let mut count = 0u32;
    // SAFETY: the call reads one iovec and the bytes it names, and writes to `count`.
    let number = unsafe { raw::fd_write(fd.0, address(&iovec), 1, address_mut(&mut count)) };
    check(number).map(|()| count as usize)
}

/// Writes all of `bytes`; starts again after [`Errno::Intr`]. Fails as [`write()`] does otherwise.
pub fn write_all(fd: Fd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match write(fd, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::Intr) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// What an offset counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whence {
    /// The start.
    Start,
    /// Where the descriptor is.
    Current,
    /// The end.
    End,
}

/// Moves a descriptor's offset and returns the new one, counted from the start.
///
/// Fails with [`Errno::Badf`] when `fd` is not open, [`Errno::Spipe`] when it has no offset and
/// [`Errno::Inval`] when that would be before the start.
pub fn seek(fd: Fd, offset: i64, whence: Whence) -> Result<u64, Errno> {
    let mut new = 0u64;
    // SAFETY: the call writes to `new` only.
    let number = unsafe { raw::fd_seek(fd.0, offset, whence as u32, address_mut(&mut new)) };
    check(number).map(|()| new)
}

/// A descriptor's offset. Fails with [`Errno::Badf`] and [`Errno::Spipe`] as [`seek`] does.
pub fn tell(fd: Fd) -> Result<u64, Errno> {
    let mut offset = 0u64;
    // SAFETY: the call writes to `offset` only.
    let number = unsafe { raw::fd_tell(fd.0, address_mut(&mut offset)) };
    check(number).map(|()| offset)
}

/// Closes a descriptor. Fails with [`Errno::Badf`] when it is not open.
pub fn close(fd: Fd) -> Result<(), Errno> {
    calls::fd_close(fd.0)
}

/// Duplicates `fd` onto the lowest free number from `least` on.
///
/// Fails with [`Errno::Badf`] when `fd` is not open, [`Errno::Mfile`] when no number is free and
/// [`Errno::Inval`] when `least` is beyond the limit.
pub fn dup(fd: Fd, least: u32) -> Result<Fd, Errno> {
    let mut new = 0u32;
    // SAFETY: the call writes to `new` only.
    let number = unsafe { raw::fd_dup(fd.0, least, address_mut(&mut new)) };
    check(number).map(|()| Fd(new))
}

/// Duplicates `fd` onto `to`, closing what was there.
///
/// Fails with [`Errno::Badf`] when `fd` is not open or `to` is beyond the limit.
pub fn dup_to(fd: Fd, to: Fd) -> Result<(), Errno> {
    calls::fd_dup_to(fd.0, to.0)
}

/// Moves `from` onto `to`, which must be open and is closed. Fails with [`Errno::Badf`].
pub fn renumber(from: Fd, to: Fd) -> Result<(), Errno> {
    calls::fd_renumber(from.0, to.0)
}

/// Says whether calls on `fd` fail with [`Errno::Again`] instead of waiting.
///
/// Fails with [`Errno::Badf`] when `fd` is not open.
pub fn set_nonblocking(fd: Fd, nonblocking: bool) -> Result<(), Errno> {
    let flags = flags(fd)?;
    let flags = if nonblocking {
        flags | fdflags::NONBLOCK
    } else {
        flags & !fdflags::NONBLOCK
    };
    calls::fd_fdstat_set_flags(fd.0, flags.into())
}

/// A descriptor's [`fdflags`]. Fails with [`Errno::Badf`] when it is not open.
pub fn flags(fd: Fd) -> Result<u16, Errno> {
    let stat = fdstat(fd)?;
    Ok(u16::from_le_bytes([stat[2], stat[3]]))
}

/// A descriptor's type, one of `codepod_abi::wire::wasi::filetype`.
///
/// Fails with [`Errno::Badf`] when it is not open.
pub fn file_type(fd: Fd) -> Result<u8, Errno> {
    fdstat(fd).map(|stat| stat[0])
}

fn fdstat(fd: Fd) -> Result<[u8; FDSTAT_SIZE], Errno> {
    let mut stat = Aligned([0u8; FDSTAT_SIZE]);
    // SAFETY: the call writes `FDSTAT_SIZE` bytes to `stat`.
    let number = unsafe { raw::fd_fdstat_get(fd.0, address_mut(&mut stat)) };
    check(number).map(|()| stat.0)
}

#[repr(C, align(8))]
struct Aligned([u8; FDSTAT_SIZE]);

impl io::Read for Fd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read(*self, buffer).map_err(io_error)
    }
}

impl io::Write for Fd {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write(*self, bytes).map_err(io_error)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
