//! Decimal numbers of any length, with the rules of bc and dc for the digits behind the point.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

/// The most digits that a power may have, so that a short line cannot fill the memory.
const LARGEST_BITS: u64 = 1 << 28;

/// A number: an integer and how many of its digits are behind the point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    digits: BigInt,
    scale: usize,
}

/// Ten to a power.
fn ten(power: usize) -> BigInt {
    BigInt::from(10u32).pow(power as u32)
}

impl Number {
    /// An integer.
    pub fn integer(value: i64) -> Number {
        Number {
            digits: BigInt::from(value),
            scale: 0,
        }
    }

    /// Zero.
    pub fn zero() -> Number {
        Number::integer(0)
    }

    /// One or zero.
    pub fn truth(value: bool) -> Number {
        Number::integer(i64::from(value))
    }

    /// A number as it is written in a base: digits, capital letters, a point.
    ///
    /// Digits that the base does not have count as its largest one; a single digit is taken as it
    /// is.
    pub fn parse(text: &[u8], base: u32) -> Number {
        let (whole, fraction) = match text.iter().position(|byte| *byte == b'.') {
            Some(point) => (&text[..point], &text[point + 1..]),
            None => (text, &b""[..]),
        };
        let single = whole.len() + fraction.len() == 1;
        let value = |digit: u8| -> u32 {
            let value = match digit {
                b'0'..=b'9' => u32::from(digit - b'0'),
                _ => u32::from(digit - b'A') + 10,
            };
            if single { value } else { value.min(base - 1) }
        };
        let plain = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
        if base == 10 && plain(whole) && plain(fraction) {
            let all = [whole, fraction].concat();
            let digits = BigInt::parse_bytes(&all, 10).unwrap_or_default();
            return Number {
                digits,
                scale: fraction.len(),
            };
        }
        let mut digits = BigInt::zero();
        for digit in whole {
            digits = digits * base + value(*digit);
        }
        // A fraction keeps as many decimal digits as it has digits.
        let scale = fraction.len();
        let mut numerator = BigInt::zero();
        let mut divisor = BigInt::one();
        for digit in fraction {
            numerator = numerator * base + value(*digit);
            divisor *= base;
        }
        let behind = numerator * ten(scale) / divisor;
        Number {
            digits: digits * ten(scale) + behind,
            scale,
        }
    }

    /// How many digits are behind the point.
    pub fn scale(&self) -> usize {
        self.scale
    }

    /// How many digits there are in all, without leading zeros.
    pub fn length(&self) -> usize {
        let digits = self.digits.magnitude().to_string().len();
        if self.digits.is_zero() {
            self.scale.max(1)
        } else {
            digits.max(self.scale)
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_zero()
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        self.digits.is_negative()
    }

    /// What is before the point, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        self.truncated(0).digits.to_i64()
    }

    /// What is before the point, as a number of any size.
    pub fn to_integer(&self) -> BigInt {
        self.truncated(0).digits
    }

    /// From an integer of any size.
    pub fn from_integer(digits: BigInt) -> Number {
        Number { digits, scale: 0 }
    }

    /// The number with no more than `scale` digits behind the point.
    pub fn truncated(&self, scale: usize) -> Number {
        if self.scale <= scale {
            return self.clone();
        }
        Number {
            digits: &self.digits / ten(self.scale - scale),
            scale,
        }
    }

    /// The number with exactly `scale` digits behind the point.
    pub fn with_scale(&self, scale: usize) -> Number {
        Number {
            digits: self.at(scale),
            scale,
        }
    }

    /// The integer that it is with `scale` digits behind the point.
    fn at(&self, scale: usize) -> BigInt {
        match scale >= self.scale {
            true => &self.digits * ten(scale - self.scale),
            false => &self.digits / ten(self.scale - scale),
        }
    }

    /// The negative.
    pub fn negated(&self) -> Number {
        Number {
            digits: -&self.digits,
            scale: self.scale,
        }
    }

    /// The sum.
    pub fn plus(&self, other: &Number) -> Number {
        let scale = self.scale.max(other.scale);
        Number {
            digits: self.at(scale) + other.at(scale),
            scale,
        }
    }

    /// The difference.
    pub fn minus(&self, other: &Number) -> Number {
        self.plus(&other.negated())
    }

    /// The product, with digits as bc keeps them.
    pub fn times(&self, other: &Number, scale: usize) -> Number {
        let full = self.scale + other.scale;
        let kept = full.min(scale.max(self.scale).max(other.scale));
        Number {
            digits: &self.digits * &other.digits,
            scale: full,
        }
        .truncated(kept)
    }

    /// The quotient with `scale` digits behind the point; none for zero.
    pub fn divided(&self, other: &Number, scale: usize) -> Option<Number> {
        if other.is_zero() {
            return None;
        }
        // a / 10^s1 / (b / 10^s2) * 10^scale
        let up = scale + other.scale;
        let digits = match up >= self.scale {
            true => &self.digits * ten(up - self.scale) / &other.digits,
            false => &self.digits / (&other.digits * ten(self.scale - up)),
        };
        Some(Number { digits, scale })
    }

    /// What a division with `scale` digits leaves; none for zero.
    pub fn rest(&self, other: &Number, scale: usize) -> Option<Number> {
        let quotient = self.divided(other, scale)?;
        let kept = self.scale.max(scale + other.scale);
        let product = quotient.times(other, kept);
        Some(self.minus(&product).with_scale(kept))
    }

