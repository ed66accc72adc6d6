//! Errors to callers of a sandbox: kind, message, hint. What goes wrong inside is a command's own
//! affair.

use codepod_abi::Errno;
use codepod_store::StoreError;

use crate::absent;
use crate::edit_failure::EditFailure;
use crate::engine::{self, EngineError};

/// An error with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    kind: ErrorKind,
}

/// What went wrong. Clients match on this; people read its text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The engine cannot be set up or lacks a module.
    #[error("{0}")]
    Engine(EngineError),
    /// The platform lacks something that was asked for.
    #[error("{what}")]
    Unsupported {
        /// What cannot be done.
        what: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// No guests were built, so there are no commands.
    #[error("no guests are built")]
    NoGuests,
    /// A file operation failed.
    #[error("`{path}`: {errno}")]
    File {
        /// The sandbox's path.
        path: String,
        /// Why.
        errno: Errno,
    },
    /// A process could not be made.
    #[error("cannot start `{name}`: {errno}")]
    Spawn {
        /// The command.
        name: String,
        /// Why.
        errno: Errno,
    },
    /// Nothing can be started in a directory: it is not there, or is none.
    #[error("cannot work in `{path}`: {errno}")]
    Directory {
        /// The sandbox's path.
        path: String,
        /// Why.
        errno: Errno,
    },
    /// A host directory cannot be mounted.
    #[error("cannot mount at `{at}`: {why}")]
    Mount {
        /// The sandbox's path.
        at: String,
        /// Why; it names nothing of the host.
        why: String,
    },
    /// The sandbox has processes that the operation cannot go on under.
    #[error("the sandbox is busy: {processes} processes are running")]
    Busy {
        /// How many.
        processes: usize,
    },
    /// A run is not kept: it never was, or it is too long ago.
    #[error("there is no run {number} in the history")]
    NoSuchRun {
        /// The number asked for.
        number: u64,
        /// The oldest that is kept.
        oldest: Option<u64>,
    },
    /// Fewer steps are kept than were to be undone.
    #[error("cannot undo {}: {} can be undone", steps(*wanted), count_of(*have))]
    NothingToUndo {
        /// How many were wanted.
        wanted: usize,
        /// How many there are.
        have: usize,
    },
    /// Fewer steps were undone than are to be done again.
    #[error("cannot redo {}: {} undone", steps(*wanted), was(*have))]
    NothingToRedo {
        /// How many were wanted.
        wanted: usize,
        /// How many there are.
        have: usize,
    },
    /// The sandbox is not any more as the operation found it at first.
    #[error("the sandbox has changed since")]
    Changed,
    /// A snapshot or a fork is of another sandbox.
    #[error("the snapshot is of another sandbox")]
    Foreign,
    /// The host has changed a file while changes to it were taken back again: this one is there and
    /// stays.
    #[error("`{path}` was changed on the host meanwhile, and could not be put back")]
    PartlyApplied {
        /// The sandbox's path.
        path: String,
    },
    /// A process cannot be signalled.
    #[error("process {pid}: {errno}")]
    Process {
        /// Its number.
        pid: u32,
        /// Why.
        errno: Errno,
    },
    /// Nothing inside can be connected to at a port.
    #[error("port {port} of the sandbox: {errno}")]
    Dial {
        /// The port.
        port: u16,
        /// Why: refused when nothing listens, `Again` while too many connections wait there.
        errno: Errno,
    },
    /// A shell cannot go on from the state that it has.
    #[error("the shell cannot take over its state")]
    ShellState,
    /// A state cannot be saved or loaded.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The sandbox was made so that its state never leaves it.
    #[error("the sandbox is ephemeral: its state cannot be saved, exported or replaced")]
    Ephemeral,
    /// The sandbox has no place where its state is kept.
    #[error("the sandbox is not persistent")]
    NotPersistent,
    /// No more may be saved where the sandbox's state is kept.
    #[error("saved states may take {bytes} bytes")]
    StateRoom {
        /// How many bytes there may be in all.
        bytes: u64,
    },
    /// Nothing is kept under a name.
    #[error("there is no state `{name}`")]
    NoSuchState {
        /// The name.
        name: String,
    },
    /// Something is kept under a name already.
    #[error("there is a state `{name}` already")]
    StateExists {
        /// The name.
        name: String,
    },
    /// A state comes with host directories that this user has not chosen.
    #[error("the state `{name}` comes with host directories that nobody here has chosen")]
    UnknownMounts {
        /// The state.
        name: String,
    },
    /// A state cannot have this name.
    #[error("`{name}` cannot name a state")]
    StateName {
        /// The name.
        name: String,
    },
    /// Those that share a budget have all the memory that they may have, or all that the host has
    /// for sandboxes.
    #[error("there is no memory left for {what}")]
    Memory {
        /// What it was wanted for.
        what: &'static str,
    },
    /// An argument cannot be passed on.
    #[error("{0}")]
    InvalidArgument(String),
    /// A file was not edited: it is as it was.
    #[error("cannot edit `{path}`: {why}")]
    Edit {
        /// The file.
        path: String,
        /// Why not.
        why: EditFailure,
    },
    /// A rule, a static address or a secret of a network cannot be used.
    #[error("the network: {0}")]
    Network(String),
    /// This program cannot be locked in as its environment asks for.
    #[error("this program cannot be locked in: {0}")]
    Jail(String),
    /// A fault of codepod itself; this sandbox is over, others are not.
    #[error("internal error: this sandbox cannot go on")]
    Internal,
}

