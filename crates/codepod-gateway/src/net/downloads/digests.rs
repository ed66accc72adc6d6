//! The digests that indexes name files by.
//!
//! A page names digests of files, and so does a lock file. What one source says stands until it
//! says something else; several may name the same file, and are all believed: each file is still
//! fetched from its own server, so that none of them can put another one in its place.
//!
//! ```text
//! digests/SOURCE   records of file (32 bytes) and digest (32 bytes), then the hash of all of them
//! ```

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::store::{Key, Scratch};
use crate::packages::Sha256;
use crate::packages::index_page::MAX_LINKS;

/// How many files' digests are known. Each takes up to 250 bytes of memory.
const MAX_KNOWN: usize = 200_000;
/// How many digests one file may have: the last ones. A lock file names those of all files of a
/// package, without saying which is which.
const MAX_OF_FILE: usize = 250;
const KEY: usize = blake3::OUT_LEN;
const RECORD: usize = KEY + size_of::<Sha256>();

/// What is known, also on disk.
#[derive(Debug)]
pub(super) struct Digests {
    directory: PathBuf,
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    files: HashMap<Key, Vec<(Key, Sha256)>>,
    sources: HashMap<Key, Source>,
    /// Digests of all sources.
    count: usize,
    /// The number of the next source.
    next: u64,
}

#[derive(Debug)]
struct Source {
    files: Vec<Key>,
    /// The source with the lowest goes first.
    number: u64,
}

impl Digests {
    /// Reads what was known. What is damaged, or too much, is removed.
    pub(super) fn open(directory: PathBuf) -> io::Result<Digests> {
        Digests::open_with(directory, MAX_KNOWN)
    }

