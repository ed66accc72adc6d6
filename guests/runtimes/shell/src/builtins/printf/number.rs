//! Arguments of `printf` that are numbers.

use codepod_long_double::Extended;

use super::{INT_MAX, Printf};

/// What C's `strtoimax` with base 0 finds.
struct Integer {
    negative: bool,
    /// Without its sign; the largest when it is too large.
    magnitude: u64,
    overflow: bool,
    /// Whether all of the text was the number.
    whole: bool,
}

fn read(text: &[u8]) -> Integer {
    let start = text
        .iter()
        .position(|byte| !matches!(byte, b' ' | 9..=13))
        .unwrap_or(text.len());
    let mut rest = &text[start..];
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
    let (mut magnitude, mut overflow) = (0u64, false);
    let mut count = 0;
    for byte in rest {
        let Some(digit) = char::from(*byte).to_digit(base) else {
            break;
        };
        let next = magnitude
            .checked_mul(base.into())
            .and_then(|value| value.checked_add(digit.into()));
        match next {
            Some(value) => magnitude = value,
            None => overflow = true,
        }
        count += 1;
    }
    if overflow {
        magnitude = u64::MAX;
    }
    Integer {
        negative,
        magnitude,
        overflow,
        whole: text.is_empty() || (count > 0 && count == rest.len()),
    }
}

impl Printf<'_, '_> {
    /// An argument of `%d`: 0 when there is none.
    pub(super) fn integer(&mut self) -> i64 {
        let Some(text) = self.next() else { return 0 };
        if let Some(code) = character(text) {
            return code.into();
        }
        let number = read(text);
        let limit = i64::MAX as u64 + u64::from(number.negative);
        if !number.whole {
            self.invalid(text);
        } else if number.magnitude > limit {
            self.range(text);
        }
        let magnitude = number.magnitude.min(limit);
        if number.negative {
            magnitude.wrapping_neg() as i64
        } else {
            magnitude as i64
        }
    }

    /// An argument of `%u %o %x`.
    pub(super) fn unsigned(&mut self) -> u64 {
        let Some(text) = self.next() else { return 0 };
        if let Some(code) = character(text) {
            return code.into();
        }
        let number = read(text);
        if !number.whole {
            self.invalid(text);
        } else if number.overflow {
            self.range(text);
        }
        if number.negative && !number.overflow {
            number.magnitude.wrapping_neg()
        } else {
            number.magnitude
        }
    }

    /// An argument for `*`. bash names the argument behind it when it is too large.
    pub(super) fn int(&mut self) -> i64 {
        let value = self.integer();
        let clamped = value.clamp(-INT_MAX - 1, INT_MAX);
        if clamped != value {
            let next = self.rest.first().cloned().unwrap_or_default();
            self.range(&next);
        }
        clamped
    }

    /// An argument of `%f`.
    pub(super) fn float(&mut self) -> Extended {
        let Some(text) = self.next() else {
            return Extended::from_integer(0);
        };
        if let Some(code) = character(text) {
            return Extended::from_integer(code.into());
        }
        let read = Extended::read(text);
        if read.taken < text.len() {
            self.invalid(text);
        } else if read.range {
            self.range(text);
        }
        read.number
    }

    fn invalid(&mut self, text: &[u8]) {
        let kind: &[u8] = match text {
            [b'0', b'0'..=b'9', ..] => b": invalid octal number",
            [b'0', b'x', ..] => b": invalid hex number",
            _ => b": invalid number",
        };
        self.error([text, kind].concat());
        self.status = 1;
    }

    fn range(&mut self, text: &[u8]) {
        let message = [b"warning: ", text, b": Numerical result out of range"];
        self.error(message.concat());
    }
}

/// The code of the character behind a quote.
fn character(text: &[u8]) -> Option<u32> {
    let [b'\'' | b'"', rest @ ..] = text else {
        return None;
    };
    let Some(first) = rest.utf8_chunks().next() else {
        return Some(0);
    };
    let code = first.valid().chars().next().map(u32::from);
    Some(code.unwrap_or(u32::from(rest[0])))
}
