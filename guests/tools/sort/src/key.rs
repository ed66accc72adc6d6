//! Keys: which part of a line is compared, and how.

use std::cmp::Ordering;

use crate::order::{Order, is_blank};

/// How a key's text is compared: the ordering options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    /// The letters that were given, as a set of bits: what is compared, and with what ignored.
    letters: u32,
}

/// The letters of ordering options, in the order in which GNU names them.
const LETTERS: &[u8] = b"bdfghiMnRrV";

impl Options {
    pub(crate) const NONE: Options = Options { letters: 0 };

    pub(crate) fn has(self, letter: u8) -> bool {
        let bit = LETTERS.iter().position(|known| *known == letter);
        bit.is_some_and(|bit| self.letters & 1 << bit != 0)
    }

    /// Adds a letter; `false` when it is none of the ordering options.
    pub(crate) fn add(&mut self, letter: u8) -> bool {
        let Some(bit) = LETTERS.iter().position(|known| *known == letter) else {
            return false;
        };
        self.letters |= 1 << bit;
        true
    }

    pub(crate) fn order(self) -> Order {
        match () {
            () if self.has(b'n') => Order::Numeric,
            () if self.has(b'g') => Order::General,
            () if self.has(b'h') => Order::Human,
            () if self.has(b'M') => Order::Month,
            () if self.has(b'V') => Order::Version,
            () if self.has(b'R') => Order::Random,
            () => Order::Bytes,
        }
    }

    /// The letters that cannot stand together, where there are such.
    pub(crate) fn conflict(self) -> Option<String> {
        let text_kinds = self.has(b'V') || self.has(b'R') || self.has(b'd') || self.has(b'i');
        let kinds = b"nghM".iter().filter(|kind| self.has(**kind));
        if kinds.count() + usize::from(text_kinds) < 2 {
            return None;
        }
        let named = LETTERS
            .iter()
            .filter(|letter| self.has(**letter) && !matches!(letter, b'b' | b'r'));
        Some(named.map(|letter| char::from(*letter)).collect())
    }
}

/// A position: a field and a character in it, counted from 0.
#[derive(Debug, Clone, Copy)]
struct Position {
    field: usize,
    character: usize,
}

/// A part of a line and how it is compared.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    start: Position,
    /// Where it ends; `character` 0 means with the field. `None`: with the line.
    end: Option<Position>,
    skip_start_blanks: bool,
    skip_end_blanks: bool,
    options: Options,
}

impl Key {
    /// The whole line.
    pub(crate) fn line(options: Options) -> Key {
        Key {
            start: Position {
                field: 0,
                character: 0,
            },
            end: None,
            skip_start_blanks: options.has(b'b'),
            skip_end_blanks: options.has(b'b'),
            options,
        }
    }

    /// A key as `-k` has it; one without options of its own gets the `default` ones.
    ///
    /// Fails with the message for the user.
    pub(crate) fn parse(spec: &str, default: Options) -> Result<Key, String> {
        let bad = |why: &str| format!("{why}: invalid field specification '{spec}'");
        let bytes = spec.as_bytes();
        let mut at = 0;
        let mut options = Options::NONE;
        let mut start = Position {
            field: number(spec, &mut at, "invalid number at field start")?,
            character: 1,
        };
        if start.field == 0 {
            return Err(bad("field number is zero"));
        }
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            start.character = number(spec, &mut at, "invalid number after '.'")?;
            if start.character == 0 {
                return Err(bad("character offset is zero"));
            }
        }
        let mut skip_start_blanks = letters(bytes, &mut at, &mut options);
        let mut skip_end_blanks = false;
        let mut end = None;
        if bytes.get(at) == Some(&b',') {
            at += 1;
            let mut position = Position {
                field: number(spec, &mut at, "invalid number after ','")?,
                character: 0,
            };
            if position.field == 0 {
                return Err(bad("field number is zero"));
            }
            if bytes.get(at) == Some(&b'.') {
                at += 1;
                position.character = number(spec, &mut at, "invalid number after '.'")?;
            }
            skip_end_blanks = letters(bytes, &mut at, &mut options);
            position.field -= 1;
            end = Some(position);
        }
        if at < bytes.len() {
            return Err(bad("stray character in field spec"));
        }
        if options == Options::NONE {
            options = default;
            skip_start_blanks = default.has(b'b');
            skip_end_blanks = default.has(b'b');
        }
        Ok(Key {
            start: Position {
                field: start.field - 1,
                character: start.character - 1,
            },
            end,
            skip_start_blanks,
            skip_end_blanks,
            options,
        })
    }

    pub(crate) fn options(&self) -> Options {
        self.options
    }

    /// The part of a line that is compared, behind where it starts.
    pub(crate) fn of<'l>(&self, line: &'l [u8], separator: Option<u8>) -> (usize, &'l [u8]) {
        let start = self.start_in(line, separator);
        let end = self.end_in(line, separator);
        (start, &line[start..end.max(start)])
    }

    fn start_in(&self, line: &[u8], separator: Option<u8>) -> usize {
        let mut at = 0;
        for _ in 0..self.start.field {
            if at >= line.len() {
                break;
            }
            at = field_end(line, at, separator);
            if separator.is_some() && at < line.len() {
                at += 1;
            }
        }
        if self.skip_start_blanks {
            at = skip_blanks(line, at);
        }
        line.len().min(at.saturating_add(self.start.character))
    }

    fn end_in(&self, line: &[u8], separator: Option<u8>) -> usize {
        let Some(end) = self.end else {
            return line.len();
        };
        let fields = end.field + usize::from(end.character == 0);
        let mut at = 0;
        for left in (0..fields).rev() {
            if at >= line.len() {
                break;
            }
            at = field_end(line, at, separator);
            if separator.is_some() && at < line.len() && (left > 0 || end.character > 0) {
                at += 1;
            }
        }
        if end.character == 0 {
            return at;
        }
        if self.skip_end_blanks {
            at = skip_blanks(line, at);
        }
        line.len().min(at.saturating_add(end.character))
    }

    /// Compares two parts of lines.
    pub(crate) fn compare(&self, a: &[u8], b: &[u8], salt: &[u8; 16]) -> Ordering {
        let order = self.options.order();
        let result = match (self.is_plain(), order) {
            (true, _) => order.compare(a, b, salt),
            (false, Order::Bytes) => self.filtered(a).cmp(self.filtered(b)),
            (false, _) => {
                let a: Vec<u8> = self.filtered(a).collect();
                let b: Vec<u8> = self.filtered(b).collect();
                order.compare(&a, &b, salt)
            }
        };
        self.directed(result)
    }

    /// Turns a result around for `r`.
    pub(crate) fn directed(&self, result: Ordering) -> Ordering {
        match self.options.has(b'r') {
            true => result.reverse(),
            false => result,
        }
    }

    /// A number for a part of a line, before `r`: where two differ, the parts compare so.
    pub(crate) fn rank(&self, part: &[u8], salt: &[u8; 16]) -> u64 {
        let order = self.options.order();
        if self.is_plain() {
            return order.rank(part, salt);
        }
        let kept: Vec<u8> = self.filtered(part).collect();
        order.rank(&kept, salt)
    }

    /// Whether parts are compared as they stand.
    fn is_plain(&self) -> bool {
        !self.options.has(b'd') && !self.options.has(b'f') && !self.options.has(b'i')
    }

    /// The bytes that are not ignored, in capitals where case is.
    fn filtered<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = u8> + use<'t> {
        let dictionary = self.options.has(b'd');
        let printing = self.options.has(b'i');
        let capitals = self.options.has(b'f');
        let kept = move |byte: &u8| match dictionary {
            true => byte.is_ascii_alphanumeric() || is_blank(*byte),
            false => !printing || (b' '..=b'~').contains(byte),
        };
        let shown = move |byte: u8| match capitals {
            true => byte.to_ascii_uppercase(),
            false => byte,
        };
        text.iter().copied().filter(kept).map(shown)
    }
}

