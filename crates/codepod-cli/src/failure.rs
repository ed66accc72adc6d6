//! What this program says when it cannot do what it was asked: what, why, and what to do about it.

use codepod::{Errno, Error, ErrorKind, StoreError};

use crate::terminal_text::shown;

/// Exit status for what is wrong with codepod or its options.
const OUR_FAULT: u8 = 125;

/// An error of this program.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: String,
    status: u8,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            hint: hint.into(),
            status: OUR_FAULT,
        }
    }

    /// What to do about it.
    #[cfg(test)]
    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }

    /// Says it on standard error; the exit status.
    pub(crate) fn tell(&self) -> u8 {
        eprintln!("error: {}", shown(&self.message));
        eprintln!("hint: {}", shown(&self.hint));
        self.status
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure {
            message: match error.kind() {
                // To its user a namespace is a state.
                ErrorKind::Store(StoreError::Locked { namespace, process }) => {
                    format!("the state `{namespace}` is {}", in_use(*process))
                }
                _ => error.to_string(),
            },
            hint: hint(&error).to_owned(),
            status: status_of(&error),
        }
    }
}

impl From<ErrorKind> for Failure {
    fn from(kind: ErrorKind) -> Failure {
        Error::from(kind).into()
    }
}

/// What keeps a server from listening.
pub(crate) fn cannot_serve(error: &std::io::Error, option: &str) -> Failure {
    let hint = match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            format!("another program has this address: end it, or choose another with `{option}`")
        }
        std::io::ErrorKind::AddrNotAvailable => {
            format!("this machine does not have this address: choose another with `{option}`")
        }
        std::io::ErrorKind::PermissionDenied => {
            format!("ports below 1024 are for root: choose another with `{option}`")
        }
        _ => format!("check `{option}` and the configuration"),
    };
    Failure::new(format!("cannot serve: {error}"), hint)
}

/// How a state is that somebody has.
pub(crate) fn in_use(process: Option<u32>) -> String {
    match process {
        Some(process) => format!("in use by process {process}"),
        None => "in use".to_owned(),
    }
}

/// What to do about it here: the library's own hints name its functions.
fn hint(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::NothingToUndo { .. } => {
            "`codepod states show NAME` lists the versions; only runs that changed files are counted"
        }
        ErrorKind::Store(StoreError::Locked { .. }) => {
            "wait until it has ended, end it with `kill`, or work on a copy: `codepod states fork`"
        }
        ErrorKind::Store(StoreError::Nothing { .. }) => "`codepod states` lists what is kept",
        ErrorKind::Store(StoreError::Limit(_)) => "choose larger limits: `--profile large`",
        ErrorKind::Store(StoreError::Damaged(_)) => {
            "go back to the version before with `codepod undo NAME`, or import it again"
        }
        ErrorKind::Store(StoreError::Io { .. }) => {
            "look at the directory of states: `codepod doctor` names it"
        }
        ErrorKind::UnknownMounts { .. } => {
            "`codepod states show NAME` lists them; give those that it may have with `--mount HOST:GUEST:ACCESS`"
        }
        ErrorKind::Directory { .. } => {
            "leave out `--cwd` and write `mkdir -p DIRECTORY; cd DIRECTORY`, or give it with `--mount HOST:GUEST`"
        }
        ErrorKind::Spawn {
            errno: Errno::Again,
            ..
        } => "wait for other processes to end, or raise the limit: `--processes`",
        ErrorKind::Mount { .. } => {
            "write HOST:GUEST[:ro|rw|overlay]; HOST is a directory that you may read, GUEST begins with `/`"
        }
        ErrorKind::Engine(_) => "`codepod doctor` says what this machine lacks",
        ErrorKind::Busy { .. } => "wait for its processes, or end them",
        _ => error.hint(),
    }
}

/// The status that a shell would give: 127 for a tool that is not there, 126 for one that cannot be
/// run, and 125 for what is wrong with codepod or its options.
fn status_of(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::Spawn {
            errno: Errno::NoEnt,
            ..
        } => 127,
        ErrorKind::Spawn { .. } => 126,
        _ => OUR_FAULT,
    }
}
