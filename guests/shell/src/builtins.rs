//! Commands that run inside the shell.
//!
//! To add one: a file named as the builtin, and a line in [`TABLE`].

use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// A builtin: gets its arguments (the first is its name) and returns its status.
pub type Builtin = fn(&mut Shell, &[Text]) -> Run<i32>;

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What runs.
    pub run: Builtin,
    /// A POSIX special builtin: assignments before it stay in posix mode, its errors end a script.
    pub special: bool,
    /// Whether words of the form of an assignment are assignments (`declare`, `export`, …).
    pub declares: bool,
    /// `help`: arguments.
    pub arguments: &'static str,
    /// `help`: one sentence.
    pub about: &'static str,
}

/// Every builtin, sorted by name.
pub const TABLE: &[Entry] = &[];

/// The builtin of a name.
pub fn find(name: &[u8]) -> Option<&'static Entry> {
    TABLE
        .binary_search_by(|entry| entry.name.as_bytes().cmp(name))
        .ok()
        .map(|at| &TABLE[at])
}
