//! The index: versions 2, 3 and 4 are read, 2 and 3 written. Extensions other than those that git
//! may not pass over are left out.

use std::collections::{BTreeMap, HashSet};

use crate::oid::{self, Oid};
use crate::os::{self, Stat};
use crate::stop::{Result, fatal};

/// A file of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) stat: Stat,
    pub(crate) mode: u32,
    pub(crate) oid: Oid,
    /// 0, or 1 to 3 in a conflict.
    pub(crate) stage: u8,
    pub(crate) assume_valid: bool,
    pub(crate) intent_to_add: bool,
    pub(crate) skip_worktree: bool,
    pub(crate) path: Vec<u8>,
}

impl Entry {
    /// An entry whose file has not been looked at.
    pub(crate) fn new(path: Vec<u8>, mode: u32, oid: Oid, stage: u8) -> Entry {
        let stat = Stat::default();
        Entry {
            stat,
            mode,
            oid,
            stage,
            assume_valid: false,
            intent_to_add: false,
            skip_worktree: false,
            path,
        }
    }
}

/// The index in memory: entries by path and stage.
#[derive(Debug, Default, Clone)]
pub(crate) struct Index {
    pub(crate) entries: BTreeMap<(Vec<u8>, u8), Entry>,
    /// Paths whose files are known to be as the index has them, in a command that changes none.
    pub(crate) same: HashSet<Vec<u8>>,
}

impl Index {
    /// Reads a file; an index without entries when there is none.
    pub(crate) fn read(path: &[u8]) -> Result<Index> {
        let Ok(data) = os::read(path) else {
            return Ok(Index::default());
        };
        let written = os::lstat(path).map(|found| found.mtime).unwrap_or_default();
        if data.is_empty() {
            return Ok(Index::default());
        }
        match parse(&data) {
            Some(mut entries) => {
                // An entry as young as the index may have changed in the same tick: a size of 0
                // makes everybody look.
                for entry in entries
                    .values_mut()
                    .filter(|entry| entry.stat.mtime >= written && written != (0, 0))
                {
                    entry.stat.size = 0;
                }
                Ok(Index {
                    entries,
                    same: HashSet::new(),
                })
            }
            None => fatal("index file corrupt"),
        }
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &[u8]) -> Result<()> {
        let data = self.serialise();
        if let Err(found) = os::replace(path, &data) {
            let path = crate::stop::show(&os::real_path(path).unwrap_or(path.to_vec()));
            if found.kind() == std::io::ErrorKind::AlreadyExists {
                return fatal(format!(
                    "Unable to create '{path}.lock': File exists.\n\nAnother git process seems to be running in this repository, e.g.\nan \
                     editor opened by 'git commit'. Please make sure all processes\nare terminated then try again. If it still fails, \
                     a git process\nmay have crashed in this repository earlier:\nremove the file manually to continue."
                ));
            }
            return fatal(format!(
                "Unable to create '{path}.lock': {}",
                crate::stop::why(&found)
            ));
        }
        Ok(())
    }

    fn serialise(&self) -> Vec<u8> {
        let extended = self
            .entries
            .values()
            .any(|entry| entry.intent_to_add || entry.skip_worktree);
        let mut out = b"DIRC".to_vec();
        out.extend(if extended { 3u32 } else { 2 }.to_be_bytes());
        out.extend((self.entries.len() as u32).to_be_bytes());
        for entry in self.entries.values() {
            let start = out.len();
            let stat = &entry.stat;
            let words = [
                stat.ctime.0,
                stat.ctime.1,
                stat.mtime.0,
                stat.mtime.1,
                stat.dev,
                stat.ino,
                entry.mode,
                stat.uid,
                stat.gid,
                stat.size as u32,
            ];
            words.iter().for_each(|word| out.extend(word.to_be_bytes()));
            out.extend(entry.oid.0);
            let more = entry.intent_to_add || entry.skip_worktree;
            let length = entry.path.len().min(0xfff) as u16;
            let flags = length
                | (u16::from(entry.stage) << 12)
                | (u16::from(entry.assume_valid) << 15)
                | (u16::from(more) << 14);
            out.extend(flags.to_be_bytes());
            if more {
                let flags =
                    (u16::from(entry.intent_to_add) << 13) | (u16::from(entry.skip_worktree) << 14);
                out.extend(flags.to_be_bytes());
            }
            out.extend_from_slice(&entry.path);
            let padded = (out.len() - start + 8) & !7;
            out.resize(start + padded, 0);
        }
        let sum = oid::sha1(&out);
        out.extend(sum.0);
        out
    }

    /// The entry of a path that is not in conflict.
    pub(crate) fn get(&self, path: &[u8]) -> Option<&Entry> {
        self.entries.get(&(path.to_vec(), 0))
    }

    /// All stages of a path.
    pub(crate) fn stages(&self, path: &[u8]) -> [Option<&Entry>; 4] {
        [0, 1, 2, 3].map(|stage| self.entries.get(&(path.to_vec(), stage)))
    }

