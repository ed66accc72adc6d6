//! Systems for which there is no wall yet.

use std::io;

use crate::{Mode, Needs};

pub(crate) fn begin(_: &Needs) -> io::Result<bool> {
    Ok(false)
}

pub(crate) fn seal(_: &Needs, _: Mode) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The system calls that a program with these needs may make: there is no table for this system.
pub fn calls(_: &Needs) -> Vec<&'static str> {
    Vec::new()
}
