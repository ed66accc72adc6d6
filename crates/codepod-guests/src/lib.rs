//! The guests that codepod ships.
//!
//! `cargo xtask guests` builds them; this crate lists what was built. With the feature `embed-all`
//! the modules are in the binary. With `embed` those of the core are, and the others come in parts
//! ([`Part`]). Without either they are read from where they were built.
//!
//! On WebAssembly the crate lists guests and has no code: which engine runs them there and where
//! that finds their code is not this crate's affair. Guests that need files of their own in the
//! base image are left out.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

#[cfg(not(target_family = "wasm"))]
mod code;
#[cfg(not(target_family = "wasm"))]
mod part;

use std::sync::OnceLock;

#[cfg(not(target_family = "wasm"))]
use code::{GUESTS, StaticCode};
#[cfg(not(target_family = "wasm"))]
pub use part::file::{Added, PartError, add};
#[cfg(not(target_family = "wasm"))]
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
    #[cfg(not(target_family = "wasm"))]
    files: &'static [(&'static str, StaticCode)],
    #[cfg(not(target_family = "wasm"))]
    code: StaticCode,
}

#[cfg(target_family = "wasm")]
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
    ALL.get_or_init(|| {
        let guests = GUESTS.iter();
        #[cfg(not(target_family = "wasm"))]
        let guests = guests.chain(part::guests());
        with_extensions(guests.collect())
    })
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
