//! Applying hunks: each is looked for where it should be, then further and further away, with less and less of its context.

use super::Say;
use super::read::{Does, FilePatch, Hunk};

/// How hunks are tried.
pub(crate) struct Tried {
    pub(crate) fuzz: usize,
    pub(crate) loose: bool,
    pub(crate) force: bool,
    pub(crate) batch: bool,
    pub(crate) forward: bool,
    pub(crate) reverse: bool,
}

/// What came of it.
#[derive(Default)]
pub(crate) struct Applied {
    pub(crate) text: Vec<u8>,
    pub(crate) applied: usize,
    /// The numbers of hunks that did not work.
    pub(crate) rejected: Vec<usize>,
    /// The whole patch was left out.
    pub(crate) skipped: bool,
    /// A hunk was not where it should be, or did not match whole.
    pub(crate) mismatched: bool,
    /// Hunks were applied the other way round.
    pub(crate) reversed: bool,
}

/// Applies a patch to a text.
pub(crate) fn apply(old: &[u8], patch: &FilePatch, tried: &Tried, say: &mut Say) -> Applied {
    let lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let mut result = Applied {
        reversed: tried.reverse,
        ..Applied::default()
    };
    let mut done = 0;
    let mut offset = 0isize;
    for (number, hunk) in patch.hunks.iter().enumerate() {
        if result.skipped {
            result.rejected.push(number);
            continue;
        }
        let oriented = if result.reversed {
            hunk.reversed()
        } else {
            hunk.clone()
        };
        let mut target = Target {
            lines: &lines,
            done,
            offset,
            loose: tried.loose,
        };
        let mut found = target.find(&oriented, tried.fuzz);
        let mut oriented = oriented;
        if found.is_none() && number == 0 && !tried.force {
            let other = oriented.reversed();
            if let Some(place) = target.find(&other, tried.fuzz) {
                let note: &[u8] = match result.reversed == tried.reverse && !tried.reverse {
                    true => b"Reversed (or previously applied) patch detected!",
                    false => b"Unreversed patch detected!",
                };
                if tried.forward {
                    say.loud(&[note, b"  Skipping patch."].concat());
                    result.skipped = true;
                } else if tried.batch {
                    let assumed: &[u8] = if tried.reverse {
                        b"  Ignoring -R."
                    } else {
                        b"  Assuming -R."
                    };
                    say.line(&[note, assumed].concat());
                    result.reversed = !result.reversed;
                    result.mismatched = true;
                    found = Some(place);
                    oriented = other;
                } else {
                    let question: &[u8] = if tried.reverse {
                        b"  Ignore -R? [n] "
                    } else {
                        b"  Assume -R? [n] "
                    };
                    say.loud(&[note, question].concat());
                    say.loud(b"Apply anyway? [n] ");
                    say.loud(b"Skipping patch.");
                    result.skipped = true;
                }
                if result.skipped {
                    result.rejected.push(number);
                    continue;
                }
            }
        }
        let expected = oriented.old_start as isize + offset;
        match found {
            Some(place) => {
                let moved = place.start as isize + 1 - first_line(&oriented) as isize;
                if place.fuzz > 0 || moved != 0 {
                    result.mismatched = true;
                }
                report(number + 1, &oriented, &place, moved, say);
                lines[done..place.start]
                    .iter()
                    .for_each(|line| result.text.extend_from_slice(line));
                put(
                    &oriented,
                    &lines[place.start..place.start + place.length],
                    &mut result.text,
                );
                done = place.start + place.length;
                offset = moved;
                result.applied += 1;
            }
            None => {
                say.loud(format!("Hunk #{} FAILED at {}.", number + 1, expected.max(1)).as_bytes());
                result.rejected.push(number);
                result.mismatched = true;
            }
        }
    }
    lines[done..]
        .iter()
        .for_each(|line| result.text.extend_from_slice(line));
    result
}

/// The number of the line that a hunk starts at; one that only inserts starts behind the line that it names.
fn first_line(hunk: &Hunk) -> usize {
    let is_empty = hunk.side(Does::Goes).is_empty();
    hunk.old_start + usize::from(is_empty)
}

fn report(number: usize, hunk: &Hunk, place: &Place, moved: isize, say: &mut Say) {
    if place.fuzz == 0 && moved == 0 {
        return;
    }
    let at = hunk.new_start as isize + place.shift;
    let mut text = format!("Hunk #{number} succeeded at {at}");
    if place.fuzz > 0 {
        text.push_str(&format!(" with fuzz {}", place.fuzz));
    }
    if moved != 0 {
        let noun = if moved == 1 { "line" } else { "lines" };
        text.push_str(&format!(" (offset {moved} {noun})"));
    }
    text.push('.');
    say.line(text.as_bytes());
}