    fn open_with(directory: PathBuf, most: usize) -> io::Result<Digests> {
        let mut found: Vec<(SystemTime, PathBuf)> = fs::read_dir(&directory)?
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
            })
            .collect();
        found.sort_unstable();
        let digests = Digests {
            directory,
            most,
            state: Mutex::default(),
        };
        for (_, path) in found {
            match read(&path) {
                Some((source, files)) => digests.put(source, &files),
                None => drop(fs::remove_file(path)),
            }
        }
        Ok(digests)
    }

    /// The digests that a file may have; none when nobody has named one.
    pub(super) fn of(&self, file: Key) -> Vec<Sha256> {
        let state = self.lock();
        let named = state.files.get(&file).into_iter().flatten();
        named.map(|(_, digest)| *digest).collect()
    }

    /// Notes what a source says, in place of what it said before.
    pub(super) fn learn(
        &self,
        source: Key,
        mut files: Vec<(Key, Sha256)>,
        scratch: &Scratch,
    ) -> io::Result<()> {
        files.truncate(MAX_LINKS);
        files.sort_unstable();
        files.dedup();
        if self.says(source, &files) {
            return Ok(());
        }
        self.put(source, &files);
        let path = self.path(source);
        if files.is_empty() {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let mut bytes = Vec::with_capacity(files.len() * RECORD + KEY);
        for (file, digest) in &files {
            bytes.extend_from_slice(file.as_bytes());
            bytes.extend_from_slice(digest);
        }
        let hash = blake3::hash(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        scratch.write(&path, &bytes)
    }

    /// Whether that is what a source has said.
    fn says(&self, source: Key, files: &[(Key, Sha256)]) -> bool {
        let state = self.lock();
        let before = state.sources.get(&source).map_or(0, |own| own.files.len());
        before == files.len()
            && files.iter().all(|(file, digest)| {
                let named = state.files.get(file);
                named.is_some_and(|named| named.contains(&(source, *digest)))
            })
    }

    fn put(&self, source: Key, files: &[(Key, Sha256)]) {
        let mut state = self.lock();
        state.forget(source);
        if files.is_empty() || files.len() > self.most {
            return;
        }
        while state.count + files.len() > self.most {
            let oldest = state.sources.iter().min_by_key(|(_, own)| own.number);
            let Some(oldest) = oldest.map(|(source, _)| *source) else {
                break;
            };
            state.forget(oldest);
            let _ = fs::remove_file(self.path(oldest));
        }
        for (file, digest) in files {
            let named = state.files.entry(*file).or_default();
            if named.len() == MAX_OF_FILE {
                named.remove(0);
            }
            named.push((source, *digest));
        }
        let number = state.next;
        state.next += 1;
        state.count += files.len();
        let files = files.iter().map(|(file, _)| *file).collect();
        state.sources.insert(source, Source { files, number });
    }

    fn path(&self, source: Key) -> PathBuf {
        self.directory.join(source.to_hex())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget(&mut self, source: Key) {
        let Some(own) = self.sources.remove(&source) else {
            return;
        };
        self.count -= own.files.len();
        for file in own.files {
            if let Some(named) = self.files.get_mut(&file) {
                named.retain(|(other, _)| *other != source);
                if named.is_empty() {
                    self.files.remove(&file);
                }
            }
        }
    }
}

fn read(path: &Path) -> Option<(Key, Vec<(Key, Sha256)>)> {
    let source = Key::from_hex(path.file_name()?.to_str()?)?;
    let mut bytes = Vec::new();
    let longest = MAX_LINKS * RECORD + KEY;
    let file = File::open(path).ok()?;
    file.take(longest as u64 + 1).read_to_end(&mut bytes).ok()?;
    let (records, hash) = bytes.split_at_checked(bytes.len().checked_sub(KEY)?)?;
    if bytes.len() > longest || records.len() % RECORD != 0 || blake3::hash(records) != *hash {
        return None;
    }
    let (records, _) = records.as_chunks::<RECORD>();
    let records = records.iter().map(|record| {
        let (file, digest) = record.split_at(KEY);
        Some((Key::from_bytes(file)?, digest.try_into().ok()?))
    });
    Some((source, records.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u32) -> Key {
        Key::of(&[&[number.to_le_bytes().to_vec()]])
    }

    #[test]
    fn what_sources_say_survives_and_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let (new, directory) = (place.path().join("new"), place.path().join("digests"));
        fs::create_dir_all(&new).unwrap();
        fs::create_dir_all(&directory).unwrap();
        let scratch = Scratch::new(new);
        let open = || Digests::open_with(directory.clone(), 5).unwrap();
        let digests = open();
        let learn = |digests: &Digests, source, files: &[(u32, u8)]| {
            let files = files.iter().map(|(file, byte)| (key(*file), [*byte; 32]));
            digests
                .learn(key(source), files.collect(), &scratch)
                .unwrap();
        };
        learn(&digests, 100, &[(1, 1), (2, 2)]);
        learn(&digests, 101, &[(1, 3)]);
        for digests in [&digests, &open()] {
            let mut one = digests.of(key(1));
            one.sort_unstable();
            assert_eq!(one, [[1; 32], [3; 32]]);
            assert_eq!(digests.of(key(2)), [[2; 32]]);
            assert!(digests.of(key(3)).is_empty());
        }
        learn(&digests, 100, &[(2, 5)]);
        assert_eq!(digests.of(key(1)), [[3; 32]]);
        assert_eq!(open().of(key(2)), [[5; 32]]);
        // What is too much pushes out the oldest: 101 is older than what 100 says now.
        learn(&digests, 102, &[(6, 6), (7, 7), (8, 8), (9, 9)]);
        assert!(digests.of(key(1)).is_empty());
        assert_eq!(digests.of(key(2)), [[5; 32]]);
        learn(
            &digests,
            103,
            &[(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6)],
        );
        assert!(digests.of(key(3)).is_empty(), "more than all that is known");
        learn(&digests, 100, &[]);
        assert!(open().of(key(2)).is_empty());
        // Many who name the same file do not make its list long.
        let many = Digests::open_with(directory.clone(), 10_000).unwrap();
        for source in 1000..1400 {
            learn(&many, source, &[(1, 0), (1, source as u8)]);
        }
        assert_eq!(many.of(key(1)).len(), MAX_OF_FILE);
        for file in fs::read_dir(&directory).unwrap() {
            let path = file.unwrap().path();
            let mut bytes = fs::read(&path).unwrap();
            bytes[0] ^= 1;
            fs::write(path, bytes).unwrap();
        }
        assert!(open().of(key(1)).is_empty(), "what is damaged is not known");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    }
}
