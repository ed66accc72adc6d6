//! `-S`: strings that end with NUL.

use codepod_tool::Output;

use super::dump::Address;
use super::input::{BLOCK, Input};

/// How strings are searched for.
pub(super) struct Strings {
    /// The length of the shortest string.
    pub(super) least: u64,
    /// The address of the first byte.
    pub(super) start: u64,
    /// The address behind the last byte. A string may end there without NUL.
    pub(super) end: Option<u64>,
    pub(super) address: Address,
}

impl Strings {
    /// Prints every string with its address.
    pub(super) fn dump(&self, input: &mut Input<'_>, out: &mut Output) {
        let least = self.least as usize;
        let mut bytes = Bytes::new(input);
        let mut address = self.start;
        let mut text = Vec::new();
        while self.has_room(address) && !out.is_broken() {
            let start = address;
            text.clear();
            let is_string = loop {
                if text.len() >= least && self.end.is_some_and(|end| address >= end) {
                    break true;
                }
                let Some(byte) = bytes.next(out) else { return };
                address += 1;
                match byte {
                    b' '..=b'~' => text.push(byte),
                    0 if text.len() >= least => break true,
                    _ => break false,
                }
            };
            if is_string {
                self.address.put(start, Some(b' '), out);
                text.push(b'\n');
                out.put(&text);
            }
        }
    }

    /// Whether a string and its NUL fit before the end.
    fn has_room(&self, address: u64) -> bool {
        self.end.is_none_or(|end| {
            end.checked_sub(self.least)
                .is_some_and(|last| last > address)
        })
    }
}

/// The input byte by byte.
struct Bytes<'a, 'b> {
    input: &'a mut Input<'b>,
    buffer: Vec<u8>,
    at: usize,
    filled: usize,
}

impl<'a, 'b> Bytes<'a, 'b> {
    fn new(input: &'a mut Input<'b>) -> Bytes<'a, 'b> {
        Bytes {
            input,
            buffer: vec![0; BLOCK],
            at: 0,
            filled: 0,
        }
    }

    #[inline]
    fn next(&mut self, out: &mut Output) -> Option<u8> {
        if self.at == self.filled {
            self.filled = self.input.read(&mut self.buffer, out);
            self.at = 0;
            if self.filled == 0 {
                return None;
            }
        }
        self.at += 1;
        Some(self.buffer[self.at - 1])
    }
}
