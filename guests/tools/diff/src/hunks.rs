//! Changes, and how they are put together for output.

use codepod_posix_regex::Regex;

use crate::compare::Changed;
use crate::lines::{Ignoring, Lines};

/// Lines that take the place of others. Numbers count from 0; ends are exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) first: (usize, usize),
    pub(crate) second: (usize, usize),
    /// It does not count.
    pub(crate) ignored: bool,
}

/// What makes changes not count.
pub(crate) struct Trivial<'a> {
    pub(crate) blank: bool,
    pub(crate) matching: Option<&'a Regex>,
    pub(crate) ignoring: Ignoring,
}

/// The changes between two files, in order.
pub(crate) fn changes(changed: &Changed) -> Vec<Change> {
    let (first, second) = (&changed.first, &changed.second);
    let mut changes = Vec::new();
    let (mut x, mut y) = (0, 0);
    while x < first.len() || y < second.len() {
        let is_changed = |flags: &[bool], at: usize| flags.get(at).copied().unwrap_or(false);
        if is_changed(first, x) || is_changed(second, y) {
            let (start, other) = (x, y);
            while is_changed(first, x) {
                x += 1;
            }
            while is_changed(second, y) {
                y += 1;
            }
            changes.push(Change {
                first: (start, x),
                second: (other, y),
                ignored: false,
            });
        } else {
            x += 1;
            y += 1;
        }
    }
    changes
}

/// Marks changes that do not count.
pub(crate) fn mark(changes: &mut [Change], files: [&Lines; 2], trivial: &Trivial<'_>) {
    if !trivial.blank && trivial.matching.is_none() {
        return;
    }
    let is_trivial = |line: &[u8]| {
        let space = trivial.ignoring.space
            || trivial.ignoring.space_amount
            || trivial.ignoring.trailing_space;
        let blank =
            line.is_empty() || (space && line.iter().all(|byte| byte.is_ascii_whitespace()));
        (trivial.blank && blank)
            || trivial
                .matching
                .is_some_and(|regex| regex.is_match(line, 0).unwrap_or(false))
    };
    for change in changes {
        let all = |file: &Lines, (start, end): (usize, usize)| {
            (start..end).all(|line| is_trivial(file.body(line)))
        };
        change.ignored = all(files[0], change.first) && all(files[1], change.second);
    }
}

/// Changes that are so near to each other that they are shown together, with context around them.
pub(crate) fn groups(changes: &[Change], context: usize) -> Vec<&[Change]> {
    let mut groups = Vec::new();
    let mut start = 0;
    for at in 1..=changes.len() {
        let apart = changes.get(at).is_none_or(|next| {
            let previous = &changes[at - 1];
            let near = if next.ignored {
                context
            } else {
                context.saturating_mul(2).saturating_add(1)
            };
            next.first.0 - previous.first.1 >= near.max(1)
        });
        if apart {
            let group = &changes[start..at];
            if group.iter().any(|change| !change.ignored) {
                groups.push(group);
            }
            start = at;
        }
    }
    groups
}
