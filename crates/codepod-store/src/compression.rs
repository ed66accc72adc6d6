//! Compression of blocks: the format of zstd, by whichever code the platform can run.
//!
//! A frame says neither which code wrote it nor at what level, so each reads what the other wrote.
//! The platform decides here and nowhere else: the C library, or `ruzstd` on WebAssembly, where no
//! C is compiled.

#[cfg(not(target_family = "wasm"))]
pub(crate) use library::{Compressor, decompress};
#[cfg(target_family = "wasm")]
pub(crate) use portable::{Compressor, decompress};

/// By the C library.
#[cfg(not(target_family = "wasm"))]
mod library {
    use crate::error::StoreError;

    const LEVEL: i32 = 1;

    /// Compresses one block after another.
    pub(crate) struct Compressor(zstd::bulk::Compressor<'static>);

    impl Compressor {
        /// Fails with [`StoreError::Io`] where there is no memory for it.
        pub(crate) fn new() -> Result<Compressor, StoreError> {
            let compressor = zstd::bulk::Compressor::new(LEVEL);
            compressor
                .map(Compressor)
                .map_err(StoreError::io("compress"))
        }

        /// Compresses `content` into `to` and returns how many bytes that are, or `None` if it does
        /// not fit.
        pub(crate) fn compress(&mut self, content: &[u8], to: &mut [u8]) -> Option<usize> {
            self.0.compress_to_buffer(content, to).ok()
        }
    }

    /// What a frame holds; `None` if it is none, or holds more than `length` bytes.
    pub(crate) fn decompress(frame: &[u8], length: usize) -> Option<Vec<u8>> {
        zstd::bulk::decompress(frame, length).ok()
    }
}

/// By `ruzstd`, in Rust: 3 to 6 times slower at reading (ADR 23), and no C compiler.
#[cfg(any(test, target_family = "wasm"))]
mod portable {
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use crate::error::StoreError;

    /// How far back a frame may refer, which its reader takes memory for. A frame is of one block
    /// of ours, and no window need be larger than that; `ruzstd` writes 128 KiB into each.
    const LARGEST_WINDOW: u64 = 256 << 10;

    /// How many blocks of zstd's a frame may have, each of at most 128 KiB. One of ours has one.
    const MOST_BLOCKS: usize = 8;

    /// Compresses one block after another.
    pub(crate) struct Compressor(());

    impl Compressor {
        /// Never fails; the other one can.
        pub(crate) fn new() -> Result<Compressor, StoreError> {
            Ok(Compressor(()))
        }

        /// Compresses `content` into `to` and returns how many bytes that are, or `None` if it does
        /// not fit.
        pub(crate) fn compress(&mut self, content: &[u8], to: &mut [u8]) -> Option<usize> {
            let frame = compress_to_vec(content, CompressionLevel::Fastest);
            to.get_mut(..frame.len())?.copy_from_slice(&frame);
            Some(frame.len())
        }
    }

