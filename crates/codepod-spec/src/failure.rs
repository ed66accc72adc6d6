//! Why a run could not be made, or did not succeed: a message, what to do about it, and the status
//! to end with.

use std::fmt;
use std::path::Path;

/// A result of this program.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why it failed.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    /// 1, or 2 for a call that was wrong in itself.
    pub(crate) status: u8,
}

impl Failure {
    /// A failure that its message explains.
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            hint: None,
            status: 1,
        }
    }

    /// A call with wrong arguments.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        let mut failure =
            Failure::new(message).hint("`codepod-spec --help` tells how it is called");
        failure.status = 2;
        failure
    }

    /// Adds what the reader can do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// A file that could not be used: `verb` is what was tried.
    pub(crate) fn file(verb: &str, path: &Path, why: impl fmt::Display) -> Failure {
        Failure::new(format!("cannot {verb} `{}`: {why}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<codepod::Error> for Failure {
    fn from(error: codepod::Error) -> Failure {
        Failure::new(error.to_string()).hint(error.hint())
    }
}
