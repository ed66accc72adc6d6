//! What `trap` has set.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text::Text;

/// What a trap is for: a signal's number, or one of the shell's own events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Event {
    /// The end of the shell.
    Exit,
    /// A signal by its number.
    Signal(u32),
    /// Before each simple command.
    Debug,
    /// A command failed where `set -e` would end the shell.
    Err,
    /// The end of a function or a sourced file.
    Return,
}

/// All traps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Traps {
    /// The command of each event; empty means that the signal is ignored.
    pub commands: BTreeMap<Event, Text>,
    /// Traps of the parent shell, which a subshell lists until it sets one of its own.
    pub inherited: BTreeMap<Event, Text>,
    /// Signals that were ignored when the shell started: they cannot be trapped.
    pub ignored: Vec<u32>,
}