/// Writes what a hunk makes of the lines that it was found at. Context is taken from the file.
fn put(hunk: &Hunk, found: &[&[u8]], out: &mut Vec<u8>) {
    let mut at = 0;
    for (does, text) in &hunk.lines {
        match does {
            Does::Stays => {
                out.extend_from_slice(found.get(at).copied().unwrap_or(text));
                at += 1;
            }
            Does::Goes => at += 1,
            Does::Comes => out.extend_from_slice(text),
        }
    }
}

/// Where a hunk was found.
struct Place {
    start: usize,
    length: usize,
    fuzz: usize,
    /// How far from where it should be, counted in the new file.
    shift: isize,
}

struct Target<'a> {
    lines: &'a [&'a [u8]],
    /// Lines that were passed already.
    done: usize,
    offset: isize,
    loose: bool,
}

impl Target<'_> {
    fn find(&mut self, hunk: &Hunk, most_fuzz: usize) -> Option<Place> {
        let wanted = hunk.side(Does::Goes);
        let (before, after) = hunk.context();
        let context = before.max(after);
        let guess = first_line(hunk) as isize - 1 + self.offset;
        if wanted.is_empty() {
            let start = usize::try_from(guess)
                .ok()?
                .max(self.done)
                .min(self.lines.len());
            return Some(self.place(start, 0, 0, hunk));
        }
        for fuzz in 0..=most_fuzz.min(context) {
            let cut = |kept: usize| fuzz as isize + kept as isize - context as isize;
            let (cut_before, cut_after) = (cut(before), cut(after));
            if let Some(start) = self.locate(hunk, &wanted, guess, cut_before, cut_after) {
                return Some(self.place(start, wanted.len(), fuzz, hunk));
            }
        }
        None
    }

    fn place(&self, start: usize, length: usize, fuzz: usize, hunk: &Hunk) -> Place {
        Place {
            start,
            length,
            fuzz,
            shift: start as isize + 1 - first_line(hunk) as isize,
        }
    }

    fn locate(
        &self,
        hunk: &Hunk,
        wanted: &[&[u8]],
        guess: isize,
        cut_before: isize,
        cut_after: isize,
    ) -> Option<usize> {
        let last = self.lines.len() as isize - wanted.len() as isize;
        let (before, after) = (cut_before.max(0) as usize, cut_after.max(0) as usize);
        let fits = |start: isize| {
            start >= self.done as isize
                && start <= last
                && self.matches(start as usize, wanted, before, after)
        };
        if cut_before < 0 && hunk.old_start <= 1 {
            // Less context before than behind: it is the start of the file.
            let whole = cut_after < 0 && wanted.len() != self.lines.len();
            return (!whole && fits(0)).then_some(0);
        }
        if cut_after < 0 {
            // And here its end.
            return fits(last).then_some(last as usize);
        }
        if fits(guess) {
            return Some(guess as usize);
        }
        for distance in 1..=self.lines.len() as isize + guess.abs() {
            for start in [guess + distance, guess - distance] {
                if fits(start) {
                    return Some(start as usize);
                }
            }
        }
        None
    }

    fn matches(&self, start: usize, wanted: &[&[u8]], before: usize, after: usize) -> bool {
        let end = wanted.len().saturating_sub(after);
        (before..end).all(|at| {
            let (line, wanted) = (self.lines[start + at], wanted[at]);
            line == wanted || (self.loose && squeezed(line) == squeezed(wanted))
        })
    }
}

/// A line with all runs of white space made one blank, and none at its end.
fn squeezed(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    for byte in line.trim_ascii_end() {
        if !byte.is_ascii_whitespace() {
            out.push(*byte);
        } else if out.last() != Some(&b' ') {
            out.push(b' ');
        }
    }
    out
}

/// Hunks that did not work, as a unified diff.
pub(crate) fn rejects(patch: &FilePatch, rejected: &[usize], reversed: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let headers = match reversed {
        true => [&patch.headers[1], &patch.headers[0]],
        false => [&patch.headers[0], &patch.headers[1]],
    };
    if !headers[0].is_empty() {
        for (mark, header) in [b"--- ", b"+++ "].iter().zip(headers) {
            out.extend_from_slice(*mark);
            out.extend_from_slice(header);
        }
    }
    for number in rejected {
        let hunk = if reversed {
            patch.hunks[*number].reversed()
        } else {
            patch.hunks[*number].clone()
        };
        let count = |does: Does| hunk.side(does).len();
        let range = |start: usize, count: usize| {
            if count == 1 {
                start.to_string()
            } else {
                format!("{start},{count}")
            }
        };
        let head = format!(
            "@@ -{} +{} @@",
            range(hunk.old_start, count(Does::Goes)),
            range(hunk.new_start, count(Does::Comes))
        );
        out.extend_from_slice(head.as_bytes());
        if !hunk.note.is_empty() {
            out.push(b' ');
            out.extend_from_slice(&hunk.note);
        }
        out.push(b'\n');
        for (does, text) in &hunk.lines {
            out.push(match does {
                Does::Stays => b' ',
                Does::Goes => b'-',
                Does::Comes => b'+',
            });
            out.extend_from_slice(text);
            if !text.ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    out
}
