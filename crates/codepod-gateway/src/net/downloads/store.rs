//! What is kept on disk: bodies by the hash of their content, and heads by the key of their
//! request.
//!
//! ```text
//! bodies/HASH   a body
//! heads/KEY     what was said of it: lines, see `Head::to_text`
//! new/NUMBER    a body that is coming
//! ```

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::flight::Kept;

/// The longest head.
const MAX_HEAD: u64 = 128 * 1024;
/// How a head begins.
const FIRST_LINE: &str = "codepod download 1";

/// What a reply is kept by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key(blake3::Hash);

impl Key {
    /// The key of lists of parts; none can be taken for another.
    pub(super) fn of(lists: &[&[Vec<u8>]]) -> Key {
        let mut hash = blake3::Hasher::new();
        for list in lists {
            hash.update(&(list.len() as u64).to_le_bytes());
            for part in *list {
                hash.update(&(part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        Key(hash.finalize())
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
    fn to_text(&self, body: &blake3::Hash, length: u64) -> Vec<u8> {
        let told = self.told.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut text = format!(
            "{FIRST_LINE}\nbody {} {length}\ntold {}\nfresh {}\n",
            body.to_hex(),
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

    fn of_text(text: &[u8]) -> Option<(Head, blake3::Hash, u64)> {
        let mut lines = text.strip_suffix(b"\n")?.split(|byte| *byte == b'\n');
        let mut line = || std::str::from_utf8(lines.next()?).ok();
        if line()? != FIRST_LINE {
            return None;
        }
        let (body, length) = line()?.strip_prefix("body ")?.split_once(' ')?;
        let body = blake3::Hash::from_hex(body).ok()?;
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
        Some((head, body, length.parse().ok()?))
    }
}

/// The directory.
#[derive(Debug)]
pub(super) struct Store {
    root: PathBuf,
    most: u64,
    next: AtomicU64,
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
    /// Opens the directory, or makes it. What was coming when a process ended is removed.
    pub(super) fn open(root: &Path, most: u64) -> io::Result<Store> {
        make(root)?;
        let _ = fs::remove_dir_all(root.join("new"));
        for part in ["bodies", "heads", "new"] {
            make(&root.join(part))?;
        }
        let bytes = fs::read_dir(root.join("bodies"))?
            .filter_map(|entry| entry.ok()?.metadata().ok())
            .map(|data| data.len())
            .sum();
        Ok(Store {
            root: root.to_owned(),
            most,
            next: AtomicU64::new(1),
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
        let (head, body, length) = Head::of_text(&text)?;
        let path = self.body(&body);
        let mut file = File::open(&path).ok()?;
        if file.metadata().ok()?.len() != length {
            return None;
        }
        if !self.lock().whole.contains(&body) {
            let mut hash = blake3::Hasher::new();
            io::copy(&mut file, &mut hash).ok()?;
            if hash.finalize() != body {
                return None;
            }
            self.lock().whole.insert(body);
        }
        // When it was last asked for.
        let _ = file.set_modified(SystemTime::now());
        Some(Kept::whole(head, Arc::new(file), body, length))
    }

    /// A file for a body that is coming, and its name.
    pub(super) fn begin(&self) -> io::Result<(File, PathBuf)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.root.join("new").join(number.to_string());
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        Ok((options.open(&path)?, path))
    }

    /// Keeps a body that has come.
    pub(super) fn keep(
        &self,
        key: Key,
        head: &Head,
        new: &Path,
        body: blake3::Hash,
        length: u64,
    ) -> io::Result<()> {
        let path = self.body(&body);
        let was_there = path.exists();
        fs::rename(new, &path)?;
        let mut state = self.lock();
        state.whole.insert(body);
        if !was_there {
            state.bytes += length;
        }
        let is_full = state.bytes > self.most;
        drop(state);
        self.say(key, head, body, length)?;
        if is_full {
            self.make_room()?;
        }
        Ok(())
    }

    /// Notes what the server said of a body.
    pub(super) fn say(
        &self,
        key: Key,
        head: &Head,
        body: blake3::Hash,
        length: u64,
    ) -> io::Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let new = self.root.join("new").join(number.to_string());
        fs::write(&new, head.to_text(&body, length))?;
        fs::rename(new, self.head(key))
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
            fs::remove_file(path)?;
            bytes -= length;
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
        self.root.join("heads").join(&*key.0.to_hex())
    }

    fn body(&self, body: &blake3::Hash) -> PathBuf {
        self.root.join("bodies").join(&*body.to_hex())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a directory for its owner only. One that is there has to be ours, and such: whoever owns
/// it can let others write to it at any time.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
        builder.mode(0o700);
        builder.create(path)?;
        let made = fs::metadata(path)?;
        let why = if made.uid() != rustix::process::geteuid().as_raw() {
            "it belongs to somebody else, so that what it holds could be theirs"
        } else if made.mode() & 0o022 != 0 {
            "others may write to it, so that what it holds could be theirs"
        } else {
            return Ok(());
        };
        Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
    }
    #[cfg(not(unix))]
    builder.create(path)
}
