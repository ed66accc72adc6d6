//! Where pieces go: files, filters, or standard output.

use std::fs::File;
use std::io::{self, Write as _};
#[cfg(unix)]
use std::os::unix::ffi::OsStringExt as _;
#[cfg(target_os = "wasi")]
use std::os::wasi::ffi::OsStringExt as _;

use codepod_sys::Signal;
use codepod_tool::{Command, Ended, Ends, Output, Stop, complain, path, quoted, quoted_if_needed};

use super::names::Names;
use super::{end, write_error};
use crate::system;

/// A piece that is being written.
pub(super) struct Sink {
    name: Vec<u8>,
    target: Target,
    /// Whether a filter has stopped reading.
    is_deaf: bool,
}

enum Target {
    File(File),
    Filter(Command),
}

/// Makes the pieces, and holds the one that is being written.
pub(super) struct Sinks<'a> {
    tool: &'a str,
    names: Names,
    filter: Option<Vec<u8>>,
    is_verbose: bool,
    /// Device and number of the input, which must not be overwritten.
    input: Option<(u64, u64)>,
    current: Option<Sink>,
    /// Standard output: messages of `--verbose`, or a chunk.
    out: Output,
}

impl<'a> Sinks<'a> {
    pub(super) fn new(
        tool: &'a str,
        names: Names,
        filter: Option<Vec<u8>>,
        is_verbose: bool,
    ) -> Sinks<'a> {
        Sinks {
            tool,
            names,
            filter,
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

    /// Whether pieces go to filters.
    pub(super) fn has_filter(&self) -> bool {
        self.filter.is_some()
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
    pub(super) fn end(&mut self) -> Result<(), Stop> {
        match self.current.take() {
            Some(sink) => self.close(sink),
            None => Ok(()),
        }
    }

    /// Begins a piece that the caller holds.
    pub(super) fn begin(&mut self) -> Result<Sink, Stop> {
        let name = self.names.take()?;
        let target = match self.filter.clone() {
            Some(filter) => Target::Filter(self.start(&filter, &name)?),
            None => Target::File(self.create(&name)?),
        };
        Ok(Sink {
            name,
            target,
            is_deaf: false,
        })
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

    fn start(&mut self, filter: &[u8], name: &[u8]) -> Result<Command, Stop> {
        if self.is_verbose {
            let shown = quoted_if_needed(name);
            self.out
                .put(&[b"executing with FILE=", &shown[..], b"\n"].concat());
        }
        let mut environment: Vec<(Vec<u8>, Vec<u8>)> = std::env::vars_os()
            .map(|(key, value)| (key.into_vec(), value.into_vec()))
            .filter(|(key, _)| key != b"FILE")
            .collect();
        environment.push((b"FILE".to_vec(), name.to_vec()));
        let shell = std::env::var_os("SHELL").map_or(b"/bin/sh".to_vec(), |shell| shell.into_vec());
        let short = shell.rsplit(|byte| *byte == b'/').next().unwrap_or(&shell);
        let arguments: [&[u8]; 3] = [short, b"-c", filter];
        Command::start_with(&shell, &arguments, &environment, Ends::Input).map_err(|error| {
            let why = format!("\": {}", system::io_message(&error));
            let what = b"failed to run command: \"";
            let command = [&shell[..], b" -c ", filter].concat();
            self.out.write_out();
            complain(self.tool, [&what[..], &command, why.as_bytes()].concat());
            self.filter_failed(name, "exit 1", 1)
        })
    }

    /// Ends a piece that the caller holds.
    pub(super) fn close(&mut self, sink: Sink) -> Result<(), Stop> {
        let command = match sink.target {
            Target::File(_) => return Ok(()),
            Target::Filter(command) => command,
        };
        match command.wait() {
            Ok(Ended::Exited(0)) => Ok(()),
            Ok(Ended::Exited(status)) => {
                Err(self.filter_failed(&sink.name, &format!("exit {status}"), status))
            }
            // A filter need not read everything.
            Ok(Ended::Signaled(signal)) if signal == Signal::Pipe.raw().cast_signed() => Ok(()),
            Ok(Ended::Signaled(signal)) => {
                let known = Signal::from_raw(signal.cast_unsigned()).map(Signal::name);
                let name = known.and_then(|name| name.strip_prefix("SIG"));
                let how = match name {
                    Some(name) => format!("signal {name}"),
                    None => format!("signal {signal}"),
                };
                Err(self.filter_failed(&sink.name, &how, 128 + signal))
            }
            Err(error) => {
                let why = system::io_message(&error);
                Err(Stop::failed(format!("waiting for child process: {why}")))
            }
        }
    }

    fn filter_failed(&mut self, name: &[u8], how: &str, status: i32) -> Stop {
        let middle = format!(", {how} from command: ");
        let filter = self.filter.as_deref().unwrap_or_default();
        let shown = quoted_if_needed(name);
        let message = [b"with FILE=", &shown[..], middle.as_bytes(), filter].concat();
        self.out.write_out();
        end(self.tool, &message, status)
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
        self.end()?;
        self.out.finish().map_err(|error| write_error(&error))
    }
}

impl Sink {
    /// Adds to the piece.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let written = match &mut self.target {
            _ if self.is_deaf => return Ok(()),
            Target::File(file) => file.write_all(bytes),
            Target::Filter(command) => match command.write_all(bytes) {
                // A filter need not read everything.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    self.is_deaf = true;
                    Ok(())
                }
                written => written,
            },
        };
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

    /// The name of the piece.
    pub(super) fn name(&self) -> &[u8] {
        &self.name
    }
}

fn of_file(name: &[u8], error: &io::Error) -> Stop {
    let why = format!(": {}", system::io_message(error));
    Stop::Failed([&quoted_if_needed(name)[..], why.as_bytes()].concat())
}