/// A number of runs.
impl Error {
    /// A file operation that failed.
    pub(crate) fn file(path: impl AsRef<[u8]>, errno: Errno) -> Error {
        let path = String::from_utf8_lossy(path.as_ref()).into_owned();
        ErrorKind::File { path, errno }.into()
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match &self.kind {
            ErrorKind::NoGuests => {
                "build them with `cargo xtask guests`; `--only shell,toolbox` takes minutes"
            }
            ErrorKind::Engine(error) => engine::hint(error),
            ErrorKind::Unsupported { instead, .. } => instead,
            ErrorKind::File { .. } => {
                "look at the path with `Sandbox::stat` or `Sandbox::list_dir`"
            }
            ErrorKind::Spawn { name, errno } => match errno {
                // The name is the command with its arguments.
                Errno::NoEnt => {
                    let command = name.split(' ').next().unwrap_or(name);
                    absent::instead(command)
                        .unwrap_or("`codepod exec -- ls /usr/bin` lists the tools")
                }
                Errno::Again => {
                    "wait for other processes to end, or raise `Limits::processes` or the budget's limits"
                }
                _ => "`Sandbox::stat` says whether it is a file that can be run",
            },
            ErrorKind::Directory { .. } => {
                "make it with `Sandbox::mkdir`, or mount a directory there"
            }
            ErrorKind::Mount { .. } => {
                "the host's directory must exist, and the path in the sandbox be absolute, free and alone"
            }
            ErrorKind::Busy { .. } => "wait for them, or end them with `Sandbox::kill_all`",
            ErrorKind::NoSuchRun { .. } | ErrorKind::NothingToUndo { .. } => {
                "`Sandbox::history` lists the steps that are kept; `Options::undo` says how many"
            }
            ErrorKind::NothingToRedo { .. } => {
                "only what was undone, and not followed by another step, can be done again"
            }
            ErrorKind::Edit { why, .. } => why.hint(),
            ErrorKind::Changed => "read the current state and try again",
            ErrorKind::Foreign => {
                "take it from this sandbox, from one it was forked from, or from a fork of it"
            }
            ErrorKind::PartlyApplied { .. } => "`Sandbox::mount_changes` shows what is left",
            ErrorKind::Process { .. } => "`Sandbox::jobs` lists the processes",
            ErrorKind::Dial { errno, .. } => match errno {
                Errno::ConnRefused => "start a server in the sandbox that listens at that port",
                _ => "try again once the server has accepted others",
            },
            ErrorKind::ShellState => "close the shell with `Shell::close`, or restore a snapshot",
            ErrorKind::Store(error) => store_hint(error),
            ErrorKind::NoSuchState { .. } => {
                "`codepod states` lists them; `codepod run --state NAME` makes one"
            }
            ErrorKind::StateExists { .. } => {
                "choose another name, or remove it: `codepod states remove NAME`"
            }
            ErrorKind::StateName { .. } => {
                "use 1 to 64 letters, digits, `-`, `_` and `.`; neither `.` nor `-` comes first"
            }
            ErrorKind::UnknownMounts { .. } => {
                "look at them, then give those that it may have in `Options::mounts`, or call `StateDirectory::trust_mounts`"
            }
            ErrorKind::Ephemeral | ErrorKind::NotPersistent => {
                "`Options::persistence` says what may leave a sandbox and where it is kept"
            }
            ErrorKind::StateRoom { .. } => "remove states that nobody needs",
            ErrorKind::Memory { .. } => {
                "end processes, remove files, snapshots or sandboxes that share the budget, or raise `BudgetLimits::memory_bytes`"
            }
            ErrorKind::InvalidArgument(_) => "correct the argument",
            ErrorKind::Network(_) => {
                "rules are written as `api.example.com`, `*.example.com`, `https://example.com/v1` or `tcp://db.example.com:5432`"
            }
            ErrorKind::Jail(_) => {
                "set `CODEPOD_JAIL` to `on`, which is the usual, to do without what the host lacks"
            }
            ErrorKind::Internal => "drop this sandbox and report what it ran",
        }
    }
}

