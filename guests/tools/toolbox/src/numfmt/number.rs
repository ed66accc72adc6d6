//! Numbers: how they are read, scaled and printed.

use codepod_tool::quoted_text;

use super::long_double::{LongDouble, Round};

/// Digits that a number can have without being scaled, and at all.
const UNSCALED_DIGITS: u64 = 18;
const DIGITS: u64 = 27;
/// Characters that a number takes at most.
const LONGEST: usize = 127;
/// The suffixes, by the power that they stand for, from 1.
const SUFFIXES: &[u8; 8] = b"KMGTPEZY";

/// What a suffix stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    None,
    /// `K` is 1000, and `Ki` is 1024.
    Auto,
    Si,
    Iec,
    /// `Ki` is 1024.
    IecI,
}

impl Scale {
    fn base(self) -> u64 {
        match self {
            Scale::Iec | Scale::IecI => 1024,
            _ => 1000,
        }
    }
}

/// A number that was read.
pub(super) struct Number {
    pub(super) value: LongDouble,
    /// The digits behind the point.
    pub(super) precision: u64,
    /// Whether it has more digits than are kept.
    pub(super) is_long: bool,
}

impl Number {
    /// Reads a number with a suffix. Fails with a message.
    pub(super) fn parse(text: &[u8], scale: Scale) -> Result<Number, Vec<u8>> {
        let shown = quoted_text(text);
        let wrong = |what: &[u8], hint: &[u8]| Err([what, &shown, hint].concat());
        let (number, rest) = match decimal(text) {
            Ok(found) => found,
            Err(Wrong::NoNumber) => return wrong(b"invalid number: ", b""),
            Err(Wrong::TooLarge) => return wrong(b"value too large to be converted: ", b""),
        };
        let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
        let suffix = &rest[blanks..];
        let (mut power, mut base, mut rest) = (0, scale.base(), suffix);
        let mut precision = number.precision;
        match suffix {
            [] if blanks > 0 => {
                // GNU takes the end of the text for a suffix here.
                return match scale {
                    Scale::None => {
                        let hint = b" (consider using --from)";
                        wrong(b"rejecting suffix in input: ", hint)
                    }
                    Scale::IecI => wrong(b"missing 'i' suffix in input: ", b" (e.g Ki/Mi/Gi)"),
                    _ => wrong(b"invalid suffix in input: ", b""),
                };
            }
            [] => {}
            [letter, behind @ ..] => {
                let Some(place) = SUFFIXES.iter().position(|known| known == letter) else {
                    return wrong(b"invalid suffix in input: ", b"");
                };
                if scale == Scale::None {
                    let hint = b" (consider using --from)";
                    return wrong(b"rejecting suffix in input: ", hint);
                }
                (power, rest, precision) = (place as u32 + 1, behind, 0);
                if let (Scale::Auto, [b'i', behind @ ..]) = (scale, rest) {
                    (base, rest) = (1024, behind);
                }
            }
        }
        if scale == Scale::IecI {
            match rest {
                [b'i', behind @ ..] => rest = behind,
                _ => return wrong(b"missing 'i' suffix in input: ", b" (e.g Ki/Mi/Gi)"),
            }
        }
        if !rest.is_empty() {
            let behind = quoted_text(rest);
            return wrong(b"invalid suffix in input ", &[b": ", &behind[..]].concat());
        }
        Ok(Number {
            value: number.value.times(LongDouble::power_of(base, power)),
            precision,
            is_long: number.is_long,
        })
    }
}

enum Wrong {
    NoNumber,
    TooLarge,
}

/// A number without a suffix.
struct Plain {
    value: LongDouble,
    precision: u64,
    is_long: bool,
}

/// Reads a decimal number, and returns what follows it, too.
fn decimal(text: &[u8]) -> Result<(Plain, &[u8]), Wrong> {
    let (is_negative, bare) = match text {
        [b'-', bare @ ..] => (true, bare),
        _ => (false, text),
    };
    let (whole, rest) = digits(bare);
    let (part, rest) = match rest {
        [b'.', behind @ ..] => {
            let (part, rest) = digits(behind);
            if part.is_empty() {
                return Err(Wrong::NoNumber);
            }
            (part, rest)
        }
        _ if whole.is_empty() => return Err(Wrong::NoNumber),
        _ => (&b""[..], rest),
    };
    let (mut value, mut is_long) = integer(whole)?;
    if !part.is_empty() {
        let (fraction, is_part_long) = integer(part)?;
        is_long |= is_part_long;
        let unit = LongDouble::power_of(10, part.len() as u32);
        value = value.plus(fraction.over(unit));
    }
    let plain = Plain {
        value: value.with_sign(is_negative && !value.is_zero()),
        precision: part.len() as u64,
        is_long,
    };
    Ok((plain, rest))
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at(digits)
}

/// The number of some digits, and whether it has more than are kept.
fn integer(digits: &[u8]) -> Result<(LongDouble, bool), Wrong> {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let digits = &digits[zeros..];
    if digits.len() as u64 > DIGITS {
        return Err(Wrong::TooLarge);
    }
    let ten = LongDouble::from(10);
    let value = digits.iter().fold(LongDouble::from(0), |value, digit| {
        let digit = LongDouble::from(u64::from(digit - b'0'));
        value.times(ten).plus(digit)
    });
    Ok((value, digits.len() as u64 > UNSCALED_DIGITS))
}

