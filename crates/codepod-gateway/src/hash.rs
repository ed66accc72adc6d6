//! Hashes that things are found by.

use std::fs::File;
use std::io;

/// The hash of lists of parts; none can be taken for another.
pub(crate) fn of_lists(lists: &[&[Vec<u8>]]) -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    for list in lists {
        hash.update(&(list.len() as u64).to_le_bytes());
        for part in *list {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize()
}

/// The hash of what a file has from here on.
pub(crate) fn of_file(file: &mut File) -> io::Result<blake3::Hash> {
    let mut hash = blake3::Hasher::new();
    io::copy(file, &mut hash)?;
    Ok(hash.finalize())
}
