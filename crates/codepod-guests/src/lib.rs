//! The guests that codepod ships.
//!
//! `cargo xtask guests` builds them; this crate lists what was built. With the feature `embed-all`
//! the modules are in the binary. With `embed` those of the core are, and the others come in parts
//! ([`Part`]). Without either they are read from where they were built.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod part;

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use codepod_abi::Grant;
use codepod_wasmtime::{Carried, Code, GuestModule, ImageSource, map_for_good};

pub use part::file::{Added, PartError, add};
pub use part::{Part, directories, open_parts, parts, preparing, users_directory};

/// A guest.
#[derive(Debug, Clone, Copy)]
pub struct Guest {
    /// Its name, as in `#!codepod NAME`.
    pub name: &'static str,
    /// The guest that its module belongs to.
    pub group: &'static str,
    /// The group whose commands it takes over where both are. Without that group it is not used.
    pub extends: Option<&'static str>,
    /// What it may import.
    pub grants: &'static [&'static str],
    /// Its commands, each a file in `/usr/bin`.
    pub commands: &'static [&'static str],
    /// What commands do, for those that say it: the name and a few words.
    pub about: &'static [(&'static str, &'static str)],
    /// Its files in the base image: their paths there, and their bytes.
    files: &'static [(&'static str, StaticCode)],
    code: StaticCode,
}

#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::allow_attributes,
    dead_code,
    reason = "which of them there are depends on what was built, and how"
)]
enum StaticCode {
    Bytes(&'static [u8]),
    /// The compiled module, and the portable one, compressed.
    Compiled(&'static [u8], &'static [u8]),
    /// Only the compiled module.
    Carried(Carried),
    Path(&'static str),
    /// A piece of a part: where it begins and how long it is.
    InPart {
        at: usize,
        bytes: usize,
    },
}

/// Starts at a page, so that the engine can run compiled code where it lies.
#[cfg(feature = "embed")]
#[allow(
    clippy::allow_attributes,
    dead_code,
    reason = "what is in parts is packed"
)]
#[repr(C, align(4096))]
struct AtPage<T: ?Sized>(T);

/// Bytes of a file, in this program.
#[cfg(feature = "embed")]
#[allow(
    clippy::allow_attributes,
    unused_macros,
    reason = "without built guests the table is empty"
)]
macro_rules! module {
    ($path:literal) => {
        StaticCode::Bytes(include_bytes!($path))
    };
    ($path:literal, compiled $compiled:literal, portable $portable:literal) => {
        StaticCode::Compiled(
            {
                const COMPILED: &AtPage<[u8]> = &AtPage(*include_bytes!($compiled));
                &COMPILED.0
            },
            include_bytes!($portable),
        )
    };
}

#[cfg(not(feature = "embed"))]
#[allow(
    clippy::allow_attributes,
    unused_macros,
    reason = "without built guests the table is empty"
)]
macro_rules! module {
    ($path:literal $($how:tt)*) => {
        StaticCode::Path($path)
    };
}

include!(concat!(env!("OUT_DIR"), "/guests.rs"));

/// What only tests use.
pub const TEST_PROGRAMS: &str = "test-programs";

/// What only conformance cases use.
pub const SPEC_HELPERS: &str = "spec-helpers";

/// The guests that every sandbox has.
pub fn guests() -> impl Iterator<Item = &'static Guest> {
    all()
        .iter()
        .copied()
        .filter(|guest| ![TEST_PROGRAMS, SPEC_HELPERS].contains(&guest.group))
}

/// Every guest that there is: the program's own and those of parts that are installed, which are
/// opened at the first call.
fn all() -> &'static [&'static Guest] {
    static ALL: OnceLock<Vec<&Guest>> = OnceLock::new();
    ALL.get_or_init(|| with_extensions(GUESTS.iter().chain(part::guests()).collect()))
}

/// Leaves out guests that extend one that is not there. One that is extended stays, for files of
/// saved sandboxes that name it, but without its commands, and before what extends it, whose files
/// go over its own.
fn with_extensions(mut guests: Vec<&'static Guest>) -> Vec<&'static Guest> {
    let groups: Vec<&str> = guests.iter().map(|guest| guest.group).collect();
    guests.retain(|guest| guest.extends.is_none_or(|group| groups.contains(&group)));
    guests.sort_by_key(|guest| guest.extends.is_some());
    let extended: Vec<&str> = guests.iter().filter_map(|guest| guest.extends).collect();
    let extended = |guest: &'static Guest| match extended.contains(&guest.group) {
        true => &*Box::leak(Box::new(Guest {
            commands: &[],
            ..*guest
        })),
        false => guest,
    };
    guests.into_iter().map(extended).collect()
}

