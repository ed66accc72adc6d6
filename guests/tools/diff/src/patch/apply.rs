//! Applying hunks: each is looked for where it should be, then further and further away, with less
//! and less of its context.

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
    let mut applying = Applying {
        lines: &lines,
        tried,
        say,
        done: 0,
        offset: 0,
        grown: 0,
        result: Applied {
            reversed: tried.reverse,
            ..Applied::default()
        },
    };
    for (number, hunk) in patch.hunks.iter().enumerate() {
        applying.hunk(number, hunk);
    }
    applying.copy_until(lines.len());
    applying.result
}

/// A patch, some of whose hunks were tried.
struct Applying<'a> {
    lines: &'a [&'a [u8]],
    tried: &'a Tried,
    say: &'a mut Say,
    /// Lines that were passed already.
    done: usize,
    /// How far the last hunk was from where it should be.
    offset: isize,
    /// Lines that hunks added so far.
    grown: isize,
    result: Applied,
}

impl Applying<'_> {
    fn hunk(&mut self, number: usize, hunk: &Hunk) {
        if self.result.skipped {
            return self.reject(number);
        }
        let mut oriented = match self.result.reversed {
            true => hunk.reversed(),
            false => hunk.clone(),
        };
        let target = Target {
            lines: self.lines,
            done: self.done,
            offset: self.offset,
            loose: self.tried.loose,
            makes: self.tried.makes,
        };
        let mut found = target.find(&oriented, self.tried.fuzz);
        // The first hunk says whether the whole patch is the other way round.
        if found.is_none() && number == 0 && !self.tried.force {
            let other = oriented.reversed();
            if let Some(place) = target.find(&other, self.tried.fuzz) {
                if !self.turns_round() {
                    self.result.skipped = true;
                    return self.reject(number);
                }
                self.result.reversed = !self.result.reversed;
                self.result.mismatched = true;
                found = Some(place);
                oriented = other;
            }
        }
        match found {
            Some(place) => self.succeed(number, &oriented, &place),
            None => self.fail(number, &oriented),
        }
    }

    /// Whether a patch that fits the other way round is turned; otherwise it is left out. Says
    /// which.
    fn turns_round(&mut self) -> bool {
        let tried = self.tried;
        let note: &[u8] = match self.result.reversed == tried.reverse && !tried.reverse {
            true => b"Reversed (or previously applied) patch detected!",
            false => b"Unreversed patch detected!",
        };
        if tried.forward {
            self.say.loud(&[note, b"  Skipping patch."].concat());
            return false;
        }
        if tried.batch {
            let assumed: &[u8] = if tried.reverse {
                b"  Ignoring -R."
            } else {
                b"  Assuming -R."
            };
            self.say.line(&[note, assumed].concat());
            return true;
        }
        let question: &[u8] = if tried.reverse {
            b"  Ignore -R? [n] "
        } else {
            b"  Assume -R? [n] "
        };
        self.say.loud(&[note, question].concat());
        self.say.loud(b"Apply anyway? [n] ");
        self.say.loud(b"Skipping patch.");
        false
    }

    fn succeed(&mut self, number: usize, hunk: &Hunk, place: &Place) {
        let moved = place.start as isize + 1 - first_line(hunk) as isize;
        if place.fuzz > 0 || moved != 0 {
            self.result.mismatched = true;
        }
        self.report(number, place, moved);
        self.copy_until(place.start);
        let end = place.start + place.length;
        put(hunk, &self.lines[place.start..end], &mut self.result.text);
        self.done = end;
        self.offset = moved;
        self.grown += hunk.side(Does::Comes).len() as isize - place.length as isize;
        self.result.applied += 1;
    }

    fn fail(&mut self, number: usize, hunk: &Hunk) {
        let at = (hunk.old_start as isize).max(1) + self.grown;
        let endings = match other_line_ends(hunk, self.lines, at) {
            true => " (different line endings)",
            false => "",
        };
        self.say
            .line(format!("Hunk #{} FAILED at {at}{endings}.", number + 1).as_bytes());
        self.reject(number);
        self.result.mismatched = true;
    }

    fn reject(&mut self, number: usize) {
        self.result.rejected.push((number, self.grown));
    }

    /// Takes lines that no hunk is about.
    fn copy_until(&mut self, end: usize) {
        self.lines[self.done..end]
            .iter()
            .for_each(|line| self.result.text.extend_from_slice(line));
    }

    /// Says where a hunk was found, if that is not where it should be.
    fn report(&mut self, number: usize, place: &Place, moved: isize) {
        if place.fuzz == 0 && moved == 0 && !self.tried.verbose {
            return;
        }
        let at = place.start as isize + 1 + self.grown;
        let mut text = format!("Hunk #{} succeeded at {at}", number + 1);
        if place.fuzz > 0 {
            text.push_str(&format!(" with fuzz {}", place.fuzz));
        }
        if moved != 0 {
            let noun = if moved == 1 { "line" } else { "lines" };
            text.push_str(&format!(" (offset {moved} {noun})"));
        }
        text.push('.');
        self.say.line(text.as_bytes());
    }
}

/// The number of the line that a hunk starts at; one that only inserts starts behind the line that
/// it names.
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
    fn find(&self, hunk: &Hunk, most_fuzz: usize) -> Option<Place> {
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
