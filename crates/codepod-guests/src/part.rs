//! Parts: guests that ship beside the program, in a file each.
//!
//! A part is one file, `NAME.part`, or packed `NAME.part.zst`. The program knows the digest of each
//! part that was built with it, and what lies where in it. So a part needs no list and no signature
//! of its own: what has that digest is what the program's build has made, wherever it comes from,
//! and everything else is refused. A part is never fetched.

mod calls;
pub(crate) mod file;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use codepod_wasmtime::{Carried, Content, Packed};

use crate::Guest;
use crate::code::{PARTS, StaticCode};
use file::{Opened, PartError};

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
    /// The part itself, packed, where the program carries it.
    pub(crate) carried: Option<&'static [u8]>,
    /// Packages that it brings beside commands.
    pub packages: &'static [&'static str],
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
    /// What its file has to have.
    pub(crate) fn content(&self) -> Content {
        Content {
            bytes: self.bytes,
            digest: self.digest,
        }
    }

    /// The commands that it brings, without those of parts that it only extends.
    pub fn commands(&self) -> impl Iterator<Item = &'static str> {
        let guests = self.guests.iter().filter(|guest| guest.extends.is_none());
        guests.flat_map(|guest| guest.commands.iter().copied())
    }

    /// The parts that it extends, without which it cannot be used.
    pub fn needs(&self) -> impl Iterator<Item = &'static Part> {
        let extended = self.guests.iter().filter_map(|guest| guest.extends);
        extended.filter_map(|group| {
            PARTS
                .iter()
                .find(|part| part.guests.iter().any(|guest| guest.group == group))
        })
    }

    /// Reads a file of this part whole, and compares it with what this program knows.
    pub fn check(&self, file: &Path) -> Result<(), PartError> {
        file::check(self, file)
    }

    /// What the program carries of it.
    fn packed(&self) -> Option<Packed> {
        self.carried.map(|bytes| Packed {
            bytes,
            unpack: |bytes| file::unpacked(bytes, None),
            content: self.content(),
        })
    }

    /// Whether it waits, packed, until one of its guests is used: nobody but their code needs it.
    fn waits(&self) -> bool {
        let mut guests = self.guests.iter();
        self.is_carried() && guests.all(|guest| guest.files.is_empty() && guest.extends.is_none())
    }

    /// Whether this program carries it.
    pub fn is_carried(&self) -> bool {
        self.carried.is_some()
    }

    /// The part that it needs, and is packed as the difference from.
    pub(crate) fn base(&self) -> Result<Option<&'static [u8]>, PartError> {
        base_in(self, opened())
    }

    /// Where it was found when this program opened it; otherwise why it is not there. One that
    /// waits in the program was not opened.
    pub fn opened(&self) -> Result<PathBuf, PartError> {
        let opened = opened().iter().find(|(part, _)| part.name == self.name);
        match opened {
            Some((_, Ok(opened))) => Ok(opened.path.clone()),
            Some((_, Err(error))) => Err(error.clone()),
            None => Err(PartError::Missing),
        }
    }

    /// Whether its guests can be used.
    pub fn is_there(&self) -> bool {
        self.waits() || self.opened().is_ok()
    }
}

/// The guests of the parts that are there.
pub(crate) fn guests() -> impl Iterator<Item = &'static Guest> {
    static GUESTS: OnceLock<Vec<Guest>> = OnceLock::new();
    let guests = GUESTS.get_or_init(|| {
        let waiting = PARTS.iter().filter(|part| part.waits());
        let carried = waiting.flat_map(carried_guests);
        let opened = opened().iter().filter_map(|(part, opened)| {
            let bytes = opened.as_ref().ok()?.bytes;
            let guests = part.guests.iter();
            Some(guests.filter_map(move |guest| place(guest, bytes)))
        });
        carried.chain(opened.flatten()).collect()
    });
    guests.iter()
}

/// Opens all parts now, and unpacks those that this program carries: for a program that can open
/// nothing later.
pub fn open_parts() {
    opened();
    let waiting = PARTS.iter().filter(|part| part.waits());
    for packed in waiting.filter_map(Part::packed) {
        // What cannot be unpacked is compiled, or says so, when it is used.
        let _ = packed.unpack();
    }
}

/// The part that is being unpacked or checked now, and how many of its bytes are done: what a first
/// start waits for.
pub fn preparing() -> Option<(&'static Part, u64)> {
    let (content, done) = codepod_wasmtime::preparing()?;
    let part = PARTS.iter().find(|part| part.content() == content)?;
    Some((part, done))
}

/// The guests of a part that waits. It is unpacked when one of them is used.
fn carried_guests(part: &'static Part) -> impl Iterator<Item = Guest> {
    let packed = part.packed();
    part.guests.iter().filter_map(move |guest| {
        let StaticCode::InPart { at, bytes } = guest.code else {
            return None;
        };
        Some(Guest {
            code: StaticCode::Carried(Carried::Piece(packed?, at, bytes)),
            ..*guest
        })
    })
}

/// Every part that does not wait, as it was found at the first call.
fn opened() -> &'static [(&'static Part, Result<Opened, PartError>)] {
    static OPENED: OnceLock<Vec<(&Part, Result<Opened, PartError>)>> = OnceLock::new();
    OPENED.get_or_init(|| {
        let directories = directories();
        let mut parts: Vec<&Part> = PARTS.iter().filter(|part| !part.waits()).collect();
        // Those that others need come first.
        parts.sort_by_key(|part| part.needs().next().is_some());
        let mut found = Vec::new();
        for part in parts {
            let base = base_in(part, &found);
            let opened = base.and_then(|base| file::open(part, &directories, base));
            found.push((part, opened));
        }
        found
    })
}

/// The part that another needs, among those that were found; `None` for one that needs none.
fn base_in(
    part: &Part,
    found: &[(&'static Part, Result<Opened, PartError>)],
) -> Result<Option<&'static [u8]>, PartError> {
    let Some(needed) = part.needs().next() else {
        return Ok(None);
    };
    let base = found.iter().find(|(known, _)| known.name == needed.name);
    match base {
        Some((_, Ok(opened))) => Ok(Some(opened.bytes)),
        _ => Err(PartError::Needs(needed.name)),
    }
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
    let code = StaticCode::Carried(Carried::Here(piece(guest.code)?));
    Some(Guest {
        files: files?.leak(),
        code,
        ..*guest
    })
}
