//! Floating-point numbers with as few digits as tell them from their neighbours.

use std::num::FpCategory;

use super::long_double;
use crate::decimal::general;

/// The number that a unit of 4, 8 or 16 bytes is.
pub(super) fn text(unit: &[u8], is_big_endian: bool) -> String {
    let mut bytes = [0; 16];
    bytes[..unit.len()].copy_from_slice(unit);
    if is_big_endian {
        bytes[..unit.len()].reverse();
    }
    let bits = u128::from_le_bytes(bytes);
    match unit.len() {
        4 => single(f32::from_bits(bits as u32)),
        8 => double(f64::from_bits(bits as u64)),
        _ => long_double::text(bits as u64, (bits >> 64) as u16),
    }
}

fn single(number: f32) -> String {
    if let Some(text) = special(number.is_sign_negative(), number.classify()) {
        return text;
    }
    // Subnormal numbers have fewer digits.
    let least = if number.is_normal() { 6 } else { 1 };
    shortest(least, 9, |precision| {
        let text = format!("{number:.*e}", precision - 1);
        let is_it = text.parse() == Ok(number);
        (text, is_it)
    })
}

fn double(number: f64) -> String {
    if let Some(text) = special(number.is_sign_negative(), number.classify()) {
        return text;
    }
    let least = if number.is_normal() { 15 } else { 1 };
    shortest(least, 17, |precision| {
        let text = format!("{number:.*e}", precision - 1);
        let is_it = text.parse() == Ok(number);
        (text, is_it)
    })
}

/// Zero, infinity, and what is no number. The sign comes apart from the number: a conversion
/// between sizes may lose that of a NaN.
fn special(is_negative: bool, category: FpCategory) -> Option<String> {
    let sign = if is_negative { "-" } else { "" };
    let text = match category {
        FpCategory::Nan => "nan",
        FpCategory::Infinite => "inf",
        FpCategory::Zero => "0",
        FpCategory::Normal | FpCategory::Subnormal => return None,
    };
    Some(format!("{sign}{text}"))
}

/// The number in the least precision that keeps it. `text` says how it looks in one, and whether
/// that is the number.
fn shortest(least: usize, most: usize, text: impl Fn(usize) -> (String, bool)) -> String {
    let mut precision = least;
    loop {
        let (text, is_it) = text(precision);
        if is_it || precision >= most {
            return general(&text, precision);
        }
        precision += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    // What `od -t f4` and `od -t f8` of GNU coreutils 9.1 print.
    #[test]
    fn as_few_digits_as_needed() {
        for (number, wanted) in [
            (1.0, "1"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (123456.0, "123456"),
            (1234567.0, "1234567"),
            (1e9, "1e+09"),
            (-0.0, "-0"),
            (f32::INFINITY, "inf"),
            (f32::MAX, "3.4028235e+38"),
            (f32::from_bits(1), "1e-45"),
        ] {
            assert_eq!(text(&number.to_le_bytes(), false), wanted);
            assert_eq!(text(&number.to_be_bytes(), true), wanted);
        }
        assert_eq!(
            text(&1.817948654379013e185f64.to_le_bytes(), false),
            "1.817948654379013e+185"
        );
        assert_eq!(
            text(&(0.1f64 + 0.2).to_le_bytes(), false),
            "0.30000000000000004"
        );
    }
}
