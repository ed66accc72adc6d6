//! Character sets: the forms of Unicode, and sets of one byte a character.
//!
//! The latter are a table, [`SETS`], of what the bytes above ASCII mean to glibc. The crate
//! `encoding_rs` has what browsers read instead: Latin-1 is Windows-1252 there, nothing can be
//! written as UTF-16, and there are no code pages of DOS.

use std::collections::HashMap;

/// A line for each set: its names, a tab, and the code points of the bytes 0x80 to 0xff as ranges;
/// `?N` stands for N bytes without a meaning.
const SETS: &str = include_str!("charsets.txt");

/// The forms of Unicode and ASCII, each with its names.
const FORMS: &[(Form, &[&str])] = &[
    (
        Form::Ascii,
        &[
            "ASCII",
            "US-ASCII",
            "ANSI_X3.4-1968",
            "ANSI_X3.4-1986",
            "ANSI_X3.4",
            "ISO-IR-6",
            "ISO646-US",
            "ISO_646.IRV:1991",
            "US",
            "CP367",
            "IBM367",
            "OSF00010020",
        ],
    ),
    (
        Form::Utf8,
        &[
            "UTF-8",
            "UTF8",
            "ISO-10646/UTF8",
            "ISO-10646/UTF-8",
            "ISO-IR-193",
        ],
    ),
    (Form::Utf16(Order::Marked), &["UTF-16", "UTF16"]),
    (Form::Utf16(Order::Little), &["UTF-16LE", "UTF16LE"]),
    (Form::Utf16(Order::Big), &["UTF-16BE", "UTF16BE"]),
    (Form::Utf32(Order::Marked), &["UTF-32", "UTF32"]),
    (
        Form::Utf32(Order::Little),
        &["UTF-32LE", "UTF32LE", "UCS-4LE", "UCS4LE", "WCHAR_T"],
    ),
    (
        Form::Utf32(Order::Big),
        &[
            "UTF-32BE",
            "UTF32BE",
            "UCS-4",
            "UCS4",
            "UCS-4BE",
            "ISO-10646",
            "ISO-10646/UCS4",
        ],
    ),
    (
        Form::Ucs2(Order::Little),
        &[
            "UCS-2",
            "UCS2",
            "UCS-2LE",
            "UNICODELITTLE",
            "ISO-10646/UCS2",
        ],
    ),
    (Form::Ucs2(Order::Big), &["UCS-2BE", "UNICODEBIG"]),
    (Form::Ucs2(Order::Marked), &["UNICODE"]),
];

/// Which byte of a number comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
    /// A mark at the beginning says it; without one it is little.
    Marked,
}

/// How a set writes its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Ascii,
    Utf8,
    Utf16(Order),
    Utf32(Order),
    Ucs2(Order),
}

/// Why there is no character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bad {
    /// These many bytes mean nothing.
    Illegal(usize),
    /// The text ends inside of a character.
    Incomplete,
}

/// A character set, to read or to write.
#[derive(Debug, Clone)]
pub(super) enum Charset {
    /// Unicode or ASCII.
    Form(Forms),
    /// One byte a character: what the bytes from 0x80 on mean, and the way back.
    Bytes(Vec<Option<char>>, HashMap<char, u8>),
}

/// A form of Unicode and what its mark has said.
#[derive(Debug, Clone)]
pub(super) struct Forms {
    form: Form,
    begun: bool,
    big: bool,
}

/// The names of all sets.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let forms = FORMS.iter().flat_map(|(_, names)| names.iter().copied());
    let sets = SETS.lines().filter_map(|line| line.split('\t').next());
    forms.chain(sets.flat_map(|names| names.split(' ')))
}

/// Code points of ranges; none for bytes without a meaning.
pub(super) fn ranges(text: &str) -> impl Iterator<Item = Option<char>> {
    let number = |text: &str| u32::from_str_radix(text, 16).unwrap_or(0);
    text.split(' ').flat_map(move |range| {
        let (first, last, known) = match (range.strip_prefix('?'), range.split_once('-')) {
            (Some(count), _) => (1, count.parse().unwrap_or(0), false),
            (None, Some((first, last))) => (number(first), number(last), true),
            (None, None) => (number(range), number(range), true),
        };
        (first..=last).map(move |point| known.then(|| char::from_u32(point)).flatten())
    })
}

