//! The host directories that a state was used with, beside it and sealed.
//!
//! The folder of a state may come from anywhere, and what its file says is mounted, to be written
//! to, too. So the file has a keyed digest; the key lies beside the directory of states, where no
//! folder of a state brings one along. What it does not fit is a list that this user never made: it
//! is looked at, and believed only when they say so.

use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::failed;
use crate::error::{Error, ErrorKind};
use crate::mounts::{Mount, MountAccess, MountSource};

/// The file in the folder of a state.
const MOUNTS: &str = "mounts";

/// What a state remembers.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    pub(super) mounts: Vec<Mount>,
    /// Whether this user has written the list.
    pub(super) known: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct MountLine {
    host: PathBuf,
    at: String,
    access: Access,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Access {
    Ro,
    Rw,
    Overlay,
}

/// The file. Lists of older versions are without a digest, and nobody knows who wrote them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Sealed {
        mounts: Vec<MountLine>,
        digest: String,
    },
    Plain(Vec<MountLine>),
}

impl Remembered {
    /// What the state in a folder remembers; nothing, if it has no list.
    pub(super) fn read(folder: &Path, key: &Path) -> Result<Remembered, Error> {
        let text = match fs::read(folder.join(MOUNTS)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Remembered::default());
            }
            Err(error) => return Err(failed("read the mounts of a state", &error)),
        };
        let written = serde_json::from_slice(&text).map_err(|_| {
            let why =
                "the file `mounts` of the state is damaged: remove it, and give the mounts again";
            ErrorKind::InvalidArgument(why.into())
        })?;
        let (lines, known) = match written {
            Written::Plain(lines) => (lines, false),
            Written::Sealed { mounts, digest } => {
                let found = blake3::Hash::from_hex(digest).ok();
                let expected = read_key(key)?.map(|key| seal(&key, &mounts)).transpose()?;
                // Compared in constant time.
                let known = found.is_some() && found == expected;
                (mounts, known)
            }
        };
        let mount = |line: MountLine| {
            let access = match line.access {
                Access::Ro => MountAccess::ReadOnly,
                Access::Rw => MountAccess::ReadWrite,
                Access::Overlay => MountAccess::Overlay,
            };
            Mount::host(line.host, line.at, access)
        };
        Ok(Remembered {
            mounts: lines.into_iter().map(mount).collect(),
            known,
        })
    }

    /// Remembers the host directories among mounts, in the folder of a state.
    pub(super) fn write(folder: &Path, key: &Path, mounts: &[Mount]) -> Result<(), Error> {
        let line = |mount: &Mount| match &mount.source {
            MountSource::Host(host, access) => Some(MountLine {
                host: host.clone(),
                at: mount.at.clone(),
                access: match access {
                    MountAccess::ReadOnly => Access::Ro,
                    MountAccess::ReadWrite => Access::Rw,
                    MountAccess::Overlay => Access::Overlay,
                },
            }),
            _ => None,
        };
        let mounts: Vec<MountLine> = mounts.iter().filter_map(line).collect();
        let path = folder.join(MOUNTS);
        if mounts.is_empty() && !path.exists() {
            return Ok(());
        }
        let digest = seal(&read_or_make_key(key)?, &mounts)?;
        let digest = digest.to_hex().to_string();
        let text = serde_json::to_vec(&Written::Sealed { mounts, digest });
        let text = text.map_err(|_| ErrorKind::Internal)?;
        let temporary = path.with_extension("new");
        fs::write(&temporary, text)
            .and_then(|()| fs::rename(&temporary, path))
            .map_err(|error| failed("write beside the state", &error))
    }
}

/// The digest of a list.
fn seal(key: &[u8; 32], mounts: &[MountLine]) -> Result<blake3::Hash, Error> {
    let text = serde_json::to_vec(mounts).map_err(|_| ErrorKind::Internal)?;
    Ok(blake3::keyed_hash(key, &text))
}

/// The key, if there is one that only this user can read.
fn read_key(path: &Path) -> Result<Option<[u8; 32]>, Error> {
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("read the key of the states", &error)),
    };
    let cannot = |error: std::io::Error| failed("read the key of the states", &error);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // Whoever can read it can make lists that we would believe.
        if file.metadata().map_err(cannot)?.mode() & 0o077 != 0 {
            return Ok(None);
        }
    }
    let mut bytes = Vec::new();
    (&mut file)
        .take(33)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    Ok(bytes.try_into().ok())
}

/// Makes the key, if there is none.
#[cfg(feature = "jail")]
pub(super) fn make_key(path: &Path) -> Result<(), Error> {
    read_or_make_key(path).map(drop)
}

fn read_or_make_key(path: &Path) -> Result<[u8; 32], Error> {
    if let Some(key) = read_key(path)? {
        return Ok(key);
    }
    let cannot = |error: std::io::Error| failed("write the key of the states", &error);
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|_| ErrorKind::Internal)?;
    // One that is damaged or that others can read is of no use: lists that it fits are asked about
    // once more.
    let temporary = path.with_extension(format!("{}.new", std::process::id()));
    let _ = fs::remove_file(&temporary);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(&temporary)
        .and_then(|mut file| file.write_all(&key))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(cannot)?;
    // Of two that begin at once the later one's counts.
    Ok(read_key(path)?.unwrap_or(key))
}
