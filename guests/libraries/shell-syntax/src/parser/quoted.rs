//! Quotes.

use crate::error::{ErrorKind, SyntaxError};
use crate::parser::class::{CLOSE, DOUBLE, HERE, NUL, SINGLE};
use crate::parser::reader::{Parse, Reader};
use crate::parser::word::push_literal;
use crate::tree::{Bytes, Part, Quote, Word};

/// Where an expansion stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Outside quotes.
    Plain,
    /// Inside double quotes, or in arithmetic.
    Double,
    /// In a here-document.
    Here,
}

/// What a quoted text ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// `"`
    Quote,
    /// `}`: the word of `${x:-word}` inside double quotes.
    Brace,
    /// `}`: the same in a here-document.
    HereBrace,
    /// `"` of quotes in such a word, where a backslash quotes any character.
    Inner,
    /// The end of the text: a here-document.
    Text,
}

impl End {
    /// The classes of bytes that are not ordinary before it.
    fn classes(self) -> u16 {
        match self {
            End::Quote | End::Inner => DOUBLE | NUL,
            End::Brace => DOUBLE | NUL | CLOSE | SINGLE,
            End::HereBrace => DOUBLE | NUL | CLOSE,
            End::Text => HERE | NUL,
        }
    }

    /// Where an expansion before it stands.
    fn quoting(self) -> Quoting {
        match self {
            End::Text | End::HereBrace => Quoting::Here,
            End::Quote | End::Brace | End::Inner => Quoting::Double,
        }
    }

    /// Whether a backslash before it quotes `byte`.
    fn escapes(self, byte: u8) -> bool {
        match byte {
            0 => false,
            _ if self == End::Inner => true,
            b'$' | b'`' | b'\\' | b'\n' => true,
            b'"' => self != End::Text,
            b'}' => matches!(self, End::Brace | End::HereBrace),
            _ => false,
        }
    }
}

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 3;

impl Reader<'_> {
    /// `'…'`
    pub(super) fn single_quoted(&mut self) -> Parse<Part> {
        let start = self.pos();
        self.skip(1);
        loop {
            let from = self.pos();
            let rest = self.input.text.get(from..).unwrap_or(&[]);
            match rest.iter().position(|byte| *byte == b'\'') {
                Some(at) => {
                    let text = self.slice(start + 1, from + at).into();
                    self.skip(at + 1);
                    return Ok(Part::Quoted(text, Quote::Single));
                }
                None => {
                    self.input.pos = self.input.text.len();
                    if self.peek() == 0 {
                        return Err(self.error_at(ErrorKind::Unmatched(b'\''), start));
                    }
                }
            }
        }
    }

    /// `"…"`
    pub(super) fn double_quotes(&mut self) -> Parse<Part> {
        let start = self.pos();
        self.skip(1);
        self.enter(COST)?;
        let parts = self.quoted(End::Quote, start)?;
        self.leave(COST);
        self.skip(1);
        Ok(Part::Double(parts))
    }

    /// `"…"` in the word of `"${x:-word}"`
    fn inner_quotes(&mut self) -> Parse<Part> {
        let start = self.pos();
        self.skip(1);
        self.enter(COST)?;
        let parts = self.quoted(End::Inner, start)?;
        self.leave(COST);
        self.skip(1);
        Ok(Part::Double(parts))
    }

    /// All of the text, as inside double quotes; `"` stands for itself.
    pub(super) fn whole_quoted(&mut self) -> Parse<Word> {
        let parts = self.quoted(End::Text, 0)?;
        Ok(Word {
            parts,
            span: self.span(0),
        })
    }

    /// What is inside double quotes, up to the end, which is not passed. `start` is where it began.
    pub(super) fn quoted(&mut self, end: End, start: usize) -> Parse<Vec<Part>> {
        let classes = end.classes();
        let mut parts = Vec::new();
        let mut run = self.pos();
        // Where a single quote was opened. It stands for itself, but `}` and `"` do not end
        // anything before it is closed.
        let mut single = None;
        loop {
            match self.scan(classes) {
                b'\'' => {
                    single = match single {
                        None => Some(self.pos()),
                        Some(_) => None,
                    };
                    self.skip(1);
                    continue;
                }
                b'}' | b'"' if single.is_some() => {
                    self.skip(1);
                    continue;
                }
                b'\\' => {
                    let next = self.peek_at(1);
                    if !end.escapes(next) {
                        let closes = single.is_some() && next == b'\'';
                        self.skip(if next == 0 || closes { 1 } else { 2 });
                        continue;
                    }
                    self.literal_since(run, &mut parts);
                    if next != b'\n' {
                        parts.push(Part::Quoted(Bytes(vec![next]), Quote::Backslash));
                    }
                    self.skip(2);
                }
                b'$' if end == End::Brace && self.peek_at(1) == b'"' => {
                    self.literal_since(run, &mut parts);
                    self.skip(1);
                    parts.push(self.inner_quotes()?);
                }
                b'$' if end == End::Brace && single.is_none() && self.peek_at(1) == b'\'' => {
                    self.literal_since(run, &mut parts);
                    self.skip(1);
                    // What it stands for, without the quotes.
                    if let Part::Quoted(text, _) = self.ansi_quoted()? {
                        push_literal(&mut parts, &text);
                    }
                }
                b'$' => {
                    self.literal_since(run, &mut parts);
                    run = self.pos();
                    if !self.dollar(end.quoting(), &mut parts)? {
                        self.skip(1);
                        continue;
                    }
                }
                b'`' => {
                    self.literal_since(run, &mut parts);
                    parts.push(self.backquotes(!matches!(end, End::Text | End::Brace))?);
                }
                b'"' if matches!(end, End::Brace | End::HereBrace) => {
                    self.literal_since(run, &mut parts);
                    parts.push(self.inner_quotes()?);
                }
                0 if end != End::Text => return Err(self.unended(end, start, single)),
                _ => break,
            }
            run = self.pos();
        }
        self.literal_since(run, &mut parts);
        Ok(parts)
    }

    /// Puts the text from `run` to here at the end of the parts.
    fn literal_since(&self, run: usize, parts: &mut Vec<Part>) {
        push_literal(parts, self.slice(run, self.pos()));
    }

    /// The error that a quoted text has no end. `single` is where a single quote was opened in it.
    #[cold]
    fn unended(&mut self, end: End, start: usize, single: Option<usize>) -> Box<SyntaxError> {
        let (byte, start) = match (end, single) {
            (End::Quote | End::Inner, _) => (b'"', start),
            (_, Some(quote)) => (b'\'', quote),
            _ => (b'}', start),
        };
        self.error_at(ErrorKind::Unmatched(byte), start)
    }

    /// `$'…'`, at its quote.
    pub(super) fn ansi_quoted(&mut self) -> Parse<Part> {
        let start = self.pos();
        self.skip(1);
        let mut raw = start + 1;
        loop {
            match self.input.text.get(raw) {
                Some(b'\'') => break,
                Some(b'\\') => raw += 2,
                Some(_) => raw += 1,
                None => {
                    let len = self.input.text.len();
                    self.input.pos = raw.min(len);
                    if self.peek_at(raw - self.pos()) == 0 {
                        return Err(self.error_at(ErrorKind::Unmatched(b'\''), start));
                    }
                }
            }
        }
        let text = ansi(self.slice(start + 1, raw));
        self.input.pos = raw + 1;
        Ok(Part::Quoted(Bytes(text), Quote::Ansi))
    }
}