impl Charset {
    /// The set of a name, in any case; an empty one is that of the locale.
    pub(super) fn named(name: &str) -> Option<Charset> {
        let upper = name.to_ascii_uppercase();
        let name = if upper.is_empty() { "UTF-8" } else { &upper };
        if let Some((form, _)) = FORMS.iter().find(|(_, names)| names.contains(&name)) {
            return Some(Charset::Form(Forms {
                form: *form,
                begun: false,
                big: false,
            }));
        }
        let line = SETS
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .find(|(names, _)| names.split(' ').any(|known| known == name))?;
        let table: Vec<Option<char>> = ranges(line.1).collect();
        // No set has a character twice.
        let back = table.iter().zip(0x80_u8..=0xff);
        let back = back.filter_map(|(letter, byte)| Some(((*letter)?, byte)));
        let back = back.collect();
        Some(Charset::Bytes(table, back))
    }

    /// The first character of a text and how many bytes it has; no character for a mark.
    pub(super) fn read(&mut self, text: &[u8]) -> Result<(Option<char>, usize), Bad> {
        match self {
            Charset::Form(forms) => forms.read(text),
            Charset::Bytes(table, _) => match text.first() {
                Some(byte @ 0..0x80) => Ok((Some(char::from(*byte)), 1)),
                Some(byte) => match table.get(usize::from(byte - 0x80)) {
                    Some(Some(letter)) => Ok((Some(*letter), 1)),
                    _ => Err(Bad::Illegal(1)),
                },
                None => Err(Bad::Incomplete),
            },
        }
    }

    /// Writes a character; false if the set does not have it.
    pub(super) fn write(&mut self, letter: char, out: &mut Vec<u8>) -> bool {
        match self {
            Charset::Form(forms) => forms.write(letter, out),
            Charset::Bytes(..) if letter.is_ascii() => {
                out.push(letter as u8);
                true
            }
            Charset::Bytes(_, back) => match back.get(&letter) {
                Some(byte) => {
                    out.push(*byte);
                    true
                }
                None => false,
            },
        }
    }

    /// Begins another text.
    pub(super) fn restart(&mut self) {
        if let Charset::Form(forms) = self {
            forms.begun = false;
            forms.big = false;
        }
    }

    /// What stands before the first character.
    pub(super) fn begin(&mut self, out: &mut Vec<u8>) {
        if let Charset::Form(forms) = self
            && !std::mem::replace(&mut forms.begun, true)
        {
            match forms.form {
                Form::Utf16(Order::Marked) | Form::Ucs2(Order::Marked) => {
                    out.extend(0xfeff_u16.to_le_bytes());
                }
                Form::Utf32(Order::Marked) => out.extend(0xfeff_u32.to_le_bytes()),
                _ => {}
            }
        }
    }
}

impl Forms {
    fn read(&mut self, text: &[u8]) -> Result<(Option<char>, usize), Bad> {
        let first = !std::mem::replace(&mut self.begun, true);
        match self.form {
            Form::Ascii => match text.first() {
                Some(byte) if byte.is_ascii() => Ok((Some(char::from(*byte)), 1)),
                Some(_) => Err(Bad::Illegal(1)),
                None => Err(Bad::Incomplete),
            },
            Form::Utf8 => utf8(text),
            Form::Utf16(order) => {
                let unit = self.half(order, text, first)?;
                match unit {
                    0xfeff if first && order == Order::Marked => Ok((None, 2)),
                    0xd800..0xdc00 => {
                        let low = self.half(order, &text[2..], false)?;
                        let pair = char::decode_utf16([unit, low]).next();
                        let letter = pair.and_then(Result::ok).ok_or(Bad::Illegal(2))?;
                        Ok((Some(letter), 4))
                    }
                    unit => self.letter(u32::from(unit), 2),
                }
            }
            Form::Ucs2(order) => {
                let unit = self.half(order, text, first)?;
                match unit {
                    0xfeff if first && order == Order::Marked => Ok((None, 2)),
                    unit => self.letter(u32::from(unit), 2),
                }
            }
            Form::Utf32(order) => {
                let bytes = *text.first_chunk::<4>().ok_or(Bad::Incomplete)?;
                if first && order == Order::Marked {
                    self.big = bytes == [0, 0, 0xfe, 0xff];
                    if self.big || bytes == [0xff, 0xfe, 0, 0] {
                        return Ok((None, 4));
                    }
                }
                let number = match self.is_big(order) {
                    true => u32::from_be_bytes(bytes),
                    false => u32::from_le_bytes(bytes),
                };
                self.letter(number, 4)
            }
        }
    }

