//! Numbers with a fraction as bash has them on x86-64: `long double`, 64 bits of mantissa, read and
//! written exactly.
//!
//! bash reads an argument of `%f` with `strtold` and gives it to the C library to print, so `printf
//! %.20f 0.1` shows zeros where a `double` would show its error. Both directions are done here on
//! big integers, so every digit is the same.

use crate::big::Big;

/// The least exponent of the lowest bit.
const LEAST_EXPONENT: i32 = -16445;
/// The greatest exponent of the lowest bit.
const GREATEST_EXPONENT: i32 = 16320;
/// No number between two neighbours needs more digits than this to be told from the middle; further
/// ones only say "more".
const DIGITS: usize = 12_000;

/// A number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extended {
    /// Below zero; also zero and "not a number" have a sign.
    pub negative: bool,
    /// What it is.
    pub kind: Kind,
}

/// Kinds of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Not a number.
    Nan,
    /// Too large.
    Infinity,
    /// `mantissa` times 2 to the `exponent`. The highest bit of the mantissa is set, unless the
    /// exponent is the least.
    Finite {
        /// The bits.
        mantissa: u64,
        /// Of the lowest bit.
        exponent: i32,
    },
}

/// What reading a number gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// The number; 0 when there was none.
    pub number: Extended,
    /// How many bytes it took; 0 when there was none.
    pub taken: usize,
    /// It was too large or too small to be held.
    pub range: bool,
}

impl Extended {
    const ZERO: Extended = Extended {
        negative: false,
        kind: Kind::Finite {
            mantissa: 0,
            exponent: LEAST_EXPONENT,
        },
    };

    /// A whole number.
    pub fn from_integer(number: u64) -> Extended {
        let kind = round(Big::from(u128::from(number)), 0, false).0;
        Extended {
            negative: false,
            kind,
        }
    }

    /// Reads the number at the start of `text`, as `strtold` does.
    pub fn read(text: &[u8]) -> Read {
        let mut at = text
            .iter()
            .position(|byte| !matches!(byte, b' ' | 9..=13))
            .unwrap_or(text.len());
        let negative = text.get(at) == Some(&b'-');
        if matches!(text.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        let rest = &text[at..];
        let (kind, taken, range) = if starts(rest, b"infinity") {
            (Kind::Infinity, 8, false)
        } else if starts(rest, b"inf") {
            (Kind::Infinity, 3, false)
        } else if starts(rest, b"nan") {
            (Kind::Nan, nan(rest), false)
        } else if starts(rest, b"0x") && hex_digit_follows(&rest[2..]) {
            let (kind, taken, range) = hexadecimal(&rest[2..]);
            (kind, taken + 2, range)
        } else {
            decimal(rest)
        };
        if taken == 0 {
            return Read {
                number: Extended::ZERO,
                taken: 0,
                range: false,
            };
        }
        Read {
            number: Extended { negative, kind },
            taken: at + taken,
            range,
        }
    }

    /// All decimal digits without leading zeros, and where the point is: `0.DIGITS` times 10 to
    /// that. Empty for zero.
    pub fn digits(self) -> (Vec<u8>, i32) {
        let Kind::Finite { mantissa, exponent } = self.kind else {
            return (Vec::new(), 0);
        };
        if mantissa == 0 {
            return (Vec::new(), 0);
        }
        let zeros = mantissa.trailing_zeros();
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros as i32);
        if exponent >= 0 {
            let mut whole = Big::from(u128::from(mantissa));
            whole.shift_left(exponent as u32);
            let digits = whole.into_decimal();
            let point = digits.len() as i32;
            return (digits, point);
        }
        let below = exponent.unsigned_abs();
        let (whole, fraction) = if below >= 64 {
            (0, mantissa)
        } else {
            (mantissa >> below, mantissa & ((1 << below) - 1))
        };
        let mut digits = if whole == 0 {
            Vec::new()
        } else {
            whole.to_string().into_bytes()
        };
        let mut point = digits.len() as i32;
        Big::from(u128::from(fraction)).fraction_digits(below, &mut digits);
        let lead = digits.iter().take_while(|digit| **digit == b'0').count();
        if whole == 0 {
            digits.drain(..lead);
            point = -(lead as i32);
        }
        (digits, point)
    }
}

