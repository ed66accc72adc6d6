//! How a command ends early: with a message of git's and its status.

use std::io;

/// Why a command stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// `fatal: …`, status 128.
    Fatal(Vec<u8>),
    /// `error: …`, status 1.
    Error(Vec<u8>),
    /// `error: …` with another status.
    ErrorStatus(Vec<u8>, i32),
    /// Everything was said already.
    Status(i32),
}

/// What most functions return.
pub(crate) type Result<T> = std::result::Result<T, Stop>;

/// `fatal: MESSAGE`.
pub(crate) fn fatal<T>(message: impl Into<Vec<u8>>) -> Result<T> {
    Err(Stop::Fatal(message.into()))
}

/// `error: MESSAGE`.
pub(crate) fn error<T>(message: impl Into<Vec<u8>>) -> Result<T> {
    Err(Stop::Error(message.into()))
}

impl From<io::Error> for Stop {
    fn from(found: io::Error) -> Stop {
        Stop::Fatal(codepod_tool::io_text(&found).into_bytes())
    }
}

/// Text of bytes for a message.
pub(crate) fn show(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The words for an error of the system.
pub(crate) fn why(found: &io::Error) -> String {
    codepod_tool::io_text(found)
}
