//! How a task fails: what happened, what to do about it, and the status to end with.

use std::fmt;

/// What a command returns.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Why a task failed.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    /// 1, or 2 for a call that was wrong in itself.
    pub(crate) status: u8,
}

impl Failure {
    /// A failure that nothing but its message explains.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure {
            message: message.into(),
            hint: None,
            status: 1,
        }
    }

    /// A call with wrong arguments.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure {
            message: message.into(),
            hint: Some(hint.into()),
            status: 2,
        }
    }

    /// Adds what the reader can do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A file or directory that could not be used: `verb` is what was tried.
    pub(crate) fn file(verb: &str, path: &std::path::Path, error: impl fmt::Display) -> Self {
        Failure::new(format!("cannot {verb} `{}`: {error}", path.display()))
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

/// Refuses every argument: for commands that take none.
pub(crate) fn no_arguments(arguments: &[String], command: &str) -> Outcome {
    match arguments.first() {
        None => Ok(()),
        Some(argument) => Err(unknown_argument(argument, command)),
    }
}

/// The failure for an argument that a command does not know.
pub(crate) fn unknown_argument(argument: &str, command: &str) -> Failure {
    Failure::usage(
        format!("`{command}` does not take `{argument}`"),
        format!("`cargo xtask {command} --help` tells what it takes"),
    )
}

/// Splits off a flag that may be given once or not at all; other options are refused.
pub(crate) fn flag_and_names<'a>(
    arguments: &'a [String],
    flag: &str,
    command: &str,
) -> Outcome<(bool, Vec<&'a str>)> {
    let mut given = false;
    let mut names = Vec::new();
    for argument in arguments {
        if argument == flag {
            given = true;
        } else if argument.starts_with('-') {
            return Err(unknown_argument(argument, command));
        } else {
            names.push(argument.as_str());
        }
    }
    Ok((given, names))
}
