//! Errors of the library as clients see them.

use codepod::{Errno, Error, ErrorKind, StoreError};
use codepod_api::{ApiError, BadBase64, Kind};

/// An error of the library, for a client.
pub(crate) fn failure(error: Error) -> ApiError {
    let (kind, errno) = match error.kind() {
        ErrorKind::Engine(_) | ErrorKind::NoGuests | ErrorKind::Unsupported { .. } => {
            (Kind::Unavailable, None)
        }
        ErrorKind::File { errno, .. } | ErrorKind::Directory { errno, .. } => {
            (Kind::File, Some(*errno))
        }
        ErrorKind::Spawn {
            errno: errno @ Errno::Again,
            ..
        } => (Kind::Limit, Some(*errno)),
        ErrorKind::Spawn { errno, .. } => (Kind::Spawn, Some(*errno)),
        ErrorKind::Memory { .. } => (Kind::Limit, None),
        ErrorKind::Mount { .. } => (Kind::Mount, None),
        ErrorKind::Busy { .. } => (Kind::Busy, None),
        ErrorKind::NoSuchRun { .. }
        | ErrorKind::NothingToUndo { .. }
        | ErrorKind::NothingToRedo { .. } => (Kind::NoSuchRun, None),
        ErrorKind::Changed => (Kind::Changed, None),
        ErrorKind::Foreign => (Kind::Foreign, None),
        ErrorKind::PartlyApplied { .. } => (Kind::PartlyApplied, None),
        ErrorKind::Dial { errno, .. } => (Kind::NoServer, Some(*errno)),
        ErrorKind::Process { errno, .. } => (Kind::Process, Some(*errno)),
        ErrorKind::ShellState => (Kind::ShellState, None),
        ErrorKind::Store(StoreError::Limit(_)) => (Kind::TooLarge, None),
        ErrorKind::Store(_) => (Kind::State, None),
        ErrorKind::StateRoom { .. } => (Kind::Limit, None),
        ErrorKind::Ephemeral | ErrorKind::NotPersistent => (Kind::NotPersistent, None),
        ErrorKind::InvalidArgument(_) | ErrorKind::Network(_) | ErrorKind::Edit { .. } => {
            (Kind::InvalidParams, None)
        }
        _ => (Kind::Internal, None),
    };
    let mut told = ApiError::new(kind, error.to_string());
    if let ErrorKind::Edit { why, .. } = error.kind() {
        told = told.hint(why.hint());
    }
    if let ErrorKind::Directory { .. } = error.kind() {
        told = told.hint("make it with `files.mkdir`, or mount a directory there");
    }
    match errno {
        Some(errno) => told.errno(errno_name(errno)),
        None => told,
    }
}

/// As C writes it: `ENOENT`.
fn errno_name(errno: Errno) -> String {
    match errno {
        Errno::TooBig => "E2BIG".into(),
        Errno::Access => "EACCES".into(),
        errno => format!("E{}", errno.name().to_ascii_uppercase()),
    }
}

/// Base64 that is none.
pub(crate) fn bad_base64(error: BadBase64) -> ApiError {
    ApiError::new(Kind::InvalidParams, error.0)
}

/// Not found. Other tenants' objects are reported in the same way, so that ids cannot be probed.
pub(crate) fn not_found(what: &str) -> ApiError {
    ApiError::new(Kind::NotFound, format!("there is no such {what}"))
}
