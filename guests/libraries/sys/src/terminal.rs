//! Terminals: size and mode.

use codepod_abi::Errno;
pub use codepod_abi::wire::TerminalState;

use crate::descriptor::Fd;
use crate::{address, address_mut, check, raw};

/// Whether a descriptor is a terminal.
pub fn is_terminal(fd: Fd) -> bool {
    state(fd).is_ok()
}

/// A terminal's size and mode.
///
/// Fails with [`Errno::NotTy`] when it is none, [`Errno::Badf`] when it is not open.
pub fn state(fd: Fd) -> Result<TerminalState, Errno> {
    let mut state = TerminalState::default();
    // SAFETY: the call writes a `TerminalState` to `state`.
    let number = unsafe { raw::tty_get(fd.0, address_mut(&raw mut state)) };
    check(number).map(|()| state)
}

/// Sets a terminal's size and mode.
///
/// Fails as [`state`] does, and with [`Errno::Inval`] for unknown mode bits.
pub fn set_state(fd: Fd, state: &TerminalState) -> Result<(), Errno> {
    // SAFETY: the call reads a `TerminalState` from `state`.
    check(unsafe { raw::tty_set(fd.0, address(std::ptr::from_ref(state))) })
}
