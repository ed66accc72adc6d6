//! The right side of `s`.

use codepod_posix_regex::{Span, lower, next_char, push_char, upper};

use crate::escape;

/// A change of case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Keep,
    Upper,
    Lower,
}

/// A part of a replacement.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    /// A group; 0 is the whole match.
    Group(usize),
    /// `\U`, `\L`, `\E`: from here on.
    Case(Case),
    /// `\u`, `\l`: the next character.
    Once(Case),
}

/// What replaces a match.
#[derive(Debug, Default)]
pub(crate) struct Replacement {
    parts: Vec<Part>,
    /// The highest group in it.
    pub(crate) groups: usize,
    cases: bool,
}

impl Replacement {
    /// Reads one, from between the delimiters. Strictly by POSIX there is no changing of case.
    pub(crate) fn parse(text: &[u8], posix: bool) -> Replacement {
        let mut replacement = Replacement::default();
        let mut plain = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let part = match (text[at], text.get(at + 1)) {
                (b'&', _) => {
                    at += 1;
                    Part::Group(0)
                }
                (b'\\', Some(digit @ b'0'..=b'9')) => {
                    at += 2;
                    Part::Group(usize::from(digit - b'0'))
                }
                (b'\\', Some(letter @ (b'U' | b'L' | b'E' | b'u' | b'l'))) if !posix => {
                    at += 2;
                    match letter {
                        b'U' => Part::Case(Case::Upper),
                        b'L' => Part::Case(Case::Lower),
                        b'E' => Part::Case(Case::Keep),
                        b'u' => Part::Once(Case::Upper),
                        _ => Part::Once(Case::Lower),
                    }
                }
                // Nothing to make a control character of.
                (b'\\', Some(b'c')) if at + 2 == text.len() => {
                    plain.push(b'\\');
                    at += 2;
                    continue;
                }
                (b'\\', Some(other)) => {
                    let (byte, length) = escape::produced(&text[at..]).unwrap_or((*other, 2));
                    plain.push(byte);
                    at += length;
                    continue;
                }
                (byte, _) => {
                    plain.push(byte);
                    at += 1;
                    continue;
                }
            };
            replacement.add_text(&mut plain);
            match part {
                Part::Group(number) => replacement.groups = replacement.groups.max(number),
                _ => replacement.cases = true,
            }
            replacement.parts.push(part);
        }
        replacement.add_text(&mut plain);
        replacement
    }

    fn add_text(&mut self, plain: &mut Vec<u8>) {
        if !plain.is_empty() {
            self.parts.push(Part::Text(std::mem::take(plain)));
        }
    }

    /// Appends what replaces a match.
    pub(crate) fn put(&self, text: &[u8], spans: &[Option<Span>], out: &mut Vec<u8>) {
        let group = |number: usize| {
            let span = spans.get(number).copied().flatten();
            span.map_or(&b""[..], |(start, end)| &text[start..end])
        };
        if !self.cases {
            for part in &self.parts {
                match part {
                    Part::Text(plain) => out.extend_from_slice(plain),
                    Part::Group(number) => out.extend_from_slice(group(*number)),
                    Part::Case(_) | Part::Once(_) => {}
                }
            }
            return;
        }
        let (mut case, mut once) = (Case::Keep, Case::Keep);
        for part in &self.parts {
            match part {
                Part::Text(plain) => convert(plain, case, &mut once, out),
                Part::Group(number) => convert(group(*number), case, &mut once, out),
                Part::Case(new) => {
                    case = *new;
                    // `\E` also ends what was meant for the next character.
                    if case == Case::Keep {
                        once = Case::Keep;
                    }
                }
                Part::Once(new) => once = *new,
            }
        }
    }
}

/// Appends text in another case; the first character by itself.
fn convert(text: &[u8], case: Case, once: &mut Case, out: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        let (code, next) = next_char(text, at);
        let way = match std::mem::replace(once, Case::Keep) {
            Case::Keep => case,
            way => way,
        };
        match way {
            Case::Keep => out.extend_from_slice(&text[at..next]),
            Case::Upper => push_char(upper(code), out),
            Case::Lower => push_char(lower(code), out),
        }
        at = next;
    }
}
