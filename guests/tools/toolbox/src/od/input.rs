//! The files, one behind the other.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use codepod_tool::{Arguments, Output, Stdin, complain_of, path};

use crate::system;

/// How much is read at once.
pub(super) const BLOCK: usize = 64 << 10;

/// A file that is open.
enum Source {
    Standard(Stdin),
    File(File),
}

/// The files, read as one. Says what is wrong with those that cannot be read, and leaves them out.
pub(super) struct Input<'a> {
    tool: &'a str,
    names: std::vec::IntoIter<Vec<u8>>,
    current: Option<(Vec<u8>, Source)>,
    has_failed: bool,
}

impl<'a> Input<'a> {
    pub(super) fn new(tool: &'a str, names: Arguments) -> Input<'a> {
        Input {
            tool,
            names: names.into_iter(),
            current: None,
            has_failed: false,
        }
    }

    /// Whether some file could not be read.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Opens the next file that can be opened; whether there was one.
    pub(super) fn open_next(&mut self, out: &mut Output) -> bool {
        self.current = None;
        while let Some(name) = self.names.next() {
            let opened = match &name[..] {
                b"-" => Ok(Source::Standard(Stdin)),
                _ => File::open(path(&name)).map(Source::File),
            };
            match opened {
                Ok(source) => {
                    self.current = Some((name, source));
                    return true;
                }
                Err(error) => self.complain(&name, &error, out),
            }
        }
        false
    }

    /// Says what is wrong with a file, behind what was printed.
    fn complain(&mut self, name: &[u8], error: &io::Error, out: &mut Output) {
        out.write_out();
        complain_of(self.tool, name, &system::io_message(error));
        self.has_failed = true;
    }

    /// Reads from the file that is open. Returns 0 at its end, and fails where it cannot be read;
    /// then [`Input::advance`] comes next.
    pub(super) fn read_file(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let result = match &mut self.current {
                Some((_, Source::Standard(stdin))) => stdin.read(buffer),
                Some((_, Source::File(file))) => file.read(buffer),
                None => Ok(0),
            };
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    /// Goes to the next file, after saying what is wrong with this one; whether there is one.
    pub(super) fn advance(&mut self, error: Option<&io::Error>, out: &mut Output) -> bool {
        if let (Some(error), Some((name, _))) = (error, self.current.take()) {
            let name = match &name[..] {
                b"-" => b"standard input",
                name => name,
            };
            self.complain(name, error, out);
        }
        self.open_next(out)
    }

    /// Reads into `buffer`, from the next files where one ends. Returns 0 only at the end of all of
    /// them.
    pub(super) fn read(&mut self, buffer: &mut [u8], out: &mut Output) -> usize {
        loop {
            let result = self.read_file(buffer);
            match result {
                Ok(count @ 1..) => return count,
                _ if self.advance(result.err().as_ref(), out) => {}
                _ => return 0,
            }
        }
    }

    /// Goes over so many bytes; whether there were so many.
    pub(super) fn skip(&mut self, mut left: u64, out: &mut Output) -> bool {
        let failed_before = self.has_failed;
        let mut buffer = vec![0; if left > 0 { BLOCK } else { 0 }];
        while left > 0 {
            if let Some(step) = self.seek(left) {
                left -= step;
                continue;
            }
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK);
            match self.read(&mut buffer[..most], out) {
                // Where reading has failed nobody knows how much there is.
                0 => return self.has_failed && !failed_before,
                count => left -= count as u64,
            }
        }
        true
    }

    /// Goes over at most so many bytes without reading them, and returns how many. None where that
    /// cannot be done.
    fn seek(&mut self, most: u64) -> Option<u64> {
        let (_, Source::File(file)) = self.current.as_mut()? else {
            return None;
        };
        let found = file.metadata().ok()?;
        let step = if found.is_file() {
            let place = file.stream_position().ok()?;
            most.min(found.len().saturating_sub(place))
        } else {
            // A device that can seek has no end.
            most
        };
        let by = i64::try_from(step).ok().filter(|step| *step > 0)?;
        file.seek(SeekFrom::Current(by)).ok()?;
        Some(step)
    }
}
