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
    /// The old file must not be there.
    pub(crate) makes: bool,
    pub(crate) verbose: bool,
}

/// What came of it.
#[derive(Default)]
pub(crate) struct Applied {
    pub(crate) text: Vec<u8>,
    pub(crate) applied: usize,
    /// The numbers of hunks that did not work, and how many lines others had added by then.
    pub(crate) rejected: Vec<(usize, isize)>,
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
    // Lines that hunks added so far.
    let mut grown = 0isize;
    for (number, hunk) in patch.hunks.iter().enumerate() {
        if result.skipped {
            result.rejected.push((number, grown));
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
            makes: tried.makes,
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
                    result.rejected.push((number, grown));
                    continue;
                }
            }
        }
        match found {
            Some(place) => {
                let moved = place.start as isize + 1 - first_line(&oriented) as isize;
                if place.fuzz > 0 || moved != 0 {
                    result.mismatched = true;
                }
                let at = place.start as isize + 1 + grown;
                report(number + 1, &place, at, moved, tried.verbose, say);
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
                grown += oriented.side(Does::Comes).len() as isize - place.length as isize;
                result.applied += 1;
            }
            None => {
                let at = (oriented.old_start as isize).max(1) + grown;
                let endings = match other_line_ends(&oriented, &lines, at) {
                    true => " (different line endings)",
                    false => "",
                };
                say.line(format!("Hunk #{} FAILED at {at}{endings}.", number + 1).as_bytes());
                result.rejected.push((number, grown));
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

/// Whether the lines of a file end otherwise than those of a hunk.
fn other_line_ends(hunk: &Hunk, lines: &[&[u8]], at: isize) -> bool {
    let wanted = hunk.side(Does::Goes);
    let found = usize::try_from(at - 1).ok().and_then(|at| lines.get(at));
    match (wanted.first(), found) {
        (Some(wanted), Some(found)) => wanted.ends_with(b"\r\n") != found.ends_with(b"\r\n"),
        _ => false,
    }
}

fn report(number: usize, place: &Place, at: isize, moved: isize, verbose: bool, say: &mut Say) {
    if place.fuzz == 0 && moved == 0 && !verbose {
        return;
    }
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
                out.extend_from_slice(found.get(at).copied().unwrap_or_default());
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
}

struct Target<'a> {
    lines: &'a [&'a [u8]],
    /// Lines that were passed already.
    done: usize,
    offset: isize,
    loose: bool,
    makes: bool,
}

impl Target<'_> {
    fn find(&mut self, hunk: &Hunk, most_fuzz: usize) -> Option<Place> {
        let wanted = hunk.side(Does::Goes);
        let (before, after) = hunk.context();
        let context = before.max(after);
        let guess = first_line(hunk) as isize - 1 + self.offset;
        if wanted.is_empty() {
            if self.makes && !self.lines.is_empty() {
                return None;
            }
            let start = usize::try_from(guess)
                .ok()?
                .max(self.done)
                .min(self.lines.len());
            return Some(Place {
                start,
                length: 0,
                fuzz: 0,
            });
        }
        for fuzz in 0..=most_fuzz.min(context) {
            let cut = |kept: usize| fuzz as isize + kept as isize - context as isize;
            let (cut_before, cut_after) = (cut(before), cut(after));
            if let Some(start) = self.locate(hunk, &wanted, guess, cut_before, cut_after) {
                return Some(Place {
                    start,
                    length: wanted.len().min(self.lines.len() - start),
                    fuzz,
                });
            }
        }
        None
    }

    fn locate(
        &self,
        hunk: &Hunk,
        wanted: &[&[u8]],
        guess: isize,
        cut_before: isize,
        cut_after: isize,
    ) -> Option<usize> {
        let (before, after) = (cut_before.max(0) as usize, cut_after.max(0) as usize);
        // Context that is left out may lie behind the end.
        let last = self.lines.len() as isize - (wanted.len() - after.min(wanted.len())) as isize;
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