fn starts(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// `nan`, and `nan(letters)`.
fn nan(text: &[u8]) -> usize {
    let Some(inside) = text[3..].strip_prefix(b"(") else {
        return 3;
    };
    let end = inside
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    match end {
        Some(end) if inside[end] == b')' => 3 + end + 2,
        _ => 3,
    }
}

fn hex_digit_follows(text: &[u8]) -> bool {
    let text = text.strip_prefix(b".").unwrap_or(text);
    text.first().is_some_and(u8::is_ascii_hexdigit)
}

/// The exponent behind `letter`, and how many bytes it takes with it.
fn exponent(text: &[u8], letter: u8) -> (i64, usize) {
    if !text
        .first()
        .is_some_and(|byte| byte.eq_ignore_ascii_case(&letter))
    {
        return (0, 0);
    }
    let mut at = 1;
    let negative = text.get(1) == Some(&b'-');
    if matches!(text.get(1), Some(b'-' | b'+')) {
        at += 1;
    }
    let start = at;
    let mut value = 0i64;
    while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
        value = (value * 10 + i64::from(digit - b'0')).min(1 << 40);
        at += 1;
    }
    if at == start {
        return (0, 0);
    }
    (if negative { -value } else { value }, at)
}

fn hexadecimal(text: &[u8]) -> (Kind, usize, bool) {
    let (mut bits, mut more, mut shift) = (0u128, false, 0i64);
    let (mut at, mut point) = (0, false);
    while let Some(&byte) = text.get(at) {
        match char::from(byte).to_digit(16) {
            Some(digit) => {
                if bits >> 124 == 0 {
                    bits = bits << 4 | u128::from(digit);
                    shift -= if point { 4 } else { 0 };
                } else {
                    more |= digit != 0;
                    shift += if point { 0 } else { 4 };
                }
            }
            None if byte == b'.' && !point => point = true,
            None => break,
        }
        at += 1;
    }
    let (power, taken) = exponent(&text[at..], b'p');
    if bits == 0 {
        return (Extended::ZERO.kind, at + taken, false);
    }
    let power = (power + shift).clamp(-40_000, 40_000) as i32;
    let (kind, range) = round(Big::from(bits), power, more);
    (kind, at + taken, range)
}

fn decimal(text: &[u8]) -> (Kind, usize, bool) {
    let mut digits = Vec::new();
    let (mut at, mut point, mut any, mut more) = (0, false, false, false);
    let mut scale = 0i64;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'0'..=b'9' => {
                any = true;
                if digits.len() < DIGITS {
                    if byte != b'0' || !digits.is_empty() {
                        digits.push(byte);
                    }
                    scale -= i64::from(point);
                } else {
                    more |= byte != b'0';
                    scale += i64::from(!point);
                }
            }
            b'.' if !point => point = true,
            _ => break,
        }
        at += 1;
    }
    if !any {
        return (Extended::ZERO.kind, 0, false);
    }
    let (power, taken) = exponent(&text[at..], b'e');
    at += taken;
    if digits.is_empty() {
        return (Extended::ZERO.kind, at, false);
    }
    if more {
        digits.push(b'1');
        scale -= 1;
    }
    let power = power + scale;
    let magnitude = power + digits.len() as i64;
    if magnitude > 5_000 {
        return (Kind::Infinity, at, true);
    }
    if magnitude < -5_000 {
        return (Extended::ZERO.kind, at, true);
    }
    let number = Big::from_decimal(&digits);
    let (kind, range) = if power >= 0 {
        let mut number = number;
        number.multiply_power_of_ten(power as u32);
        round(number, 0, false)
    } else {
        let mut under = Big::from(1);
        under.multiply_power_of_ten(power.unsigned_abs() as u32);
        let (quotient, exponent, rest) = number.divide_bits(under);
        round(quotient, exponent, rest)
    };
    (kind, at, range)
}

/// The nearest number to `value` times 2 to the `exponent` and a little more if `more`; whether it
/// is out of range.
pub(crate) fn round(value: Big, exponent: i32, more: bool) -> (Kind, bool) {
    let bits = value.bits() as i32;
    if bits == 0 {
        return (Extended::ZERO.kind, false);
    }
    // How many low bits go: what is beyond 64, and what is below the least exponent.
    let drop = (bits - 64).max(LEAST_EXPONENT - exponent);
    if drop <= 0 {
        // It fits; only its highest bit moves up.
        let low = value.low();
        let up = (64 - bits).min(exponent - LEAST_EXPONENT);
        return finish(low << up, exponent - up, more && exponent < LEAST_EXPONENT);
    }
    let drop = drop.unsigned_abs();
    let half = value.bit(drop - 1);
    let below = more || value.any_below(drop - 1);
    let mut mantissa = value.shifted_low(drop);
    let mut exponent = exponent + drop as i32;
    let inexact = half || below;
    if half && (below || mantissa & 1 == 1) {
        let (sum, carried) = mantissa.overflowing_add(1);
        mantissa = sum;
        if carried {
            mantissa = 1 << 63;
            exponent += 1;
        }
    }
    finish(mantissa, exponent, inexact)
}

fn finish(mantissa: u64, exponent: i32, inexact: bool) -> (Kind, bool) {
    if exponent > GREATEST_EXPONENT {
        return (Kind::Infinity, true);
    }
    let tiny = mantissa >> 63 == 0;
    (Kind::Finite { mantissa, exponent }, tiny && inexact)
}
