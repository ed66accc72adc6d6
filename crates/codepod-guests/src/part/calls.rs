//! Calls in machine code, as a packed part has them: by where they lead.
//!
//! A call says how far away its target is, so every call of a function is other bytes. Before a
//! part is packed, `cargo xtask parts` (`xtask/src/parts/calls.rs`) puts the target's place there,
//! and the same function packs as the same bytes; here that is taken back while the part is
//! unpacked.
//!
//! Nothing here knows which bytes are code: whatever looks like a call is changed and changed back,
//! files and images too. Whether the result is right the part's digest says.

use std::io::{self, Read};

/// How far from a part's beginning a target may be. Other calls stay as they are.
const FARTHEST: i32 = 1 << 29;

/// How many bytes are read at a time.
const BLOCK: usize = 64 << 10;

/// Reads a part whose calls say where they lead, as the part is.
pub(super) struct Relative<R> {
    from: R,
    turn_back: fn(&mut [u8], u32) -> usize,
    block: Vec<u8>,
    /// What of the block is done, and of that, what was given away.
    done: usize,
    given: usize,
    /// Where the block begins in the part.
    at: u32,
}

impl<R: Read> Relative<R> {
    /// For the processor that this program runs on.
    pub(super) fn new(from: R) -> Relative<R> {
        let turn_back = match cfg!(target_arch = "aarch64") {
            true => arm64,
            false => x86,
        };
        Relative {
            from,
            turn_back,
            block: Vec::with_capacity(BLOCK),
            done: 0,
            given: 0,
            at: 0,
        }
    }

    /// Makes more bytes ready; none are at the end.
    fn fill(&mut self) -> io::Result<()> {
        self.block.drain(..self.done);
        self.at = self.at.wrapping_add(self.done as u32);
        (self.done, self.given) = (0, 0);
        let room = BLOCK - self.block.len();
        let mut from = self.from.by_ref().take(room as u64);
        let more = from.read_to_end(&mut self.block)?;
        self.done = (self.turn_back)(&mut self.block, self.at);
        // A call that is not whole at the end is none.
        if more < room {
            self.done = self.block.len();
        }
        Ok(())
    }
}

impl<R: Read> Read for Relative<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.given == self.done {
            self.fill()?;
        }
        let given = (&self.block[self.given..self.done]).read(to)?;
        self.given += given;
        Ok(given)
    }
}

/// Turns back the calls of x86-64 (`call rel32`) in bytes that lie `at` in the part. Returns how
/// many bytes are done; the rest may begin a call.
fn x86(code: &mut [u8], at: u32) -> usize {
    let mut done = 0;
    while done + 5 <= code.len() {
        if code[done] != 0xe8 {
            done += 1;
            continue;
        }
        let Some((number, _)) = code[done + 1..].split_first_chunk_mut::<4>() else {
            break;
        };
        let here = at.wrapping_add(done as u32) as i32;
        let target = i32::from_le_bytes(*number);
        if (0..FARTHEST).contains(&target) {
            *number = target.wrapping_sub(here).to_le_bytes();
        } else if (here.wrapping_neg()..0).contains(&target) {
            *number = target.wrapping_add(FARTHEST).to_le_bytes();
        }
        done += 5;
    }
    done
}

/// Turns back the calls of arm64 (`bl`) in bytes that lie `at`, a multiple of four, in the part.
fn arm64(code: &mut [u8], at: u32) -> usize {
    let (words, _) = code.as_chunks_mut::<4>();
    let mut here = at / 4;
    for word in words.iter_mut() {
        let instruction = u32::from_le_bytes(*word);
        if instruction >> 26 == 0b10_0101 {
            let distance = instruction.wrapping_sub(here) & 0x03ff_ffff;
            *word = (0b10_0101 << 26 | distance).to_le_bytes();
        }
        here = here.wrapping_add(1);
    }
    words.len() * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads pieces of a few bytes.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let length = to.len().min(self.1);
            self.0.read(&mut to[..length])
        }
    }

    fn relative(packed: &[u8], turn_back: fn(&mut [u8], u32) -> usize, piece: usize) -> Vec<u8> {
        let mut reader = Relative {
            turn_back,
            ..Relative::new(Pieces(packed, piece))
        };
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        read
    }

    #[test]
    fn a_call_of_x86_names_its_distance_again() {
        // Two calls of what lies at 0x100, the second from 7; and one that leads out of the part.
        let packed = b"\xe8\0\x01\0\0\x90\x90\xe8\0\x01\0\0\xe8\xff\xff\xff\x7f\xe8\0";
        let code = b"\xe8\0\x01\0\0\x90\x90\xe8\xf9\0\0\0\xe8\xff\xff\xff\x7f\xe8\0";
        for piece in [1, 3, 100] {
            assert_eq!(relative(packed, x86, piece), code);
        }
        // What lay too far ahead was written as before the beginning.
        let ahead = relative(b"\x90\xe8\xff\xff\xff\xff", x86, 100);
        assert_eq!(ahead, b"\x90\xe8\xff\xff\xff\x1f");
    }

    #[test]
    fn a_call_of_arm64_names_its_distance_again() {
        let packed = b"\x10\0\0\x94\x10\0\0\x94\x10\0\0\x14\x10\0";
        let code = b"\x10\0\0\x94\x0f\0\0\x94\x10\0\0\x14\x10\0";
        for piece in [1, 3, 100] {
            assert_eq!(relative(packed, arm64, piece), code);
        }
    }

    #[test]
    fn calls_across_blocks_are_turned_back() {
        let mut packed = vec![0x90; BLOCK - 3];
        packed.extend_from_slice(b"\xe8\0\0\0\0\x90");
        let mut code = packed.clone();
        let distance = -(BLOCK as i32 - 3);
        code[BLOCK - 2..BLOCK + 2].copy_from_slice(&distance.to_le_bytes());
        assert_eq!(relative(&packed, x86, 1 << 20), code);
    }

    #[test]
    fn every_sequence_of_bytes_can_be_read() {
        for turn_back in [x86, arm64] {
            for byte in [0, 0x80, 0xe8, 0x94, 0x97, 0xff] {
                let bytes = vec![byte; 3 * BLOCK + 1];
                assert_eq!(relative(&bytes, turn_back, 1 << 20).len(), bytes.len());
            }
        }
    }
}
