//! Standard output with a buffer.

use std::io::{self, Write};

/// How much is collected before it is written.
const CAPACITY: usize = 32 << 10;

/// Standard output. Collects what is written; [`Output::finish`] writes the rest and tells whether
/// all of it got out.
#[derive(Debug)]
pub struct Output {
    buffer: Vec<u8>,
    /// The first error; after it nothing is written any more.
    failed: Option<io::Error>,
    by_line: bool,
}

impl Default for Output {
    fn default() -> Output {
        Output::new()
    }
}

impl Output {
    /// An empty one.
    pub fn new() -> Output {
        Output {
            buffer: Vec::with_capacity(CAPACITY),
            failed: None,
            by_line: false,
        }
    }

    /// Writes at the end of every line instead of when the buffer is full.
    pub fn by_line(mut self) -> Output {
        self.by_line = true;
        self
    }

    /// Adds bytes.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        if self.buffer.len() + bytes.len() > CAPACITY {
            self.write_out();
            if bytes.len() > CAPACITY {
                self.write(bytes);
                return;
            }
        }
        self.buffer.extend_from_slice(bytes);
        if self.by_line && bytes.last() == Some(&b'\n') {
            self.write_out();
        }
    }

    /// Adds one byte.
    #[inline]
    pub fn put_byte(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    /// Whether writing has failed: a tool with endless output stops then.
    pub fn is_broken(&self) -> bool {
        self.failed.is_some()
    }

    /// Writes what was collected.
    pub fn write_out(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        self.write(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_none() && !bytes.is_empty() {
            // Past std's own buffer, which would only look for newlines.
            let result = codepod_sys::descriptor::write_all(codepod_sys::Fd::STDOUT, bytes);
            #[cfg(not(target_os = "wasi"))]
            let result = result.or_else(|_| {
                let written = io::stdout()
                    .write_all(bytes)
                    .and_then(|()| io::stdout().flush());
                written.map_err(|_| codepod_sys::Errno::Io)
            });
            if let Err(errno) = result {
                self.failed = Some(codepod_sys::io_error(errno));
            }
        }
    }

    /// Writes the rest. Fails with the first error there was.
    pub fn finish(&mut self) -> io::Result<()> {
        self.write_out();
        self.failed.take().map_or(Ok(()), Err)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_out();
        Ok(())
    }
}
