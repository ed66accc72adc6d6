//! Brace expansion.
//!
//! bash expands braces in the text of a word before anything else: an open brace is one when a
//! close brace follows at its level, behind a comma or `..` at its level. A close brace without
//! them does not end it. One pass over the word finds them all: the braces that are open lie on a
//! stack, and what turns out to be no expansion stays literal text.

use crate::parser::word::push_literal;
use crate::tree::{Brace, Bytes, Part, Span, Word};

/// How deep expansions may nest.
const MAX_HEIGHT: u32 = 100;

/// Open braces of a word.
#[derive(Debug, Default)]
pub(super) struct Braces {
    open: Vec<Open>,
    /// A brace at the lowest level that a close brace did not end.
    weak: Option<Open>,
}

#[derive(Debug)]
struct Open {
    /// The part that holds `{`.
    at: usize,
    /// The parts that hold its commas.
    commas: Vec<usize>,
    /// Whether there is `..` at its level.
    dots: bool,
    /// How deep expansions nest in it.
    height: u32,
    /// Whether any expansion with a comma is in it.
    lists: bool,
}

impl Braces {
    /// Takes literal text; `next` is the byte behind it.
    pub(super) fn literal(&mut self, text: &[u8], next: u8, parts: &mut Vec<Part>) {
        // `{a..}` has none.
        let dots = text.windows(3).any(|three| &three[..2] == b"..")
            || (text.ends_with(b"..") && next != b'}');
        if dots && let Some(open) = self.open.last_mut().or(self.weak.as_mut()) {
            open.dots = true;
        }
        // A part of its own: marks are found by their place.
        match parts.last_mut() {
            Some(Part::Literal(last)) if !is_mark(last) => last.0.extend_from_slice(text),
            _ => parts.push(Part::Literal(text.into())),
        }
    }

    /// Whether a tilde here, behind these parts, is at the start of a word that the expansion
    /// gives.
    pub(super) fn tilde_here(&self, parts: &[Part]) -> bool {
        let mut start = 0;
        for open in &self.open {
            if open.at != start {
                return false;
            }
            start = open.commas.last().unwrap_or(&open.at) + 1;
        }
        !self.open.is_empty() && parts.len() == start
    }

    /// Takes `{`, `}` or `,`. False when expansions nest too deep.
    pub(super) fn mark(&mut self, byte: u8, parts: &mut Vec<Part>) -> bool {
        let at = parts.len();
        parts.push(Part::Literal(Bytes(vec![byte])));
        match byte {
            b'{' => self.open.push(Open {
                at,
                commas: Vec::new(),
                dots: false,
                height: 0,
                lists: false,
            }),
            b',' => {
                if let Some(open) = self.open.last_mut().or(self.weak.as_mut()) {
                    open.commas.push(at);
                }
            }
            _ => {
                let (open, top) = match self.open.pop() {
                    Some(open) => (open, false),
                    None => match self.weak.take() {
                        Some(open) => (open, true),
                        None => return true,
                    },
                };
                if open.commas.is_empty() && !open.dots {
                    // It goes on at the level below; only at the lowest can it still become one.
                    let (height, lists) = (open.height, open.lists);
                    if let Some(outer) = self.open.last_mut() {
                        outer.height = outer.height.max(height);
                        outer.lists |= lists;
                    } else if self.weak.is_none() || top {
                        self.weak = Some(open);
                    }
                    return true;
                }
                return self.close(open, parts);
            }
        }
        true
    }

    fn close(&mut self, open: Open, parts: &mut Vec<Part>) -> bool {
        let lists = open.lists || !open.commas.is_empty();
        let mut height = open.height;
        if lists {
            height += 1;
            if height > MAX_HEIGHT {
                return false;
            }
            let brace = list(&open, parts);
            parts.push(Part::Brace(Box::new(brace)));
        } else {
            let text = match &parts[open.at + 1..parts.len() - 1] {
                [Part::Literal(text)] => sequence(text),
                _ => None,
            };
            if let Some(brace) = text {
                height += 1;
                parts.truncate(open.at);
                parts.push(Part::Brace(Box::new(brace)));
            } else {
                // Neither it nor what is inside is expanded.
                unfold(parts, open.at);
            }
        }
        if let Some(outer) = self.open.last_mut().or(self.weak.as_mut()) {
            outer.height = outer.height.max(height);
            outer.lists |= lists;
        }
        true
    }