/// The guests of a group.
pub fn group(name: &str) -> impl Iterator<Item = &'static Guest> {
    let all = all().iter().copied();
    all.filter(move |guest| guest.group == name)
}

/// Whether a guest of that name was built, for whatever it is.
pub fn is_module(name: &str) -> bool {
    all().iter().any(|guest| guest.name == name)
}

impl Guest {
    /// Its files in the base image: their paths there, and their bytes. One that cannot be read is
    /// left out.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        self.files.iter().filter_map(|(path, file)| {
            let bytes = match *file {
                StaticCode::Bytes(bytes) => bytes,
                StaticCode::Compiled(..) | StaticCode::Carried(_) | StaticCode::InPart { .. } => {
                    return None;
                }
                StaticCode::Path(file) => read_once(file)?,
            };
            Some((*path, bytes))
        })
    }

    /// Memory in which it has imported large packages; the fullest first.
    fn images(&self) -> Vec<ImageSource> {
        let is_image = |path: &str| path.ends_with(IMAGE);
        if !self.files.iter().any(|(path, _)| is_image(path)) {
            return Vec::new();
        }
        let files = self.files().filter(|(path, _)| is_image(path));
        let images = files.filter_map(|(path, bytes)| {
            let (_, name) = path.rsplit_once('/')?;
            let package = name.strip_suffix(IMAGE)?;
            Some(ImageSource { package, bytes })
        });
        let mut images: Vec<ImageSource> = images.collect();
        images.sort_by_key(|image| std::cmp::Reverse(image.bytes.len()));
        images
    }

    /// The guest for an engine.
    pub fn module(&self) -> GuestModule {
        let (code, compiled) = match self.code {
            StaticCode::Bytes(bytes) => (Code::Wasm(bytes.into()), None),
            StaticCode::Compiled(compiled, portable) => {
                (Code::Packed(portable), Some(Carried::Here(compiled)))
            }
            StaticCode::Carried(carried) => (Code::Elsewhere, Some(carried)),
            StaticCode::Path(path) => (Code::File(path.into()), None),
            StaticCode::InPart { .. } => (Code::Elsewhere, None),
        };
        GuestModule {
            name: self.name.to_owned(),
            code,
            compiled,
            grants: self
                .grants
                .iter()
                .filter_map(|name| Grant::from_name(name))
                .collect(),
            images: self.images(),
        }
    }
}

/// The ends of the names of files with prepared memory.
const IMAGE: &str = ".image";

/// A file's bytes, mapped once: a base image is there as long as the program.
fn read_once(path: &'static str) -> Option<&'static [u8]> {
    static READ: Mutex<BTreeMap<&str, &[u8]>> = Mutex::new(BTreeMap::new());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = read.get(path) {
        return Some(bytes);
    }
    let file = std::fs::File::open(path).ok()?;
    let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let bytes = map_for_good(&file, length).ok()?;
    read.insert(path, bytes);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYTHON: Guest = Guest {
        name: "python",
        group: "python",
        extends: None,
        grants: &[],
        commands: &["python3"],
        about: &[],
        files: &[],
        code: StaticCode::Path("nowhere"),
    };
    const SCIENCE: Guest = Guest {
        name: "science",
        group: "science",
        extends: Some("python"),
        ..PYTHON
    };

    #[test]
    fn a_guest_that_extends_another_has_its_commands_and_is_behind_it() {
        let both = with_extensions(vec![&SCIENCE, &PYTHON]);
        let found: Vec<_> = both.iter().map(|it| (it.name, it.commands)).collect();
        assert_eq!(found, [("python", &[][..]), ("science", &["python3"][..])]);
    }

    #[test]
    fn a_guest_that_extends_nothing_that_is_there_is_left_out() {
        assert!(with_extensions(vec![&SCIENCE]).is_empty());
        assert_eq!(with_extensions(vec![&PYTHON])[0].commands, ["python3"]);
    }
}
