//! The algorithms: their names, how long their sums are, and sums that are being computed.

use sha2::Digest as _;

use super::plain::{Bsd, Crc, Sysv};
use super::sm3::Sm3;

/// The longest BLAKE2b sum, in bits.
pub(super) const BLAKE2B_BITS: usize = 512;

/// A way to compute sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    Bsd,
    Sysv,
    Crc,
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Blake2b,
    Sm3,
}

/// What `cksum -a` takes.
pub(super) const ALGORITHMS: [(&str, Algorithm); 11] = [
    ("bsd", Algorithm::Bsd),
    ("sysv", Algorithm::Sysv),
    ("crc", Algorithm::Crc),
    ("md5", Algorithm::Md5),
    ("sha1", Algorithm::Sha1),
    ("sha224", Algorithm::Sha224),
    ("sha256", Algorithm::Sha256),
    ("sha384", Algorithm::Sha384),
    ("sha512", Algorithm::Sha512),
    ("blake2b", Algorithm::Blake2b),
    ("sm3", Algorithm::Sm3),
];

impl Algorithm {
    /// The algorithm that a tool computes unless it is told otherwise.
    pub(super) fn of(tool: &str) -> Algorithm {
        match tool {
            "md5sum" => Algorithm::Md5,
            "sha1sum" => Algorithm::Sha1,
            "sha224sum" => Algorithm::Sha224,
            "sha256sum" => Algorithm::Sha256,
            "sha384sum" => Algorithm::Sha384,
            "sha512sum" => Algorithm::Sha512,
            "b2sum" => Algorithm::Blake2b,
            _ => Algorithm::Crc,
        }
    }

    /// Its name in lines with `--tag` and in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Algorithm::Bsd => "BSD",
            Algorithm::Sysv => "SYSV",
            Algorithm::Crc => "CRC",
            Algorithm::Md5 => "MD5",
            Algorithm::Sha1 => "SHA1",
            Algorithm::Sha224 => "SHA224",
            Algorithm::Sha256 => "SHA256",
            Algorithm::Sha384 => "SHA384",
            Algorithm::Sha512 => "SHA512",
            Algorithm::Blake2b => "BLAKE2b",
            Algorithm::Sm3 => "SM3",
        }
    }

    /// Whether its sums are a number and a size, which cannot be checked by a list.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Algorithm::Bsd | Algorithm::Sysv | Algorithm::Crc)
    }

    /// The length of its sums.
    pub(super) fn bits(self) -> usize {
        match self {
            Algorithm::Bsd | Algorithm::Sysv => 16,
            Algorithm::Crc => 32,
            Algorithm::Md5 => 128,
            Algorithm::Sha1 => 160,
            Algorithm::Sha224 => 224,
            Algorithm::Sha256 | Algorithm::Sm3 => 256,
            Algorithm::Sha384 => 384,
            Algorithm::Sha512 | Algorithm::Blake2b => 512,
        }
    }

    /// The sum of nothing, to which bytes are added; `bits` is the length of a BLAKE2b sum.
    pub(super) fn start(self, bits: usize) -> State {
        match self {
            Algorithm::Bsd => State::Bsd(Bsd::default()),
            Algorithm::Sysv => State::Sysv(Sysv::default()),
            Algorithm::Crc => State::Crc(Crc::default()),
            Algorithm::Md5 => State::Md5(md5::Md5::new()),
            Algorithm::Sha1 => State::Sha1(sha1::Sha1::new()),
            Algorithm::Sha224 => State::Sha224(sha2::Sha224::new()),
            Algorithm::Sha256 => State::Sha256(sha2::Sha256::new()),
            Algorithm::Sha384 => State::Sha384(sha2::Sha384::new()),
            Algorithm::Sha512 => State::Sha512(sha2::Sha512::new()),
            Algorithm::Blake2b => {
                let params = blake2b_simd::Params::new().hash_length(bits / 8).to_state();
                State::Blake2b(Box::new(params))
            }
            Algorithm::Sm3 => State::Sm3(Sm3::new()),
        }
    }
}

/// A sum that is being computed.
pub(super) enum State {
    Bsd(Bsd),
    Sysv(Sysv),
    Crc(Crc),
    Md5(md5::Md5),
    Sha1(sha1::Sha1),
    Sha224(sha2::Sha224),
    Sha256(sha2::Sha256),
    Sha384(sha2::Sha384),
    Sha512(sha2::Sha512),
    Blake2b(Box<blake2b_simd::State>),
    Sm3(Sm3),
}

impl State {
    /// Adds bytes to what is summed.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        match self {
            State::Bsd(state) => state.add(bytes),
            State::Sysv(state) => state.add(bytes),
            State::Crc(state) => state.add(bytes),
            State::Md5(state) => state.update(bytes),
            State::Sha1(state) => state.update(bytes),
            State::Sha224(state) => state.update(bytes),
            State::Sha256(state) => state.update(bytes),
            State::Sha384(state) => state.update(bytes),
            State::Sha512(state) => state.update(bytes),
            State::Blake2b(state) => {
                state.update(bytes);
            }
            State::Sm3(state) => state.add(bytes),
        }
    }

    /// The sum as it is printed: in hexadecimal digits, or a number and a size.
    pub(super) fn finish(self) -> Vec<u8> {
        match self {
            State::Bsd(state) => state.finish().into_bytes(),
            State::Sysv(state) => state.finish().into_bytes(),
            State::Crc(state) => state.finish().into_bytes(),
            State::Md5(state) => hexadecimal(&state.finalize()),
            State::Sha1(state) => hexadecimal(&state.finalize()),
            State::Sha224(state) => hexadecimal(&state.finalize()),
            State::Sha256(state) => hexadecimal(&state.finalize()),
            State::Sha384(state) => hexadecimal(&state.finalize()),
            State::Sha512(state) => hexadecimal(&state.finalize()),
            State::Blake2b(state) => hexadecimal(state.finalize().as_bytes()),
            State::Sm3(state) => hexadecimal(&state.finish()),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| {
        [
            DIGITS[usize::from(byte >> 4)],
            DIGITS[usize::from(byte & 15)],
        ]
    });
    digits.collect()
}
