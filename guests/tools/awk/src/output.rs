//! Where `print` writes: standard output, files, commands.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::rc::Rc;

use codepod_tool::{Command, Ended, Ends, path};

/// How much is collected before it is written.
const CAPACITY: usize = 64 << 10;

/// A stream that is written to, with a buffer.
#[derive(Debug)]
pub struct Sink {
    target: Target,
    buffer: Vec<u8>,
    /// Written as it comes: terminals and standard error.
    direct: bool,
}

#[derive(Debug)]
enum Target {
    Stdout,
    Stderr,
    File(File),
    Command(Running),
}

/// A command that one place writes to and another reads from.
#[derive(Debug, Clone)]
pub struct Running(Rc<RefCell<Option<Command>>>);

impl Running {
    /// Starts `sh -c TEXT`. Fails where it cannot be started.
    pub fn start(text: &[u8], ends: Ends) -> io::Result<Running> {
        Ok(Running(Rc::new(RefCell::new(Some(Command::shell(
            text, ends,
        )?)))))
    }

    /// Closes what it reads, so that it comes to its end.
    pub fn close_input(&self) {
        if let Some(command) = self.0.borrow_mut().as_mut() {
            command.close_input();
        }
    }

    /// Waits for its end and says how it was.
    pub fn wait(&self) -> io::Result<i32> {
        let Some(command) = self.0.borrow_mut().take() else {
            return Ok(0);
        };
        Ok(status(command.wait()?))
    }
}

impl Read for Running {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0
            .borrow_mut()
            .as_mut()
            .map_or(Ok(0), |command| command.read(buffer))
    }
}

impl Write for Running {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.borrow_mut().as_mut() {
            Some(command) => command.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink {
    fn new(target: Target, direct: bool) -> Sink {
        Sink {
            target,
            buffer: Vec::new(),
            direct,
        }
    }

    /// Standard output; `direct` for a terminal.
    pub fn stdout() -> Sink {
        use std::io::IsTerminal as _;
        Sink::new(Target::Stdout, io::stdout().is_terminal())
    }

    /// Standard error.
    pub fn stderr() -> Sink {
        Sink::new(Target::Stderr, true)
    }

    /// A file, emptied or added to. Fails as opening does.
    pub fn file(name: &[u8], append: bool) -> io::Result<Sink> {
        let mut options = OpenOptions::new();
        options.create(true);
        if append {
            options.append(true);
        } else {
            options.write(true).truncate(true);
        }
        let file = options.open(path(name))?;
        Ok(Sink::new(Target::File(file), false))
    }

    /// A command.
    pub fn command(command: Running) -> Sink {
        Sink::new(Target::Command(command), false)
    }

    /// The buffer, to write to.
    #[inline]
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes what was collected if that is much, or if nothing is to wait. Fails as writing does.
    #[inline]
    pub fn written(&mut self) -> io::Result<()> {
        if self.buffer.len() >= CAPACITY || self.direct {
            return self.flush();
        }
        Ok(())
    }

    /// Writes what was collected. Fails as writing does.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let result = match &mut self.target {
            Target::Stdout => stdout(&self.buffer),
            Target::Stderr => io::stderr().write_all(&self.buffer),
            Target::File(file) => file.write_all(&self.buffer),
            Target::Command(command) => command.write_all(&self.buffer),
        };
        self.buffer.clear();
        result
    }

    /// Writes the rest and closes; the status is a command's. Fails as writing does.
    pub fn close(mut self) -> io::Result<i32> {
        let written = self.flush();
        match self.target {
            // That it did not want all of it is no error of ours.
            Target::Command(command) => command.wait(),
            _ => written.map(|()| 0),
        }
    }
}

/// An end as `close` and `system` return it.
pub fn status(ended: Ended) -> i32 {
    match ended {
        Ended::Exited(status) => status,
        Ended::Signaled(signal) => 256 + signal,
    }
}

#[cfg(target_os = "wasi")]
fn stdout(bytes: &[u8]) -> io::Result<()> {
    // Past std's own buffer, which would only look for newlines.
    codepod_sys::descriptor::write_all(codepod_sys::Fd::STDOUT, bytes)
        .map_err(codepod_sys::io_error)
}

#[cfg(not(target_os = "wasi"))]
fn stdout(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush())
}
