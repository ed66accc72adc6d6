//! Where `cp`, `mv` and `ln` put things: `-t`, `-T`, or the last operand.

use codepod_tool::{Stop, Usage, errno_text, quoted};

use crate::mode::is_directory;
use crate::system::{self, Errno, Links, Result};

/// What the options say.
#[derive(Debug, Default)]
pub(crate) struct Given {
    directory: Option<Vec<u8>>,
    no_directory: bool,
}

/// Where things are put.
#[derive(Debug)]
pub(crate) enum Destination {
    /// Into a directory, under their own names.
    Into(Vec<u8>),
    /// One thing, under this name.
    As(Vec<u8>),
}

impl Given {
    /// `-t`. Fails when it is there twice.
    pub(crate) fn take_directory(&mut self, directory: Option<Vec<u8>>) -> Result<(), Stop> {
        if self.directory.is_some() {
            return Err(Stop::failed("multiple target directories specified"));
        }
        self.directory = directory;
        Ok(())
    }

    /// `-T`
    pub(crate) fn take_no_directory(&mut self) {
        self.no_directory = true;
    }

    /// Whether `-T` was there.
    pub(crate) fn is_no_directory(&self) -> bool {
        self.no_directory
    }

    /// Takes the destination from the operands, unless an option names it. `links` says whether a
    /// last operand that is a symbolic link counts as the directory it leads to.
    ///
    /// Fails when there are too few or too many operands or no such directory.
    pub(crate) fn destination(
        self,
        operands: &mut Vec<Vec<u8>>,
        links: Links,
    ) -> Result<Destination, Stop> {
        let enough = if self.directory.is_some() { 1 } else { 2 };
        if operands.len() < enough {
            return Err(missing(operands).into());
        }
        if self.no_directory {
            if self.directory.is_some() {
                return Err(Stop::failed(
                    "cannot combine --target-directory (-t) and --no-target-directory (-T)",
                ));
            }
            if let Some(extra) = operands.get(2) {
                return Err(Usage::new([b"extra operand ", &quoted(extra)[..]].concat()).into());
            }
        }
        if let Some(directory) = self.directory {
            return match look(&directory, Links::Follow) {
                Ok(()) => Ok(Destination::Into(directory)),
                Err(errno) => Err(unusable(b"target directory ", &directory, errno)),
            };
        }
        let last = operands.pop().unwrap_or_default();
        if self.no_directory {
            return Ok(Destination::As(last));
        }
        match look(&last, links) {
            Ok(()) => Ok(Destination::Into(last)),
            Err(_) if operands.len() == 1 => Ok(Destination::As(last)),
            Err(errno) => Err(unusable(b"target ", &last, errno)),
        }
    }
}

impl Given {
    /// Where links are made, as [`Given::destination`] tells it for files: one operand alone is
    /// linked to in the working directory, and some messages have other words.
    pub(crate) fn link_destination(
        self,
        operands: &mut Vec<Vec<u8>>,
        links: Links,
    ) -> Result<Destination, Stop> {
        if let ([_], false, None) = (&operands[..], self.no_directory, &self.directory) {
            return Ok(Destination::Into(b".".to_vec()));
        }
        let (Some(directory), false) = (&self.directory, operands.is_empty()) else {
            return self.destination(operands, links);
        };
        if self.no_directory {
            return Err(Stop::failed(
                "cannot combine --target-directory and --no-target-directory",
            ));
        }
        Ok(Destination::Into(directory.clone()))
    }

    /// `-t` of `ln`. Fails when it is there twice, or is no directory.
    pub(crate) fn take_link_directory(&mut self, directory: Option<Vec<u8>>) -> Result<(), Stop> {
        self.take_directory(directory)?;
        let directory = self.directory.as_deref().unwrap_or_default();
        match look(directory, Links::Follow) {
            Ok(()) => Ok(()),
            Err(Errno::NotDir) => Err(Stop::failed(
                [b"target ", &quoted(directory)[..], b" is not a directory"].concat(),
            )),
            Err(errno) => Err(unusable(b"failed to access ", directory, errno)),
        }
    }
}

fn missing(operands: &[Vec<u8>]) -> Usage {
    match operands {
        [only, ..] => {
            let what = b"missing destination file operand after ";
            Usage::new([what, &quoted(only)[..]].concat())
        }
        [] => Usage::new("missing file operand"),
    }
}

/// Fails where there is no directory.
fn look(path: &[u8], links: Links) -> Result<()> {
    match system::stat(path, links) {
        Ok(stat) if is_directory(stat.mode) => Ok(()),
        Ok(_) => Err(Errno::NotDir),
        Err(errno) => Err(errno),
    }
}

fn unusable(what: &[u8], path: &[u8], errno: Errno) -> Stop {
    let why = errno_text(errno).as_bytes();
    Stop::failed([what, &quoted(path), b": ", why].concat())
}