fn store_hint(error: &StoreError) -> &'static str {
    match error {
        StoreError::Nothing { .. } => "save something first, or check the name",
        StoreError::Namespace { .. } => "choose another name",
        StoreError::Locked { .. } => {
            "another sandbox has it, here or in another process: end that one first"
        }
        StoreError::Fenced => {
            "load the state again: what was saved since the takeover is another's"
        }
        StoreError::Version { .. } => "update codepod",
        StoreError::Limit(_) => {
            "raise `Options::fs_limits` above what the sandbox had that saved it"
        }
        StoreError::Damaged(_) => {
            "take an older version, or a copy from elsewhere: nothing was changed here"
        }
        StoreError::KeyNeeded | StoreError::Sealed => "give the key that it was encrypted with",
        StoreError::NotSealed => "leave the key out, if you trust where it comes from",
        StoreError::Mount { .. } => "make the sandbox with the mounts of the one that saved it",
        _ => "check that the directory can be written and has room",
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error { kind }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        ErrorKind::Store(error).into()
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Error {
        ErrorKind::Engine(error).into()
    }
}

/// `1 step`, `2 steps`.
fn steps(count: usize) -> String {
    match count {
        1 => "1 step".to_owned(),
        count => format!("{count} steps"),
    }
}

/// `none`, `1`, `2`.
fn count_of(count: usize) -> String {
    match count {
        0 => "none".to_owned(),
        count => count.to_string(),
    }
}

