//! Pipes and connected sockets: two descriptors at a time.

use codepod_abi::Errno;

use crate::descriptor::Fd;
use crate::{address_mut, check, raw};

/// Creates a pipe and returns its read and write ends.
///
/// Fails with [`Errno::Mfile`] when the process, and with [`Errno::Nfile`] when the sandbox has no
/// room for more.
pub fn pipe() -> Result<(Fd, Fd), Errno> {
    let (mut read, mut write) = (0u32, 0u32);
    // SAFETY: the call writes to `read` and `write` only.
    let number = unsafe { raw::fd_pipe(address_mut(&mut read), address_mut(&mut write)) };
    check(number).map(|()| (Fd(read), Fd(write)))
}

/// Creates two connected stream sockets. Fails as [`pipe`] does.
pub fn socket_pair() -> Result<(Fd, Fd), Errno> {
    let (mut first, mut second) = (0u32, 0u32);
    // SAFETY: the call writes to `first` and `second` only.
    let number = unsafe { raw::sock_pair(address_mut(&mut first), address_mut(&mut second)) };
    check(number).map(|()| (Fd(first), Fd(second)))
}
