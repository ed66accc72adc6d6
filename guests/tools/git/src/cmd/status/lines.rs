//! The lines of the short forms: what happened to each path in the index and in the working tree.

use std::collections::BTreeMap;

use super::State;
use crate::diff::change::Change;

/// What happened to a path.
pub(super) struct Line {
    /// The letter for the index; a space where nothing happened.
    pub(super) x: u8,
    /// The letter for the working tree.
    pub(super) y: u8,
    /// The path before a rename or a copy.
    pub(super) old: Option<Vec<u8>>,
    pub(super) staged: Option<Change>,
    pub(super) unstaged: Option<Change>,
}

/// The lines by path, without those of paths in conflict.
pub(super) fn lines(state: &State) -> BTreeMap<Vec<u8>, Line> {
    let mut lines: BTreeMap<Vec<u8>, Line> = BTreeMap::new();
    let blank = || Line {
        x: b' ',
        y: b' ',
        old: None,
        staged: None,
        unstaged: None,
    };
    for change in &state.staged {
        let line = lines.entry(change.new.path.clone()).or_insert_with(blank);
        line.x = change.status;
        if matches!(change.status, b'R' | b'C') {
            line.old = Some(change.old.path.clone());
        }
        line.staged = Some(change.clone());
    }
    for change in &state.unstaged {
        let line = lines.entry(change.new.path.clone()).or_insert_with(blank);
        line.y = change.status;
        if matches!(change.status, b'R' | b'C') {
            line.old = Some(change.old.path.clone());
        }
        line.unstaged = Some(change.clone());
    }
    lines
}

/// The two letters of a path in conflict.
pub(super) fn unmerged_letters(bits: u8) -> &'static str {
    match bits {
        1 => "DD",
        2 => "AU",
        3 => "UD",
        4 => "UA",
        5 => "DU",
        6 => "AA",
        _ => "UU",
    }
}
