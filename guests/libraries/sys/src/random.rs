//! Randomness from the kernel.

use crate::{address_mut, raw};

/// Four random bytes as a number.
pub fn number() -> u32 {
    let mut bytes = [0u8; 4];
    // SAFETY: the call writes four bytes to `bytes`. It cannot fail: the address is good.
    let _ = unsafe { raw::random_get(address_mut(bytes.as_mut_ptr()), bytes.len() as u32) };
    u32::from_le_bytes(bytes)
}
