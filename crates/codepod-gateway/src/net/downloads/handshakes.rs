//! What guests were told of TLS with the servers of downloads, to be told again offline.
//!
//! ```text
//! handshakes/KEY   seconds since 1970 (8 bytes, big-endian), then the payload of a `cptls` reply
//! ```

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::store::{Key, Scratch};
use crate::cptls::MAX_RECORD;

/// How many servers' handshakes are kept.
const MOST: usize = 1000;

/// A handshake that was good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Handshake {
    /// When that was.
    pub(crate) at: SystemTime,
    /// The payload of the reply.
    pub(crate) reply: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Handshakes {
    directory: PathBuf,
    /// What this process has written, by its hash.
    written: Mutex<HashMap<Key, blake3::Hash>>,
}

impl Handshakes {
    pub(super) fn new(directory: PathBuf) -> Handshakes {
        Handshakes {
            directory,
            written: Mutex::default(),
        }
    }

    /// Whether a handshake came out as the last one.
    pub(super) fn is_known(&self, key: Key, reply: &[u8]) -> bool {
        let written = self.written.lock();
        let written = written.unwrap_or_else(PoisonError::into_inner);
        written.get(&key) == Some(&blake3::hash(reply))
    }

    /// Keeps a handshake of now. Those that are too many go, the oldest first.
    pub(super) fn keep(&self, key: Key, reply: &[u8], scratch: &Scratch) -> io::Result<()> {
        let path = self.directory.join(key.to_hex());
        if !path.exists() {
            self.make_room()?;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = now.unwrap_or_default().as_secs().to_be_bytes();
        scratch.write(&path, &[&seconds, reply].concat())?;
        let written = self.written.lock();
        let mut written = written.unwrap_or_else(PoisonError::into_inner);
        if written.len() >= MOST {
            written.clear();
        }
        written.insert(key, blake3::hash(reply));
        Ok(())
    }

    pub(super) fn get(&self, key: Key) -> Option<Handshake> {
        let mut bytes = Vec::new();
        let file = File::open(self.directory.join(key.to_hex())).ok()?;
        let longest = MAX_RECORD as u64 + 9;
        file.take(longest).read_to_end(&mut bytes).ok()?;
        let (seconds, reply) = bytes.split_first_chunk()?;
        let seconds = Duration::from_secs(u64::from_be_bytes(*seconds));
        Some(Handshake {
            at: UNIX_EPOCH.checked_add(seconds)?,
            reply: reply.to_vec(),
        })
    }

    fn make_room(&self) -> io::Result<()> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            kept.push((entry.metadata()?.modified()?, entry.path()));
        }
        kept.sort_unstable();
        let too_many = (kept.len() + 1).saturating_sub(MOST);
        for (_, path) in kept.into_iter().take(too_many) {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handshakes_are_kept_up_to_their_limit() {
        let place = tempfile::tempdir().unwrap();
        let (new, directory) = (place.path().join("new"), place.path().join("own"));
        fs::create_dir(&new).unwrap();
        fs::create_dir(&directory).unwrap();
        let scratch = Scratch::new(new);
        let handshakes = Handshakes::new(directory.clone());
        let key = |number: usize| Key::of(&[&[number.to_le_bytes().to_vec()]]);
        assert!(!handshakes.is_known(key(0), b"reply"));
        for number in 0..MOST + 5 {
            handshakes.keep(key(number), b"reply", &scratch).unwrap();
        }
        assert_eq!(fs::read_dir(&directory).unwrap().count(), MOST);
        let last = handshakes.get(key(MOST + 4)).unwrap();
        assert_eq!(last.reply, b"reply");
        assert!(last.at.elapsed().unwrap() < Duration::from_secs(3600));
        assert!(handshakes.is_known(key(MOST + 4), b"reply"));
        assert!(!handshakes.is_known(key(MOST + 4), b"another"));
        fs::write(directory.join(key(MOST + 4).to_hex()), b"short").unwrap();
        assert_eq!(handshakes.get(key(MOST + 4)), None);
    }
}
