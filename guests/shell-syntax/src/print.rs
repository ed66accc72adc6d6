//! A tree as shell again, the way `declare -f` writes it.

use crate::tree::{Brace, Command, Function, List, Word};

/// A list on lines of its own, indented by `indent` columns.
pub fn list(list: &List, indent: usize) -> Vec<u8> {
    let _ = (list, indent);
    Vec::new()
}

/// A command on one line where possible, as `jobs` and `BASH_COMMAND` show it.
pub fn command(command: &Command) -> Vec<u8> {
    let _ = command;
    Vec::new()
}

/// A function as `declare -f` prints it.
pub fn function(function: &Function) -> Vec<u8> {
    let _ = function;
    Vec::new()
}

/// A word as it was meant: parsing it again gives the same.
pub fn word(word: &Word) -> Vec<u8> {
    let _ = word;
    Vec::new()
}

/// A brace expansion.
pub(crate) fn brace_text(brace: &Brace) -> Vec<u8> {
    let _ = brace;
    Vec::new()
}
