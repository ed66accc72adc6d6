//! Random numbers below a bound, from random bytes.
//!
//! The bytes come from a file, or from a generator with a random start. Nothing of them is wasted:
//! what a number leaves over of its bytes goes into the next one. GNU's does it the same way, so
//! the same file gives the same numbers.

use std::fs::File;
use std::io::{self, BufReader, Read};

use codepod_tool::{Stop, io_text, path, quoted_if_needed, quoted_text};

use crate::system;

/// A source of random numbers.
pub(super) struct Random {
    bytes: Bytes,
    /// A random number that is left over from the bytes so far, and the largest it could be.
    number: u64,
    largest: u64,
}

enum Bytes {
    File(Vec<u8>, BufReader<File>),
    Generator(Generator),
}

impl Random {
    /// The bytes of a file, or of the generator. Fails with GNU's message.
    pub(super) fn open(file: Option<&[u8]>) -> Result<Random, Stop> {
        let bytes = match file {
            None => Bytes::Generator(Generator::new()),
            Some(name) => match File::open(path(name)) {
                Ok(file) => Bytes::File(name.to_vec(), BufReader::new(file)),
                Err(error) => {
                    let shown = quoted_if_needed(name);
                    let why = io_text(&error);
                    return Err(Stop::failed([&shown[..], b": ", why.as_bytes()].concat()));
                }
            },
        };
        Ok(Random {
            bytes,
            number: 0,
            largest: 0,
        })
    }

    /// A number below `bound`, which is not 0. Fails where the file has no more bytes.
    pub(super) fn below(&mut self, bound: u64) -> Result<u64, Stop> {
        let wanted = bound - 1;
        loop {
            while self.largest < wanted {
                let byte = u64::from(self.byte()?);
                self.number = self.number << 8 | byte;
                self.largest = self.largest << 8 | 0xff;
            }
            if self.largest == wanted {
                let number = self.number;
                (self.number, self.largest) = (0, 0);
                return Ok(number);
            }
            // Of the numbers up to the largest, the last few would make some results likelier.
            let excess = self.largest - wanted;
            let unusable = excess % bound;
            let last_usable = self.largest - unusable;
            if self.number <= last_usable {
                let result = self.number % bound;
                self.number /= bound;
                self.largest = excess / bound;
                return Ok(result);
            }
            // It is one of those: that is random, too.
            self.number -= last_usable + 1;
            self.largest = unusable - 1;
        }
    }

    fn byte(&mut self) -> Result<u8, Stop> {
        let (name, file) = match &mut self.bytes {
            Bytes::Generator(generator) => return Ok(generator.byte()),
            Bytes::File(name, file) => (name, file),
        };
        let mut byte = [0];
        file.read_exact(&mut byte).map_err(|error| {
            let why = match error.kind() {
                io::ErrorKind::UnexpectedEof => ": end of file".to_owned(),
                _ => format!(": read error: {}", io_text(&error)),
            };
            Stop::failed([&quoted_text(name)[..], why.as_bytes()].concat())
        })?;
        Ok(byte[0])
    }
}

/// The generator xoshiro256++: quick, and good enough for an order of lines.
struct Generator {
    state: [u64; 4],
    /// What is left of the last number, and how many bytes that is.
    rest: u64,
    left: u32,
}

impl Generator {
    fn new() -> Generator {
        let word = || u64::from(system::random()) << 32 | u64::from(system::random());
        Generator {
            // It must not be zero altogether.
            state: [word(), word(), word(), word() | 1],
            rest: 0,
            left: 0,
        }
    }

    fn byte(&mut self) -> u8 {
        if self.left == 0 {
            self.rest = self.next();
            self.left = 8;
        }
        let byte = self.rest as u8;
        self.rest >>= 8;
        self.left -= 1;
        byte
    }

    fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }
}
