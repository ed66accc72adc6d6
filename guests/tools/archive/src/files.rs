//! What every compressor does with files: an input is opened, an output is made beside it with the
//! same mode, owner and times.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};

use codepod_tool::path;

use crate::codec::CHUNK;
use crate::system::{self, Meta, Moment};

/// Input of a compressor, with a buffer.
pub(crate) type Input = BufReader<Counted<Box<dyn Read>>>;

/// Counts what passes through.
pub(crate) struct Counted<T> {
    inner: T,
    count: u64,
}

impl<T> Counted<T> {
    /// Counts from 0.
    pub(crate) fn new(inner: T) -> Counted<T> {
        Counted { inner, count: 0 }
    }

    /// Bytes so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// What is inside, to change it.
    pub(crate) fn get_mut(&mut self) -> &mut T {
        &mut self.inner
    }

    /// What is inside.
    pub(crate) fn into_inner(self) -> T {
        self.inner
    }
}

impl<T: Read> Read for Counted<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count += read as u64;
        Ok(read)
    }
}

impl<T: Write> Write for Counted<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.count += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Standard input or a file, to read.
pub(crate) fn input(name: Option<&[u8]>) -> io::Result<Input> {
    let source: Box<dyn Read> = match name {
        Some(name) => Box::new(system::open(name)?),
        None => Box::new(io::stdin()),
    };
    Ok(BufReader::with_capacity(CHUNK, Counted::new(source)))
}

/// Copies everything; returns how much that was.
pub(crate) fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<u64> {
    let mut buffer = vec![0; CHUNK];
    let mut total = 0;
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => return Ok(total),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(&buffer[..read])?;
        total += read as u64;
    }
}

/// Reads to the end and throws it away.
pub(crate) fn drain(from: &mut impl Read) -> io::Result<u64> {
    copy(from, &mut io::sink())
}

/// Where output goes: standard output, a file that is made, or nowhere.
pub(crate) enum Sink {
    /// Standard output.
    Stdout(io::StdoutLock<'static>),
    /// A file of this name.
    File(File, Vec<u8>),
    /// Nowhere: the data are only tested.
    Nowhere,
}

impl Sink {
    /// Standard output.
    pub(crate) fn stdout() -> Sink {
        Sink::Stdout(io::stdout().lock())
    }

    /// A new file.
    pub(crate) fn create(name: &[u8]) -> io::Result<Sink> {
        Ok(Sink::File(system::create_new(name)?, name.to_vec()))
    }

    /// Writes what is left.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.flush()
    }

    /// Takes a file away again that has not become what it should.
    pub(crate) fn discard(self) {
        if let Sink::File(file, name) = self {
            drop(file);
            // It was made a moment ago; if it is gone, all the better.
            let _ = std::fs::remove_file(path(&name));
        }
    }

    /// Gives a file the mode, owner and times of another, as far as that is allowed.
    pub(crate) fn take_after(self, meta: &Meta, modified: Moment) {
        if let Sink::File(file, name) = self {
            drop(file);
            if system::user() == 0 {
                let _ = system::set_owner(&name, Some(meta.uid), Some(meta.gid));
            }
            // The content is what counts: a file system without modes or times does not make it
            // wrong.
            let _ = system::set_mode(&name, meta.mode);
            let _ = system::set_times(&name, meta.accessed, modified, true);
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            // Past std's own buffer, which would only look for newlines.
            Sink::Stdout(_) => write_stdout(bytes),
            Sink::File(file, _) => file.write(bytes),
            Sink::Nowhere => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(stdout) => stdout.flush(),
            _ => Ok(()),
        }
    }
}

/// Writes to standard output without a buffer.
#[cfg(target_os = "wasi")]
pub(crate) fn write_stdout(bytes: &[u8]) -> io::Result<usize> {
    codepod_sys::descriptor::write(codepod_sys::Fd::STDOUT, bytes).map_err(codepod_sys::io_error)
}

/// Writes to standard output without a buffer.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn write_stdout(bytes: &[u8]) -> io::Result<usize> {
    use std::os::fd::AsFd as _;
    Ok(rustix::io::write(io::stdout().as_fd(), bytes)?)
}
