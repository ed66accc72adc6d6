//! Parts: guests that ship beside the program, in a file each.
//!
//! A part is one file, `NAME.part`, or packed `NAME.part.zst`. The program knows the digest of each
//! part that was built with it, and what lies where in it. So a part needs no list and no signature
//! of its own: what has that digest is what the program's build has made, wherever it comes from,
//! and everything else is refused. A part is never fetched.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::part_file::{self, Opened, PartError};
use crate::{Guest, PARTS, StaticCode};

/// A part that was built with this program.
#[derive(Debug)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub about: &'static str,
    /// How long its file is, unpacked.
    pub bytes: u64,
    /// The BLAKE3 of that file, in hexadecimal digits.
    pub digest: &'static str,
    /// Its guests; their code and files are pieces of the file.
    pub(crate) guests: &'static [Guest],
}

/// The parts that were built with this program, whether they are installed or not.
pub fn parts() -> &'static [Part] {
    PARTS
}

/// Where parts are looked for, in this order: what `CODEPOD_PARTS` names, beside this program,
/// `../lib/codepod` from there, this user's own, and the system's.
pub fn directories() -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(set) = std::env::var_os("CODEPOD_PARTS") {
        found.extend(std::env::split_paths(&set).filter(|path| path.is_absolute()));
    }
    let program = std::env::current_exe().and_then(std::fs::canonicalize);
    if let Some(beside) = program.ok().as_deref().and_then(std::path::Path::parent) {
        found.push(beside.to_owned());
        found.extend(beside.parent().map(|above| above.join("lib/codepod")));
    }
    found.extend(users_directory());
    #[cfg(unix)]
    found.extend(["/usr/local/lib/codepod", "/usr/lib/codepod"].map(PathBuf::from));
    found
}

/// Where `codepod parts add` puts them: the user's data directory. `None` where the environment
/// names none.
pub fn users_directory() -> Option<PathBuf> {
    let set = |name: &str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    };
    let data = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    data.map(|data| data.join("codepod/parts"))
}

impl Part {
    /// The commands that it brings.
    pub fn commands(&self) -> impl Iterator<Item = &'static str> {
        let guests = self.guests.iter();
        guests.flat_map(|guest| guest.commands.iter().copied())
    }

    /// Reads a file of this part whole, and compares it with what this program knows.
    pub fn check(&self, file: &Path) -> Result<(), PartError> {
        part_file::check(self, file)
    }

    /// Where it was found when this program opened it; otherwise why it is not there.
    pub fn opened(&self) -> Result<PathBuf, PartError> {
        let opened = opened().iter().find(|(name, _)| *name == self.name);
        match opened {
            Some((_, Ok(opened))) => Ok(opened.path.clone()),
            Some((_, Err(error))) => Err(error.clone()),
            None => Err(PartError::Missing),
        }
    }
}

/// The guests of the parts that are installed.
pub(crate) fn guests() -> impl Iterator<Item = &'static Guest> {
    static GUESTS: OnceLock<Vec<Guest>> = OnceLock::new();
    let guests = GUESTS.get_or_init(|| {
        let opened = PARTS.iter().zip(opened());
        let placed = opened.filter_map(|(part, (_, opened))| {
            let bytes = opened.as_ref().ok()?.bytes;
            let guests = part.guests.iter();
            Some(guests.filter_map(move |guest| place(guest, bytes)))
        });
        placed.flatten().collect()
    });
    guests.iter()
}

/// Every part as it was found, at the first call.
fn opened() -> &'static [(&'static str, Result<Opened, PartError>)] {
    static OPENED: OnceLock<Vec<(&str, Result<Opened, PartError>)>> = OnceLock::new();
    OPENED.get_or_init(|| {
        let directories = directories();
        let open = |part: &'static Part| (part.name, part_file::open(part, &directories));
        PARTS.iter().map(open).collect()
    })
}

/// A guest with its pieces of an open part in their places.
fn place(guest: &Guest, part: &'static [u8]) -> Option<Guest> {
    let piece = |code: StaticCode| match code {
        StaticCode::InPart { at, bytes } => part.get(at..at.checked_add(bytes)?),
        _ => None,
    };
    let files = guest.files.iter();
    let files: Option<Vec<(&str, StaticCode)>> = files
        .map(|(path, code)| Some((*path, StaticCode::Bytes(piece(*code)?))))
        .collect();
    let code = StaticCode::Compiled {
        packed: &[],
        compiled: piece(guest.code)?,
    };
    Some(Guest {
        files: files?.leak(),
        code,
        ..*guest
    })
}
