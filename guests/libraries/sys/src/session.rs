//! Serving the host: the shell's side of a session.

use codepod_abi::Errno;
pub use codepod_abi::session::{HINTS, Request, Run, strings};

use crate::{address, address_mut, check, raw};

/// Waits for the next request and puts it into `buffer`, for [`Request::decode`]. Descriptors 0, 1
/// and 2 are the run's own then; what was there is closed.
///
/// Fails with [`Errno::Perm`] when the process does not serve the host, [`Errno::Inval`] when the
/// last request was not answered, and [`Errno::Intr`] when a caught signal came first.
pub fn next(buffer: &mut Vec<u8>) -> Result<(), Errno> {
    let least = buffer.capacity().max(4096);
    buffer.resize(least, 0);
    loop {
        let mut used = 0u32;
        // SAFETY: the call writes at most `buffer.len()` bytes to `buffer`, and to `used`.
        let number = unsafe {
            raw::session_next(
                address_mut(buffer.as_mut_ptr()),
                buffer.len() as u32,
                address_mut(&mut used),
            )
        };
        match check(number) {
            Ok(()) => {
                buffer.truncate(used as usize);
                return Ok(());
            }
            Err(Errno::Range) => buffer.resize(used as usize, 0),
            Err(errno) => return Err(errno),
        }
    }
}

/// Answers the request with an exit status, and with the state that a shell would go on from;
/// `None` when it is the one that was given last. Descriptors 0, 1 and 2 read nothing and write
/// nowhere then.
///
/// Fails with [`Errno::Perm`] when the process does not serve the host, [`Errno::Inval`] when there
/// is no request, and [`Errno::TooBig`] when the state is too long: the request is still to be
/// answered then.
pub fn done(status: u8, state: Option<&[u8]>) -> Result<(), Errno> {
    let state = state.unwrap_or_default();
    // SAFETY: the call reads the state only.
    check(unsafe { raw::session_done(status.into(), address(state.as_ptr()), state.len() as u32) })
}
