//! The table: every tool, once. Dispatch, `toolbox --list` and the commands the image gets come
//! from it.

use std::ffi::{OsStr, OsString};

/// A tool's arguments, its name first.
pub(crate) type Arguments = std::vec::IntoIter<OsString>;

/// Whether a tool's relative paths start at the working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directory {
    /// They do.
    Follows,
    /// It opens nothing by a path, so finding the directory out can be spared.
    Ignores,
}

/// A tool.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    pub(crate) directory: Directory,
    /// Runs it and returns its status.
    pub(crate) main: fn(Arguments) -> i32,
}

macro_rules! tools {
    ($($name:literal: $directory:ident, $main:expr, $about:literal;)*) => {
        /// The tool of a name.
        pub(crate) fn find(name: &str) -> Option<Tool> {
            Some(match name {
                $($name => Tool { directory: Directory::$directory, main: $main },)*
                _ => return None,
            })
        }

        /// A line for each: its name, a tab, what it does.
        pub(crate) const NAMES: &str = concat!($($name, "\t", $about, "\n"),*);
    };
}

/// A tool of uutils: its messages are looked up under `$catalogue`.
macro_rules! uutils {
    ($catalogue:literal, $krate:ident) => {
        |arguments| {
            set_up_messages($catalogue);
            $krate::uumain(arguments)
        }
    };
}

// Name, whether it needs the working directory, main function, what it does.
tools! {
    "ptx": Follows, uutils!("ptx", uu_ptx), "make a permuted index";
}

/// The names for the build, which makes an entry in `/bin` for each: a section of the module, not
/// of its memory.
#[cfg(target_family = "wasm")]
#[expect(
    unsafe_code,
    reason = "naming a section counts as such; nothing else has this one"
)]
#[used]
#[unsafe(link_section = "codepod.commands")]
static COMMANDS: [u8; NAMES.len()] = {
    let mut names = [0; NAMES.len()];
    names.copy_from_slice(NAMES.as_bytes());
    names
};

fn set_up_messages(catalogue: &str) {
    // Without its messages a tool shows their names; it still works.
    let _ = uucore::locale::setup_localization(catalogue);
}
