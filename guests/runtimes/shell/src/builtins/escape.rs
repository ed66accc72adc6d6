//! Backslash escapes of `printf` and `echo -e`.

/// Whose escapes they are: the three differ in octal numbers, `\c` and quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The format of `printf`: `\nnn`; `\c` stands for itself; `\'`, `\"` and `\?` lose their
    /// backslash.
    Format,
    /// `printf %b`: `\nnn` and `\0nnn`; `\c` ends the output.
    Argument,
    /// `echo -e`: only `\0nnn`; `\c` ends the output; missing digits are no error.
    Echo,
}

/// What an escape was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// It was decoded, or stands for itself.
    Done(usize),
    /// `\c`: no more output.
    End,
    /// Digits are missing: how many bytes were taken, and what bash calls them and the letter.
    Missing(usize, &'static str, u8),
}

/// Decodes what follows a backslash and appends it; says how many bytes behind the backslash were
/// taken.
pub(crate) fn decode(rest: &[u8], dialect: Dialect, out: &mut Vec<u8>) -> Escape {
    let Some(&letter) = rest.first() else {
        out.push(b'\\');
        return Escape::Done(0);
    };
    let byte = match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' => b'\\',
        b'\'' | b'"' | b'?' if dialect == Dialect::Format => letter,
        b'c' if dialect != Dialect::Format => return Escape::End,
        b'0'..=b'7' => return octal(rest, dialect, out),
        b'x' | b'u' | b'U' => return hexadecimal(rest, dialect, out),
        _ => {
            out.extend_from_slice(&[b'\\', letter]);
            return Escape::Done(1);
        }
    };
    out.push(byte);
    Escape::Done(1)
}

/// Decodes a whole text; true when `\c` ended it. `missing` hears of missing digits.
pub(crate) fn decode_all(
    text: &[u8],
    dialect: Dialect,
    out: &mut Vec<u8>,
    mut missing: impl FnMut(&'static str, u8),
) -> bool {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let taken = match decode(rest, dialect, out) {
            Escape::Done(taken) => taken,
            Escape::End => return true,
            Escape::Missing(taken, what, letter) => {
                missing(what, letter);
                taken
            }
        };
        rest = &rest[taken..];
    }
    out.extend_from_slice(rest);
    false
}

fn octal(rest: &[u8], dialect: Dialect, out: &mut Vec<u8>) -> Escape {
    let (start, most) = match (dialect, rest[0]) {
        (Dialect::Format, _) | (Dialect::Argument, b'1'..) => (0, 3),
        (_, b'0') => (1, 3),
        _ => {
            out.extend_from_slice(&[b'\\', rest[0]]);
            return Escape::Done(1);
        }
    };
    let (value, digits) = number(&rest[start..], most, 8);
    out.push(value as u8);
    Escape::Done(start + digits)
}

fn hexadecimal(rest: &[u8], dialect: Dialect, out: &mut Vec<u8>) -> Escape {
    let letter = rest[0];
    let most = match letter {
        b'x' => 2,
        b'u' => 4,
        _ => 8,
    };
    let (value, digits) = number(&rest[1..], most, 16);
    if digits == 0 {
        out.extend_from_slice(&[b'\\', letter]);
        return match (dialect, letter) {
            (Dialect::Echo, _) => Escape::Done(1),
            (_, b'x') => Escape::Missing(1, "hex", letter),
            _ => Escape::Missing(1, "unicode", letter),
        };
    }
    if letter == b'x' {
        out.push(value as u8);
    } else {
        push_utf8(value, out);
    }
    Escape::Done(1 + digits)
}

/// The number at the start of `digits`, and how many digits it has.
fn number(digits: &[u8], most: usize, base: u32) -> (u32, usize) {
    let mut value = 0u32;
    let mut count = 0;
    for byte in digits.iter().take(most) {
        let Some(digit) = char::from(*byte).to_digit(base) else {
            break;
        };
        value = value.wrapping_mul(base).wrapping_add(digit);
        count += 1;
    }
    (value, count)
}

/// UTF-8 as it once was: any number up to 31 bits, surrogates too. Larger numbers give nothing.
pub(crate) fn push_utf8(value: u32, out: &mut Vec<u8>) {
    let (lead, more) = match value {
        0..0x80 => return out.push(value as u8),
        0x80..0x800 => (0xc0, 1),
        0x800..0x1_0000 => (0xe0, 2),
        0x1_0000..0x20_0000 => (0xf0, 3),
        0x20_0000..0x400_0000 => (0xf8, 4),
        0x400_0000..0x8000_0000 => (0xfc, 5),
        _ => return,
    };
    out.push(lead | (value >> (6 * more)) as u8);
    for at in (0..more).rev() {
        out.push(0x80 | (value >> (6 * at) & 0x3f) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, dialect: Dialect) -> Vec<u8> {
        let mut out = Vec::new();
        decode_all(text.as_bytes(), dialect, &mut out, |_, _| {});
        out
    }

    #[test]
    fn octal_numbers_differ_between_the_dialects() {
        assert_eq!(all(r"\0101", Dialect::Format), b"\x081");
        assert_eq!(all(r"\0101", Dialect::Argument), b"A");
        assert_eq!(all(r"\101", Dialect::Argument), b"A");
        assert_eq!(all(r"\101", Dialect::Echo), br"\101");
        assert_eq!(all(r"\0101", Dialect::Echo), b"A");
        assert_eq!(all(r"\400", Dialect::Format), b"\0");
    }

    #[test]
    fn numbers_beyond_unicode_are_encoded_all_the_same() {
        assert_eq!(
            all(r"\U110000", Dialect::Format),
            b"\xf4\x90\x80\x80".to_vec()
        );
        assert_eq!(all(r"\ud800", Dialect::Format), b"\xed\xa0\x80");
        assert_eq!(
            all(r"\U7fffffff", Dialect::Echo),
            b"\xfd\xbf\xbf\xbf\xbf\xbf".to_vec()
        );
        assert_eq!(all(r"\UFFFFFFFF", Dialect::Echo), b"");
    }

    #[test]
    fn what_is_no_escape_stands_for_itself() {
        assert_eq!(all("\\q\\", Dialect::Echo), b"\\q\\");
        assert_eq!(all("\\x\\u", Dialect::Echo), b"\\x\\u");
        assert_eq!(all("\\'\\\"\\?", Dialect::Format), b"'\"?");
        assert_eq!(all("\\'\\\"\\?", Dialect::Argument), b"\\'\\\"\\?");
    }

    #[test]
    fn c_ends_the_output_but_not_in_a_format() {
        assert_eq!(all("a\\cb", Dialect::Echo), b"a");
        assert_eq!(all("a\\cb", Dialect::Argument), b"a");
        assert_eq!(all("a\\cb", Dialect::Format), b"a\\cb");
    }
}