/// Decodes the inside of `$'…'`. A NUL ends it, as in bash.
pub fn ansi(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&next) = text.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        let value = match next {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => next,
            b'0'..=b'7' => {
                let (value, used) = digits(&text[at - 1..], 8, 3);
                at += used - 1;
                value as u8
            }
            b'x' => {
                let braces = text.get(at) == Some(&b'{');
                let from = at + usize::from(braces);
                let (value, used) = digits(
                    text.get(from..).unwrap_or(&[]),
                    16,
                    if braces { 16 } else { 2 },
                );
                if used == 0 {
                    out.extend_from_slice(b"\\x");
                    continue;
                }
                at = from + used;
                if braces && text.get(at) == Some(&b'}') {
                    at += 1;
                }
                value as u8
            }
            b'u' | b'U' => {
                let most = if next == b'u' { 4 } else { 8 };
                let (value, used) = digits(text.get(at..).unwrap_or(&[]), 16, most);
                if used == 0 {
                    out.extend_from_slice(&[b'\\', next]);
                    continue;
                }
                at += used;
                if value == 0 {
                    return out;
                }
                push_utf8(&mut out, value);
                continue;
            }
            b'c' => match text.get(at) {
                None => {
                    out.extend_from_slice(b"\\c");
                    continue;
                }
                Some(&control) => {
                    at += 1;
                    if control == b'\\' && text.get(at) == Some(&b'\\') {
                        at += 1;
                    }
                    if control == b'?' {
                        0x7f
                    } else {
                        control.to_ascii_uppercase() & 0x1f
                    }
                }
            },
            _ => {
                out.extend_from_slice(&[b'\\', next]);
                continue;
            }
        };
        if value == 0 {
            return out;
        }
        out.push(value);
    }
    out
}

/// A number of at most `most` digits, and how many it has.
fn digits(text: &[u8], base: u32, most: usize) -> (u32, usize) {
    let mut value = 0u32;
    let mut used = 0;
    while used < most
        && let Some(digit) = text
            .get(used)
            .and_then(|byte| char::from(*byte).to_digit(base))
    {
        value = value.wrapping_mul(base).wrapping_add(digit);
        used += 1;
    }
    (value, used)
}

/// UTF-8, in its old form of up to six bytes for what is no character.
fn push_utf8(out: &mut Vec<u8>, value: u32) {
    let tail = |shift: u32| (0x80 | ((value >> shift) & 0x3f)) as u8;
    match value {
        0..0x80 => out.push(value as u8),
        0x80..0x800 => out.extend_from_slice(&[(0xc0 | (value >> 6)) as u8, tail(0)]),
        0x800..0x1_0000 => {
            out.extend_from_slice(&[(0xe0 | (value >> 12)) as u8, tail(6), tail(0)]);
        }
        0x1_0000..0x20_0000 => {
            out.extend_from_slice(&[(0xf0 | (value >> 18)) as u8, tail(12), tail(6), tail(0)]);
        }
        0x20_0000..0x400_0000 => out.extend_from_slice(&[
            (0xf8 | (value >> 24)) as u8,
            tail(18),
            tail(12),
            tail(6),
            tail(0),
        ]),
        0x400_0000..0x8000_0000 => out.extend_from_slice(&[
            (0xfc | (value >> 30)) as u8,
            tail(24),
            tail(18),
            tail(12),
            tail(6),
            tail(0),
        ]),
        _ => {}
    }
}
