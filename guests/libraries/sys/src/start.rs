//! What a program does first.

use codepod_abi::{ABI_VERSION, Errno};

use crate::{address_mut, check, cwd, raw};

/// Checks that the kernel serves this version, and takes over its working directory.
///
/// Fails with [`Errno::NotSup`] when the kernel is another's, and as [`cwd::follow`] does.
pub fn init() -> Result<(), Errno> {
    handshake()?;
    cwd::follow()
}

/// Checks that the kernel serves this version, and returns its own.
///
/// Fails with [`Errno::NotSup`] when it does not.
pub fn handshake() -> Result<u32, Errno> {
    let mut version = 0u32;
    // SAFETY: the call writes to `version` only.
    let number = unsafe { raw::abi_version(ABI_VERSION, address_mut(&mut version)) };
    check(number).map(|()| version)
}
