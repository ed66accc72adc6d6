//! Matching with extended forms: which positions can be reached from which.
//!
//! Every step maps a set of positions to the set of those that it can reach, forwards or backwards.
//! A position is handled once for each step, so nothing is exponential; `!(…)` looks at each start
//! by itself.

use super::run::{step, step_back};
use super::{Op, chars};

/// Sorted positions without repetition.
type Set = Vec<usize>;

pub(super) fn matches(ops: &[Op], text: &[u8]) -> bool {
    reach(ops, text, vec![0], true).last() == Some(&text.len())
}

pub(super) fn prefix(ops: &[Op], text: &[u8], longest: bool) -> Option<usize> {
    let ends = reach(ops, text, vec![0], true);
    if longest {
        ends.last().copied()
    } else {
        ends.first().copied()
    }
}

pub(super) fn suffix(ops: &[Op], text: &[u8], longest: bool) -> Option<usize> {
    let starts = reach(ops, text, vec![text.len()], false);
    if longest {
        starts.first().copied()
    } else {
        starts.last().copied()
    }
}

/// Where matches can start, once looking at one place after another has failed too often.
#[derive(Debug, Default)]
pub(super) struct Starts {
    failed: u32,
    known: Option<Set>,
}

/// How often a match is tried before all places are looked at together.
const TRIES: u32 = 16;

pub(super) fn find(
    ops: &[Op],
    text: &[u8],
    from: usize,
    starts: &mut Starts,
) -> Option<(usize, usize)> {
    // What follows a star and is not found behind one place is not found behind a later one either.
    let star = ops.iter().position(|op| *op == Op::Star);
    let (head, rest) = star.map_or((ops, &ops[..0]), |star| ops.split_at(star));
    let mut at = from;
    loop {
        if let Some(known) = &starts.known {
            at = *known.get(known.partition_point(|start| *start < at))?;
        }
        let ends = reach(head, text, vec![at], true);
        if !ends.is_empty() {
            let end = *reach(rest, text, ends, true).last()?;
            return Some((at, end));
        }
        if at >= text.len() {
            return None;
        }
        at = chars::next(text, at).1;
        starts.failed += 1;
        if starts.failed == TRIES && !has_not(head) {
            let everywhere = boundaries(text, 0, text.len());
            starts.known = Some(reach(head, text, everywhere, false));
        }
    }
}

/// Whether there is a `!(…)`, which looks at each place by itself anyway.
fn has_not(ops: &[Op]) -> bool {
    ops.iter().any(|op| match op {
        Op::Extended(kind, alternatives) => {
            *kind == b'!' || alternatives.iter().any(|ops| has_not(ops))
        }
        _ => false,
    })
}

/// The positions that a sequence reaches from any of `from`: ends of matches that start there, or
/// backwards starts of those that end there.
fn reach(ops: &[Op], text: &[u8], mut from: Set, forward: bool) -> Set {
    let mut run = |op: &Op| {
        from = one(op, text, std::mem::take(&mut from), forward);
        !from.is_empty()
    };
    if forward {
        let _ = ops.iter().all(&mut run);
    } else {
        let _ = ops.iter().rev().all(&mut run);
    }
    from
}

/// The positions that one step reaches.
fn one(op: &Op, text: &[u8], from: Set, forward: bool) -> Set {
    match op {
        Op::Star => match (from.first(), from.last()) {
            (Some(&first), _) if forward => boundaries(text, first, text.len()),
            (_, Some(&last)) => boundaries(text, 0, last),
            _ => from,
        },
        Op::Extended(kind, alternatives) => extended(*kind, alternatives, text, from, forward),
        _ => {
            let mut reached = from;
            reached.retain_mut(|at| {
                let next = if forward {
                    step(op, text, *at)
                } else {
                    step_back(op, text, *at)
                };
                next.inspect(|next| *at = *next).is_some()
            });
            tidy(&mut reached);
            reached
        }
    }
}

fn extended(kind: u8, alternatives: &[Vec<Op>], text: &[u8], from: Set, forward: bool) -> Set {
    let once = |from: &Set| {
        let mut all = Set::new();
        for alternative in alternatives {
            all.append(&mut reach(alternative, text, from.clone(), forward));
        }
        tidy(&mut all);
        all
    };
    match kind {
        b'!' => {
            let mut all = Set::new();
            for at in from {
                let taken = once(&vec![at]);
                let range = if forward {
                    boundaries(text, at, text.len())
                } else {
                    boundaries(text, 0, at)
                };
                all.extend(
                    range
                        .into_iter()
                        .filter(|at| taken.binary_search(at).is_err()),
                );
            }
            tidy(&mut all);
            all
        }
        b'@' => once(&from),
        b'?' => {
            let mut all = once(&from);
            all.extend(from);
            tidy(&mut all);
            all
        }
        _ => {
            let mut all = if kind == b'+' { once(&from) } else { from };
            // A set would be sorted anew for each turn, of which there may be as many as there are
            // positions. What is seen is counted from where it starts, so that a short
            // match in a long text costs little.
            let Some((first, last)) = all.first().copied().zip(all.last().copied()) else {
                return all;
            };
            let mut seen = Vec::new();
            let mut is_new = |at: &usize| {
                let place = if forward { at - first } else { last - at };
                if seen.len() <= place {
                    seen.resize(place + 1, false);
                }
                !std::mem::replace(&mut seen[place], true)
            };
            for at in &all {
                is_new(at);
            }
            let mut new = all.clone();
            while !new.is_empty() {
                let mut reached = once(&new);
                reached.retain(&mut is_new);
                all.extend_from_slice(&reached);
                new = reached;
            }
            tidy(&mut all);
            all
        }
    }
}

/// The starts of characters from `first` to `last`, both with it.
fn boundaries(text: &[u8], first: usize, last: usize) -> Set {
    let mut all = Vec::new();
    let mut at = first;
    while at < last {
        all.push(at);
        at = chars::next(text, at).1;
    }
    all.push(last);
    all
}

fn tidy(set: &mut Set) {
    if !set.is_sorted() {
        crate::sort::by(set, Ord::cmp);
    }
    set.dedup();
}
