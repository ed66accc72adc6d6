//! `tee`: copies standard input to standard output and to files.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};

use codepod_sys::Signal;
use codepod_sys::signal::{Action, set_action};
use codepod_tool::{
    Arguments, Opt, Options, Output, Stdin, Stop, Value, complain, complain_of, flag, io_text,
    long, one_of, optional, path,
};

use crate::{help, version};

const USAGE: &str = "Usage: tee [OPTION]... [FILE]...\n\
    Copy standard input to each FILE, and also to standard output.\n\n  \
    -a, --append\n  -i, --ignore-interrupts\n  -p\n      --output-error[=MODE]\n";

/// How much is read at once.
const BLOCK: usize = 64 << 10;

#[derive(Clone, Copy)]
enum Key {
    Append,
    IgnoreInterrupts,
    OutputError,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Append, b'a', "append"),
    flag(Key::IgnoreInterrupts, b'i', "ignore-interrupts"),
    flag(Key::OutputError, b'p', ""),
    optional(Key::OutputError, 0, "output-error"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What happens when an output cannot be written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct OnError {
    /// A pipe without a reader is nothing to speak of.
    pipes_pass: bool,
    /// The first error ends it.
    exit: bool,
}

const MODES: &[(&str, OnError)] = &[
    (
        "warn",
        OnError {
            pipes_pass: false,
            exit: false,
        },
    ),
    (
        "warn-nopipe",
        OnError {
            pipes_pass: true,
            exit: false,
        },
    ),
    (
        "exit",
        OnError {
            pipes_pass: false,
            exit: true,
        },
    ),
    (
        "exit-nopipe",
        OnError {
            pipes_pass: true,
            exit: true,
        },
    ),
];

/// What the arguments ask for.
struct Settings {
    append: bool,
    ignore_interrupts: bool,
    /// None leaves it to SIGPIPE to end it.
    on_error: Option<OnError>,
    files: Arguments,
}

impl Settings {
    fn exits(&self) -> bool {
        self.on_error.is_some_and(|mode| mode.exit)
    }
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok(settings) => run(tool, &settings),
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings {
        append: false,
        ignore_interrupts: false,
        on_error: None,
        files: Vec::new(),
    };
    settings.files = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::Append => settings.append = true,
            Key::IgnoreInterrupts => settings.ignore_interrupts = true,
            Key::OutputError => {
                let name = value.unwrap_or_else(|| b"warn-nopipe".to_vec());
                settings.on_error = Some(one_of("--output-error", &name, MODES)?);
            }
            Key::Help => return Err(Stop::Status(help(USAGE))),
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    Ok(settings)
}

fn run(tool: &str, settings: &Settings) -> i32 {
    // Where there are no signals there is nothing to ignore.
    if settings.ignore_interrupts {
        let _ = set_action(Signal::Int, Action::Ignore);
    }
    if settings.on_error.is_some() {
        let _ = set_action(Signal::Pipe, Action::Ignore);
    }
    let mut tee = Tee {
        tool,
        settings,
        sinks: vec![(b"standard output", Sink::Standard(Output::new()))],
        status: 0,
    };
    match tee.open().and_then(|()| tee.copy()) {
        Ok(()) => tee.status,
        Err(Exit) => 1,
    }
}

/// An error was reported that ends the tool.
struct Exit;

enum Sink {
    Standard(Output),
    File(File),
}

impl Sink {
    fn write(&mut self, block: &[u8]) -> io::Result<()> {
        match self {
            Sink::File(file) => file.write_all(block),
            Sink::Standard(out) => {
                out.put(block);
                out.finish()
            }
        }
    }
}

struct Tee<'a> {
    tool: &'a str,
    settings: &'a Settings,
    /// The outputs that can still be written, with their names.
    sinks: Vec<(&'a [u8], Sink)>,
    status: i32,
}

impl Tee<'_> {
    fn open(&mut self) -> Result<(), Exit> {
        for name in &self.settings.files {
            let mut how = OpenOptions::new();
            how.create(true);
            if self.settings.append {
                how.append(true);
            } else {
                how.write(true).truncate(true);
            }
            match how.open(path(name)) {
                Ok(file) => self.sinks.push((name, Sink::File(file))),
                Err(error) => self.fail(name, &error)?,
            }
        }
        Ok(())
    }

    fn fail(&mut self, name: &[u8], error: &io::Error) -> Result<(), Exit> {
        complain_of(self.tool, name, &io_text(error));
        self.status = 1;
        if self.settings.exits() {
            Err(Exit)
        } else {
            Ok(())
        }
    }

    /// Copies until the input ends or no output is left.
    fn copy(&mut self) -> Result<(), Exit> {
        let mut buffer = vec![0; BLOCK];
        while !self.sinks.is_empty() {
            match Stdin.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => self.write(&buffer[..count])?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    complain(self.tool, format!("read error: {}", io_text(&error)));
                    self.status = 1;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Writes a block to every output; one that fails is left out from then on.
    fn write(&mut self, block: &[u8]) -> Result<(), Exit> {
        for (name, mut sink) in std::mem::take(&mut self.sinks) {
            let Err(error) = sink.write(block) else {
                self.sinks.push((name, sink));
                continue;
            };
            let passes = self.settings.on_error.is_none_or(|mode| mode.pipes_pass);
            if error.kind() == ErrorKind::BrokenPipe && passes {
                continue;
            }
            self.fail(name, &error)?;
        }
        Ok(())
    }
}