/// `none was`, `1 was`, `2 were`.
fn was(count: usize) -> String {
    let verb = if count > 1 { "were" } else { "was" };
    format!("{} {verb}", count_of(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind. A new kind does not compile until it is here: add it to the list, too.
    fn every_kind() -> Vec<ErrorKind> {
        let errno = Errno::NoEnt;
        let (path, name, at) = ("p".to_owned(), "n".to_owned(), "/m".to_owned());
        let kinds = vec![
            ErrorKind::Engine(EngineError::Setup("why".into())),
            ErrorKind::Engine(EngineError::UnknownModule("m".into())),
            ErrorKind::Engine(EngineError::InvalidModule("why".into())),
            ErrorKind::Engine(EngineError::NotGranted("it imports nothing".into())),
            ErrorKind::Engine(EngineError::Cache("why".into())),
            ErrorKind::NoGuests,
            ErrorKind::Unsupported {
                what: "it cannot be done on this platform",
                instead: "do something else",
            },
            ErrorKind::Jail("why".into()),
            ErrorKind::File {
                path: path.clone(),
                errno,
            },
            ErrorKind::Spawn {
                name: name.clone(),
                errno,
            },
            ErrorKind::Spawn {
                name: name.clone(),
                errno: Errno::Again,
            },
            ErrorKind::Spawn {
                name,
                errno: Errno::NoExec,
            },
            ErrorKind::Directory {
                path: path.clone(),
                errno,
            },
            ErrorKind::Mount {
                at: at.clone(),
                why: "why".into(),
            },
            ErrorKind::Busy { processes: 1 },
            ErrorKind::NoSuchRun {
                number: 1,
                oldest: None,
            },
            ErrorKind::NothingToUndo { wanted: 2, have: 1 },
            ErrorKind::NothingToRedo { wanted: 2, have: 1 },
            ErrorKind::Edit {
                path: "f".into(),
                why: EditFailure::NotText,
            },
            ErrorKind::Changed,
            ErrorKind::Foreign,
            ErrorKind::PartlyApplied { path },
            ErrorKind::Process { pid: 1, errno },
            ErrorKind::Dial { port: 80, errno },
            ErrorKind::Dial {
                port: 80,
                errno: Errno::ConnRefused,
            },
            ErrorKind::ShellState,
            ErrorKind::Store(StoreError::Nothing {
                namespace: "n".into(),
            }),
            ErrorKind::Store(StoreError::Locked {
                namespace: "n".into(),
                process: None,
            }),
            ErrorKind::Store(StoreError::Fenced),
            ErrorKind::Store(StoreError::Version {
                smallest: 2,
                own: 1,
            }),
            ErrorKind::Store(StoreError::Damaged("why")),
            ErrorKind::Store(StoreError::Limit("why")),
            ErrorKind::Store(StoreError::KeyNeeded),
            ErrorKind::Store(StoreError::NotSealed),
            ErrorKind::Store(StoreError::Sealed),
            ErrorKind::Store(StoreError::Mount { at }),
            ErrorKind::Ephemeral,
            ErrorKind::NotPersistent,
            ErrorKind::StateRoom { bytes: 1 },
            ErrorKind::NoSuchState { name: "s".into() },
            ErrorKind::StateExists { name: "s".into() },
            ErrorKind::StateName { name: "/".into() },
            ErrorKind::UnknownMounts { name: "a".into() },
            ErrorKind::Memory { what: "a test" },
            ErrorKind::InvalidArgument("a word is wrong".into()),
            ErrorKind::Network("a rule is wrong".into()),
            ErrorKind::Internal,
        ];
        for kind in &kinds {
            match kind {
                ErrorKind::Engine(_)
                | ErrorKind::NoGuests
                | ErrorKind::Unsupported { .. }
                | ErrorKind::Jail(_)
                | ErrorKind::File { .. }
                | ErrorKind::Spawn { .. }
                | ErrorKind::Directory { .. }
                | ErrorKind::Mount { .. }
                | ErrorKind::Busy { .. }
                | ErrorKind::NoSuchRun { .. }
                | ErrorKind::NothingToUndo { .. }
                | ErrorKind::NothingToRedo { .. }
                | ErrorKind::Edit { .. }
                | ErrorKind::Changed
                | ErrorKind::Foreign
                | ErrorKind::PartlyApplied { .. }
                | ErrorKind::Process { .. }
                | ErrorKind::Dial { .. }
                | ErrorKind::ShellState
                | ErrorKind::Store(_)
                | ErrorKind::Ephemeral
                | ErrorKind::NotPersistent
                | ErrorKind::StateRoom { .. }
                | ErrorKind::NoSuchState { .. }
                | ErrorKind::StateExists { .. }
                | ErrorKind::StateName { .. }
                | ErrorKind::UnknownMounts { .. }
                | ErrorKind::Memory { .. }
                | ErrorKind::InvalidArgument(_)
                | ErrorKind::Network(_)
                | ErrorKind::Internal => {}
            }
        }
        kinds
    }

    #[test]
    fn every_error_says_what_is_wrong_and_what_to_do() {
        for kind in every_kind() {
            let error = Error::from(kind);
            let (message, hint) = (error.to_string(), error.hint());
            assert!(!message.is_empty() && !message.ends_with('.'), "{message}");
            assert!(
                !hint.is_empty() && !hint.ends_with('.'),
                "{message}: {hint}"
            );
            let first = message.chars().next().unwrap_or('A');
            assert!(!first.is_uppercase(), "{message}");
        }
    }
}
