//! Passing streams on, between this program's own and a sandbox's.

use std::io::{IsTerminal, Read, Write};
use std::thread::JoinHandle;

use codepod::{Error, PipeReader, PipeWriter, RunResult};

use crate::failure::Failure;
use crate::progress;
use crate::terminal_text::TerminalText;

/// Whether there is something to read on standard input: neither a terminal nor `/dev/null`, from
/// which nothing comes.
pub(crate) fn has_input() -> bool {
    !std::io::stdin().is_terminal() && !is_null()
}

#[cfg(unix)]
fn is_null() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let own = std::io::stdin().as_fd().try_clone_to_owned();
    let own = own.and_then(|fd| std::fs::File::from(fd).metadata());
    match (own, std::fs::metadata("/dev/null")) {
        (Ok(own), Ok(null)) => own.file_type().is_char_device() && own.rdev() == null.rdev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_null() -> bool {
    false
}

/// Passes standard input on until it ends or nobody wants more. The thread is not joined: a read
/// that never ends must not keep the program alive.
pub(crate) fn pass_in(to: Option<PipeWriter>) {
    let Some(mut to) = to else { return };
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        let mut from = std::io::stdin().lock();
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            if !to.write_all_blocking(&buffer[..read]).unwrap_or(false) {
                return;
            }
        }
    });
}

/// Passes on what a sandbox prints until it ends or nobody wants more. A terminal gets text,
/// anything else the bytes.
pub(crate) fn pass_out<W>(from: Option<PipeReader>, to: W) -> Option<JoinHandle<()>>
where
    W: Write + IsTerminal + Send + 'static,
{
    let mut from = from?;
    let mut to = Shown::new(to);
    Some(std::thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(read @ 1..) = from.read_blocking(&mut buffer) {
            // A reader that left ends the tool too: dropping our end gives it SIGPIPE.
            if to.write(&buffer[..read]).is_err() {
                return;
            }
        }
        let _ = to.finish();
    }))
}

/// Passes on what a run prints until it has ended. Returns its exit status.
pub(crate) fn pass_through(
    [stdout, stderr]: [Option<PipeReader>; 2],
    wait: impl FnOnce() -> Result<RunResult, Error>,
) -> Result<u8, Failure> {
    let out = pass_out(stdout, std::io::stdout());
    let err = pass_out(stderr, std::io::stderr());
    let result = wait();
    for thread in [out, err].into_iter().flatten() {
        let _ = thread.join();
    }
    let result = result?;
    // What the host has to say, beside what the run printed.
    show(std::io::stderr(), &result.stderr);
    Ok(result.exit_code as u8)
}

/// One of this program's own streams, with a filter before it where it is a terminal.
pub(crate) struct Shown<W> {
    to: W,
    filter: Option<TerminalText>,
}

impl<W: Write + IsTerminal> Shown<W> {
    pub(crate) fn new(to: W) -> Shown<W> {
        let filter = to.is_terminal().then(TerminalText::of_output);
        Shown { to, filter }
    }

    /// For a program that has the terminal to itself.
    #[cfg(unix)]
    pub(crate) fn full_screen(to: W) -> Shown<W> {
        let filter = Some(TerminalText::full_screen());
        Shown { to, filter }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        progress::clear();
        match &mut self.filter {
            Some(filter) => {
                let mut text = Vec::with_capacity(bytes.len());
                filter.push(bytes, &mut text);
                self.to.write_all(&text)?;
            }
            None => self.to.write_all(bytes)?,
        }
        self.to.flush()
    }

    pub(crate) fn finish(mut self) -> std::io::Result<()> {
        if let Some(filter) = &mut self.filter {
            let mut text = Vec::new();
            filter.finish(&mut text);
            self.to.write_all(&text)?;
        }
        self.to.flush()
    }
}

/// Writes all of a text that a sandbox has printed.
pub(crate) fn show(to: impl Write + IsTerminal, bytes: &[u8]) {
    let mut to = Shown::new(to);
    // Who does not read any more does not want it.
    let _ = to.write(bytes).and_then(|()| to.finish());
}

/// Everything on standard input.
pub(crate) fn read_all() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    read.map_err(|error| {
        let why = format!("cannot read standard input: {error}");
        Failure::new(why, "`< /dev/null` gives the script nothing to read")
    })?;
    Ok(bytes)
}
