//! Arguments and environment as the bytes that they are.

use codepod_abi::Errno;

use crate::{address_mut, check, raw};

/// The arguments, the program's name first.
pub fn arguments() -> Result<Vec<Vec<u8>>, Errno> {
    strings(
        |count, size| {
            // SAFETY: both point to a word.
            unsafe { raw::args_sizes_get(count, size) }
        },
        |list, block| {
            // SAFETY: both have the sizes that were asked for.
            unsafe { raw::args_get(list, block) }
        },
    )
}

/// The environment: `NAME=value`, in its order.
pub fn variables() -> Result<Vec<Vec<u8>>, Errno> {
    strings(
        |count, size| {
            // SAFETY: both point to a word.
            unsafe { raw::environ_sizes_get(count, size) }
        },
        |list, block| {
            // SAFETY: both have the sizes that were asked for.
            unsafe { raw::environ_get(list, block) }
        },
    )
}

fn strings(
    sizes: impl FnOnce(u32, u32) -> u32,
    get: impl FnOnce(u32, u32) -> u32,
) -> Result<Vec<Vec<u8>>, Errno> {
    let (mut count, mut size) = (0u32, 0u32);
    check(sizes(address_mut(&mut count), address_mut(&mut size)))?;
    let mut list = vec![0u32; count as usize];
    let mut block = vec![0u8; size as usize];
    check(get(
        address_mut(list.as_mut_ptr()),
        address_mut(block.as_mut_ptr()),
    ))?;
    // The addresses are not needed: every string ends with a NUL.
    Ok(block
        .split_inclusive(|byte| *byte == 0)
        .map(|string| string[..string.len() - 1].to_vec())
        .collect())
}
