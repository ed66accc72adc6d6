//! Input: files and standard input, in blocks and line by line.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

use codepod_tool::{io_text, quoted_if_needed};

/// How much is read at once.
pub(crate) const BLOCK: usize = 256 << 10;
/// How much is read at first: most files are small, and memory that nothing has touched yet costs
/// time.
pub(crate) const FIRST_BLOCK: usize = 8 << 10;

/// A file or standard input.
#[derive(Debug)]
pub(crate) enum Source {
    Standard,
    File(File),
    /// Text that is here already.
    Text(io::Cursor<Vec<u8>>),
}

impl Source {
    /// Opens a file; `-` is standard input. Fails with the message for the user.
    pub(crate) fn open(name: &OsStr) -> Result<Source, String> {
        if name == "-" {
            return Ok(Source::Standard);
        }
        match File::open(name) {
            Ok(file) => Ok(Source::File(file)),
            Err(error) => Err(format!(
                "cannot read: {}: {}",
                String::from_utf8_lossy(&quoted_if_needed(name.as_encoded_bytes())),
                io_text(&error)
            )),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            // std reads past its own buffer where the caller's is as large.
            Source::Standard => io::stdin().lock().read(buffer),
            Source::File(file) => file.read(buffer),
            Source::Text(text) => text.read(buffer),
        }
    }
}

/// The message for a file that opened and then could not be read.
pub(crate) fn read_failed(name: &OsStr, error: &io::Error) -> String {
    format!(
        "read failed: {}: {}",
        name.to_string_lossy(),
        io_text(error)
    )
}

/// The lines of a source, one after another, in memory for a block and the longest line.
#[derive(Debug)]
pub(crate) struct Lines {
    source: Source,
    line_end: u8,
    buffer: Vec<u8>,
    /// Where the next line starts.
    start: usize,
    /// How much is read next.
    block: usize,
    ended: bool,
}

impl Lines {
    /// The lines of `source`.
    pub(crate) fn new(source: Source, line_end: u8) -> Lines {
        Lines {
            source,
            line_end,
            buffer: Vec::new(),
            start: 0,
            block: FIRST_BLOCK,
            ended: false,
        }
    }

    /// The next line without its end; none behind the last.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let mut searched = self.start;
        loop {
            if let Some(found) = memchr::memchr(self.line_end, &self.buffer[searched..]) {
                let line = self.start..searched + found;
                self.start = line.end + 1;
                return Ok(Some(&self.buffer[line]));
            }
            if self.ended {
                let line = self.start..self.buffer.len();
                self.start = line.end;
                return Ok(Some(&self.buffer[line]).filter(|line| !line.is_empty()));
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            searched = self.buffer.len();
            self.fill()?;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let old = self.buffer.len();
        self.buffer.resize(old + self.block, 0);
        self.block = BLOCK.min(2 * self.block);
        let read = self.source.read(&mut self.buffer[old..]);
        self.buffer.truncate(old + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_text_with_and_without_a_last_end() {
        for text in ["a\n\nlong line\nz", "a\n\nlong line\nz\n"] {
            let mut lines = Lines::new(Source::Text(io::Cursor::new(text.into())), b'\n');
            let mut found = Vec::new();
            while let Some(line) = lines.next().unwrap() {
                found.push(String::from_utf8(line.to_vec()).unwrap());
            }
            assert_eq!(found, ["a", "", "long line", "z"]);
        }
    }

    #[test]
    fn a_line_can_be_longer_than_a_block() {
        let text = [vec![b'x'; 3 * BLOCK + 7], b"\ny".to_vec()].concat();
        let mut lines = Lines::new(Source::Text(io::Cursor::new(text)), b'\n');
        assert_eq!(lines.next().unwrap().map(<[u8]>::len), Some(3 * BLOCK + 7));
        assert_eq!(lines.next().unwrap(), Some(&b"y"[..]));
        assert_eq!(lines.next().unwrap(), None);
    }
}
