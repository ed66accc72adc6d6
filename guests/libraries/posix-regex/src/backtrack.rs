//! Expressions with back references: one way after another, in the order in which glibc prefers
//! them, until the longest is found.
//!
//! Where the same step was reached at the same place with the same references before, the way is
//! not gone again. The number of steps is limited.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::chars;
use crate::program::{At, Program, Step};
use crate::search::Around;
use crate::{Error, Spans};

/// The most steps of one search.
const STEPS: u64 = 20_000_000;
/// The most places that are remembered as seen from one start.
const SEEN: usize = 1 << 20;

/// The first match at or after `from`, with its groups.
pub(crate) fn captures(
    program: &Program,
    text: &[u8],
    from: usize,
) -> Result<Option<Spans>, Error> {
    let mut is_referred = vec![false; program.groups + 1];
    for step in &program.steps {
        if let Step::Reference(group, _) = step {
            is_referred[*group as usize] = true;
        }
    }
    let referred = (0..).zip(is_referred);
    let referred = referred.filter_map(|(group, is_referred)| is_referred.then_some(group));
    let mut search = Search {
        program,
        text,
        referred: referred.collect(),
        groups: vec![Open::NONE; program.groups + 1],
        undo: Vec::new(),
        later: Vec::new(),
        seen: HashSet::new(),
        left: STEPS,
    };
    let mut at = from;
    loop {
        if let Some(spans) = search.at(at)? {
            return Ok(Some(spans));
        }
        if at >= text.len() || program.anchored {
            return Ok(None);
        }
        at = chars::next(text, at).1;
    }
}

/// A group while searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Open {
    start: Option<usize>,
    span: Option<(usize, usize)>,
}

impl Open {
    const NONE: Open = Open {
        start: None,
        span: None,
    };
}

struct Search<'p> {
    program: &'p Program,
    text: &'p [u8],
    referred: Vec<u32>,
    groups: Vec<Open>,
    /// Groups to put back, the last first.
    undo: Vec<(usize, Open)>,
    /// Ways to go later: step, place, and how long `undo` was.
    later: Vec<(At, usize, usize)>,
    /// Steps at places with what the referred groups held, by their hashes.
    seen: HashSet<u64>,
    left: u64,
}

impl Search<'_> {
    /// The longest match that starts here.
    fn at(&mut self, start: usize) -> Result<Option<Spans>, Error> {
        self.groups.fill(Open::NONE);
        self.undo.clear();
        self.seen.clear();
        self.later.push((self.program.start, start, 0));
        let mut best: Option<(usize, Vec<Open>)> = None;
        while let Some((step, at, undo)) = self.later.pop() {
            while self.undo.len() > undo {
                if let Some((group, open)) = self.undo.pop() {
                    self.groups[group] = open;
                }
            }
            let end = self.go(step, at)?;
            if let Some(end) = end
                && best.as_ref().is_none_or(|(longest, _)| end > *longest)
            {
                best = Some((end, self.groups.clone()));
                if end == self.text.len() {
                    break;
                }
            }
        }
        self.later.clear();
        Ok(best.map(|(end, groups)| {
            let mut spans: Spans = groups.iter().map(|open| open.span).collect();
            spans[0] = Some((start, end));
            spans
        }))
    }

    /// Goes on as far as it leads; the end of the match when it was reached.
    fn go(&mut self, step: At, at: usize) -> Result<Option<usize>, Error> {
        let (mut step, mut at) = (step, at);
        loop {
            self.left = self.left.checked_sub(1).ok_or(Error::Space)?;
            match self.program.steps[step as usize] {
                Step::Match => return Ok(Some(at)),
                Step::Split(first, second) => {
                    if !self.is_new(step, at) {
                        return Ok(None);
                    }
                    self.later.push((second, at, self.undo.len()));
                    step = first;
                }
                Step::Open(group, next) => {
                    let group = group as usize;
                    self.undo.push((group, self.groups[group]));
                    self.groups[group].start = Some(at);
                    step = next;
                }
                Step::Close { group, next, .. } => {
                    let group = group as usize;
                    self.undo.push((group, self.groups[group]));
                    let start = self.groups[group].start.unwrap_or(at);
                    self.groups[group].span = Some((start, at));
                    step = next;
                }
                Step::Anchor(anchor, next) => {
                    let around = Around::new(self.text, at);
                    if !anchor.holds(around.before, around.after) {
                        return Ok(None);
                    }
                    step = next;
                }
                Step::Reference(group, next) => {
                    let Some((start, end)) = self.groups[group as usize].span else {
                        return Ok(None);
                    };
                    let Some(after) = self.same(start, end, at) else {
                        return Ok(None);
                    };
                    self.left = self.left.saturating_sub((end - start) as u64 / 16);
                    at = after;
                    step = next;
                }
                take => {
                    if at >= self.text.len() {
                        return Ok(None);
                    }
                    let (code, next) = chars::next(self.text, at);
                    let Some(to) = self.program.takes(take, self.program.fold(code)) else {
                        return Ok(None);
                    };
                    step = to;
                    at = next;
                }
            }
        }
    }

    fn is_new(&mut self, step: At, at: usize) -> bool {
        if self.seen.len() >= SEEN {
            return true;
        }
        let mut hasher = DefaultHasher::new();
        (step, at).hash(&mut hasher);
        for group in &self.referred {
            self.groups[*group as usize].hash(&mut hasher);
        }
        self.seen.insert(hasher.finish())
    }

    /// Where the text that equals `start..end` ends, if it stands at `at`.
    fn same(&self, start: usize, end: usize, at: usize) -> Option<usize> {
        let wanted = &self.text[start..end];
        if !self.program.icase {
            return self.text[at..]
                .starts_with(wanted)
                .then(|| at + wanted.len());
        }
        let (mut left, mut right) = (start, at);
        while left < end {
            if right >= self.text.len() {
                return None;
            }
            let (one, after) = chars::next(self.text, left);
            let (other, next) = chars::next(self.text, right);
            if chars::upper(one) != chars::upper(other) {
                return None;
            }
            (left, right) = (after, next);
        }
        Some(right)
    }
}