    /// Puts an entry in. One without a stage ends a conflict; what cannot be beside it goes.
    pub(crate) fn put(&mut self, entry: Entry) {
        if entry.stage == 0 {
            for stage in 1..=3 {
                self.entries.remove(&(entry.path.clone(), stage));
            }
            self.remove_below(&entry.path);
            let mut end = entry.path.len();
            while let Some(at) = entry.path[..end].iter().rposition(|byte| *byte == b'/') {
                self.remove(&entry.path[..at]);
                end = at;
            }
        } else {
            self.entries.remove(&(entry.path.clone(), 0));
        }
        self.entries
            .insert((entry.path.clone(), entry.stage), entry);
    }

    /// Removes a path in all stages; whether it was there.
    pub(crate) fn remove(&mut self, path: &[u8]) -> bool {
        let mut any = false;
        for stage in 0..=3 {
            any |= self.entries.remove(&(path.to_vec(), stage)).is_some();
        }
        any
    }

    fn remove_below(&mut self, path: &[u8]) {
        let below = [path, b"/"].concat();
        let keys: Vec<_> = self
            .below(&below)
            .map(|entry| (entry.path.clone(), entry.stage))
            .collect();
        for key in keys {
            self.entries.remove(&key);
        }
    }

    /// The entries whose path begins with `prefix`.
    pub(crate) fn below<'a>(&'a self, prefix: &'a [u8]) -> impl Iterator<Item = &'a Entry> {
        let from = self.entries.range((prefix.to_vec(), 0)..);
        from.map(|(_, entry)| entry)
            .take_while(move |entry| entry.path.starts_with(prefix))
    }

    /// Whether a path is in it, in any stage.
    pub(crate) fn has(&self, path: &[u8]) -> bool {
        (0..=3).any(|stage| self.entries.contains_key(&(path.to_vec(), stage)))
    }

    /// Whether something below a directory is in it.
    pub(crate) fn has_below(&self, directory: &[u8]) -> bool {
        self.below(&[directory, b"/"].concat()).next().is_some()
    }

    /// The paths in conflict.
    pub(crate) fn unmerged(&self) -> Vec<Vec<u8>> {
        let mut paths: Vec<Vec<u8>> = self
            .entries
            .values()
            .filter(|entry| entry.stage > 0)
            .map(|entry| entry.path.clone())
            .collect();
        paths.dedup();
        paths
    }

    /// The entries without a stage.
    pub(crate) fn merged(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values().filter(|entry| entry.stage == 0)
    }
}

fn parse(data: &[u8]) -> Option<BTreeMap<(Vec<u8>, u8), Entry>> {
    let word = |at: usize| -> Option<u32> {
        Some(u32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?))
    };
    let half = |at: usize| -> Option<u16> {
        Some(u16::from_be_bytes(data.get(at..at + 2)?.try_into().ok()?))
    };
    if !data.starts_with(b"DIRC") || data.len() < 32 {
        return None;
    }
    let version = word(4)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let body = data.len() - 20;
    if data[body..] != [0; 20] && oid::sha1(&data[..body]).0 != data[body..] {
        return None;
    }
    let count = word(8)?;
    let mut entries = BTreeMap::new();
    let mut at = 12;
    let mut last: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = at;
        let stat = Stat {
            ctime: (word(at)?, word(at + 4)?),
            mtime: (word(at + 8)?, word(at + 12)?),
            dev: word(at + 16)?,
            ino: word(at + 20)?,
            mode: 0,
            uid: word(at + 28)?,
            gid: word(at + 32)?,
            size: u64::from(word(at + 36)?),
        };
        let mode = word(at + 24)?;
        let oid = Oid::from_bytes(data.get(at + 40..at + 60)?)?;
        let flags = half(at + 60)?;
        at += 62;
        let mut more = 0;
        if flags & 0x4000 != 0 {
            more = half(at)?;
            at += 2;
        }
        let path = if version == 4 {
            let mut strip = 0usize;
            let mut first = true;
            loop {
                let byte = *data.get(at)?;
                at += 1;
                if !first {
                    strip = strip.checked_add(1)?;
                }
                first = false;
                strip = strip.checked_shl(7)? | usize::from(byte & 0x7f);
                if byte & 0x80 == 0 {
                    break;
                }
            }
            let end = at + data.get(at..body)?.iter().position(|byte| *byte == 0)?;
            let mut path = last.get(..last.len().checked_sub(strip)?)?.to_vec();
            path.extend_from_slice(&data[at..end]);
            at = end + 1;
            path
        } else {
            let end = at + data.get(at..body)?.iter().position(|byte| *byte == 0)?;
            let path = data[at..end].to_vec();
            at = start + ((end - start + 8) & !7);
            path
        };
        last.clone_from(&path);
        let stage = ((flags >> 12) & 3) as u8;
        let entry = Entry {
            stat,
            mode,
            oid,
            stage,
            assume_valid: flags & 0x8000 != 0,
            intent_to_add: more & 0x2000 != 0,
            skip_worktree: more & 0x4000 != 0,
            path: path.clone(),
        };
        entries.insert((path, stage), entry);
    }
    // Extensions in capitals may be passed over; others change what the entries mean.
    while at + 8 <= body {
        if !data[at].is_ascii_uppercase() {
            return None;
        }
        at += 8 + word(at + 4)? as usize;
    }
    Some(entries)
}