    /// The word is whole: what is still open is literal.
    pub(super) fn finish(self, parts: &mut Vec<Part>) {
        merge(parts);
        // A tilde just before the close brace is one only where its name ends there.
        if let [Part::Brace(brace), next, ..] = parts.as_mut_slice()
            && !matches!(next, Part::Literal(text) if text.starts_with(b"/"))
        {
            forget_tildes(brace);
        }
    }
}

fn forget_tildes(brace: &mut Brace) {
    let Brace::List(words) = brace else {
        return;
    };
    for word in words {
        match word.parts.as_mut_slice() {
            [part @ Part::Tilde(_)] => {
                if let Part::Tilde(name) = part {
                    let text = [b"~", &name[..]].concat();
                    *part = Part::Literal(Bytes(text));
                }
            }
            [Part::Brace(brace)] => forget_tildes(brace),
            _ => {}
        }
    }
}

fn is_mark(text: &[u8]) -> bool {
    matches!(text, b"{" | b"}" | b",")
}

fn list(open: &Open, parts: &mut Vec<Part>) -> Brace {
    let mut words = Vec::with_capacity(open.commas.len() + 1);
    let mut rest: Vec<Part> = parts.drain(open.at..).collect();
    rest.pop();
    let mut ends = open.commas.iter().rev();
    let mut reversed = Vec::with_capacity(open.commas.len() + 1);
    loop {
        let cut = ends.next().map_or(0, |comma| comma - open.at);
        let mut piece = rest.split_off(cut + 1);
        rest.pop();
        merge(&mut piece);
        reversed.push(Word {
            parts: piece,
            span: Span::default(),
        });
        if cut == 0 {
            break;
        }
    }
    words.extend(reversed.into_iter().rev());
    Brace::List(words)
}

/// Joins literal parts that stand side by side.
fn merge(parts: &mut Vec<Part>) {
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts.drain(..) {
        match part {
            Part::Literal(text) => push_literal(&mut merged, &text),
            part => merged.push(part),
        }
    }
    *parts = merged;
}

/// Turns sequences from `at` on into literal text again.
fn unfold(parts: &mut [Part], at: usize) {
    for part in &mut parts[at..] {
        if let Part::Brace(brace) = part {
            let text = crate::print::brace_text(brace);
            *part = Part::Literal(Bytes(text));
        }
    }
}

/// `1..9..2`, `a..e`
fn sequence(text: &[u8]) -> Option<Brace> {
    let first = find_dots(text)?;
    let (from, rest) = (&text[..first], &text[first + 2..]);
    let (to, step) = match find_dots(rest) {
        Some(second) => (&rest[..second], number(&rest[second + 2..])?),
        None => (rest, 0),
    };
    if let (Some(start), Some(end)) = (number(from), number(to)) {
        let zeros = |digits: &[u8]| {
            let digits = digits.strip_prefix(b"-").unwrap_or(digits);
            digits.len() > 1 && digits[0] == b'0'
        };
        let width = if zeros(from) || zeros(to) {
            from.len().max(to.len()) as u32
        } else {
            0
        };
        return Some(Brace::Numbers {
            from: start,
            to: end,
            step,
            width,
        });
    }
    match (from, to) {
        ([from], [to]) if from.is_ascii_alphabetic() && to.is_ascii_alphabetic() => {
            Some(Brace::Letters {
                from: *from,
                to: *to,
                step,
            })
        }
        _ => None,
    }
}

fn find_dots(text: &[u8]) -> Option<usize> {
    text.windows(2).position(|pair| pair == b"..")
}

/// A whole number as `strtoimax` reads it, nothing else beside it.
fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}
