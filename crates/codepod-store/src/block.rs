//! Blocks: up to 64 KiB of content under the BLAKE3 digest of it, compressed where that helps.
//!
//! A frame is what is stored: a method, the digest, the length, the data. Whatever is wrong with a
//! frame is noticed before its content is used: lengths before memory is taken, the digest before
//! the bytes are given out.

use codepod_vfs::{Digest, Piece};

use crate::compression::{Compressor, decompress};
use crate::error::StoreError;
use crate::key::{self, Key};
use crate::wire::Reader;

/// The most bytes of content in a block.
pub(crate) const LARGEST: u32 = Piece::MOST;

/// The most bytes that a frame takes, sealed.
pub(crate) const LARGEST_FRAME: u32 = LARGEST + 256;

const RAW: u8 = 0;
const ZSTD: u8 = 1;
const ABOUT: &[u8] = b"codepod block";

/// A block's name and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockId {
    pub(crate) digest: Digest,
    pub(crate) length: u32,
}

/// The digest of some content.
pub(crate) fn digest(bytes: &[u8]) -> Digest {
    *blake3::hash(bytes).as_bytes()
}

/// Makes frames.
pub(crate) struct Framer<'a> {
    key: Option<&'a Key>,
    compressor: Compressor,
    scratch: Vec<u8>,
}

impl<'a> Framer<'a> {
    pub(crate) fn new(key: Option<&'a Key>) -> Result<Framer<'a>, StoreError> {
        Ok(Framer {
            key,
            compressor: Compressor::new()?,
            scratch: vec![0; LARGEST as usize],
        })
    }

    /// The frame of a block.
    pub(crate) fn frame(&mut self, digest: &Digest, content: &[u8]) -> Result<Vec<u8>, StoreError> {
        // A buffer no larger than the content: what does not become smaller does not fit, and is
        // kept as it is.
        let room = content.len().saturating_sub(1).min(self.scratch.len());
        let packed = self.compressor.compress(content, &mut self.scratch[..room]);
        let (method, data) = match packed {
            Some(length) => (ZSTD, &self.scratch[..length]),
            None => (RAW, content),
        };
        let mut frame = Vec::with_capacity(data.len() + 64);
        frame.push(method);
        frame.extend_from_slice(digest);
        frame.extend_from_slice(&(content.len() as u32).to_le_bytes());
        frame.extend_from_slice(data);
        key::seal(self.key, ABOUT, frame)
    }
}

/// The content of a frame, checked.
pub(crate) fn unframe(
    key: Option<&Key>,
    sealed: bool,
    frame: &[u8],
) -> Result<(BlockId, Vec<u8>), StoreError> {
    if frame.len() > LARGEST_FRAME as usize {
        return Err(StoreError::Limit("the size of a block"));
    }
    let plain = key::open(key, sealed, ABOUT, frame)?;
    let mut reader = Reader::new(&plain);
    let method = reader.byte()?;
    let id = BlockId {
        digest: reader.array()?,
        length: reader.u32()?,
    };
    if id.length > LARGEST {
        return Err(StoreError::Limit("the size of a block"));
    }
    let data = reader.take(reader.left())?;
    let content = match method {
        RAW => data.to_vec(),
        ZSTD => decompress(data, id.length as usize)
            .ok_or(StoreError::Damaged("a block that cannot be decompressed"))?,
        _ => return Err(StoreError::Damaged("a block of an unknown kind")),
    };
    if content.len() != id.length as usize || digest(&content) != id.digest {
        return Err(StoreError::Damaged("a block that is not what was saved"));
    }
    Ok((id, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(content: &[u8]) -> Vec<u8> {
        let mut framer = Framer::new(None).unwrap();
        framer.frame(&digest(content), content).unwrap()
    }

    #[test]
    fn content_comes_back_compressed_or_not() {
        for content in [&[][..], b"x", &[0; 65_536], b"abcabcabcabcabcabcabc"] {
            let frame = frame(content);
            assert_eq!(unframe(None, false, &frame).unwrap().1, content);
        }
        assert!(frame(&[7; 65_536]).len() < 200);
    }

    #[test]
    fn sn_02_a_bomb_is_stopped_by_the_size_it_declares() {
        let bomb = zstd::bulk::compress(&vec![0; 64 << 20], 1).unwrap();
        for declared in [1u32, 65_536, 65_537, u32::MAX] {
            let mut frame = vec![ZSTD];
            frame.extend_from_slice(&digest(&[0; 65_536]));
            frame.extend_from_slice(&declared.to_le_bytes());
            frame.extend_from_slice(&bomb);
            assert!(unframe(None, false, &frame).is_err());
        }
    }

    #[test]
    fn sn_01_every_bit_of_a_frame_counts() {
        let content = b"some content that is compressed, some content that is compressed";
        let frame = frame(content);
        for bit in 0..frame.len() * 8 {
            let mut flipped = frame.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            // A frame of zstd has bits that mean nothing; then the content is the same.
            if let Ok((_, found)) = unframe(None, false, &flipped) {
                assert_eq!(found, content);
            }
        }
    }

    #[test]
    fn a_sealed_block_needs_its_key() {
        let key = Key::new(&[1; 32]);
        let mut framer = Framer::new(Some(&key)).unwrap();
        let frame = framer.frame(&digest(b"secret"), b"secret").unwrap();
        assert!(!frame.windows(6).any(|window| window == b"secret"));
        assert_eq!(unframe(Some(&key), true, &frame).unwrap().1, b"secret");
        let other = Key::new(&[2; 32]);
        assert!(matches!(
            unframe(Some(&other), true, &frame),
            Err(StoreError::Sealed)
        ));
        assert!(matches!(
            unframe(None, true, &frame),
            Err(StoreError::KeyNeeded)
        ));
    }
}
