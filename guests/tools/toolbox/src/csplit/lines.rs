//! The lines of the input, with those that were looked at and not written yet.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader};

use codepod_tool::{Stdin, Stop, path, quoted};

use crate::system;

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// The lines of the input.
pub(super) struct Lines {
    input: Box<dyn BufRead>,
    /// Lines with their ends that were read and not taken.
    held: VecDeque<Vec<u8>>,
    /// The number of the first line that was not taken, from 1.
    first: u64,
}

impl Lines {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(name: &[u8]) -> Result<Lines, Stop> {
        let input: Box<dyn BufRead> = match name {
            b"-" => Box::new(BufReader::with_capacity(BLOCK, Stdin)),
            _ => {
                let file = File::open(path(name)).map_err(|error| {
                    let why = format!(" for reading: {}", system::io_message(&error));
                    Stop::Failed([b"cannot open ", &quoted(name)[..], why.as_bytes()].concat())
                })?;
                Box::new(BufReader::with_capacity(BLOCK, file))
            }
        };
        Ok(Lines {
            input,
            held: VecDeque::new(),
            first: 1,
        })
    }

    /// The number of the first line that was not taken. None where there are no more.
    pub(super) fn first(&mut self) -> io::Result<Option<u64>> {
        Ok(self.get(self.first)?.is_some().then_some(self.first))
    }

    /// The line of a number that was not taken yet. None where there are not so many.
    pub(super) fn get(&mut self, number: u64) -> io::Result<Option<&[u8]>> {
        let Ok(place) = usize::try_from(number - self.first) else {
            return Ok(None);
        };
        while self.held.len() <= place {
            let mut line = Vec::new();
            if self.input.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            self.held.push_back(line);
        }
        Ok(self.held.get(place).map(Vec::as_slice))
    }

    /// Takes the next line, and returns it with its number.
    pub(super) fn take(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        self.get(self.first)?;
        let Some(line) = self.held.pop_front() else {
            return Ok(None);
        };
        self.first += 1;
        Ok(Some((self.first - 1, line)))
    }

    /// Hands everything that was not taken to `take`, which must not need whole lines.
    pub(super) fn rest<E: From<io::Error>>(
        &mut self,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for line in self.held.drain(..) {
            take(&line)?;
        }
        loop {
            let block = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            };
            if block.is_empty() {
                return Ok(());
            }
            take(block)?;
            let length = block.len();
            self.input.consume(length);
        }
    }
}
