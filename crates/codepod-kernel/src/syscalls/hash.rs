//! Hashing with the host's instructions.

use codepod_abi::Errno;
use codepod_abi::wire::Hash;

use super::Syscall;
use crate::memory::GuestMemory;

/// Takes `len` bytes, whole blocks and at most [`codepod_abi::wire::Hash::CALL_BYTES`], into the
/// state of a hash, a [`codepod_abi::wire::Hash`]: with the host's instructions for it. `NotSup`
/// when the host does not have that hash.
pub fn hash_blocks<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    hash: u32,
    state: u32,
    blocks: u32,
    len: u32,
) -> Result<(), Errno> {
    let hash = Hash::from_number(hash).ok_or(Errno::NotSup)?;
    if len > Hash::CALL_BYTES || !len.is_multiple_of(Hash::BLOCK_BYTES) {
        return Err(Errno::Inval);
    }
    let mut buffer = [0; Hash::STATE_BYTES];
    let words = &mut buffer[..hash.state_len()];
    call.memory.read(state, words.len() as u32, |bytes| {
        words.copy_from_slice(bytes)
    })?;
    let host = call.kernel.host.clone();
    let done = call
        .memory
        .read(blocks, len, |bytes| host.hash_blocks(hash, words, bytes))?;
    if !done {
        return Err(Errno::NotSup);
    }
    call.memory.write_bytes(state, words)
}
