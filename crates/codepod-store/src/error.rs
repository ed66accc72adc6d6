//! What can go wrong with a saved state, for callers to match on and for people to read.

use codepod_abi::Errno;
use codepod_vfs::LoadError;

/// What went wrong. Nothing was changed: a save that fails leaves the state from before it, a load
/// leaves the sandbox.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Nothing was saved there yet.
    #[error("nothing is saved in the namespace `{namespace}`")]
    Nothing {
        /// The namespace.
        namespace: String,
    },
    /// A namespace's name cannot be used.
    #[error(
        "`{namespace}` cannot name a namespace: 1 to 100 letters, digits, `-`, `_`, `.` or `/`"
    )]
    Namespace {
        /// The name.
        namespace: String,
    },
    /// Somebody else has the namespace open.
    #[error("the namespace `{namespace}` is in use")]
    Locked {
        /// The namespace.
        namespace: String,
        /// The host's process that has it, where that is known. Not a part of the message, which
        /// others may read.
        process: Option<u32>,
    },
    /// Somebody else has taken the namespace over.
    #[error("another writer has taken over the namespace")]
    Fenced,
    /// The state was written by a newer codepod in a form that this one cannot read.
    #[error("the state needs a reader of format {smallest}; this one reads format {own}")]
    Version {
        /// The smallest reader it names.
        smallest: u16,
        /// What this one is.
        own: u16,
    },
    /// The bytes are not those that were saved, or never were a state.
    #[error("the saved state is damaged: {0}")]
    Damaged(&'static str),
    /// The state is more than the limits allow.
    #[error("the saved state is beyond the limits: {0}")]
    Limit(&'static str),
    /// It is encrypted and no key was given.
    #[error("the saved state is encrypted, and no key was given")]
    KeyNeeded,
    /// A key was given and the state is not encrypted: anybody could have written it.
    #[error("the saved state is not encrypted, although a key was given")]
    NotSealed,
    /// The key is not the one that it was encrypted with, or the bytes were changed.
    #[error("the saved state cannot be decrypted: another key, or changed bytes")]
    Sealed,
    /// The state has files where the sandbox has no file system of that kind.
    #[error("the saved state has files of a mount at `{at}`, which this sandbox does not have")]
    Mount {
        /// Where.
        at: String,
    },
    /// The host's file system or object storage failed.
    #[error("the store failed to {what}: {kind}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// How it failed.
        kind: std::io::ErrorKind,
    },
}

impl StoreError {
    pub(crate) fn io(what: &'static str) -> impl Fn(std::io::Error) -> StoreError {
        move |error| StoreError::Io {
            what,
            kind: error.kind(),
        }
    }
}

impl From<LoadError> for StoreError {
    fn from(error: LoadError) -> StoreError {
        match error {
            LoadError::Malformed(what) => StoreError::Damaged(what),
            LoadError::Limit(what) => StoreError::Limit(what),
        }
    }
}

/// A piece of content could not be had while a tree was saved.
impl From<Errno> for StoreError {
    fn from(_: Errno) -> StoreError {
        StoreError::Damaged("a block that was loaded on demand cannot be read any more")
    }
}
