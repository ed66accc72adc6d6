//! How two pieces of text compare: as bytes, as numbers of several kinds, as months, as versions,
//! at random.
//!
//! All of it is as GNU sort does it in the C locale.

use std::cmp::Ordering;

use md5::{Digest as _, Md5};

/// The kinds of comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Byte by byte.
    Bytes,
    /// `-n`: decimal numbers of any length.
    Numeric,
    /// `-g`: floating-point numbers, `inf` and `nan`.
    General,
    /// `-h`: numbers with K, M, G and so on.
    Human,
    /// `-M`: month names.
    Month,
    /// `-V`: versions within text.
    Version,
    /// `-R`: by a keyed hash.
    Random,
}

impl Order {
    pub(crate) fn compare(self, a: &[u8], b: &[u8], salt: &[u8; 16]) -> Ordering {
        match self {
            Order::Bytes => a.cmp(b),
            Order::Numeric => numeric(trim_blanks(a), trim_blanks(b)),
            Order::General => general(a, b),
            Order::Human => human(trim_blanks(a), trim_blanks(b)),
            Order::Month => month(a).cmp(&month(b)),
            Order::Version => version(a, b),
            Order::Random => hash(a, salt).cmp(&hash(b, salt)).then_with(|| a.cmp(b)),
        }
    }

    /// A number that never contradicts [`Order::compare`]: where two of them differ, the texts
    /// compare so.
    pub(crate) fn rank(self, text: &[u8], salt: &[u8; 16]) -> u64 {
        match self {
            Order::Bytes => prefix(text),
            Order::Numeric => ordered(approximate(trim_blanks(text))),
            Order::General => match float(text) {
                None => 0,
                Some(number) if number.is_nan() => 1,
                Some(number) => ordered(number),
            },
            Order::Human => {
                let text = trim_blanks(text);
                let unit = (unit(text) + 16).cast_unsigned();
                u64::from(unit) << 58 | ordered(approximate(text)) >> 6
            }
            Order::Month => month(text) as u64,
            Order::Version => 0,
            Order::Random => prefix(&hash(text, salt)),
        }
    }
}

/// What separates fields unless `-t` says otherwise. A newline counts, for `-z`.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

fn trim_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| is_blank(**byte)).count();
    &text[blanks..]
}

/// The first eight bytes as a number. What is missing counts as zero bytes.
fn prefix(text: &[u8]) -> u64 {
    match text.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut first = [0; 8];
            first[..text.len()].copy_from_slice(text);
            u64::from_be_bytes(first)
        }
    }
}

/// Floating-point numbers as integers of the same order; both zeros are one.
fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    }
}

/// The parts of a decimal number at the start of a text.
struct Decimal<'t> {
    negative: bool,
    /// Without leading zeros.
    whole: &'t [u8],
    /// Without trailing zeros.
    fraction: &'t [u8],
}

impl<'t> Decimal<'t> {
    fn of(text: &'t [u8]) -> Decimal<'t> {
        let (negative, text) = match text.split_first() {
            Some((b'-', rest)) => (true, rest),
            _ => (false, text),
        };
        let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
        let (whole, rest) = text.split_at(digits(text));
        let fraction = match rest.split_first() {
            Some((b'.', rest)) => &rest[..digits(rest)],
            _ => &[],
        };
        let zeros = whole.iter().take_while(|b| **b == b'0').count();
        let trailing = fraction.iter().rev().take_while(|b| **b == b'0').count();
        Decimal {
            negative,
            whole: &whole[zeros..],
            fraction: &fraction[..fraction.len() - trailing],
        }
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }
}

fn numeric(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (Decimal::of(a), Decimal::of(b));
    let sign = |number: &Decimal<'_>| match (number.is_zero(), number.negative) {
        (true, _) => 0,
        (false, true) => -1,
        (false, false) => 1,
    };
    let (sign_a, sign_b) = (sign(&a), sign(&b));
    if sign_a != sign_b || sign_a == 0 {
        return sign_a.cmp(&sign_b);
    }
    let size = a.whole.len().cmp(&b.whole.len());
    let size = size
        .then_with(|| a.whole.cmp(b.whole))
        .then_with(|| a.fraction.cmp(b.fraction));
    if sign_a < 0 { size.reverse() } else { size }
}

