//! Where pieces go: files, or standard output.

use std::fs::File;
use std::io::{self, Write as _};

use codepod_tool::{Output, Stop, path, quoted, quoted_if_needed};

use super::names::Names;
use super::write_error;
use crate::system;

/// A piece that is being written.
pub(super) struct Sink {
    name: Vec<u8>,
    file: File,
}

/// Makes the pieces, and holds the one that is being written.
pub(super) struct Sinks {
    names: Names,
    is_verbose: bool,
    /// Device and number of the input, which must not be overwritten.
    input: Option<(u64, u64)>,
    current: Option<Sink>,
    /// Standard output: messages of `--verbose`, or a chunk.
    out: Output,
}

impl Sinks {
    pub(super) fn new(names: Names, is_verbose: bool) -> Sinks {
        Sinks {
            names,
            is_verbose,
            input: None,
            current: None,
            out: Output::new(),
        }
    }

    /// Refuses to overwrite a file.
    pub(super) fn spare(&mut self, input: Option<(u64, u64)>) {
        self.input = input;
    }

    /// Adds to the piece, and begins one if there is none.
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        if self.current.is_none() {
            self.current = Some(self.begin()?);
        }
        match &mut self.current {
            Some(sink) => sink.write(bytes),
            None => Ok(()),
        }
    }

    /// Ends the piece, if there is one.
    pub(super) fn end(&mut self) {
        self.current = None;
    }

    /// Begins a piece that the caller holds.
    pub(super) fn begin(&mut self) -> Result<Sink, Stop> {
        let name = self.names.take()?;
        let file = self.create(&name)?;
        Ok(Sink { name, file })
    }

    fn create(&mut self, name: &[u8]) -> Result<File, Stop> {
        if self.is_verbose {
            self.out
                .put(&[b"creating file ", &quoted(name)[..], b"\n"].concat());
        }
        let failed = |error: io::Error| of_file(name, &error);
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path(name))
            .map_err(failed)?;
        let identity = system::stat(name, system::Links::Follow);
        let identity = identity.ok().map(|found| (found.dev, found.ino));
        if identity.is_some() && identity == self.input {
            let why = b" would overwrite input; aborting";
            return Err(Stop::Failed([&quoted(name)[..], why].concat()));
        }
        if file.metadata().is_ok_and(|found| found.is_file()) {
            file.set_len(0).map_err(failed)?;
        }
        Ok(file)
    }

    /// Writes to standard output.
    pub(super) fn print(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.out.put(bytes);
        if self.out.is_broken() {
            return self.flush();
        }
        Ok(())
    }

    /// Writes what was printed.
    pub(super) fn flush(&mut self) -> Result<(), Stop> {
        self.out.finish().map_err(|error| of_file(b"-", &error))
    }

    /// Writes the messages so far.
    pub(super) fn write_messages(&mut self) {
        self.out.write_out();
    }

    /// Ends the last piece, and writes all messages.
    pub(super) fn finish(&mut self) -> Result<(), Stop> {
        self.end();
        self.out.finish().map_err(|error| write_error(&error))
    }
}

impl Sink {
    /// Adds to the piece.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| of_file(&self.name, &error))
    }

    /// Adds to a file that was closed.
    pub(super) fn append(name: &[u8], bytes: &[u8]) -> Result<(), Stop> {
        File::options()
            .append(true)
            .open(path(name))
            .and_then(|mut file| file.write_all(bytes))
            .map_err(|error| of_file(name, &error))
    }

    /// Closes the file, and returns its name.
    pub(super) fn into_name(self) -> Vec<u8> {
        self.name
    }
}

fn of_file(name: &[u8], error: &io::Error) -> Stop {
    let why = format!(": {}", system::io_message(error));
    Stop::Failed([&quoted_if_needed(name)[..], why.as_bytes()].concat())
}
