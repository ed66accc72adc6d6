//! Pieces of so many lines or bytes, however long the input is.

use codepod_tool::Stop;
use memchr::memchr;

use super::input::{BLOCK, Input};
use super::sink::Sinks;

/// Pieces of `count` lines.
pub(super) fn lines(
    input: &mut Input,
    count: u64,
    separator: u8,
    sinks: &mut Sinks,
) -> Result<(), Stop> {
    let mut buffer = vec![0; BLOCK];
    let mut left = count;
    loop {
        let block = input.read(&mut buffer)?;
        if block.is_empty() {
            return Ok(());
        }
        let mut start = 0;
        for found in memchr::memchr_iter(separator, block) {
            left -= 1;
            if left == 0 {
                sinks.put(&block[start..=found])?;
                sinks.end();
                start = found + 1;
                left = count;
            }
        }
        if start < block.len() {
            sinks.put(&block[start..])?;
        }
    }
}

/// Pieces of `count` bytes.
pub(super) fn bytes(input: &mut Input, count: u64, sinks: &mut Sinks) -> Result<(), Stop> {
    let mut buffer = vec![0; BLOCK];
    let mut left = count;
    loop {
        let mut block = input.read(&mut buffer)?;
        if block.is_empty() {
            return Ok(());
        }
        while !block.is_empty() {
            let (part, rest) = block.split_at(at_most(left, block.len()));
            sinks.put(part)?;
            left -= part.len() as u64;
            if left == 0 {
                sinks.end();
                left = count;
            }
            block = rest;
        }
    }
}

/// So many bytes, but no more than there are.
pub(super) fn at_most(count: u64, length: usize) -> usize {
    usize::try_from(count).map_or(length, |count| count.min(length))
}

/// Pieces of whole lines, each of at most `most` bytes. Only longer lines are cut.
pub(super) fn line_bytes(
    input: &mut Input,
    most: u64,
    separator: u8,
    sinks: &mut Sinks,
) -> Result<(), Stop> {
    let mut lines = LineBytes {
        most,
        written: 0,
        in_line: false,
        held: Vec::new(),
    };
    let mut buffer = vec![0; BLOCK];
    loop {
        let mut block = input.read(&mut buffer)?;
        if block.is_empty() {
            return lines.release(sinks);
        }
        while !block.is_empty() {
            let end = memchr(separator, block).map(|found| found + 1);
            let (part, rest) = block.split_at(end.unwrap_or(block.len()));
            lines.add(part, end.is_some(), sinks)?;
            block = rest;
        }
    }
}

struct LineBytes {
    most: u64,
    /// The bytes of the piece.
    written: u64,
    /// Whether the piece ends within a line that began at its start, or was cut.
    in_line: bool,
    /// The beginning of a line of which nobody knows yet whether it fits behind the others.
    held: Vec<u8>,
}

impl LineBytes {
    /// Adds a part of a line; `ends` says whether it is the last.
    fn add(&mut self, part: &[u8], ends: bool, sinks: &mut Sinks) -> Result<(), Stop> {
        if self.written == 0 || self.in_line {
            return self.write(part, ends, sinks);
        }
        let length = (self.held.len() + part.len()) as u64;
        if length > self.most - self.written {
            // It does not fit: the line begins the next piece.
            sinks.end();
            self.written = 0;
            self.release(sinks)?;
            return self.write(part, ends, sinks);
        }
        if !ends {
            self.held.extend_from_slice(part);
            return Ok(());
        }
        self.release(sinks)?;
        self.write(part, ends, sinks)
    }

    /// Writes what was held.
    fn release(&mut self, sinks: &mut Sinks) -> Result<(), Stop> {
        if self.held.is_empty() {
            return Ok(());
        }
        let held = std::mem::take(&mut self.held);
        self.write(&held, false, sinks)
    }

    /// Writes a part of a line, into more pieces where one is full.
    fn write(&mut self, mut part: &[u8], ends: bool, sinks: &mut Sinks) -> Result<(), Stop> {
        while !part.is_empty() {
            if self.written == self.most {
                sinks.end();
                self.written = 0;
            }
            let (now, rest) = part.split_at(at_most(self.most - self.written, part.len()));
            sinks.put(now)?;
            self.written += now.len() as u64;
            part = rest;
        }
        self.in_line = !ends;
        Ok(())
    }
}
