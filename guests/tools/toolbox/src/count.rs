//! A number with a suffix, as tools read it: `10`, `4K`, `2MB`.

use codepod_tool::quoted;

/// Why a text is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It does not begin with a number.
    Number,
    /// Behind the number stands something that is no suffix.
    Suffix,
    /// It is more than fits.
    TooLarge,
}

/// How digits are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// As decimal digits.
    Decimal,
    /// As in C: `0x` begins a hexadecimal number, another `0` an octal one.
    AsInC,
}

/// The number that `text` is. Fails with GNU's message; `what` is `lines` or `bytes`.
pub(crate) fn parse(text: &[u8], what: &str) -> Result<u64, Vec<u8>> {
    number(text, Base::Decimal).map_err(|wrong| {
        let start = format!("invalid number of {what}: ");
        let why: &[u8] = match wrong {
            Wrong::TooLarge => b": Value too large for defined data type",
            Wrong::Number | Wrong::Suffix => b"",
        };
        [start.as_bytes(), &quoted(text), why].concat()
    })
}

/// The number that `text` is: digits, a suffix, or both.
pub(crate) fn number(text: &[u8], base: Base) -> Result<u64, Wrong> {
    let bare = text.trim_ascii_start();
    let bare = bare.strip_prefix(b"+").unwrap_or(bare);
    let (radix, bare) = match (base, bare) {
        (Base::AsInC, [b'0', b'x' | b'X', digit, ..]) if digit.is_ascii_hexdigit() => {
            (16, &bare[2..])
        }
        (Base::AsInC, [b'0', ..]) => (8, bare),
        _ => (10, bare),
    };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let (digits, suffix) = bare.split_at(bare.iter().take_while(is_digit).count());
    if digits.is_empty() {
        // A suffix alone stands for one of its units.
        let alone = unit(text).filter(|_| !text.is_empty());
        return scaled(Some(1), alone.ok_or(Wrong::Number)?);
    }
    let unit = unit(suffix).ok_or(Wrong::Suffix)?;
    let number = digits.iter().try_fold(0u64, |number, digit| {
        let digit = char::from(*digit).to_digit(radix)?;
        let more = number.checked_mul(u64::from(radix))?;
        more.checked_add(u64::from(digit))
    });
    scaled(number, unit)
}

/// A number times a base to a power.
fn scaled(number: Option<u64>, (base, power): (u64, u32)) -> Result<u64, Wrong> {
    let scaled = (0..power).try_fold(number.ok_or(Wrong::TooLarge)?, |number, _| {
        number.checked_mul(base)
    });
    scaled.ok_or(Wrong::TooLarge)
}

/// What a suffix multiplies by: a base and its power.
fn unit(suffix: &[u8]) -> Option<(u64, u32)> {
    let (letter, rest) = match suffix {
        [] => return Some((1, 0)),
        b"b" => return Some((512, 1)),
        [letter, rest @ ..] => (letter, rest),
    };
    let power = b"KMGTPEZY"
        .iter()
        .position(|known| known == &letter.to_ascii_uppercase())?;
    if letter.is_ascii_lowercase() && !matches!(letter, b'k' | b'm') {
        return None;
    }
    let base = match rest {
        b"" | b"iB" => 1024,
        b"B" | b"D" => 1000,
        _ => return None,
    };
    Some((base, power as u32 + 1))
}

#[cfg(test)]
mod tests {
    use super::{Base, Wrong, number, parse};

    #[test]
    fn suffixes_multiply() {
        let cases: [(&[u8], u64); 11] = [
            (b"7", 7),
            (b"+7", 7),
            (b" 7", 7),
            (b"2b", 1024),
            (b"1kB", 1000),
            (b"3K", 3072),
            (b"1MiB", 1 << 20),
            (b"1m", 1 << 20),
            (b"k", 1024),
            (b"2KD", 2000),
            (b"0Y", 0),
        ];
        for (text, number) in cases {
            assert_eq!(parse(text, "lines"), Ok(number));
        }
    }

    #[test]
    fn what_is_no_number_or_too_large_is_refused() {
        for text in [&b""[..], b"x", b"1x", b"-1", b"1kBB", b"1g"] {
            assert!(parse(text, "lines").is_err(), "{text:?}");
        }
        for text in [&b"16E"[..], b"1Y", b"99999999999999999999"] {
            let message = parse(text, "bytes").unwrap_err();
            assert!(message.ends_with(b"Value too large for defined data type"));
        }
    }

    #[test]
    fn numbers_can_be_as_in_c() {
        for (text, wanted) in [
            (&b"0x10"[..], Ok(16)),
            (b"010", Ok(8)),
            (b"0x1E", Ok(30)),
            (b"08", Err(Wrong::Suffix)),
            (b"0x", Err(Wrong::Suffix)),
            (b"x", Err(Wrong::Number)),
            (b" k", Err(Wrong::Number)),
            (b"99999999999999999999", Err(Wrong::TooLarge)),
            (b"99999999999999999999q", Err(Wrong::Suffix)),
        ] {
            assert_eq!(number(text, Base::AsInC), wanted, "{text:?}");
        }
    }
}
