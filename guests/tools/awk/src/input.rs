//! Records out of a stream of bytes.

use std::io::{self, Read};
use std::rc::Rc;

use memchr::memchr;

use crate::regex::Re;

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// What ends a record.
#[derive(Debug, Clone)]
pub enum Separator {
    /// A byte.
    Byte(u8),
    /// Empty lines.
    Paragraph,
    /// What matches.
    Regex(Rc<Re>),
}

/// A stream and what was read of it.
pub struct Reader {
    source: Box<dyn Read>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

impl Reader {
    /// Reads from `source`.
    pub fn new(source: Box<dyn Read>) -> Reader {
        Reader {
            source,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            ended: false,
        }
    }

    /// Standard input.
    pub fn stdin() -> Reader {
        #[cfg(target_os = "wasi")]
        let source = Box::new(codepod_sys::Fd::STDIN);
        #[cfg(not(target_os = "wasi"))]
        let source = Box::new(io::stdin());
        Reader::new(source)
    }

    /// A file. Fails as opening it does, and for a directory.
    pub fn open(path: &[u8]) -> io::Result<Reader> {
        let file = std::fs::File::open(codepod_tool::path(path))?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Reader::new(Box::new(file)))
    }

    /// Reads more behind what is there; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        // The byte before stays, so that `^` of a separator sees that this is not the start.
        if self.start > 1 {
            let from = self.start - 1;
            self.buffer.copy_within(from..self.end, 0);
            self.end -= from;
            self.start = 1;
        }
        if self.buffer.len() - self.end < BLOCK / 2 {
            let size = (self.buffer.len() * 2).max(BLOCK);
            self.buffer.resize(size, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(false);
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Puts the next record into `record` and what ended it into `terminator`; false at the end.
    ///
    /// Fails as reading does; the text is the message.
    pub fn next(
        &mut self,
        separator: &Separator,
        icase: bool,
        record: &mut Vec<u8>,
        terminator: &mut Vec<u8>,
    ) -> Result<bool, String> {
        record.clear();
        terminator.clear();
        let text = |error: io::Error| codepod_tool::io_text(&error);
        match separator {
            Separator::Byte(byte) => self.until_byte(*byte, record, terminator).map_err(text),
            Separator::Paragraph => self.paragraph(record, terminator).map_err(text),
            Separator::Regex(regex) => self.until_match(regex, icase, record, terminator),
        }
    }

    fn until_byte(
        &mut self,
        byte: u8,
        record: &mut Vec<u8>,
        terminator: &mut Vec<u8>,
    ) -> io::Result<bool> {
        let mut searched = 0;
        loop {
            if let Some(at) = memchr(byte, &self.buffer[self.start + searched..self.end]) {
                let end = self.start + searched + at;
                record.extend_from_slice(&self.buffer[self.start..end]);
                terminator.push(byte);
                self.start = end + 1;
                return Ok(true);
            }
            searched = self.end - self.start;
            if !self.fill()? {
                return Ok(self.rest(record));
            }
        }
    }

    /// Takes everything as the last record; false when there is nothing.
    fn rest(&mut self, record: &mut Vec<u8>) -> bool {
        record.extend_from_slice(&self.buffer[self.start..self.end]);
        self.start = self.end;
        !record.is_empty()
    }

    fn paragraph(&mut self, record: &mut Vec<u8>, terminator: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            while self.start < self.end && self.buffer[self.start] == b'\n' {
                self.start += 1;
            }
            if self.start < self.end {
                break;
            }
            if !self.fill()? {
                return Ok(false);
            }
        }
        let mut searched = 0;
        loop {
            let found =
                memchr::memmem::find(&self.buffer[self.start + searched..self.end], b"\n\n");
            if let Some(at) = found {
                let end = self.start + searched + at;
                let length = end - self.start;
                let mut after = end + 2;
                // All newlines behind it belong to it.
                loop {
                    while after < self.end && self.buffer[after] == b'\n' {
                        after += 1;
                    }
                    if after < self.end {
                        break;
                    }
                    let offset = after - self.start;
                    if !self.fill()? {
                        break;
                    }
                    after = self.start + offset;
                }
                record.extend_from_slice(&self.buffer[self.start..self.start + length]);
                terminator.extend_from_slice(&self.buffer[self.start + length..after]);
                self.start = after;
                return Ok(true);
            }
            searched = (self.end - self.start).saturating_sub(1);
            if !self.fill()? {
                self.rest(record);
                if record.last() == Some(&b'\n') {
                    record.pop();
                    terminator.push(b'\n');
                }
                return Ok(true);
            }
        }
    }

    fn until_match(
        &mut self,
        regex: &Re,
        icase: bool,
        record: &mut Vec<u8>,
        terminator: &mut Vec<u8>,
    ) -> Result<bool, String> {
        loop {
            let before = usize::from(self.start > 0);
            let text = &self.buffer[self.start - before..self.end];
            let mut from = before;
            let found = loop {
                match regex.find(text, from, icase)? {
                    // An empty match separates nothing.
                    Some((start, end)) if start == end => {
                        if start >= text.len() {
                            break None;
                        }
                        from = start + 1;
                    }
                    other => break other,
                }
            };
            if let Some((start, end)) = found
                && (end < text.len() || self.ended)
            {
                record.extend_from_slice(&text[before..start]);
                terminator.extend_from_slice(&text[start..end]);
                self.start += end - before;
                return Ok(true);
            }
            // Without a match, or where it could still become longer.
            if !self.fill().map_err(|error| codepod_tool::io_text(&error))? {
                if found.is_some() {
                    continue;
                }
                return Ok(self.rest(record));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &'static [u8], separator: &Separator) -> Vec<(String, String)> {
        let mut reader = Reader::new(Box::new(text));
        let (mut record, mut terminator) = (Vec::new(), Vec::new());
        let mut all = Vec::new();
        while reader
            .next(separator, false, &mut record, &mut terminator)
            .unwrap()
        {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            all.push((text(&record), text(&terminator)));
        }
        all
    }

    #[test]
    fn lines_paragraphs_and_matches() {
        let pair = |record: &str, end: &str| (record.to_owned(), end.to_owned());
        assert_eq!(
            records(b"a\n\nb", &Separator::Byte(b'\n')),
            [pair("a", "\n"), pair("", "\n"), pair("b", "")]
        );
        assert_eq!(
            records(b"\n\na\nb\n\n\nc\n", &Separator::Paragraph),
            [pair("a\nb", "\n\n\n"), pair("c", "\n")]
        );
        let regex = Separator::Regex(Rc::new(Re::new(b"[0-9]+")));
        assert_eq!(records(b"a12b3", &regex), [pair("a", "12"), pair("b", "3")]);
    }
}