    /// A power with a whole exponent; none when it would be too large, or zero divides.
    pub fn power(&self, exponent: &Number, scale: usize) -> Option<Number> {
        let exponent = exponent.to_i64()?;
        if exponent == 0 {
            return Some(Number::integer(1));
        }
        let count = exponent.unsigned_abs();
        if self
            .digits
            .bits()
            .max(1)
            .checked_mul(count)
            .is_none_or(|bits| bits > LARGEST_BITS)
            && !self.digits.magnitude().is_one()
        {
            if self.is_zero() {
                return if exponent < 0 {
                    None
                } else {
                    Some(Number::zero())
                };
            }
            return None;
        }
        let full = self.scale.checked_mul(usize::try_from(count).ok()?)?;
        let raised = Number {
            digits: self.digits.pow(u32::try_from(count).unwrap_or(u32::MAX)),
            scale: full,
        };
        if exponent < 0 {
            return Number::integer(1).divided(&raised, scale);
        }
        Some(raised.truncated(full.min(scale.max(self.scale))))
    }

    /// The square root with digits as bc keeps them; none for a negative number.
    pub fn root(&self, scale: usize) -> Option<Number> {
        if self.is_negative() {
            return None;
        }
        let kept = scale.max(self.scale);
        let digits = self.at(kept * 2).sqrt();
        Some(Number {
            digits,
            scale: kept,
        })
    }

    /// Which is larger.
    pub fn compare(&self, other: &Number) -> std::cmp::Ordering {
        let scale = self.scale.max(other.scale);
        self.at(scale).cmp(&other.at(scale))
    }

    /// As it is printed in a base. Digits beyond 16 are decimal numbers with blanks in front.
    pub fn text(&self, base: &BigInt, leading_zero: bool) -> String {
        let mut out = String::new();
        if self.is_zero() {
            return "0".into();
        }
        if self.is_negative() {
            out.push('-');
        }
        let magnitude = self.digits.magnitude();
        if *base == BigInt::from(10u32) {
            let digits = magnitude.to_string();
            if self.scale == 0 {
                return out + &digits;
            }
            let padded = format!("{digits:0>width$}", width = self.scale);
            let (whole, fraction) = padded.split_at(padded.len() - self.scale);
            if whole.is_empty() && leading_zero {
                out.push('0');
            }
            return out + whole + "." + fraction;
        }
        let unit = ten(self.scale).magnitude().clone();
        let (mut whole, mut fraction) = magnitude.div_rem(&unit);
        let base_unsigned = base.magnitude();
        let small = *base_unsigned <= BigUint::from(16u32);
        let width = (base_unsigned - BigUint::one()).to_string().len();
        let mut stack = Vec::new();
        while !whole.is_zero() {
            let (rest, digit) = whole.div_rem(base_unsigned);
            stack.push(digit);
            whole = rest;
        }
        for digit in stack.iter().rev() {
            push_digit(&mut out, digit, small, width, true);
        }
        if self.scale > 0 {
            out.push('.');
            let mut power = BigUint::one();
            let mut first = true;
            while power.to_string().len() <= self.scale {
                fraction *= base_unsigned;
                let (digit, rest) = fraction.div_rem(&unit);
                fraction = rest;
                push_digit(&mut out, &digit, small, width, !first);
                first = false;
                power *= base_unsigned;
            }
        }
        out
    }

    /// The sign, for tests of zero.
    pub fn sign(&self) -> Sign {
        self.digits.sign()
    }
}

fn push_digit(out: &mut String, digit: &BigUint, small: bool, width: usize, blank: bool) {
    if small {
        let value = digit.to_u32().unwrap_or(0);
        out.push(
            char::from_digit(value, 16)
                .unwrap_or('0')
                .to_ascii_uppercase(),
        );
        return;
    }
    if blank {
        out.push(' ');
    }
    out.push_str(&format!("{digit:0>width$}", digit = digit.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        match text.strip_prefix('-') {
            Some(text) => Number::parse(text.as_bytes(), 10).negated(),
            None => Number::parse(text.as_bytes(), 10),
        }
    }

    fn shown(number: &Number) -> String {
        number.text(&BigInt::from(10), false)
    }

    #[test]
    fn digits_behind_the_point_are_kept_as_bc_does() {
        assert_eq!(
            shown(&number("1").divided(&number("3"), 5).unwrap()),
            ".33333"
        );
        assert_eq!(shown(&number("0.5").times(&number("0.5"), 0)), ".2");
        assert_eq!(shown(&number("5.5").rest(&number("2"), 0).unwrap()), "1.5");
        assert_eq!(shown(&number("-5").rest(&number("3"), 0).unwrap()), "-2");
        assert_eq!(
            shown(&number("2").power(&number("-2"), 5).unwrap()),
            ".25000"
        );
        assert_eq!(shown(&number("2").root(10).unwrap()), "1.4142135623");
        assert_eq!(number("123.45").length(), 5);
        assert!(number("9").power(&number("999999999999"), 0).is_none());
    }

    #[test]
    fn other_bases() {
        assert_eq!(number(".5").text(&BigInt::from(2), false), ".1000");
        assert_eq!(number("255.5").text(&BigInt::from(16), false), "FF.8");
        assert_eq!(
            number("1000000").text(&BigInt::from(20), false),
            " 06 05 00 00 00"
        );
        assert_eq!(shown(&Number::parse(b"FF", 16)), "255");
        assert_eq!(shown(&Number::parse(b"1.8", 16)), "1.5");
    }
}
