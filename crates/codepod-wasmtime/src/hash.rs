//! The block functions of hashes. Where the processor has instructions for them they are used,
//! which guests cannot.

use codepod_abi::wire::Hash;

/// Takes whole blocks into a state, whose words are little-endian.
pub(crate) fn take_blocks(hash: Hash, state: &mut [u8], blocks: &[u8]) {
    let blocks = blocks.as_chunks().0;
    match hash {
        Hash::Sha1 => with_words(state, |words| sha1::block_api::compress(words, blocks)),
        Hash::Sha256 => with_words(state, |words| sha2::block_api::compress256(words, blocks)),
    }
}

fn with_words<const N: usize>(state: &mut [u8], change: impl FnOnce(&mut [u32; N])) {
    let bytes = state.as_chunks_mut().0;
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.iter()) {
        *word = u32::from_le_bytes(*bytes);
    }
    change(&mut words);
    for (word, bytes) in words.iter().zip(bytes) {
        *bytes = word.to_le_bytes();
    }
}
