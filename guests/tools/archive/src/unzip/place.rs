//! Where an entry's file goes: a name below the directory, and the directories on its way.

use std::io;

use codepod_tool::{io_text, path};

use super::Unzip;
use crate::system;
use crate::zipfile::shown;

/// What became of a name.
pub(crate) enum Place {
    /// A file goes here.
    File(Vec<u8>),
    /// A directory, made just now.
    Created(Vec<u8>),
    /// A directory that was there, or one that is not wanted.
    Skip,
    /// It cannot be; the message was given.
    Impossible,
}

impl Unzip<'_> {
    /// Makes the directory of `-d`. Fails where it cannot be; the message was given.
    pub(crate) fn root(&mut self) -> Result<(), ()> {
        let Some(root) = self.settings.directory.clone() else {
            return Ok(());
        };
        let trimmed = trim(&root);
        if system::stat(trimmed, true).is_ok_and(|meta| meta.is_directory())
            || self.settings.freshen
        {
            return Ok(());
        }
        std::fs::create_dir(path(trimmed)).map_err(|error| {
            let text = format!("\n           {}\n", io_text(&error));
            let message = [
                b"checkdir:  cannot create extraction directory: ",
                trimmed,
                text.as_bytes(),
            ]
            .concat();
            self.console.error(message);
        })
    }

    /// Maps an entry's name to a path and makes the directories on its way. `whole` names were
    /// typed by the user: absolute ones stay. The flag is whether `../` was left out.
    pub(crate) fn place(&mut self, name: &[u8], whole: bool) -> (Place, bool) {
        let mut built = match self.settings.directory {
            Some(ref root) if !(whole && name.starts_with(b"/")) => {
                let mut root = trim(root).to_vec();
                if !root.is_empty() && root != b"/" {
                    root.push(b'/');
                }
                root
            }
            _ if whole && name.starts_with(b"/") => b"/".to_vec(),
            _ => Vec::new(),
        };
        let inner = match (
            self.settings.junk,
            name.iter().rposition(|byte| *byte == b'/'),
        ) {
            (true, Some(slash)) => &name[slash + 1..],
            _ => name,
        };
        let mut climbed = false;
        let mut created = false;
        let mut parts = inner.split(|byte| *byte == b'/').peekable();
        let mut last: Vec<u8> = Vec::new();
        while let Some(part) = parts.next() {
            let part: Vec<u8> = part
                .iter()
                .copied()
                .filter(|byte| self.settings.control || is_plain(*byte))
                .collect();
            if parts.peek().is_none() {
                last = part;
                break;
            }
            if part.is_empty() || part == b"." {
                continue;
            }
            if part == b".." && !self.settings.parents {
                climbed = true;
                continue;
            }
            built.extend(&part);
            match self.step(&built, name) {
                Ok(made) => created |= made,
                Err(place) => return (place, climbed),
            }
            built.push(b'/');
        }
        if climbed && self.settings.quiet == 0 {
            let message = [
                b"warning:  skipped \"../\" path component(s) in ",
                &shown(name)[..],
                b"\n",
            ]
            .concat();
            self.console.out(&message);
        }
        if name.ends_with(b"/") {
            if !created {
                return (Place::Skip, climbed);
            }
            if self.settings.quiet == 0 {
                self.console
                    .out(&[b"   creating: ", &shown(&built)[..], b"\n"].concat());
            }
            return (Place::Created(built), climbed);
        }
        if !self.settings.versions {
            drop_version(&mut last);
        }
        match &last[..] {
            b"." => last = b"_".to_vec(),
            b".." => last = b"__".to_vec(),
            b"" => {
                self.console
                    .error([b"mapname:  conversion of ", &shown(name)[..], b" failed\n"].concat());
                return (Place::Impossible, climbed);
            }
            _ => {}
        }
        built.extend(last);
        (Place::File(built), climbed)
    }

    /// Makes one directory where it is not there; returns whether it did.
    fn step(&mut self, built: &[u8], name: &[u8]) -> Result<bool, Place> {
        match system::stat(built, true) {
            Ok(meta) if meta.is_directory() => return Ok(false),
            Ok(_) => {
                let text = [
                    b"checkdir error:  ",
                    &shown(built)[..],
                    b" exists but is not directory\n                 unable to process ",
                    &shown(name),
                    b".\n",
                ];
                self.console.error(text.concat());
                return Err(Place::Impossible);
            }
            Err(_) if self.settings.freshen => return Err(Place::Skip),
            Err(_) => {}
        }
        std::fs::create_dir(path(built))
            .map(|()| true)
            .map_err(|error: io::Error| {
                let reason = format!(
                    "\n                 {}\n                 unable to process ",
                    io_text(&error)
                );
                let text = [
                    b"checkdir error:  cannot create ",
                    &shown(built)[..],
                    reason.as_bytes(),
                    &shown(name),
                    b".\n",
                ];
                self.console.error(text.concat());
                Place::Impossible
            })
    }
}

/// Without slashes at the end; the root stays one.
fn trim(root: &[u8]) -> &[u8] {
    let mut root = root;
    while root.len() > 1 && root.ends_with(b"/") {
        root = &root[..root.len() - 1];
    }
    root
}

/// Whether a byte may be in the name of a file.
fn is_plain(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte) || (0x80..0xff).contains(&byte)
}

/// Takes a version of VMS away: `;12`.
fn drop_version(name: &mut Vec<u8>) {
    if let Some(at) = name.iter().rposition(|byte| *byte == b';')
        && name[at + 1..].iter().all(u8::is_ascii_digit)
    {
        name.truncate(at);
    }
}
