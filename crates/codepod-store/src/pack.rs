//! Packs: many frames in one file, with a list at its end of where each is.
//!
//! A pack's name has the digest of its bytes. It is written once; what is not needed any more goes
//! with the whole pack.

use codepod_vfs::Digest;

use crate::backend::Blob;
use crate::block::{self, BlockId, LARGEST, LARGEST_FRAME, digest};
use crate::error::StoreError;
use crate::header::{header, read_header};
use crate::key::{self, Key};
use crate::wire::{Reader, put};

/// From here on a pack takes no more.
pub(crate) const FULL: usize = 16 << 20;

const MAGIC: &[u8; 8] = b"CODEPODP";
const ABOUT: &[u8] = b"codepod index";
/// Where the index begins, how long it is, its checksum.
const FOOTER: u64 = 8 + 4 + 32;
const LARGEST_INDEX: u64 = 64 << 20;

/// A pack's name: who wrote it, and the digest of its bytes.
///
/// With the writer's epoch in it, one writer can tell what another with a higher epoch has just put
/// down and not named yet, and two that write the same have a pack each: whoever removes one takes
/// nothing away from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PackName {
    /// 0 for packs of format 1, whose names had none.
    pub(crate) epoch: u64,
    pub(crate) digest: Digest,
}

/// Where a block is in its pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    /// Bytes of the frame.
    pub(crate) stored: u32,
    /// Bytes of the content.
    pub(crate) length: u32,
}

/// A pack that takes no more.
pub(crate) struct FullPack {
    pub(crate) digest: Digest,
    pub(crate) bytes: Vec<u8>,
    pub(crate) places: Vec<(Digest, Place)>,
}

/// A pack that is being filled.
#[derive(Debug)]
pub(crate) struct PackWriter {
    bytes: Vec<u8>,
    index: Vec<(Digest, Place)>,
    sealed: bool,
}

impl PackWriter {
    pub(crate) fn new(sealed: bool) -> PackWriter {
        PackWriter {
            bytes: header(MAGIC, sealed),
            index: Vec::new(),
            sealed,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= FULL
    }

    pub(crate) fn add(&mut self, id: &BlockId, frame: &[u8]) {
        let place = Place {
            offset: self.bytes.len() as u64,
            stored: frame.len() as u32,
            length: id.length,
        };
        self.bytes.extend_from_slice(frame);
        self.index.push((id.digest, place));
    }

    /// The pack, to be kept.
    pub(crate) fn finish(mut self, key: Option<&Key>) -> Result<FullPack, StoreError> {
        debug_assert_eq!(self.sealed, key.is_some());
        let mut index = Vec::new();
        put(&mut index, self.index.len() as u64);
        for (digest, place) in &self.index {
            index.extend_from_slice(digest);
            put(&mut index, place.offset);
            put(&mut index, place.stored.into());
            put(&mut index, place.length.into());
        }
        let index = key::seal(key, ABOUT, index)?;
        let offset = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&index);
        let mut footer = offset.to_le_bytes().to_vec();
        footer.extend_from_slice(&(index.len() as u32).to_le_bytes());
        let checksum = blake3::Hasher::new()
            .update(&index)
            .update(&footer)
            .finalize();
        self.bytes.extend_from_slice(&footer);
        self.bytes.extend_from_slice(checksum.as_bytes());
        Ok(FullPack {
            digest: digest(&self.bytes),
            bytes: self.bytes,
            places: self.index,
        })
    }
}

/// Reads the list of a pack's blocks, and nothing else of it.
pub(crate) fn read_index(
    blob: &dyn Blob,
    key: Option<&Key>,
) -> Result<Vec<(Digest, Place)>, StoreError> {
    const SHORT: StoreError = StoreError::Damaged("a pack that is cut short");
    let size = blob.size()?;
    let mut head = header(MAGIC, false);
    blob.read_at(0, &mut head)?;
    let sealed = read_header(&mut Reader::new(&head), MAGIC)?.sealed;
    let mut footer = [0; FOOTER as usize];
    let footer_at = size.checked_sub(FOOTER).ok_or(SHORT)?;
    blob.read_at(footer_at, &mut footer)?;
    let mut reader = Reader::new(&footer);
    let offset = u64::from_le_bytes(reader.array()?);
    let length = reader.u32()?;
    let checksum: Digest = reader.array()?;
    if offset.checked_add(length.into()) != Some(footer_at) || u64::from(length) > LARGEST_INDEX {
        return Err(SHORT);
    }
    let mut index = vec![0; length as usize];
    blob.read_at(offset, &mut index)?;
    let found = blake3::Hasher::new()
        .update(&index)
        .update(&footer[..12])
        .finalize();
    if *found.as_bytes() != checksum {
        return Err(StoreError::Damaged("a pack whose index is wrong"));
    }
    let index = key::open(key, sealed, ABOUT, &index)?;
    let mut reader = Reader::new(&index);
    let mut places = Vec::new();
    for _ in 0..reader.count(35)? {
        let digest = reader.array()?;
        let place = Place {
            offset: reader.number()?,
            stored: reader.small()?,
            length: reader.small()?,
        };
        let end = place.offset.checked_add(place.stored.into());
        if place.length > LARGEST
            || place.stored > LARGEST_FRAME
            || end.is_none_or(|end| end > offset)
        {
            return Err(StoreError::Damaged("a pack whose index is wrong"));
        }
        places.push((digest, place));
    }
    reader.end()?;
    Ok(places)
}

/// Reads all of a pack, and compares it with its name.
pub(crate) fn check_name(blob: &dyn Blob, name: &Digest) -> Result<(), StoreError> {
    let size = blob.size()?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; size.min(1 << 20) as usize];
    let mut offset = 0;
    while offset < size {
        let length = (buffer.len() as u64).min(size - offset) as usize;
        blob.read_at(offset, &mut buffer[..length])?;
        hasher.update(&buffer[..length]);
        offset += length as u64;
    }
    if hasher.finalize().as_bytes() != name {
        return Err(StoreError::Damaged("a pack that is not what was saved"));
    }
    Ok(())
}

/// The frame at a place.
pub(crate) fn read_frame(blob: &dyn Blob, place: Place) -> Result<Vec<u8>, StoreError> {
    let mut frame = vec![0; place.stored as usize];
    blob.read_at(place.offset, &mut frame)?;
    Ok(frame)
}

/// The content of a block at a place, checked.
pub(crate) fn read_block(
    blob: &dyn Blob,
    place: Place,
    id: &BlockId,
    key: Option<&Key>,
) -> Result<Vec<u8>, StoreError> {
    let frame = read_frame(blob, place)?;
    let (found, content) = block::unframe(key, key.is_some(), &frame)?;
    if found != *id {
        return Err(StoreError::Damaged("a block in the place of another"));
    }
    Ok(content)
}
