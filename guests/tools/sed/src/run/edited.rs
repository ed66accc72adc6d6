//! Files that are edited in place.

use std::fs::File;
use std::io::Write as _;

use codepod_tool::path;

use super::Fatal;
use crate::output::Sink;

/// A file that is edited in place.
pub(super) struct Edited {
    name: Vec<u8>,
    mode: u32,
    /// What it becomes.
    pub(super) new: Sink,
}

impl Edited {
    /// Starts with nothing.
    pub(super) fn new(name: Vec<u8>) -> Edited {
        Edited {
            mode: mode_of(&name),
            name,
            new: Sink::memory(),
        }
    }

    /// Puts what was made of a file in its place; with a suffix the old file is kept as a backup.
    pub(super) fn finish(self, suffix: &[u8]) -> Result<(), Fatal> {
        let Edited { name, mode, new } = self;
        let slash = name.iter().rposition(|byte| *byte == b'/');
        let directory = &name[..slash.map_or(0, |at| at + 1)];
        let temporary = temporary(directory);
        File::create_new(path(&temporary))
            .and_then(|mut file| file.write_all(&new.into_memory()))
            .map_err(|error| Fatal::file("couldn't open temporary file ", &temporary, &error))?;
        set_mode(&temporary, mode);
        if !suffix.is_empty() {
            rename(&name, &backup(&name, suffix))?;
        }
        rename(&temporary, &name)
    }
}

fn rename(from: &[u8], to: &[u8]) -> Result<(), Fatal> {
    std::fs::rename(path(from), path(to))
        .map_err(|error| Fatal::file("cannot rename ", from, &error))
}

/// The permission bits of a file.
fn mode_of(name: &[u8]) -> u32 {
    let stat = codepod_sys::file::stat_path(name, codepod_sys::file::Links::Follow);
    stat.map_or(0o644, |stat| stat.mode & 0o7777)
}

fn set_mode(name: &[u8], mode: u32) {
    // Where modes cannot be set the file has the one that it got.
    let _ = codepod_sys::file::set_mode(name, codepod_sys::file::Links::Follow, mode);
}

/// A name that nothing has yet.
fn temporary(directory: &[u8]) -> Vec<u8> {
    for number in 0..u32::MAX {
        let name = [directory, format!("sed{number:06}").as_bytes()].concat();
        if std::fs::symlink_metadata(path(&name)).is_err() {
            return name;
        }
    }
    directory.to_vec()
}

/// The name of a backup: where the suffix has a `*` the name stands, otherwise before it.
fn backup(name: &[u8], suffix: &[u8]) -> Vec<u8> {
    if !suffix.contains(&b'*') {
        return [name, suffix].concat();
    }
    let parts: Vec<&[u8]> = suffix.split(|byte| *byte == b'*').collect();
    parts.join(name)
}
