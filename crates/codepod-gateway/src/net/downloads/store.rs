//! What is kept on disk: bodies by the hash of their content, and heads by the key of their
//! request.
//!
//! ```text
//! bodies/HASH   a body
//! heads/KEY     what was said of it: lines, see `Head::to_text`
//! digests/…     what files have to be, see `digests.rs`
//! handshakes/…  how servers speak TLS, see `handshakes.rs`
//! new/NAME      what is coming
//! ```
//!
//! Another process may use the directory at the same time: names are of content or of requests, and
//! what is new comes whole under its name.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::digests::Digests;
use super::flight::Kept;
use super::handshakes::Handshakes;
use crate::hash;
use crate::own_directory::make;
use crate::packages::{Sha256, hexadecimal, parse_sha256};

/// The longest head.
const MAX_HEAD: u64 = 128 * 1024;
/// How a head begins.
const FIRST_LINE: &str = "codepod download 2";
/// What is older than this among the new was left by a process that ended.
const LEFT: Duration = Duration::from_secs(24 * 3600);

/// What a reply is kept by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key(blake3::Hash);

impl Key {
    /// The key of lists of parts; none can be taken for another.
    pub(super) fn of(lists: &[&[Vec<u8>]]) -> Key {
        Key(hash::of_lists(lists))
    }

    pub(super) fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Key> {
        blake3::Hash::from_slice(bytes).ok().map(Key)
    }

    pub(super) fn to_hex(self) -> String {
        self.0.to_hex().to_string()
    }

