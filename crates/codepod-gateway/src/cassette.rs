//! What sandboxes do on the network, recorded once and replayed without one.
//!
//! A cassette is a directory:
//!
//! ```text
//! exchanges.jsonl   a line of JSON for each thing that happened, see `line.rs`
//! bodies/HASH       the body of a reply, or what the gateway said of a handshake
//! ```
//!
//! What is recorded is what the guest sent and received: placeholders stand for secrets, and what
//! has the value of one is not written. A replay decides as always, and then dials nothing and
//! looks nothing up. A request is found by its method, its URL and its body, and of equal ones by
//! their order; nothing depends on the time, or on which connection it comes by.
//!
//! A recording is whole or is none: where it cannot go on, requests are denied from there, and what
//! was recorded is not replayed. A cassette may come from elsewhere: it is checked before it is
//! used, and what is wrong with it is told with its line.

mod line;
mod recorded;
mod recording;
mod replay;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::secrets::Secrets;
pub(crate) use line::LookupFailure;
use recorded::Recorded;
pub(crate) use recording::{OnTape, Recording};
pub(crate) use replay::{Connected, Replay, Replayed};

/// The file of lines.
const LINES: &str = "exchanges.jsonl";
/// The directory of bodies.
const BODIES: &str = "bodies";

/// What is done with a cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CassetteMode {
    /// What happens is recorded, in place of what there was.
    Record,
    /// What was recorded takes the place of every server.
    Replay,
}

/// A cassette, and what is done with it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CassetteSpec {
    /// The directory. A recording makes it, for its owner only.
    pub directory: PathBuf,
    /// What is done with it.
    pub mode: CassetteMode,
    /// How large it may be, with all bodies.
    pub bytes: u64,
    /// How many exchanges it may have.
    pub exchanges: u64,
}

impl CassetteSpec {
    /// Records into `directory`, at most 10,000 exchanges and 256 MiB.
    pub fn record(directory: impl Into<PathBuf>) -> CassetteSpec {
        CassetteSpec {
            directory: directory.into(),
            mode: CassetteMode::Record,
            bytes: 256 << 20,
            exchanges: 10_000,
        }
    }

    /// Replays what is in `directory`, with the same limits.
    pub fn replay(directory: impl Into<PathBuf>) -> CassetteSpec {
        CassetteSpec {
            mode: CassetteMode::Replay,
            ..CassetteSpec::record(directory)
        }
    }
}

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// A directory or file cannot be used.
    #[error("{}: {error}", .path.display())]
    Path {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A recording would take the place of something else.
    #[error("{}: it holds `{found}`, which no recording has, so nothing is recorded there", .directory.display())]
    NoCassette {
        /// Which directory.
        directory: PathBuf,
        /// What is in it.
        found: String,
    },
    /// Another sandbox records there.
    #[error("{}: another sandbox records there; end it, or record somewhere else", .directory.display())]
    InUse {
        /// Which directory.
        directory: PathBuf,
    },
    /// A line is damaged, or what it names.
    #[error("{}, line {line}: {why}", .file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

/// A cassette in use; clones are the same, at the same place.
#[derive(Clone)]
pub struct Cassette(Use);

#[derive(Clone)]
enum Use {
    Record(Arc<Recording>),
    Replay(Arc<Replay>),
}

impl fmt::Debug for Cassette {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Use::Record(_) => "Cassette(record)",
            Use::Replay(_) => "Cassette(replay)",
        })
    }
}

impl Cassette {
    /// Begins a recording, or reads one.
    ///
    /// Fails where the directory cannot be used, where a recording would take the place of what is
    /// none, and where one that is read is damaged.
    pub fn open(spec: &CassetteSpec) -> Result<Cassette, CassetteError> {
        Ok(Cassette(match spec.mode {
            CassetteMode::Record => Use::Record(Arc::new(Recording::begin(spec)?)),
            CassetteMode::Replay => {
                Use::Replay(Arc::new(Replay::new(Arc::new(Recorded::read(spec)?))))
            }
        }))
    }

    /// The cassette for another sandbox: a recording that is replayed begins anew, and one that is
    /// made goes on.
    pub fn for_another(&self) -> Cassette {
        Cassette(match &self.0 {
            Use::Record(recording) => Use::Record(recording.clone()),
            Use::Replay(replay) => Use::Replay(Arc::new(replay.anew())),
        })
    }

    /// Whether it is replayed, so that nothing is dialled or looked up.
    pub fn is_replayed(&self) -> bool {
        matches!(self.0, Use::Replay(_))
    }

    /// The secrets with the placeholders that are in a recording which is replayed. Those of one
    /// that is made are noted.
    pub fn secrets(&self, secrets: Arc<Secrets>) -> Arc<Secrets> {
        match &self.0 {
            Use::Record(recording) => {
                recording.note_secrets(&secrets);
                secrets
            }
            Use::Replay(replay) => {
                Arc::new(secrets.with_placeholders(|name| replay.placeholder(name)))
            }
        }
    }

    pub(crate) fn recording(&self) -> Option<&Arc<Recording>> {
        match &self.0 {
            Use::Record(recording) => Some(recording),
            Use::Replay(_) => None,
        }
    }

    pub(crate) fn replay(&self) -> Option<&Arc<Replay>> {
        match &self.0 {
            Use::Record(_) => None,
            Use::Replay(replay) => Some(replay),
        }
    }
}