    fn letter(&self, number: u32, length: usize) -> Result<(Option<char>, usize), Bad> {
        let letter = char::from_u32(number).ok_or(Bad::Illegal(length))?;
        Ok((Some(letter), length))
    }

    fn is_big(&self, order: Order) -> bool {
        order == Order::Big || (order == Order::Marked && self.big)
    }

    /// The first two bytes as a number; a mark at the beginning settles their order.
    fn half(&mut self, order: Order, text: &[u8], first: bool) -> Result<u16, Bad> {
        let bytes = *text.first_chunk::<2>().ok_or(Bad::Incomplete)?;
        if first && order == Order::Marked {
            self.big = bytes == [0xfe, 0xff];
        }
        Ok(match self.is_big(order) {
            true => u16::from_be_bytes(bytes),
            false => u16::from_le_bytes(bytes),
        })
    }

    fn write(&mut self, letter: char, out: &mut Vec<u8>) -> bool {
        let big = |order| order == Order::Big;
        match self.form {
            Form::Ascii if !letter.is_ascii() => return false,
            Form::Ucs2(_) if letter.len_utf16() > 1 => return false,
            Form::Ascii | Form::Utf8 => {
                out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Form::Utf16(order) | Form::Ucs2(order) => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    out.extend(match big(order) {
                        true => unit.to_be_bytes(),
                        false => unit.to_le_bytes(),
                    });
                }
            }
            Form::Utf32(order) => out.extend(match big(order) {
                true => u32::from(letter).to_be_bytes(),
                false => u32::from(letter).to_le_bytes(),
            }),
        }
        true
    }
}

/// The first character of UTF-8. What is skipped of broken bytes is what glibc skips.
fn utf8(text: &[u8]) -> Result<(Option<char>, usize), Bad> {
    let Some(first) = text.first() else {
        return Err(Bad::Incomplete);
    };
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let length = match first {
        0..0x80 => return Ok((Some(char::from(*first)), 1)),
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => {
            let more = (1..5).take_while(|at| continues(*at)).count();
            return Err(Bad::Illegal(1 + more));
        }
    };
    let there = 1 + (1..length).take_while(|at| continues(*at)).count();
    if there < length {
        return match text.len() == there {
            true => Err(Bad::Incomplete),
            false => Err(Bad::Illegal(there)),
        };
    }
    let letter = std::str::from_utf8(&text[..length]);
    match letter.ok().and_then(|text| text.chars().next()) {
        Some(letter) => Ok((Some(letter), length)),
        None => Err(Bad::Illegal(length)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_a_meaning_or_none_for_each_byte() {
        for line in SETS.lines() {
            let (names, points) = line.split_once('\t').expect("a tab");
            assert_eq!(ranges(points).count(), 128, "{names}");
            assert!(ranges(points).flatten().count() > 60, "{names}");
        }
        let mut all: Vec<&str> = names().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "a name stands twice");
    }

    #[test]
    fn what_a_set_writes_it_reads() {
        for name in names() {
            let mut writer = Charset::named(name).expect(name);
            let mut reader = Charset::named(name).expect(name);
            let mut bytes = Vec::new();
            writer.begin(&mut bytes);
            for letter in ['a', 'ä', 'д', '€', '𝄞'] {
                let begins = bytes.len();
                if writer.write(letter, &mut bytes) {
                    let mut at = if begins == 0 { 0 } else { begins };
                    if at > 0 && letter == 'a' {
                        let (mark, length) = reader.read(&bytes).expect(name);
                        assert_eq!((mark, length), (None, begins), "{name}");
                        at = length;
                    }
                    let read = reader.read(&bytes[at..]);
                    assert_eq!(read, Ok((Some(letter), bytes.len() - at)), "{name}");
                }
            }
        }
    }

    #[test]
    fn broken_utf8_is_skipped_as_glibc_does() {
        assert_eq!(utf8(b"\xff\x80\x80a"), Err(Bad::Illegal(3)));
        assert_eq!(utf8(b"\xe2\x82a"), Err(Bad::Illegal(2)));
        assert_eq!(utf8(b"\xe2\x82"), Err(Bad::Incomplete));
        assert_eq!(utf8(b"\xed\xa0\x80"), Err(Bad::Illegal(3)));
    }
}
