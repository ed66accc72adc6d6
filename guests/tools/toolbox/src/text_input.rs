//! Input of the tools that read text: files or standard input, as blocks or as records.

use std::fs::File;
use std::io::{self, ErrorKind, Read};

use codepod_tool::{Arguments, Output, Stdin, complain, complain_of, path};

use crate::system;

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// A file or standard input, read through a buffer that grows with the longest record.
pub(crate) struct Input {
    file: Box<dyn Read>,
    buffer: Vec<u8>,
    /// What of the buffer is read and not used yet.
    start: usize,
    filled: usize,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(name: &[u8]) -> io::Result<Input> {
        Ok(match name {
            b"-" => Input::new(Box::new(Stdin)),
            _ => Input::new(Box::new(File::open(path(name))?)),
        })
    }

    fn new(file: Box<dyn Read>) -> Input {
        Input {
            file,
            buffer: vec![0; BLOCK],
            start: 0,
            filled: 0,
        }
    }

    /// The next block; none at the end.
    pub(crate) fn block(&mut self) -> io::Result<Option<&[u8]>> {
        if self.start == self.filled && !self.fill()? {
            return Ok(None);
        }
        let block = self.start..self.filled;
        self.start = self.filled;
        Ok(Some(&self.buffer[block]))
    }

    /// The next record with its last byte `end`, which the last record of a file may lack; none at
    /// the end.
    pub(crate) fn record(&mut self, end: u8) -> io::Result<Option<&[u8]>> {
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.start + searched..self.filled];
            let length = match memchr::memchr(end, rest) {
                Some(place) => searched + place + 1,
                None => {
                    searched += rest.len();
                    if self.fill()? {
                        continue;
                    }
                    searched
                }
            };
            let record = self.start..self.start + length;
            self.start = record.end;
            return Ok((length > 0).then(|| &self.buffer[record]));
        }
    }

    /// Reads more behind what is not used yet; whether there was more.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.file.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => {
                    let count = result?;
                    self.filled += count;
                    return Ok(count > 0);
                }
            }
        }
    }
}

/// A record without its last byte `end`.
pub(crate) fn without_end(record: &[u8], end: u8) -> &[u8] {
    record.strip_suffix(&[end]).unwrap_or(record)
}

/// The operands, or `-` where there are none.
pub(crate) fn or_standard_input(mut operands: Arguments) -> Arguments {
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    operands
}

/// Opens files one after another and hands each to `use_input`. Complains of those that cannot be
/// read, and returns the exit status.
pub(crate) fn each_file(
    tool: &str,
    names: &[Vec<u8>],
    out: &mut Output,
    mut use_input: impl FnMut(&mut Input, &mut Output) -> io::Result<()>,
) -> i32 {
    let mut status = 0;
    for name in names {
        let used = Input::open(name).and_then(|mut input| use_input(&mut input, out));
        if let Err(error) = used {
            out.write_out();
            complain_of(tool, name, &system::io_message(&error));
            status = 1;
        }
        if out.is_broken() {
            break;
        }
    }
    status
}

/// Writes the rest of the output. Returns `status`, or 1 after a complaint where writing failed.
pub(crate) fn finish(tool: &str, out: &mut Output, status: i32) -> i32 {
    match out.finish() {
        Ok(()) => status,
        Err(error) => {
            complain(tool, format!("write error: {}", system::io_message(&error)));
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_may_be_longer_than_a_block() {
        let long = vec![b'x'; 3 * BLOCK];
        let text = [b"a\n\n", &long[..], b"\nend"].concat();
        let mut input = Input::new(Box::new(io::Cursor::new(text)));
        assert_eq!(input.record(b'\n').unwrap(), Some(&b"a\n"[..]));
        assert_eq!(input.record(b'\n').unwrap(), Some(&b"\n"[..]));
        let record = input.record(b'\n').unwrap().unwrap();
        assert_eq!(without_end(record, b'\n'), long);
        assert_eq!(input.record(b'\n').unwrap(), Some(&b"end"[..]));
        assert_eq!(input.record(b'\n').unwrap(), None);
    }
}
