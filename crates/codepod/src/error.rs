//! Errors to callers of a sandbox: kind, message, hint. What goes wrong inside is a command's own affair.

use codepod_abi::Errno;
use codepod_store::StoreError;
use codepod_wasmtime::EngineError;

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
    /// Fewer runs are kept than were to be undone.
    #[error("cannot undo {wanted} runs: {have} can be undone")]
    NothingToUndo {
        /// How many were wanted.
        wanted: usize,
        /// How many there are.
        have: usize,
    },
    /// Fewer runs were undone than are to be done again.
    #[error("cannot redo {wanted} runs: {have} were undone")]
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
    /// The host has changed a file while changes were being applied to it: some are there, this one is not.
    #[error("`{path}` was changed on the host meanwhile; other changes are there")]
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
    /// An argument cannot be passed on.
    #[error("{0}")]
    InvalidArgument(String),
    /// A fault of codepod itself; this sandbox is over, others are not.
    #[error("internal error: this sandbox cannot go on")]
    Internal,
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// What to do about it, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match &self.kind {
            ErrorKind::NoGuests => Some("build them with `cargo xtask guests`"),
            ErrorKind::Engine(EngineError::Setup(_)) => Some(
                "the engine reserves address space: raise `ulimit -v`, or lower `RuntimeOptions::slots`",
            ),
            ErrorKind::ShellState => {
                Some("close the shell with `Shell::close`, or restore a snapshot")
            }
            ErrorKind::Spawn {
                errno: Errno::NoEnt,
                ..
            } => Some("`codepod exec -- ls /usr/bin` lists the tools"),
            ErrorKind::NoSuchRun { .. } | ErrorKind::NothingToUndo { .. } => Some(
                "`Sandbox::history` lists the runs that are kept; `Options::undo` says how many",
            ),
            ErrorKind::Process { .. } => Some("`Sandbox::jobs` lists the processes"),
            ErrorKind::Changed => Some("look at it again, and decide anew"),
            ErrorKind::Foreign => {
                Some("take it from this sandbox, from one it was forked from, or from a fork of it")
            }
            ErrorKind::Store(StoreError::Locked { .. }) => {
                Some("another sandbox has it, here or in another process: end that one first")
            }
            ErrorKind::Store(StoreError::Limit(_)) => {
                Some("raise `Options::fs_limits` above what the sandbox had that saved it")
            }
            ErrorKind::Store(StoreError::Version { .. }) => Some("update codepod"),
            ErrorKind::Ephemeral | ErrorKind::NotPersistent => {
                Some("`Options::persistence` says what may leave a sandbox and where it is kept")
            }
            ErrorKind::Busy { .. } => Some("wait for them, or end them with `Sandbox::kill_all`"),
            ErrorKind::Internal => Some("drop this sandbox and report what it ran"),
            _ => None,
        }
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
