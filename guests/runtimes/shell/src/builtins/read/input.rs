//! The bytes that `read` takes: not one beyond the delimiter or the count.

use std::time::Duration;

use codepod_sys::{Errno, Fd, clock, descriptor, poll};

use crate::flow::Run;
use crate::shell::Shell;
use crate::traps;

/// How much is asked for first: most lines are short.
const SMALL: usize = 256;
/// How much is asked for after that.
const LARGE: usize = 16384;

/// Why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// At the delimiter, or with all the characters that were asked for.
    Delimiter,
    /// At the end of the input.
    Input,
    /// The time was up.
    Time,
}

/// What is read, and how.
pub(super) struct Input {
    pub(super) fd: Fd,
    /// Backslashes are characters like any other.
    pub(super) raw: bool,
    pub(super) delimiter: u8,
    /// How many characters are wanted.
    pub(super) count: Option<usize>,
    /// The delimiter is a character like any other.
    pub(super) exact: bool,
    /// When to give up, on the monotonic clock.
    pub(super) deadline: Option<Duration>,
    /// What was read, without the delimiter, NULs and backslashes.
    pub(super) text: Vec<u8>,
    /// Where in it bytes are that a backslash stood before.
    pub(super) escapes: Vec<usize>,
}

impl Input {
    /// Reads.
    pub(super) fn read(&mut self, shell: &mut Shell) -> Run<Result<End, Errno>> {
        if self.count == Some(0) {
            return Ok(Ok(End::Delimiter));
        }
        let mut small = [0u8; SMALL];
        let mut large = Vec::new();
        let mut escaped = false;
        let mut counted = Counted::default();
        loop {
            let buffer = if large.is_empty() {
                &mut small[..]
            } else {
                &mut large[..]
            };
            // Every character that is still wanted has at least one byte.
            let room = self
                .count
                .map_or(usize::MAX, |count| count - counted.characters);
            let room = room.min(buffer.len());
            let buffer = &mut buffer[..room];
            let got = match self.some(buffer) {
                Ok(Some(got)) => got,
                Ok(None) => return Ok(Ok(End::Time)),
                Err(Errno::Intr) => {
                    traps::check(shell)?;
                    continue;
                }
                Err(errno) => return Ok(Err(errno)),
            };
            if got == 0 {
                return Ok(Ok(End::Input));
            }
            if self.take(&buffer[..got], &mut escaped) {
                return Ok(Ok(End::Delimiter));
            }
            if let Some(count) = self.count {
                counted.go_on(&self.text);
                if counted.characters >= count {
                    return Ok(Ok(End::Delimiter));
                }
            } else if large.is_empty() {
                large = vec![0; LARGE];
            }
        }
    }

    /// Some bytes, up to a delimiter; none when the time is up.
    fn some(&self, buffer: &mut [u8]) -> Result<Option<usize>, Errno> {
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_sub(clock::now_monotonic());
            if left.is_zero() || !poll::readable(self.fd, Some(left))? {
                return Ok(None);
            }
        }
        if self.exact {
            descriptor::read(self.fd, buffer).map(Some)
        } else {
            descriptor::read_until(self.fd, buffer, self.delimiter).map(Some)
        }
    }

    /// Adds bytes; true when the delimiter has ended it.
    fn take(&mut self, bytes: &[u8], escaped: &mut bool) -> bool {
        let (last, body) = match bytes.split_last() {
            Some((last, body)) if *last == self.delimiter && !self.exact => (true, body),
            _ => (false, bytes),
        };
        let plain = |byte: &u8| *byte != 0 && (self.raw || *byte != b'\\');
        if !*escaped && body.iter().all(plain) {
            self.text.extend_from_slice(body);
            return last;
        }
        for byte in bytes {
            match *byte {
                // NULs are dropped, except as the delimiter.
                0 if self.delimiter != 0 || self.exact => {}
                b'\n' if *escaped => *escaped = false,
                byte if *escaped => {
                    *escaped = false;
                    self.escapes.push(self.text.len());
                    self.text.push(byte);
                }
                b'\\' if !self.raw => *escaped = true,
                byte if byte == self.delimiter && !self.exact => return true,
                0 => {}
                byte => self.text.push(byte),
            }
        }
        false
    }
}

/// How far characters have been counted.
#[derive(Default)]
struct Counted {
    bytes: usize,
    characters: usize,
}

impl Counted {
    /// Counts on. Bytes that are no UTF-8 count one each; the start of a character at the end waits
    /// for its rest.
    fn go_on(&mut self, text: &[u8]) {
        let mut chunks = text[self.bytes..].utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.characters += chunk.valid().chars().count();
            self.bytes += chunk.valid().len();
            let bad = chunk.invalid();
            if !bad.is_empty() && (chunks.peek().is_some() || !is_start(bad)) {
                self.characters += bad.len();
                self.bytes += bad.len();
            }
        }
    }
}

/// Whether more bytes could make it a character.
fn is_start(bytes: &[u8]) -> bool {
    let length = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return false,
    };
    bytes.len() < length
}
