//! The file that is split.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use codepod_tool::{Stdin, Stop, path, quoted, quoted_if_needed};

use crate::system;

/// How much is read at once.
pub(super) const BLOCK: usize = 64 << 10;

enum Source {
    Standard(Stdin),
    File(File),
}

/// The file that is split.
pub(super) struct Input {
    name: Vec<u8>,
    source: Source,
    /// What was read to find out the size.
    ahead: io::Cursor<Vec<u8>>,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(name: Vec<u8>) -> Result<Input, Stop> {
        let source = match &name[..] {
            b"-" => Source::Standard(Stdin),
            _ => {
                let file = File::open(path(&name)).map_err(|error| {
                    let why = format!(" for reading: {}", system::io_message(&error));
                    Stop::Failed([b"cannot open ", &quoted(&name)[..], why.as_bytes()].concat())
                })?;
                Source::File(file)
            }
        };
        Ok(Input {
            name,
            source,
            ahead: io::Cursor::default(),
        })
    }

    /// Device and number of the file.
    pub(super) fn identity(&self) -> Option<(u64, u64)> {
        self.stat().map(|found| (found.dev, found.ino))
    }

    fn stat(&self) -> Option<system::Stat> {
        match self.source {
            Source::Standard(_) => system::stat_input().ok(),
            Source::File(_) => system::stat(&self.name, system::Links::Follow).ok(),
        }
    }

    /// The next bytes; none at the end.
    pub(super) fn read<'a>(&mut self, buffer: &'a mut [u8]) -> Result<&'a [u8], Stop> {
        loop {
            let ahead = self.ahead.read(buffer).unwrap_or(0);
            let result = match &mut self.source {
                _ if ahead > 0 => Ok(ahead),
                Source::Standard(stdin) => stdin.read(buffer),
                Source::File(file) => file.read(buffer),
            };
            match result {
                Ok(count) => return Ok(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed("", Some(&error))),
            }
        }
    }

    /// Goes over bytes.
    pub(super) fn skip(&mut self, count: u64) -> Result<(), Stop> {
        let held = self.ahead.get_ref().len() as u64 - self.ahead.position();
        let from_ahead = held.min(count);
        self.ahead.set_position(self.ahead.position() + from_ahead);
        let mut left = count - from_ahead;
        if let (Source::File(file), Ok(by)) = (&mut self.source, i64::try_from(left))
            && file.seek(SeekFrom::Current(by)).is_ok()
        {
            return Ok(());
        }
        let mut buffer = vec![0; BLOCK];
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK);
            match self.read(&mut buffer[..most])?.len() {
                0 => break,
                count => left -= count as u64,
            }
        }
        Ok(())
    }

    /// How many bytes there are still to read. Fails where only reading would tell.
    pub(super) fn size(&mut self) -> Result<u64, Stop> {
        let place = match &mut self.source {
            Source::Standard(_) => system::input_place(),
            Source::File(file) => file.stream_position().ok(),
        };
        // Reading these tells more than asking for their place.
        let is_read = |found: &system::Stat| {
            let kind = found.mode & system::mode::TYPE_MASK;
            kind == system::mode::CHARACTER_DEVICE || kind == system::mode::DIRECTORY
        };
        let place = place.or_else(|| self.stat().filter(is_read).map(|_| 0));
        let unknown = ": cannot determine file size";
        let Some(place) = place else {
            return Err(self.failed(unknown, None));
        };
        // Some files have no size although there is something to read.
        let mut ahead = vec![0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            let read = match &mut self.source {
                Source::Standard(stdin) => stdin.read(&mut ahead[filled..]),
                Source::File(file) => file.read(&mut ahead[filled..]),
            };
            match read {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(unknown, Some(&error))),
            }
        }
        ahead.truncate(filled);
        self.ahead = io::Cursor::new(ahead);
        if filled < BLOCK {
            return Ok(filled as u64);
        }
        let size = self.stat().map_or(0, |found| found.size);
        match size.saturating_sub(place) {
            left if left >= filled as u64 => Ok(left),
            _ => {
                let what = format!("{unknown}: Value too large for defined data type");
                Err(self.failed(&what, None))
            }
        }
    }

    fn failed(&self, what: &str, error: Option<&io::Error>) -> Stop {
        let why = error.map_or(String::new(), |error| {
            format!(": {}", system::io_message(error))
        });
        let name = quoted_if_needed(&self.name);
        Stop::Failed([&name[..], what.as_bytes(), why.as_bytes()].concat())
    }
}
