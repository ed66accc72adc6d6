//! Arguments of `printf` that are numbers.

use codepod_long_double::Extended;
use codepod_tool::quoted_text;

use super::Printf;

/// A whole number as C's `strtoimax` with base 0 reads it.
struct Integer {
    negative: bool,
    /// Without its sign; the largest where it is too large.
    magnitude: u64,
    overflow: bool,
    /// How many bytes of the text it takes; 0 where there is none.
    taken: usize,
}

fn read(text: &[u8]) -> Integer {
    let blanks = text.iter().take_while(|byte| is_blank(**byte)).count();
    let mut rest = &text[blanks..];
    let negative = rest.first() == Some(&b'-');
    if matches!(rest.first(), Some(b'-' | b'+')) {
        rest = &rest[1..];
    }
    let base = match rest {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => {
            rest = &rest[2..];
            16
        }
        [b'0', ..] => 8,
        _ => 10,
    };
    let digits = rest.iter();
    let digits = digits.map_while(|byte| char::from(*byte).to_digit(base));
    let (mut value, mut count) = (Some(0u64), 0);
    for digit in digits {
        value = value
            .and_then(|value| value.checked_mul(base.into()))
            .and_then(|value| value.checked_add(digit.into()));
        count += 1;
    }
    Integer {
        negative,
        magnitude: value.unwrap_or(u64::MAX),
        overflow: value.is_none(),
        taken: if count == 0 {
            0
        } else {
            text.len() - rest.len() + count
        },
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

impl Printf<'_> {
    /// An argument of `%d`.
    pub(super) fn integer(&mut self) -> i64 {
        let text = self.next();
        if let Some(code) = self.character_code(text) {
            return code.into();
        }
        let number = read(text);
        let limit = i64::MAX as u64 + u64::from(number.negative);
        self.verify(text, number.taken, number.magnitude > limit);
        let magnitude = number.magnitude.min(limit);
        if number.negative {
            magnitude.wrapping_neg().cast_signed()
        } else {
            magnitude.cast_signed()
        }
    }

    /// An argument of `%u`, `%o` and `%x`.
    pub(super) fn unsigned(&mut self) -> u64 {
        let text = self.next();
        if let Some(code) = self.character_code(text) {
            return code.into();
        }
        let number = read(text);
        self.verify(text, number.taken, number.overflow);
        if number.negative && !number.overflow {
            number.magnitude.wrapping_neg()
        } else {
            number.magnitude
        }
    }

    /// An argument of `%f` and its relatives.
    pub(super) fn float(&mut self) -> Extended {
        let text = self.next();
        if let Some(code) = self.character_code(text) {
            return Extended::from_integer(code.into());
        }
        let read = Extended::read(text);
        self.verify(text, read.taken, read.range);
        read.number
    }

    /// The code of the character behind a quote.
    fn character_code(&mut self, text: &[u8]) -> Option<u32> {
        let [b'\'' | b'"', text @ ..] = text else {
            return None;
        };
        let first = *text.first()?;
        let chunk = text.utf8_chunks().next()?;
        let (code, length) = match chunk.valid().chars().next() {
            Some(character) => (u32::from(character), character.len_utf8()),
            None => (u32::from(first), 1),
        };
        let more = &text[length..];
        if !more.is_empty() && std::env::var_os("POSIXLY_CORRECT").is_none() {
            let end = b": character(s) following character constant have been ignored";
            self.complain([b"warning: ", more, end].concat());
        }
        Some(code)
    }

    /// Says what is wrong with a number of which `taken` bytes could be read.
    fn verify(&mut self, text: &[u8], taken: usize, out_of_range: bool) {
        let why: &[u8] = match taken {
            _ if out_of_range => b": Numerical result out of range",
            taken if taken == text.len() => return,
            0 => b": expected a numeric value",
            _ => b": value not completely converted",
        };
        self.complain([&quoted_text(text), why].concat());
        self.status = 1;
    }
}