    pub(super) fn from_hex(text: &str) -> Option<Key> {
        blake3::Hash::from_hex(text).ok().map(Key)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Content {
    /// What it is kept by.
    pub(super) hash: blake3::Hash,
    /// What indexes know it by.
    pub(super) sha256: Sha256,
    pub(super) length: u64,
}

/// Names for what is new, which nobody else has.
#[derive(Debug)]
pub(super) struct Scratch {
    directory: PathBuf,
    process: u32,
    began: u128,
    next: AtomicU64,
}

impl Scratch {
    pub(super) fn new(directory: PathBuf) -> Scratch {
        let began = SystemTime::now().duration_since(UNIX_EPOCH);
        Scratch {
            directory,
            process: std::process::id(),
            began: began.unwrap_or_default().as_nanos(),
            next: AtomicU64::new(1),
        }
    }

    fn name(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{}-{number}", self.process, self.began);
        self.directory.join(name)
    }

    /// Writes a whole file: it is there as it was, or as it is to be.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let new = self.name();
        let written = fs::write(&new, bytes).and_then(|()| fs::rename(&new, path));
        if written.is_err() {
            let _ = fs::remove_file(new);
        }
        written
    }

    /// Removes what a process has left that ended long ago.
    fn tidy(&self) {
        let entries = fs::read_dir(&self.directory).into_iter().flatten();
        for entry in entries.flatten() {
            let changed = entry.metadata().and_then(|data| data.modified());
            let age = changed.map(|at| at.elapsed().unwrap_or_default());
            if age.is_ok_and(|age| age > LEFT) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// What is known of a body that is kept.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) headers: HeaderMap,
    /// When the server said so.
    pub(super) told: SystemTime,
    pub(super) fresh: Duration,
}

impl Head {
    fn to_text(&self, body: &Content) -> Vec<u8> {
        let told = self.told.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut text = format!(
            "{FIRST_LINE}\nbody {} {} {}\ntold {}\nfresh {}\n",
            body.hash.to_hex(),
            hexadecimal(&body.sha256),
            body.length,
            told.as_secs(),
            self.fresh.as_secs()
        )
        .into_bytes();
        for (name, value) in &self.headers {
            text.extend_from_slice(name.as_str().as_bytes());
            text.extend_from_slice(b": ");
            text.extend_from_slice(value.as_bytes());
            text.push(b'\n');
        }
        text
    }

    fn of_text(text: &[u8]) -> Option<(Head, Content)> {
        let mut lines = text.strip_suffix(b"\n")?.split(|byte| *byte == b'\n');
        let mut line = || std::str::from_utf8(lines.next()?).ok();
        if line()? != FIRST_LINE {
            return None;
        }
        let (hash, rest) = line()?.strip_prefix("body ")?.split_once(' ')?;
        let (sha256, length) = rest.split_once(' ')?;
        let body = Content {
            hash: blake3::Hash::from_hex(hash).ok()?,
            sha256: parse_sha256(sha256)?,
            length: length.parse().ok()?,
        };
        let told = line()?.strip_prefix("told ")?.parse().ok()?;
        let fresh = line()?.strip_prefix("fresh ")?.parse().ok()?;
        let mut headers = HeaderMap::new();
        for field in lines {
            let end = field.windows(2).position(|two| two == b": ")?;
            let name = HeaderName::from_bytes(&field[..end]).ok()?;
            headers.append(name, HeaderValue::from_bytes(&field[end + 2..]).ok()?);
        }
        let head = Head {
            headers,
            told: UNIX_EPOCH.checked_add(Duration::from_secs(told))?,
            fresh: Duration::from_secs(fresh),
        };
        Some((head, body))
    }
}

/// The directory.
#[derive(Debug)]
pub(super) struct Store {
    root: PathBuf,
    most: u64,
    pub(super) scratch: Scratch,
    pub(super) digests: Digests,
    pub(super) handshakes: Handshakes,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Bytes of all bodies.
    bytes: u64,
    /// Bodies whose content was compared with their hash since this process started.
    whole: HashSet<blake3::Hash>,
}

impl Store {
    /// Opens the directory, or makes it.
    pub(super) fn open(root: &Path, most: u64) -> io::Result<Store> {
        make(root)?;
        for part in ["bodies", "heads", "digests", "handshakes", "new"] {
            make(&root.join(part))?;
        }
        let scratch = Scratch::new(root.join("new"));
        scratch.tidy();
        let bytes = fs::read_dir(root.join("bodies"))?
            .filter_map(|entry| entry.ok()?.metadata().ok())
            .map(|data| data.len())
            .sum();
        Ok(Store {
            root: root.to_owned(),
            most,
            scratch,
            digests: Digests::open(root.join("digests"))?,
            handshakes: Handshakes::new(root.join("handshakes")),
            state: Mutex::new(State {
                bytes,
                whole: HashSet::new(),
            }),
        })
    }

    /// The largest body that is kept: a quarter of all.
    pub(super) fn largest(&self) -> u64 {
        self.most / 4
    }

    /// What is kept for a key. What is damaged is as if it were not there.
    pub(super) fn get(&self, key: Key) -> Option<Kept> {
        let mut text = Vec::new();
        let file = File::open(self.head(key)).ok()?;
        file.take(MAX_HEAD).read_to_end(&mut text).ok()?;
        let (head, body) = Head::of_text(&text)?;
        let path = self.body(&body.hash);
        let mut file = File::open(&path).ok()?;
        if file.metadata().ok()?.len() != body.length {
            return None;
        }
        if !self.lock().whole.contains(&body.hash) {
            if hash::of_file(&mut file).ok()? != body.hash {
                return None;
            }
            self.lock().whole.insert(body.hash);
        }
        // When it was last asked for.
        let _ = file.set_modified(SystemTime::now());
        Some(Kept::whole(head, Arc::new(file), body))
    }

    /// A file for a body that is coming, and its name.
    pub(super) fn begin(&self) -> io::Result<(File, PathBuf)> {
        let path = self.scratch.name();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        Ok((options.open(&path)?, path))
    }

    /// Keeps a body that has come, by each of the keys.
    pub(super) fn keep(
        &self,
        keys: [Key; 2],
        head: &Head,
        new: &Path,
        body: Content,
    ) -> io::Result<()> {
        let path = self.body(&body.hash);
        let was_there = path.exists();
        fs::rename(new, &path)?;
        let mut state = self.lock();
        state.whole.insert(body.hash);
        if !was_there {
            state.bytes += body.length;
        }
        let is_full = state.bytes > self.most;
        drop(state);
        self.say(keys, head, body)?;
        if is_full {
            self.make_room()?;
        }
        Ok(())
    }

    /// Notes what the server said of a body.
    pub(super) fn say(&self, keys: [Key; 2], head: &Head, body: Content) -> io::Result<()> {
        let text = head.to_text(&body);
        keys.into_iter()
            .try_for_each(|key| self.scratch.write(&self.head(key), &text))
    }

    /// Removes what was not asked for the longest, until a tenth is free. A head whose body has
    /// gone is as if it were not there; it goes when it is older than all bodies.
    fn make_room(&self) -> io::Result<()> {
        let mut bodies = Vec::new();
        for entry in fs::read_dir(self.root.join("bodies"))? {
            let entry = entry?;
            let data = entry.metadata()?;
            bodies.push((data.modified()?, data.len(), entry.path()));
        }
        bodies.sort_unstable();
        let mut bytes: u64 = bodies.iter().map(|(_, length, _)| length).sum();
        let mut oldest = None;
        for (asked, length, path) in bodies {
            if bytes <= self.most - self.most / 10 {
                oldest = Some(asked);
                break;
            }
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => bytes -= length,
            }
        }
        self.lock().bytes = bytes;
        for entry in fs::read_dir(self.root.join("heads"))? {
            let entry = entry?;
            if oldest.is_none_or(|oldest| {
                entry
                    .metadata()
                    .is_ok_and(|data| data.modified().is_ok_and(|at| at < oldest))
            }) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    fn head(&self, key: Key) -> PathBuf {
        self.root.join("heads").join(key.to_hex())
    }

    fn body(&self, body: &blake3::Hash) -> PathBuf {
        self.root.join("bodies").join(&*body.to_hex())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
