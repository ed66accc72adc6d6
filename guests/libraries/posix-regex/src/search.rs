//! Finding where the leftmost, longest match lies: all ways at once, a character at a time.

use crate::Span;
use crate::chars;
use crate::program::{At, Program, Step};

/// The ways that are open at a place: steps that take a character, each with the leftmost start
/// that leads to it.
#[derive(Default)]
struct Ways {
    /// In the order of their starts.
    list: Vec<(At, usize)>,
    /// Which steps were visited at this place.
    seen: Vec<u32>,
    turn: u32,
}

impl Ways {
    fn new(program: &Program) -> Ways {
        Ways {
            list: Vec::new(),
            seen: vec![0; program.steps.len()],
            turn: 0,
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        self.turn += 1;
    }
}

/// The characters on both sides of a place.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    pub(crate) before: Option<u32>,
    pub(crate) after: Option<u32>,
}

impl Around {
    pub(crate) fn new(text: &[u8], at: usize) -> Around {
        Around {
            before: (at > 0).then(|| chars::previous(text, at).0),
            after: (at < text.len()).then(|| chars::next(text, at).0),
        }
    }
}

/// The leftmost and then longest match at or after `from`.
pub(crate) fn find(program: &Program, text: &[u8], from: usize) -> Option<Span> {
    let mut now = Ways::new(program);
    let mut then = Ways::new(program);
    let mut stack = Vec::new();
    let mut best: Option<Span> = None;
    let mut at = from;
    now.clear();
    loop {
        if now.list.is_empty() {
            if best.is_some() || (program.anchored && at > 0) {
                return best;
            }
            at = skip(program, text, at)?;
        }
        let around = Around::new(text, at);
        if best.is_none() && (!program.anchored || at == 0) {
            enter(
                program,
                program.start,
                at,
                around,
                &mut now,
                &mut stack,
                &mut best,
                at,
            );
        }
        if at >= text.len() {
            return best;
        }
        let (code, next) = chars::next(text, at);
        let code = program.fold(code);
        then.clear();
        let after = Around {
            before: around.after,
            after: (next < text.len()).then(|| chars::next(text, next).0),
        };
        for index in 0..now.list.len() {
            let (step, start) = now.list[index];
            // What starts behind the best match cannot be better.
            if best.is_some_and(|(leftmost, _)| start > leftmost) {
                break;
            }
            if let Some(to) = program.takes(program.steps[step as usize], code) {
                enter(
                    program, to, start, after, &mut then, &mut stack, &mut best, next,
                );
            }
        }
        std::mem::swap(&mut now, &mut then);
        at = next;
    }
}

/// The next place where a match can start; none when there is none.
fn skip(program: &Program, text: &[u8], at: usize) -> Option<usize> {
    let Some(first) = &program.first else {
        return Some(at);
    };
    let rest = text.get(at..)?;
    rest.iter()
        .position(|byte| first[usize::from(*byte)])
        .map(|count| at + count)
}

/// Follows a step to those that take a character. Ways come in the order of their starts, so the
/// first to reach a step is the leftmost.
#[expect(clippy::too_many_arguments, reason = "the state of the loop above")]
fn enter(
    program: &Program,
    step: At,
    start: usize,
    around: Around,
    ways: &mut Ways,
    stack: &mut Vec<At>,
    best: &mut Option<Span>,
    at: usize,
) {
    stack.push(step);
    while let Some(step) = stack.pop() {
        let seen = &mut ways.seen[step as usize];
        if *seen == ways.turn {
            continue;
        }
        *seen = ways.turn;
        match program.steps[step as usize] {
            Step::Match => {
                let better = best.is_none_or(|(leftmost, end)| {
                    start < leftmost || (start == leftmost && at > end)
                });
                if better {
                    *best = Some((start, at));
                }
            }
            Step::Split(first, second) => stack.extend([second, first]),
            Step::Open(_, next) | Step::Close { next, .. } => stack.push(next),
            Step::Anchor(anchor, next) => {
                if anchor.holds(around.before, around.after) {
                    stack.push(next);
                }
            }
            _ => ways.list.push((step, start)),
        }
    }
}
