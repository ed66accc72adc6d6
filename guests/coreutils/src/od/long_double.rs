//! `long double` as x86 has it: 64 bits of mantissa with its leading one, 15 bits of exponent, a sign.
//!
//! Rust has no such type. The number is a mantissa times a power of two, so its decimal digits are
//! computed exactly, with integers in limbs of nine digits.

use super::float::general;

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

/// A decimal number.
struct Decimal {
    /// Its digits from the first that is not zero.
    digits: Vec<u8>,
    /// How many of them stand behind the point. All numbers that are compared have the same.
    places: usize,
}

impl Decimal {
    /// A number times a power of two.
    fn new(number: u128, power: i32) -> Decimal {
        const LIMB: u128 = 1_000_000_000;
        let mut limbs = Vec::new();
        let mut rest = number;
        while rest > 0 {
            limbs.push((rest % LIMB) as u32);
            rest /= LIMB;
        }
        // A half is five tenths: every power below zero makes a place.
        let (factor, at_once) = if power < 0 { (5u64, 12) } else { (2, 29) };
        let mut left = power.unsigned_abs();
        while left > 0 {
            let step = left.min(at_once);
            multiply(&mut limbs, factor.pow(step));
            left -= step;
        }
        let text: String = limbs
            .iter()
            .rev()
            .map(|limb| format!("{limb:09}"))
            .collect();
        Decimal {
            digits: text.trim_start_matches('0').into(),
            places: if power < 0 {
                power.unsigned_abs() as usize
            } else {
                0
            },
        }
    }

    fn is_less(&self, other: &Decimal) -> bool {
        (self.digits.len(), &self.digits) < (other.digits.len(), &other.digits)
    }

    /// The number with so many digits, and zeros behind them. Halves go to the even digit.
    fn rounded(&self, precision: usize) -> Decimal {
        let length = self.digits.len();
        let mut digits = self.digits.clone();
        if precision < length {
            let is_half = digits[precision] == b'5'
                && digits[precision + 1..].iter().all(|digit| *digit == b'0');
            let is_odd = !(digits[precision - 1] - b'0').is_multiple_of(2);
            let goes_up = if is_half {
                is_odd
            } else {
                digits[precision] >= b'5'
            };
            digits.truncate(precision);
            if goes_up {
                increment(&mut digits);
            }
            // Ten times as much has one digit more before the zeros.
            let length = length + digits.len() - precision;
            digits.resize(length, b'0');
        }
        Decimal {
            digits,
            places: self.places,
        }
    }

    /// The number like `1.25e-7`.
    fn scientific(&self) -> String {
        let digits = String::from_utf8_lossy(&self.digits);
        let exponent = self.digits.len() as i64 - 1 - self.places as i64;
        let (first, rest) = digits.split_at(digits.len().min(1));
        format!("{first}.{}e{exponent}", rest.trim_end_matches('0'))
    }
}

/// Multiplies a number in limbs of nine digits.
fn multiply(limbs: &mut Vec<u32>, factor: u64) {
    const LIMB: u64 = 1_000_000_000;
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let product = u64::from(*limb) * factor + carry;
        *limb = (product % LIMB) as u32;
        carry = product / LIMB;
    }
    while carry > 0 {
        limbs.push((carry % LIMB) as u32);
        carry /= LIMB;
    }
}

/// Adds one to a number in digits.
fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
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