/// Whether a byte is a space or a tab.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// How numbers are printed.
pub(super) struct Print {
    pub(super) scale: Scale,
    pub(super) round: Round,
    /// The digits behind the point that `--format` asks for.
    pub(super) precision: Option<u64>,
    /// The width that is filled with zeros.
    pub(super) zeros: u64,
}

/// Why a number cannot be printed.
pub(super) enum Failed {
    /// It is as wrong as one that cannot be read.
    Number(Vec<u8>),
    /// Nothing can be printed that way.
    Always(Vec<u8>),
}

impl Print {
    /// The number as it is printed. `precision` is that of the input.
    pub(super) fn text(&self, value: LongDouble, precision: u64) -> Result<String, Failed> {
        let precision = self.precision.unwrap_or(precision);
        self.check(value, precision)?;
        let (number, suffix) = if self.scale == Scale::None {
            (self.unscaled(value, precision as usize), "".to_owned())
        } else {
            let too_long = || Failed::Always(failed(value));
            if self.precision.is_some_and(|wanted| wanted > LONGEST as u64) {
                return Err(too_long());
            }
            self.scaled(value)
        };
        let number = self.filled(&number);
        let longest = LONGEST - usize::from(self.scale != Scale::None);
        let length = number.len() + suffix.len().min(1);
        if length > longest {
            return Err(Failed::Always(failed(value)));
        }
        Ok(number + &suffix)
    }

    /// Refuses numbers with too many digits.
    fn check(&self, value: LongDouble, precision: u64) -> Result<(), Failed> {
        let (_, digits) = reduced(value, 10);
        let digits = u64::from(digits);
        let fits = self.scale != Scale::None || digits.saturating_add(precision) <= UNSCALED_DIGITS;
        if fits && digits < DIGITS {
            return Ok(());
        }
        let shown = value.general();
        let message = match precision {
            _ if fits => {
                format!("value too large to be printed: '{shown}' (cannot handle values > 999Y)")
            }
            0 => format!("value too large to be printed: '{shown}' (consider using --to)"),
            _ => format!(
                "value/precision too large to be printed: '{shown}/{precision}' (consider using --to)"
            ),
        };
        Err(Failed::Number(message.into_bytes()))
    }

    /// A number, rounded to so many places.
    fn unscaled(&self, value: LongDouble, places: usize) -> String {
        self.rounded(value, places as u32).fixed(places)
    }

    /// A number in the largest unit of which it has one, and the unit.
    fn scaled(&self, value: LongDouble) -> (String, String) {
        let base = self.scale.base();
        let (value, mut power) = reduced(value, base);
        let ten = LongDouble::from(10);
        let places = match self.precision {
            Some(wanted) => (power * 3).min(wanted as u32),
            // One place for small numbers.
            None => u32::from(value.is_less(ten)),
        };
        let mut value = self.rounded(value, places);
        // Rounding may have made the next unit of it.
        if !value.is_less(LongDouble::from(base)) {
            value = value.over(LongDouble::from(base));
            power += 1;
        }
        let has_place = !value.is_zero() && value.is_less(ten) && power > 0;
        let places = match self.precision {
            Some(wanted) => wanted as usize,
            None => usize::from(has_place),
        };
        let mut suffix = match power {
            0 => String::new(),
            _ => SUFFIXES.get(power as usize - 1).map_or_else(
                || "(error)".to_owned(),
                |letter| char::from(*letter).to_string(),
            ),
        };
        if self.scale == Scale::IecI && power > 0 {
            suffix.push('i');
        }
        (value.fixed(places), suffix)
    }

    fn rounded(&self, value: LongDouble, places: u32) -> LongDouble {
        let unit = LongDouble::power_of(10, places);
        value.times(unit).whole(self.round).over(unit)
    }

    /// A number with zeros behind its sign.
    fn filled(&self, number: &str) -> String {
        let width = usize::try_from(self.zeros).map_or(LONGEST + 1, |zeros| zeros.min(LONGEST + 1));
        let zeros = "0".repeat(width.saturating_sub(number.len()));
        match number.strip_prefix('-') {
            Some(digits) => format!("-{zeros}{digits}"),
            None => format!("{zeros}{number}"),
        }
    }
}

fn failed(value: LongDouble) -> Vec<u8> {
    let shown = value.fixed(6);
    format!("failed to prepare value '{shown}' for printing").into_bytes()
}

/// A number divided by a base until it is less, and how often that was.
fn reduced(mut value: LongDouble, base: u64) -> (LongDouble, u32) {
    let base = LongDouble::from(base);
    let mut power = 0;
    while !value.is_less(base) {
        value = value.over(base);
        power += 1;
    }
    (value, power)
}

/// The size of a unit, like `512` or `1K`. None if it is none.
pub(super) fn unit(text: &[u8]) -> Option<u64> {
    let bare = text.trim_ascii_start();
    let bare = bare.strip_prefix(b"+").unwrap_or(bare);
    let (digits, suffix) = digits(bare);
    let factor = match suffix {
        [] if digits.is_empty() => return None,
        [] => Some(1),
        // A suffix alone stands for one of its units.
        _ if digits.is_empty() && bare.len() != text.len() => return None,
        [letter, rest @ ..] => {
            let power = SUFFIXES.iter().position(|known| known == letter)? as u32 + 1;
            match rest {
                [] => 1000u64.checked_pow(power),
                b"i" => 1024u64.checked_pow(power),
                _ => return None,
            }
        }
    };
    let number = match digits {
        [] => 1,
        _ => std::str::from_utf8(digits).ok()?.parse::<u64>().ok()?,
    };
    Some(number.checked_mul(factor?)?).filter(|size| *size > 0)
}
