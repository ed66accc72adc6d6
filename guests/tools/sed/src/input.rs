//! The input: lines of one file after another.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};

use codepod_tool::{complain, io_text, path};
use memchr::memchr;

use crate::arguments::Asked;

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// A line was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Got {
    /// It had an end.
    Whole,
    /// It is the last of its file and had none.
    Unended,
    /// There is none.
    Nothing,
}

/// An open file.
pub(crate) struct Reader {
    pub(crate) name: Vec<u8>,
    source: Source,
    buffer: Vec<u8>,
    at: usize,
    at_end: bool,
    /// Only as much is read as is needed.
    unbuffered: bool,
}

enum Source {
    Stdin,
    File(File),
}

/// The input cannot be read on.
pub(crate) struct Broken {
    /// The message behind `sed: `.
    pub(crate) message: Vec<u8>,
}

impl Reader {
    /// Opens a file; `-` is standard input.
    pub(crate) fn open(name: &[u8]) -> io::Result<Reader> {
        let source = match name {
            b"-" => Source::Stdin,
            _ => Source::File(File::open(path(name))?),
        };
        Ok(Reader {
            name: name.to_vec(),
            source,
            buffer: Vec::new(),
            at: 0,
            at_end: false,
            unbuffered: false,
        })
    }

    /// Whether there is more; reads on if need be.
    pub(crate) fn has_more(&mut self) -> Result<bool, Broken> {
        while self.at >= self.buffer.len() && !self.at_end {
            self.buffer.clear();
            self.at = 0;
            self.fill()?;
        }
        Ok(self.at < self.buffer.len())
    }

    fn fill(&mut self) -> Result<(), Broken> {
        let had = self.buffer.len();
        let step = if self.unbuffered { 1 } else { BLOCK.max(had) };
        self.buffer.resize(had + step, 0);
        let result = loop {
            let result = match &mut self.source {
                // Past std's own buffer, which would read ahead.
                Source::Stdin => match codepod_sys::descriptor::read(
                    codepod_sys::Fd::STDIN,
                    &mut self.buffer[had..],
                ) {
                    Err(codepod_sys::Errno::NoSys) => {
                        io::stdin().lock().read(&mut self.buffer[had..])
                    }
                    result => result.map_err(codepod_sys::io_error),
                },
                Source::File(file) => file.read(&mut self.buffer[had..]),
            };
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        match result {
            Ok(count) => {
                self.buffer.truncate(had + count);
                self.at_end = count == 0;
                Ok(())
            }
            Err(error) => {
                self.buffer.truncate(had);
                let message = [
                    b"read error on ",
                    &self.name[..],
                    b": ",
                    io_text(&error).as_bytes(),
                ]
                .concat();
                Err(Broken { message })
            }
        }
    }

    /// Appends the next line, without its end.
    pub(crate) fn line(&mut self, end: u8, out: &mut Vec<u8>) -> Result<Got, Broken> {
        if !self.has_more()? {
            return Ok(Got::Nothing);
        }
        let mut searched = self.at;
        loop {
            if let Some(place) = memchr(end, &self.buffer[searched..]) {
                let stop = searched + place;
                out.extend_from_slice(&self.buffer[self.at..stop]);
                self.at = stop + 1;
                return Ok(Got::Whole);
            }
            if self.at_end {
                out.extend_from_slice(&self.buffer[self.at..]);
                self.at = self.buffer.len();
                return Ok(Got::Unended);
            }
            self.buffer.drain(..self.at);
            self.at = 0;
            searched = self.buffer.len();
            self.fill()?;
        }
    }
}

/// The files that are still to come, and the one that is read.
pub(crate) struct Input {
    files: VecDeque<Vec<u8>>,
    pub(crate) current: Option<Reader>,
    /// Opened already, to see whether there is more.
    ahead: Option<Reader>,
    /// A file could not be read.
    pub(crate) missed: bool,
    unbuffered: bool,
    /// Links are followed before a file is named.
    follow: bool,
}

impl Input {
    /// Of the files that are asked for.
    pub(crate) fn new(asked: &Asked) -> Input {
        Input {
            files: asked.files.clone().into(),
            current: None,
            ahead: None,
            missed: false,
            unbuffered: asked.unbuffered,
            follow: asked.follow,
        }
    }

    /// The name of the next file, which is not opened.
    pub(crate) fn next_name(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        match self.files.pop_front() {
            Some(name) if self.follow && name != b"-" => followed(name).map(Some),
            name => Ok(name),
        }
    }

    /// Says that a file cannot be read.
    pub(crate) fn miss(&mut self, name: &[u8], error: &io::Error) {
        self.missed = true;
        complain(
            "sed",
            [b"can't read ", name, b": ", io_text(error).as_bytes()].concat(),
        );
    }

    /// The next file that can be opened.
    pub(crate) fn next_file(&mut self) -> Result<Option<Reader>, Broken> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(Some(ahead));
        }
        while let Some(name) = self.next_name()? {
            match Reader::open(&name) {
                Ok(mut reader) => {
                    reader.unbuffered = self.unbuffered;
                    return Ok(Some(reader));
                }
                Err(error) => self.miss(&name, &error),
            }
        }
        Ok(None)
    }

    /// Whether no line comes behind what was read; with `separate` in this file.
    pub(crate) fn is_last(&mut self, separate: bool) -> Result<bool, Broken> {
        if let Some(current) = &mut self.current
            && current.has_more()?
        {
            return Ok(false);
        }
        if separate {
            return Ok(true);
        }
        loop {
            let Some(mut reader) = self.next_file()? else {
                return Ok(true);
            };
            if reader.has_more()? {
                self.ahead = Some(reader);
                return Ok(false);
            }
        }
    }

    /// Whether there is nothing more at all.
    pub(crate) fn is_over(&mut self, separate: bool) -> Result<bool, Broken> {
        Ok(self.is_last(separate)? && (!separate || self.files.is_empty()))
    }
}

/// Where a link leads, and the link there, to a name that is none.
fn followed(mut name: Vec<u8>) -> Result<Vec<u8>, Broken> {
    for _ in 0..40 {
        let is_link = std::fs::symlink_metadata(path(&name)).map(|metadata| metadata.is_symlink());
        let target = match is_link {
            Ok(false) => return Ok(name),
            Ok(true) => std::fs::read_link(path(&name)),
            Err(error) => Err(error),
        };
        let target = match target {
            Ok(target) => target.into_os_string().into_encoded_bytes(),
            Err(error) => {
                let why = io_text(&error);
                let message = [b"couldn't readlink ", &name[..], b": ", why.as_bytes()];
                return Err(Broken {
                    message: message.concat(),
                });
            }
        };
        if !target.starts_with(b"/") {
            let slash = name.iter().rposition(|byte| *byte == b'/');
            name.truncate(slash.map_or(0, |at| at + 1));
        } else {
            name.clear();
        }
        name.extend_from_slice(&target);
    }
    let message = [
        b"couldn't follow symlink ",
        &name[..],
        b": Too many levels of symbolic links",
    ];
    Err(Broken {
        message: message.concat(),
    })
}