    /// What a frame holds; `None` if it is none, or holds more than `length` bytes.
    pub(crate) fn decompress(mut frame: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(LARGEST_WINDOW);
        decoder.init(&mut frame).ok()?;
        let some = BlockDecodingStrategy::UptoBlocks(MOST_BLOCKS);
        decoder.decode_blocks(&mut frame, some).ok()?;
        let is_whole = decoder.is_finished() && frame.is_empty();
        if !is_whole || decoder.can_collect() > length {
            return None;
        }
        decoder.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::LARGEST;

    /// Blocks as sandboxes have them: little, zeros, noise, text, records.
    fn contents() -> Vec<Vec<u8>> {
        let largest = LARGEST as usize;
        let mut state = 1u64;
        let mut noise = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        let words: Vec<u8> = (0..)
            .flat_map(|n| format!("line {n} of a log\n").into_bytes())
            .take(largest)
            .collect();
        let records: Vec<u8> = (0..largest)
            .map(|at| {
                if at % 16 < 11 {
                    at as u8 & 0xf
                } else {
                    noise()
                }
            })
            .collect();
        vec![
            b"x".repeat(20),
            vec![0; largest],
            (0..largest).map(|_| noise()).collect(),
            (0..1000).map(|_| noise() & 3).collect(),
            words[..4096].to_vec(),
            words,
            records,
            include_bytes!("compression.rs").to_vec(),
        ]
    }

    /// The frame of some content, however large it gets.
    fn frame_by(
        compress: impl FnOnce(&[u8], &mut [u8]) -> Option<usize>,
        content: &[u8],
    ) -> Vec<u8> {
        let mut room = vec![0; content.len() + 1024];
        let length = compress(content, &mut room).unwrap();
        room.truncate(length);
        room
    }

    fn by_library(content: &[u8]) -> Vec<u8> {
        let mut compressor = library::Compressor::new().unwrap();
        frame_by(|content, to| compressor.compress(content, to), content)
    }

    fn portably(content: &[u8]) -> Vec<u8> {
        let mut compressor = portable::Compressor::new().unwrap();
        frame_by(|content, to| compressor.compress(content, to), content)
    }

    #[test]
    fn each_code_reads_what_the_other_wrote() {
        for content in contents() {
            for frame in [by_library(&content), portably(&content)] {
                for length in [content.len(), LARGEST as usize] {
                    assert_eq!(library::decompress(&frame, length).unwrap(), content);
                    assert_eq!(portable::decompress(&frame, length).unwrap(), content);
                }
                // One byte less is too little room.
                assert_eq!(library::decompress(&frame, content.len() - 1), None);
                assert_eq!(portable::decompress(&frame, content.len() - 1), None);
            }
        }
    }

    #[test]
    fn both_codes_make_what_repeats_smaller() {
        for content in [&contents()[1], &contents()[5]] {
            assert!(by_library(content).len() < content.len() / 2);
            assert!(portably(content).len() < content.len() / 2);
        }
    }

    #[test]
    fn what_does_not_fit_is_not_written() {
        let noise = &contents()[2];
        let mut room = vec![0; noise.len() - 1];
        let mut library = library::Compressor::new().unwrap();
        let mut portable = portable::Compressor::new().unwrap();
        assert_eq!(library.compress(noise, &mut room), None);
        assert_eq!(portable.compress(noise, &mut room), None);
        assert_eq!(portable.compress(noise, &mut []), None);
    }

    #[test]
    fn sn_02_the_portable_code_stops_at_bombs_too() {
        let bomb = zstd::bulk::compress(&vec![0; 64 << 20], 1).unwrap();
        assert_eq!(portable::decompress(&bomb, LARGEST as usize), None);
        // A frame that declares nothing and a window of 128 MiB, before any block of it is read.
        let wide = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x88, 1, 0, 0];
        assert_eq!(portable::decompress(&wide, LARGEST as usize), None);
        // A hundred blocks of one byte, 128 KiB times each.
        let mut repeated = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
        for last in (0..100).rev() {
            let header = (128u32 << 10) << 3 | 1 << 1 | u32::from(last == 0);
            repeated.extend_from_slice(&header.to_le_bytes()[..3]);
            repeated.push(7);
        }
        assert_eq!(portable::decompress(&repeated, LARGEST as usize), None);
    }

    #[test]
    fn sn_01_no_damage_makes_the_portable_code_panic() {
        for content in [&contents()[3], &contents()[4]] {
            for frame in [by_library(content), portably(content)] {
                for bit in 0..frame.len() * 8 {
                    let mut flipped = frame.clone();
                    flipped[bit / 8] ^= 1 << (bit % 8);
                    // Whatever it holds, the digest of the block decides.
                    let found = portable::decompress(&flipped, LARGEST as usize);
                    assert!(found.is_none_or(|found| found.len() <= LARGEST as usize));
                }
                for length in 0..frame.len() {
                    assert_eq!(
                        portable::decompress(&frame[..length], LARGEST as usize),
                        None
                    );
                }
                let followed = [&frame[..], b"x"].concat();
                assert_eq!(portable::decompress(&followed, LARGEST as usize), None);
            }
        }
    }
}
