//! What unzip says, and where the line stands.

use std::io::{self, Write as _};

use codepod_tool::Output;

/// Standard output and standard error.
pub(crate) struct Console {
    out: Output,
    /// Whether the next byte begins a line.
    at_start: bool,
    /// Whether messages go to standard output, as they do when an archive is tested.
    pub(crate) errors_to_stdout: bool,
}

impl Console {
    /// Nothing was said yet.
    pub(crate) fn new() -> Console {
        Console {
            out: Output::new(),
            at_start: true,
            errors_to_stdout: false,
        }
    }

    /// Says something on standard output.
    pub(crate) fn out(&mut self, text: &[u8]) {
        self.out.put(text);
        self.note(text);
    }

    /// Says something on standard error.
    pub(crate) fn error(&mut self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        if self.errors_to_stdout {
            self.out(text);
            return;
        }
        self.flush();
        // Where standard error is gone there is nobody to tell.
        let _ = io::stderr().write_all(text);
        self.note(text);
    }

    /// Prints an error on a line of its own.
    pub(crate) fn error_line(&mut self, text: impl AsRef<[u8]>) {
        if !self.at_start {
            self.error("\n");
        }
        self.error(text);
    }

    /// Data of an entry: they say nothing about lines.
    pub(crate) fn data(&mut self, bytes: &[u8]) {
        self.out.put(bytes);
    }

    /// Whether standard output is gone.
    pub(crate) fn is_broken(&self) -> bool {
        self.out.is_broken()
    }

    /// Writes what was collected.
    pub(crate) fn flush(&mut self) {
        self.out.write_out();
    }

    /// Writes the rest. Fails with the first error there was.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.finish()
    }

    fn note(&mut self, text: &[u8]) {
        if let Some(last) = text.last() {
            self.at_start = *last == b'\n';
        }
    }
}

/// A line of standard input, with its newline; none at the end.
pub(crate) fn answer() -> Option<Vec<u8>> {
    let mut line = Vec::new();
    match io::BufRead::read_until(&mut io::stdin().lock(), b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}

/// A name in a column of 22 bytes.
pub(crate) fn padded(name: &[u8]) -> Vec<u8> {
    let mut out = name.to_vec();
    while out.len() < 22 {
        out.push(b' ');
    }
    out
}
