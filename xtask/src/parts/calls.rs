//! Calls in machine code, written so that they pack well: by where they lead.
//!
//! A call says how far away its target is, so every call of a function is other bytes. Here it gets
//! the target's place in the part; the program takes that back when it unpacks the part
//! (`codepod-guests/src/part/calls.rs`). Packed machine code is a twentieth smaller so.

/// How far from a part's beginning a target may be, as the program has it.
const FARTHEST: i32 = 1 << 29;

/// The processors that parts are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processor {
    X86,
    Arm64,
}

/// Writes the target's place into every call of a part, and into whatever looks like one.
pub(super) fn absolute(processor: Processor, part: &mut [u8]) {
    match processor {
        Processor::X86 => x86(part),
        Processor::Arm64 => arm64(part),
    }
}

/// `call rel32`.
fn x86(part: &mut [u8]) {
    let mut here = 0;
    while here + 5 <= part.len() {
        if part[here] != 0xe8 {
            here += 1;
            continue;
        }
        if let Some((number, _)) = part[here + 1..].split_first_chunk_mut::<4>() {
            let from = here as i32;
            let distance = i32::from_le_bytes(*number);
            // What leads out of the part at its end takes the numbers of what leads out at its
            // beginning, so that each number stands for one distance.
            if (-from..FARTHEST - from).contains(&distance) {
                *number = (from + distance).to_le_bytes();
            } else if (FARTHEST - from..FARTHEST).contains(&distance) {
                *number = (distance - FARTHEST).to_le_bytes();
            }
        }
        here += 5;
    }
}

/// `bl`.
fn arm64(part: &mut [u8]) {
    let (words, _) = part.as_chunks_mut::<4>();
    for (here, word) in words.iter_mut().enumerate() {
        let instruction = u32::from_le_bytes(*word);
        if instruction >> 26 == 0b10_0101 {
            let place = instruction.wrapping_add(here as u32) & 0x03ff_ffff;
            *word = (0b10_0101 << 26 | place).to_le_bytes();
        }
    }
}

#[cfg(test)]
#[path = "../../../crates/codepod-guests/src/part/calls.rs"]
mod program;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_takes_back_what_is_written_here() {
        let processor = match cfg!(target_arch = "aarch64") {
            true => Processor::Arm64,
            false => Processor::X86,
        };
        // Many calls, near and far, and some that are not whole.
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as u8
        };
        let bytes: Vec<u8> = (0..1_000_001)
            .map(|_| match random() {
                byte if byte < 80 => [0, 0xff, 0x1f, 0xe8, 0x94, 0x97][byte as usize % 6],
                _ => random(),
            })
            .collect();
        let packed = written(processor, &bytes);
        assert_ne!(packed, bytes);
        let mut read = Vec::new();
        let mut reader = program::Relative::new(&packed[..]);
        std::io::Read::read_to_end(&mut reader, &mut read).unwrap();
        assert!(read == bytes);
    }

    fn written(processor: Processor, code: &[u8]) -> Vec<u8> {
        let mut part = code.to_vec();
        absolute(processor, &mut part);
        part
    }

    // The same bytes as in the program's test, the other way round.
    #[test]
    fn calls_of_a_function_are_the_same_bytes() {
        let code = b"\xe8\0\x01\0\0\x90\x90\xe8\xf9\0\0\0\xe8\xff\xff\xff\x7f\xe8\0";
        let packed = b"\xe8\0\x01\0\0\x90\x90\xe8\0\x01\0\0\xe8\xff\xff\xff\x7f\xe8\0";
        assert_eq!(written(Processor::X86, code), packed);
        let ahead = written(Processor::X86, b"\x90\xe8\xff\xff\xff\x1f");
        assert_eq!(ahead, b"\x90\xe8\xff\xff\xff\xff");
        let code = b"\x10\0\0\x94\x0f\0\0\x94\x10\0\0\x14\x10\0";
        let packed = b"\x10\0\0\x94\x10\0\0\x94\x10\0\0\x14\x10\0";
        assert_eq!(written(Processor::Arm64, code), packed);
    }
}
