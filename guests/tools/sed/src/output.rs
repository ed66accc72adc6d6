//! Where lines go: standard output, files of `w`, the new form of a file that is edited in place.

use std::fs::File;
use std::io::{self, Write as _};

use codepod_tool::Output;

/// A place to write to. A line that had no end gets one when another follows.
pub(crate) struct Sink {
    to: To,
    lacks_end: bool,
}

enum To {
    Stdout(Output),
    Stderr,
    File(File, Vec<u8>),
    Memory(Vec<u8>),
}

/// How much is collected for a file.
const CAPACITY: usize = 32 << 10;

impl Sink {
    pub(crate) fn stdout(by_line: bool) -> Sink {
        let output = Output::new();
        Sink::new(To::Stdout(if by_line { output.by_line() } else { output }))
    }

    pub(crate) fn stderr() -> Sink {
        Sink::new(To::Stderr)
    }

    pub(crate) fn file(file: File) -> Sink {
        Sink::new(To::File(file, Vec::new()))
    }

    pub(crate) fn memory() -> Sink {
        Sink::new(To::Memory(Vec::new()))
    }

    fn new(to: To) -> Sink {
        Sink {
            to,
            lacks_end: false,
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        match &mut self.to {
            To::Stdout(output) => output.put(bytes),
            // Where standard error is gone there is nobody to tell.
            To::Stderr => drop(io::stderr().write_all(bytes)),
            To::File(_, buffer) => {
                buffer.extend_from_slice(bytes);
                if buffer.len() > CAPACITY {
                    self.write_out();
                }
            }
            To::Memory(buffer) => buffer.extend_from_slice(bytes),
        }
    }

    /// Writes a line, with its end if it had one.
    pub(crate) fn line(&mut self, text: &[u8], ended: bool, end: u8) {
        self.end_last(end);
        self.put(text);
        if ended {
            self.put(&[end]);
        } else {
            self.lacks_end = true;
        }
    }

    /// Ends the last line, if it had no end.
    pub(crate) fn end_last(&mut self, end: u8) {
        if std::mem::take(&mut self.lacks_end) {
            self.put(&[end]);
        }
    }

    /// Writes what was collected.
    pub(crate) fn write_out(&mut self) {
        match &mut self.to {
            To::Stdout(output) => output.write_out(),
            To::File(file, buffer) => {
                // An error shows when the file is closed: there is no message for it before.
                let _ = file.write_all(buffer);
                buffer.clear();
            }
            To::Stderr | To::Memory(_) => {}
        }
    }

    /// Writes the rest. Fails with the first error there was.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stdout(output) => output.finish(),
            To::File(file, buffer) => {
                let result = file.write_all(buffer);
                buffer.clear();
                result
            }
            To::Stderr | To::Memory(_) => Ok(()),
        }
    }

    /// What was collected in memory.
    pub(crate) fn into_memory(self) -> Vec<u8> {
        match self.to {
            To::Memory(buffer) => buffer,
            _ => Vec::new(),
        }
    }

    /// Whether writing has failed.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(&self.to, To::Stdout(output) if output.is_broken())
    }
}
