//! Which files go into an archive, and under which names.

use std::collections::HashMap;

use super::{Failure, Messages, Old};
use crate::system::{self, DIRECTORY, FIFO, Meta, REGULAR, SYMLINK};
use crate::zip::settings::Settings;
use crate::zipfile::{Entry, matches, times};
use codepod_datetime::Zone;

/// How deep directories are followed.
const DEEPEST: usize = 500;

/// A file that goes into the archive.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// Where it is; `-` is standard input.
    pub(crate) path: Vec<u8>,
    /// Its name in the archive; directories end with a slash.
    pub(crate) name: Vec<u8>,
    /// What is known of it; nothing of standard input.
    pub(crate) meta: Option<Meta>,
}

impl Candidate {
    /// Whether the file is newer than an entry.
    pub(crate) fn is_newer(&self, entry: &Entry, zone: &Zone) -> bool {
        let Some(meta) = self.meta else { return true };
        match times(&entry.extra).modified {
            Some(modified) => meta.modified.seconds > modified,
            None => meta.modified.seconds > crate::zipfile::moment_of(entry.time, zone),
        }
    }
}

/// Whether a name passes `-i`, `-x` and the patterns of `-R`.
pub(crate) fn passes(settings: &Settings, name: &[u8]) -> bool {
    let hit = |pattern: &Vec<u8>| matches(&clean(pattern), name, settings.ignore_case);
    let tail = |pattern: &Vec<u8>| {
        // As many parts of the name as the pattern has.
        let slashes = pattern.iter().filter(|byte| **byte == b'/').count();
        let parts = name
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'/')
            .map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(parts).collect();
        let start = starts[starts.len().saturating_sub(slashes + 1)];
        matches(pattern, &name[start..], settings.ignore_case)
    };
    (settings.include.is_empty() || settings.include.iter().any(hit))
        && !settings.exclude.iter().any(hit)
        && (!settings.recurse_patterns || settings.files.iter().any(tail))
}

/// A pattern as names are stored: without `./` and slashes at its start.
fn clean(pattern: &[u8]) -> Vec<u8> {
    internal(pattern).to_vec()
}

/// The name that a path has in an archive.
fn internal(path: &[u8]) -> &[u8] {
    let mut name = path;
    while name.first() == Some(&b'/') {
        name = &name[1..];
    }
    while name.starts_with(b"./") {
        name = &name[2..];
    }
    name
}

/// Collects files.
pub(crate) struct Gatherer<'a> {
    settings: &'a Settings,
    old: &'a Old,
    pub(crate) out: &'a mut Messages,
    found: Vec<Candidate>,
}

impl<'a> Gatherer<'a> {
    /// Nothing was found yet.
    pub(crate) fn new(settings: &'a Settings, old: &'a Old, out: &'a mut Messages) -> Gatherer<'a> {
        Gatherer {
            settings,
            old,
            out,
            found: Vec::new(),
        }
    }

    /// Takes a name of the command line; false where there is no such file. Fails with directories
    /// that are too deep.
    pub(crate) fn take(&mut self, name: &[u8]) -> Result<bool, Failure> {
        if name == b"-" {
            self.found.push(Candidate {
                path: name.to_vec(),
                name: name.to_vec(),
                meta: None,
            });
            return Ok(true);
        }
        self.walk(name, 0)
    }

    fn walk(&mut self, name: &[u8], depth: usize) -> Result<bool, Failure> {
        if depth > DEEPEST {
            return Err(Failure::new(
                5,
                "Internal logic error",
                "directories are too deep",
            ));
        }
        let Ok(meta) = system::stat(name, !self.settings.links) else {
            if system::stat(name, false).is_ok() {
                // A link that leads nowhere.
                return Ok(false);
            }
            return Ok(self.refresh(name));
        };
        match meta.kind() {
            REGULAR | SYMLINK => self.add(name, meta),
            DIRECTORY => {
                let is_here = name == b".";
                let mut prefix = name.to_vec();
                if !prefix.ends_with(b"/") {
                    prefix.push(b'/');
                }
                if is_here {
                    prefix.clear();
                } else if self.settings.directories {
                    self.add(&prefix, meta);
                }
                if self.settings.recurse || self.settings.recurse_patterns {
                    let Ok(mut names) = system::list(name) else {
                        return Ok(true);
                    };
                    names.sort();
                    for inner in names {
                        let inner = [&prefix[..], &inner].concat();
                        if !self.walk(&inner, depth + 1)? {
                            self.out.warn("name not matched: ", &inner);
                        }
                    }
                }
            }
            FIFO if self.settings.fifo => {
                if !self.settings.quiet {
                    self.out.warn("Reading FIFO (Named Pipe): ", name);
                }
                self.add(name, meta);
            }
            FIFO => self
                .out
                .warn("ignoring FIFO (Named Pipe) - use -FI to read: ", name),
            _ => self.out.warn("ignoring special file: ", name),
        }
        Ok(true)
    }

    fn add(&mut self, path: &[u8], meta: Meta) {
        let mut name = internal(path);
        if self.settings.junk {
            if path.ends_with(b"/") {
                return;
            }
            name = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
        }
        if name.is_empty() || !passes(self.settings, name) {
            return;
        }
        if self.old.meta.is_some_and(|archive| archive.id == meta.id) {
            // The archive does not go into itself.
            return;
        }
        let candidate = Candidate {
            path: path.to_vec(),
            name: name.to_vec(),
            meta: Some(meta),
        };
        self.found.push(candidate);
    }

    /// A name without a file stands for the entries that it matches, where their files are there.
    fn refresh(&mut self, pattern: &[u8]) -> bool {
        if !self.settings.wild {
            return false;
        }
        let mut hit = false;
        for entry in &self.old.entries {
            if !matches(internal(pattern), &entry.name, self.settings.ignore_case)
                || !passes(self.settings, &entry.name)
            {
                continue;
            }
            hit = true;
            if let Ok(meta) = system::stat(&entry.name, !self.settings.links) {
                self.found.push(Candidate {
                    path: entry.name.clone(),
                    name: entry.name.clone(),
                    meta: Some(meta),
                });
            }
        }
        hit
    }

    /// The files, each once. Fails where two have the same name.
    pub(crate) fn finish(self) -> Result<Vec<Candidate>, Failure> {
        let mut paths: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
        let mut kept: Vec<Candidate> = Vec::new();
        for candidate in self.found {
            match paths.get(&candidate.name) {
                Some(path) if *path == candidate.path => {}
                Some(path) => {
                    let (first, second) = match *path < candidate.path {
                        true => (path, &candidate.path),
                        false => (&candidate.path, path),
                    };
                    let mut text = b"  first full name: ".to_vec();
                    text.extend(first);
                    text.extend(b"\n                      second full name: ");
                    text.extend(second);
                    text.extend(b"\n                     name in zip file repeated: ");
                    text.extend(&candidate.name);
                    if self.settings.junk {
                        text.extend(b"\n                     this may be a result of using -j");
                    }
                    self.out.warn("", &text);
                    return Err(Failure::parameters("cannot repeat names in zip file"));
                }
                None => {
                    paths.insert(candidate.name.clone(), candidate.path.clone());
                    kept.push(candidate);
                }
            }
        }
        Ok(kept)
    }
}
