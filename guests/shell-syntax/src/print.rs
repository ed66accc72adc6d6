//! A tree as shell again, the way `declare -f` writes it.

use crate::tree::{Command, Function, List, Word};

/// A list on lines of its own, indented by `indent` columns.
pub fn list(list: &List, indent: usize) -> Vec<u8> {
    let _ = (list, indent);
    todo!()
}

/// A command on one line where possible, as `jobs` and `BASH_COMMAND` show it.
pub fn command(command: &Command) -> Vec<u8> {
    let _ = command;
    todo!()
}

/// A function as `declare -f` prints it.
pub fn function(function: &Function) -> Vec<u8> {
    let _ = function;
    todo!()
}

/// A word as it was meant: parsing it again gives the same.
pub fn word(word: &Word) -> Vec<u8> {
    let _ = word;
    todo!()
}