/// The end of the field that starts at `at`.
fn field_end(line: &[u8], at: usize, separator: Option<u8>) -> usize {
    match separator {
        Some(separator) => {
            memchr::memchr(separator, &line[at..]).map_or(line.len(), |found| at + found)
        }
        None => {
            let text = skip_blanks(line, at);
            let length = line[text..].iter().position(|byte| is_blank(*byte));
            length.map_or(line.len(), |length| text + length)
        }
    }
}

fn skip_blanks(line: &[u8], at: usize) -> usize {
    let rest = &line[at.min(line.len())..];
    at + rest.iter().take_while(|byte| is_blank(**byte)).count()
}

/// Reads a count. What does not fit into a number is as good as the largest.
fn number(spec: &str, at: &mut usize, why: &str) -> Result<usize, String> {
    let rest = &spec[*at..];
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        return Err(format!("{why}: invalid count at start of '{rest}'"));
    }
    *at += length;
    Ok(rest[..length].parse().unwrap_or(usize::MAX))
}

/// Reads ordering letters, and returns whether blanks are skipped here.
fn letters(bytes: &[u8], at: &mut usize, options: &mut Options) -> bool {
    let mut skip = false;
    while let Some(&letter) = bytes.get(*at) {
        if !options.add(letter) {
            break;
        }
        skip |= letter == b'b';
        *at += 1;
    }
    skip
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(spec: &str, line: &str, separator: Option<u8>) -> String {
        let key = Key::parse(spec, Options::NONE).expect("a key");
        String::from_utf8_lossy(key.of(line.as_bytes(), separator).1).into_owned()
    }

    #[test]
    fn fields_start_with_the_blanks_before_them() {
        assert_eq!(part("2", "one two  three", None), " two  three");
        assert_eq!(part("2,2", "one two  three", None), " two");
        assert_eq!(part("3b,3", "one two  three", None), "three");
        assert_eq!(part("2.2,2.3", "one two", None), "tw");
    }

    #[test]
    fn a_separator_may_make_empty_fields() {
        assert_eq!(part("2,2", "a,,c", Some(b',')), "");
        assert_eq!(part("3,3", "a,,c", Some(b',')), "c");
        assert_eq!(part("2", "a,b,c", Some(b',')), "b,c");
        assert_eq!(part("5", "a,b,c", Some(b',')), "");
        assert_eq!(part("1.2,2.1", "abc,de", Some(b',')), "bc,d");
    }

    #[test]
    fn mistakes_are_told_as_gnu_tells_them() {
        let message = |spec| Key::parse(spec, Options::NONE).expect_err("a mistake");
        assert_eq!(
            message("0"),
            "field number is zero: invalid field specification '0'"
        );
        assert_eq!(
            message("1.0"),
            "character offset is zero: invalid field specification '1.0'"
        );
        assert_eq!(
            message("1x"),
            "stray character in field spec: invalid field specification '1x'"
        );
        assert_eq!(
            message("1,"),
            "invalid number after ',': invalid count at start of ''"
        );
    }

    #[test]
    fn kinds_that_contradict_each_other_are_named() {
        let mut options = Options::NONE;
        for letter in b"rnM" {
            assert!(options.add(*letter));
        }
        assert_eq!(options.conflict().as_deref(), Some("Mn"));
    }
}