/// The nearest floating-point number. Rounding keeps the order.
fn approximate(text: &[u8]) -> f64 {
    const POWERS: [f64; 16] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    let number = Decimal::of(text);
    let digits = number.whole.len() + number.fraction.len();
    let size = if digits <= 15 {
        // Both parts of the quotient are exact, so it is rounded once.
        let whole = number.whole.iter().chain(number.fraction);
        let integer = whole.fold(0u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        integer as f64 / POWERS[number.fraction.len()]
    } else {
        let mut text = String::with_capacity(digits + 2);
        text.extend(number.whole.iter().map(|digit| char::from(*digit)));
        text.push('.');
        text.extend(number.fraction.iter().map(|digit| char::from(*digit)));
        text.parse().unwrap_or(f64::INFINITY)
    };
    if number.negative { -size } else { size }
}

fn general(a: &[u8], b: &[u8]) -> Ordering {
    // What is no number comes first, then what is called so, then the numbers.
    match (float(a), float(b)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(a), Some(b)) => a
            .partial_cmp(&b)
            .unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())),
    }
}

/// The floating-point number that a text starts with, as C's `strtod` reads it.
fn float(text: &[u8]) -> Option<f64> {
    let start = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let text = &text[start..];
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let starts = |word: &[u8]| {
        digits
            .get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    let size = if starts(b"inf") {
        f64::INFINITY
    } else if starts(b"nan") {
        f64::NAN
    } else if starts(b"0x") {
        hexadecimal(&digits[2..])?
    } else {
        decimal_float(digits)?
    };
    Some(if negative { -size } else { size })
}

fn decimal_float(text: &[u8]) -> Option<f64> {
    let count = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = count(text);
    let mut end = whole;
    if text.get(end) == Some(&b'.') {
        let fraction = count(&text[end + 1..]);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    if end == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = count(&text[end + 1 + sign..]);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    std::str::from_utf8(&text[..end]).ok()?.parse().ok()
}

fn hexadecimal(text: &[u8]) -> Option<f64> {
    let mut value = 0.0;
    let mut scale = 1.0;
    let mut digits = 0;
    let mut fraction = false;
    for &byte in text {
        match char::from(byte).to_digit(16) {
            Some(digit) => {
                value = value * 16.0 + f64::from(digit);
                digits += 1;
                if fraction {
                    scale *= 16.0;
                }
            }
            None if byte == b'.' && !fraction => fraction = true,
            None => break,
        }
    }
    (digits > 0).then_some(value / scale)
}

fn human(a: &[u8], b: &[u8]) -> Ordering {
    unit(a).cmp(&unit(b)).then_with(|| numeric(a, b))
}

/// The power of the unit behind a number, negative for a negative number, 0 for zero.
fn unit(text: &[u8]) -> i32 {
    let (sign, rest) = match text.split_first() {
        Some((b'-', rest)) => (-1, rest),
        _ => (1, text),
    };
    let mut end = 0;
    let mut zero = true;
    let mut point = false;
    for &byte in rest {
        match byte {
            b'0'..=b'9' => zero &= byte == b'0',
            b'.' if !point => point = true,
            _ => break,
        }
        end += 1;
    }
    if zero {
        return 0;
    }
    sign * match rest.get(end) {
        Some(b'k' | b'K') => 1,
        Some(b'M') => 2,
        Some(b'G') => 3,
        Some(b'T') => 4,
        Some(b'P') => 5,
        Some(b'E') => 6,
        Some(b'Z') => 7,
        Some(b'Y') => 8,
        Some(b'R') => 9,
        Some(b'Q') => 10,
        _ => 0,
    }
}

fn month(text: &[u8]) -> usize {
    const MONTHS: [&[u8; 3]; 12] = [
        b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV",
        b"DEC",
    ];
    let Some(name) = trim_blanks(text).first_chunk::<3>() else {
        return 0;
    };
    let found = MONTHS
        .iter()
        .position(|month| month.eq_ignore_ascii_case(name));
    found.map_or(0, |month| month + 1)
}

fn hash(text: &[u8], salt: &[u8; 16]) -> [u8; 16] {
    let mut md5 = Md5::new();
    md5.update(salt);
    md5.update(text);
    md5.finalize().into()
}

/// Gnulib's `filevercmp`.
pub(crate) fn version(a: &[u8], b: &[u8]) -> Ordering {
    // An empty name first, then `.`, `..`, other names with a dot, then the rest.
    let class = |name: &[u8]| match name {
        [] => 0,
        b"." => 1,
        b".." => 2,
        [b'.', ..] => 3,
        _ => 4,
    };
    let (class_a, class_b) = (class(a), class(b));
    if class_a != class_b || class_a < 3 {
        return class_a.cmp(&class_b);
    }
    let (stem_a, stem_b) = (without_suffix(a), without_suffix(b));
    let stems = version_text(stem_a, stem_b);
    if stems != Ordering::Equal || stem_a.len() == a.len() && stem_b.len() == b.len() {
        return stems;
    }
    version_text(a, b)
}

/// The name without suffixes such as `.tar.gz`.
fn without_suffix(name: &[u8]) -> &[u8] {
    let mut at = 0;
    let mut stem = 0;
    while at < name.len() {
        at += 1;
        stem = at;
        while at + 1 < name.len()
            && name[at] == b'.'
            && (name[at + 1].is_ascii_alphabetic() || name[at + 1] == b'~')
        {
            at += 2;
            while at < name.len() && (name[at].is_ascii_alphanumeric() || name[at] == b'~') {
                at += 1;
            }
        }
    }
    &name[..stem]
}

fn version_text(mut a: &[u8], mut b: &[u8]) -> Ordering {
    let is_text = |text: &[u8]| text.first().is_some_and(|byte| !byte.is_ascii_digit());
    let weight = |text: &[u8]| match text.first() {
        None => -1,
        Some(byte) if byte.is_ascii_digit() => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(*byte),
        Some(b'~') => -2,
        Some(byte) => i32::from(*byte) + 256,
    };
    while !a.is_empty() || !b.is_empty() {
        while is_text(a) || is_text(b) {
            let order = weight(a).cmp(&weight(b));
            if order != Ordering::Equal {
                return order;
            }
            a = a.get(1..).unwrap_or_default();
            b = b.get(1..).unwrap_or_default();
        }
        let number_a = take_number(&mut a);
        let number_b = take_number(&mut b);
        let order = number_a.len().cmp(&number_b.len());
        let order = order.then_with(|| number_a.cmp(number_b));
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

/// Takes the digits off a text and returns them without leading zeros.
fn take_number<'t>(text: &mut &'t [u8]) -> &'t [u8] {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    *text = rest;
    let zeros = number.iter().take_while(|b| **b == b'0').count();
    &number[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(order: Order, texts: &[&'static str]) -> Vec<&'static str> {
        let mut texts = texts.to_vec();
        texts.sort_by(|a, b| {
            let full = order.compare(a.as_bytes(), b.as_bytes(), &[0; 16]);
            let rank = order
                .rank(a.as_bytes(), &[0; 16])
                .cmp(&order.rank(b.as_bytes(), &[0; 16]));
            assert!(rank == Ordering::Equal || rank == full, "{a} {b}");
            full
        });
        texts
    }

    #[test]
    fn numbers_of_any_length_compare_by_value() {
        let texts = [
            "-10",
            "-9.5",
            "-0",
            "x",
            "0.05",
            "0.5",
            "1",
            "1.000000000000000001",
            "  2",
            "10",
            "100000000000000000000",
            "100000000000000000001",
        ];
        let mut shuffled = texts;
        shuffled.reverse();
        // Zero and what is no number are the same.
        shuffled.swap(8, 9);
        assert_eq!(sorted(Order::Numeric, &shuffled), texts);
    }

    #[test]
    fn general_numbers_have_exponents_and_names() {
        let texts = ["text", "nan", "-inf", "-1e3", "0x10", "1e2", "inf"];
        let mut shuffled = texts;
        shuffled.reverse();
        assert_eq!(sorted(Order::General, &shuffled), texts);
    }

    #[test]
    fn units_count_before_values() {
        let texts = ["-1M", "-5K", "0", "900", "1K", "1.5K", "3M", "1G"];
        let mut shuffled = texts;
        shuffled.reverse();
        assert_eq!(sorted(Order::Human, &shuffled), texts);
    }

    #[test]
    fn versions_compare_part_by_part() {
        let texts = [
            "",
            ".",
            "..",
            ".a",
            "a~",
            "a",
            "a1.tar.gz",
            "a2.tar.gz",
            "a10.zip",
            "a-1.9",
            "a-1.10",
        ];
        let mut shuffled = texts;
        shuffled.reverse();
        assert_eq!(sorted(Order::Version, &shuffled), texts);
    }

    #[test]
    fn months_are_known_by_three_letters() {
        let texts = ["nothing", "january", " FEB", "Dec"];
        let mut shuffled = texts;
        shuffled.reverse();
        assert_eq!(sorted(Order::Month, &shuffled), texts);
    }
}
