//! Matching without extended forms: runs of single-character tests between stars.
//!
//! A run matches at a place or it does not, and takes a known number of characters. So the first
//! place after the one before is always the right choice for all runs but the last, for which the
//! question decides.

use super::{Op, chars};

pub(super) fn matches(ops: &[Op], text: &[u8]) -> bool {
    let Some((head, rest)) = split_first(ops) else {
        return forward(ops, text, 0) == Some(text.len());
    };
    let Some(at) = forward(head, text, 0) else {
        return false;
    };
    let Some((rest, tail)) = split_last(rest) else {
        return backward(rest, text, text.len()).is_some_and(|start| start >= at);
    };
    let Some(end) = backward(tail, text, text.len()) else {
        return false;
    };
    end >= at && runs(rest, &text[..end], at).is_some()
}

pub(super) fn prefix(ops: &[Op], text: &[u8], longest: bool) -> Option<usize> {
    let Some((head, rest)) = split_first(ops) else {
        return forward(ops, text, 0);
    };
    let at = forward(head, text, 0)?;
    tail_from(rest, text, at, longest)
}

pub(super) fn suffix(ops: &[Op], text: &[u8], longest: bool) -> Option<usize> {
    let Some((mut rest, tail)) = split_last(ops) else {
        return backward(ops, text, text.len());
    };
    let mut end = backward(tail, text, text.len())?;
    while let Some((before, run)) = split_last(rest) {
        end = rfind_run(run, text, 0, end)?.0;
        rest = before;
    }
    if rest.is_empty() {
        return Some(if longest { 0 } else { end });
    }
    if longest {
        let (start, after) = find_run(rest, text, 0)?;
        return (after <= end).then_some(start);
    }
    rfind_run(rest, text, 0, end).map(|(start, _)| start)
}

pub(super) fn find(ops: &[Op], text: &[u8], from: usize) -> Option<(usize, usize)> {
    let Some((head, rest)) = split_first(ops) else {
        return find_run(ops, text, from);
    };
    // If the rest is not found behind one place, it is not found behind a later one either.
    let (start, at) = find_run(head, text, from)?;
    let end = tail_from(rest, text, at, true)?;
    Some((start, end))
}

/// Where runs between stars end when the first may start anywhere from `at` on; the last one as
/// early or as late as possible.
fn tail_from(rest: &[Op], text: &[u8], at: usize, longest: bool) -> Option<usize> {
    let (middle, tail) = match split_last(rest) {
        Some((middle, tail)) => (middle, tail),
        None => (&rest[..0], rest),
    };
    let at = runs(middle, text, at)?;
    if tail.is_empty() {
        return Some(if longest { text.len() } else { at });
    }
    if longest {
        return rfind_run(tail, text, at, text.len()).map(|(_, end)| end);
    }
    find_run(tail, text, at).map(|(_, end)| end)
}

/// Finds runs separated by stars one after another and returns where the last ends.
fn runs(mut ops: &[Op], text: &[u8], mut at: usize) -> Option<usize> {
    while !ops.is_empty() {
        let (run, rest) = split_first(ops).unwrap_or((ops, &[]));
        at = find_run(run, text, at)?.1;
        ops = rest;
    }
    Some(at)
}

fn split_first(ops: &[Op]) -> Option<(&[Op], &[Op])> {
    let star = ops.iter().position(|op| *op == Op::Star)?;
    Some((&ops[..star], &ops[star + 1..]))
}

fn split_last(ops: &[Op]) -> Option<(&[Op], &[Op])> {
    let star = ops.iter().rposition(|op| *op == Op::Star)?;
    Some((&ops[..star], &ops[star + 1..]))
}

/// The first place from `from` on where a run matches: start and end.
fn find_run(run: &[Op], text: &[u8], from: usize) -> Option<(usize, usize)> {
    let Some((Op::Bytes(needle), rest)) = run.split_first() else {
        let mut at = from;
        loop {
            if let Some(end) = forward(run, text, at) {
                return Some((at, end));
            }
            if at >= text.len() {
                return None;
            }
            at = chars::next(text, at).1;
        }
    };
    let mut at = from;
    loop {
        at = find_bytes(text, needle, at)?;
        if let Some(end) = forward(rest, text, at + needle.len()) {
            return Some((at, end));
        }
        at += 1;
    }
}

/// The last place in `text[least..most]` where a run matches: start and end.
fn rfind_run(run: &[Op], text: &[u8], least: usize, most: usize) -> Option<(usize, usize)> {
    let mut end = most;
    loop {
        if let Some(start) = backward(run, text, end)
            && start >= least
        {
            return Some((start, end));
        }
        if end <= least {
            return None;
        }
        end = match run.last() {
            // Bytes are looked for byte by byte, so that a part of a character is found too.
            Some(Op::Bytes(needle)) => {
                let last = *needle.last()?;
                let before = text[least..end - 1]
                    .iter()
                    .rposition(|byte| *byte == last)?;
                least + before + 1
            }
            _ => chars::previous(text, end).1,
        };
    }
}

/// Where bytes are found first.
pub(super) fn find_bytes(text: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let (&first, rest) = needle.split_first()?;
    let mut at = from;
    loop {
        at += find_byte(text.get(at..)?, first)?;
        if rest.is_empty() || text[at + 1..].starts_with(rest) {
            return Some(at);
        }
        at += 1;
    }
}

/// Where a byte is found first. Eight bytes at a time.
fn find_byte(text: &[u8], byte: u8) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let wanted = u64::from(byte) * ONES;
    let (chunks, rest) = text.as_chunks::<8>();
    for (number, chunk) in chunks.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk) ^ wanted;
        let zero = word.wrapping_sub(ONES) & !word & HIGH;
        if zero != 0 {
            return Some(number * 8 + zero.trailing_zeros() as usize / 8);
        }
    }
    let at = rest.iter().position(|found| *found == byte)?;
    Some(text.len() - rest.len() + at)
}

/// Where a run that starts at `at` ends, if it matches.
fn forward(run: &[Op], text: &[u8], mut at: usize) -> Option<usize> {
    for op in run {
        at = step(op, text, at)?;
    }
    Some(at)
}

/// Where a run that ends at `end` starts, if it matches.
fn backward(run: &[Op], text: &[u8], mut end: usize) -> Option<usize> {
    for op in run.iter().rev() {
        end = step_back(op, text, end)?;
    }
    Some(end)
}

/// Where one test that starts at `at` ends, if it matches.
#[inline]
pub(super) fn step(op: &Op, text: &[u8], at: usize) -> Option<usize> {
    if let Op::Bytes(bytes) = op {
        return text[at..].starts_with(bytes).then_some(at + bytes.len());
    }
    if at >= text.len() {
        return None;
    }
    let (code, after) = chars::next(text, at);
    single(op, code).then_some(after)
}

/// Where one test that ends at `end` starts, if it matches.
#[inline]
pub(super) fn step_back(op: &Op, text: &[u8], end: usize) -> Option<usize> {
    if let Op::Bytes(bytes) = op {
        return text[..end].ends_with(bytes).then(|| end - bytes.len());
    }
    if end == 0 {
        return None;
    }
    let (code, start) = chars::previous(text, end);
    single(op, code).then_some(start)
}

fn single(op: &Op, code: u32) -> bool {
    match op {
        Op::Any => true,
        Op::Class(class) => class.holds(code),
        Op::Folded(lower) => chars::lower(code) == *lower,
        Op::Bytes(_) | Op::Star | Op::Extended(..) => false,
    }
}
