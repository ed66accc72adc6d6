//! Random bytes: from a generator, or from the file of `--random-source`.

use std::fs::File;
use std::io::{self, Read as _};

use codepod_tool::{errno_text, quoted_if_needed, quoted_text};

use crate::{paths, system};

/// Where random bytes come from.
pub(super) enum Random {
    /// A generator, seeded by the kernel.
    Generator(u64),
    File {
        file: File,
        name: Vec<u8>,
    },
}

impl Random {
    /// A generator with a seed of its own.
    pub(super) fn new() -> Random {
        let seed = u64::from(system::random()) << 32 | u64::from(system::random());
        Random::Generator(seed)
    }

    /// The bytes of a file. Fails when it cannot be opened.
    pub(super) fn from_file(name: &[u8]) -> Result<Random, Vec<u8>> {
        match paths::open(name) {
            Ok(file) => Ok(Random::File {
                file,
                name: name.to_vec(),
            }),
            Err(errno) => {
                let why = errno_text(errno).as_bytes();
                Err([&quoted_if_needed(name)[..], b": ", why].concat())
            }
        }
    }

    /// Fills `bytes`. Fails at the end of the file.
    pub(super) fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Vec<u8>> {
        match self {
            Random::Generator(state) => {
                for chunk in bytes.chunks_mut(8) {
                    let number = next(state).to_le_bytes();
                    chunk.copy_from_slice(&number[..chunk.len()]);
                }
                Ok(())
            }
            Random::File { file, name } => file.read_exact(bytes).map_err(|error| {
                if error.kind() == io::ErrorKind::UnexpectedEof {
                    return [&quoted_text(name)[..], b": end of file"].concat();
                }
                let why = system::io_message(&error);
                [&quoted_text(name)[..], b": read error: ", why.as_bytes()].concat()
            }),
        }
    }
}

/// The next number of the generator SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut number = *state;
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
