//! `long double` as x86 has it: 64 bits of mantissa with its leading one, 15 bits of exponent, a
//! sign.
//!
//! Rust has no such type.

use crate::decimal::{Decimal, general};

/// Digits that every number keeps, and as many as tell all numbers apart.
const LEAST: usize = 18;
const MOST: usize = 21;

/// The number of a mantissa and of the 16 bits above it.
pub(super) fn text(mantissa: u64, top: u16) -> String {
    let sign = if top >> 15 == 1 { "-" } else { "" };
    let exponent = i32::from(top & 0x7fff);
    let has_leading_one = mantissa >> 63 == 1;
    let text = match exponent {
        0x7fff if mantissa == 1 << 63 => "inf".to_owned(),
        0x7fff => "nan".to_owned(),
        // No processor makes this form any more, and glibc takes it as no number.
        1.. if !has_leading_one => "nan".to_owned(),
        0 if mantissa << 1 == 0 => "0".to_owned(),
        // glibc prints the form without the leading one, which is never the number that was meant.
        0 if has_leading_one => shortest(mantissa & !(1 << 63), exponent, MOST),
        0 => shortest(mantissa, exponent, 1),
        _ => shortest(mantissa, exponent, LEAST),
    };
    format!("{sign}{text}")
}

/// A positive number with as few digits as tell it from its neighbours, but at least `precision`.
fn shortest(mantissa: u64, exponent: i32, mut precision: usize) -> String {
    // Quarters of the last place, so that the borders to both neighbours are whole.
    let power = exponent.max(1) - 16383 - 63 - 2;
    let number = 4 * u128::from(mantissa);
    let is_close_below = mantissa == 1 << 63 && exponent > 1;
    let below = Decimal::new(number - if is_close_below { 1 } else { 2 }, power);
    let above = Decimal::new(number + 2, power);
    let exact = Decimal::new(number, power);
    // A border belongs to the neighbour whose mantissa is even.
    let keeps = |digits: &Decimal| {
        if mantissa.is_multiple_of(2) {
            !digits.is_less(&below) && !above.is_less(digits)
        } else {
            below.is_less(digits) && digits.is_less(&above)
        }
    };
    loop {
        let rounded = exact.rounded(precision);
        if precision >= MOST || keeps(&rounded) {
            return general(&rounded.scientific(), precision);
        }
        precision += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    // What `od -t fL` of GNU coreutils 9.1 prints on x86-64.
    #[test]
    fn numbers_of_all_sizes() {
        for (mantissa, top, wanted) in [
            (1 << 63, 0x3fff, "1"),
            (0xcccc_cccc_cccc_cccd, 0x3ffb, "0.1"),
            (u64::MAX, 0x7ffe, "1.189731495357231765e+4932"),
            (1, 0, "4e-4951"),
            (0, 0x8000, "-0"),
            (0xffc0_0000_7fc0_0000, 0, "3.35553653619197442998e-4932"),
            (1 << 63, 0xffff, "-inf"),
            (1, 0x3fff, "nan"),
        ] {
            assert_eq!(text(mantissa, top), wanted);
        }
    }
}
