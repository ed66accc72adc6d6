//! Lock files: which version of which package, and what its files have to be.
//!
//! Three kinds are read: the requirements of `pip-compile` and `uv pip compile`, `pylock.toml`
//! (PEP 751), and `uv.lock`.

use super::{Sha256, requirements, toml_locks};

/// The longest lock file.
pub const MAX_LOCK_FILE: u64 = 32 << 20;
/// The most packages of one.
pub const MAX_ENTRIES: usize = 10_000;

/// What a lock file names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockFile {
    /// Packages of an index.
    pub entries: Vec<Entry>,
    /// Names of packages that come from elsewhere, such as a repository or a URL.
    pub elsewhere: Vec<String>,
}

/// A package of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name in normal form.
    pub name: String,
    /// Its version, as it was written.
    pub version: String,
    /// Which files it may be.
    pub files: Files,
    /// When it is needed, if not always.
    pub marker: Option<String>,
}

/// Which files a package may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// Nothing is said.
    Any,
    /// Those with these digests.
    These(Vec<Sha256>),
    /// None that is pure: the lock file lists all wheels.
    NotPure,
}

/// Why a lock file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// It is none of those that are known.
    #[error("that is no lock file: one is requirements.txt, pylock.toml or uv.lock")]
    Unknown,
    /// It is too long.
    #[error("a lock file has at most {MAX_LOCK_FILE} bytes and {MAX_ENTRIES} packages")]
    TooLong,
    /// A line of requirements does not name one version.
    #[error("line {line}: {why}")]
    Line {
        /// Which, from 1.
        line: usize,
        /// Why.
        why: String,
    },
    /// It is not what its name says.
    #[error("{0}")]
    Content(String),
}

impl LockFile {
    /// Reads a lock file; its name says of which kind it is.
    pub fn parse(file_name: &str, text: &str) -> Result<LockFile, LockError> {
        if text.len() as u64 > MAX_LOCK_FILE {
            return Err(LockError::TooLong);
        }
        let is_pylock = file_name.starts_with("pylock.") && file_name.ends_with(".toml");
        let mut read = match file_name {
            "uv.lock" => toml_locks::uv(text)?,
            _ if is_pylock => toml_locks::pylock(text)?,
            _ if file_name.ends_with(".toml") || file_name.ends_with(".lock") => {
                return Err(LockError::Unknown);
            }
            _ => requirements::parse(text)?,
        };
        read.join();
        match read.entries.len() > MAX_ENTRIES {
            true => Err(LockError::TooLong),
            false => Ok(read),
        }
    }

    /// Makes one entry of those for the same version, which stand there for several markers.
    fn join(&mut self) {
        let mut places = std::collections::HashMap::new();
        let mut joined: Vec<Entry> = Vec::new();
        for entry in self.entries.drain(..) {
            let place = *places
                .entry((
                    entry.name.clone(),
                    super::version::canonical(&entry.version),
                ))
                .or_insert(joined.len());
            let Some(first) = joined.get_mut(place) else {
                joined.push(entry);
                continue;
            };
            if first.marker != entry.marker {
                first.marker = None;
            }
            if let (Files::These(digests), Files::These(more)) = (&mut first.files, entry.files) {
                digests.extend(more);
            }
        }
        self.entries = joined;
    }
}
