//! Sums, products and comparisons, rounded as the processor does it: to the nearest, ties to even.

use std::cmp::Ordering;
use std::ops::{Add, Mul};

use crate::big::Big;
use crate::extended::{Extended, Kind, round};

/// How far the larger operand of a sum moves up: both then fit into 128 bits.
const ROOM: u32 = 62;

/// The result of an operation that has none. The processor gives it a sign.
const NAN: Extended = Extended {
    negative: true,
    kind: Kind::Nan,
};

impl Extended {
    /// Whether it is less than zero.
    pub fn is_below_zero(self) -> bool {
        self.negative && self.kind != Kind::Nan && !self.is_zero()
    }

    /// Whether it is zero, with either sign.
    pub fn is_zero(self) -> bool {
        matches!(self.kind, Kind::Finite { mantissa: 0, .. })
    }

    /// The nearest `double`, give or take the last bit.
    pub fn to_f64(self) -> f64 {
        let magnitude = match self.kind {
            Kind::Nan => f64::NAN,
            Kind::Infinity => f64::INFINITY,
            Kind::Finite { mantissa, exponent } => {
                // In two steps: the power alone may be out of range where the product is not.
                let half = exponent / 2;
                mantissa as f64 * 2f64.powi(half) * 2f64.powi(exponent - half)
            }
        };
        if self.negative { -magnitude } else { magnitude }
    }

    fn finite(negative: bool, value: u128, exponent: i32, more: bool) -> Extended {
        let (kind, _) = round(Big::from(value), exponent, more);
        Extended { negative, kind }
    }

    /// The order of the numbers without their signs.
    fn cmp_magnitude(self, other: Extended) -> Ordering {
        let rank = |kind| match kind {
            // Mantissas are as long as they can be, so the exponent decides first.
            Kind::Finite { mantissa, exponent } => (0, exponent, mantissa),
            Kind::Infinity | Kind::Nan => (1, 0, 0),
        };
        rank(self.kind).cmp(&rank(other.kind))
    }
}

impl Mul for Extended {
    type Output = Extended;

    fn mul(self, other: Extended) -> Extended {
        let negative = self.negative != other.negative;
        match (self.kind, other.kind) {
            (Kind::Nan, _) => self,
            (_, Kind::Nan) => other,
            (Kind::Infinity, _) | (_, Kind::Infinity) if self.is_zero() || other.is_zero() => NAN,
            (Kind::Infinity, _) | (_, Kind::Infinity) => Extended {
                negative,
                kind: Kind::Infinity,
            },
            (
                Kind::Finite { mantissa, exponent },
                Kind::Finite {
                    mantissa: factor,
                    exponent: power,
                },
            ) => {
                let product = u128::from(mantissa) * u128::from(factor);
                Extended::finite(negative, product, exponent + power, false)
            }
        }
    }
}

impl Add for Extended {
    type Output = Extended;

    fn add(self, other: Extended) -> Extended {
        let (larger, smaller) = match self.cmp_magnitude(other) {
            Ordering::Less => (other, self),
            _ => (self, other),
        };
        let (top, top_exponent, low, low_exponent) = match (larger.kind, smaller.kind) {
            (
                Kind::Finite { mantissa, exponent },
                Kind::Finite {
                    mantissa: low,
                    exponent: low_exponent,
                },
            ) => (mantissa, exponent, low, low_exponent),
            (_, Kind::Nan) => return smaller,
            (Kind::Infinity, Kind::Infinity) if larger.negative != smaller.negative => {
                return NAN;
            }
            _ => return larger,
        };
        let top = u128::from(top) << ROOM;
        let low = u128::from(low) << ROOM;
        let down = top_exponent.abs_diff(low_exponent);
        let shifted = low.checked_shr(down).unwrap_or(0);
        let lost = shifted.checked_shl(down).unwrap_or(0) != low;
        let exponent = top_exponent - ROOM as i32;
        if larger.negative == smaller.negative {
            return Extended::finite(larger.negative, top + shifted, exponent, lost);
        }
        // What was lost makes the difference a little less.
        let difference = top - shifted - u128::from(lost);
        let negative = larger.negative && difference != 0;
        Extended::finite(negative, difference, exponent, lost)
    }
}

impl PartialOrd for Extended {
    fn partial_cmp(&self, other: &Extended) -> Option<Ordering> {
        if self.kind == Kind::Nan || other.kind == Kind::Nan {
            return None;
        }
        if self.is_zero() && other.is_zero() {
            return Some(Ordering::Equal);
        }
        Some(match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(*other),
            (true, true) => other.cmp_magnitude(*self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Directive, write};

    fn number(text: &str) -> Extended {
        Extended::read(text.as_bytes()).number
    }

    fn shown(number: Extended) -> String {
        let mut out = Vec::new();
        write(&Directive::default(), b'a', number, &mut out);
        String::from_utf8(out).unwrap()
    }

    // What gcc's long double gives on x86-64.
    #[test]
    fn sums_are_rounded_to_64_bits() {
        for (first, second, sum) in [
            ("0.1", "0.2", "0x9.99999999999999ap-5"),
            ("1", "-1", "0x0p+0"),
            ("1", "0x1p-64", "0x8p-3"),
            ("1", "-0x1p-64", "0xf.fffffffffffffffp-4"),
            ("1", "-0x1p-66", "0x8p-3"),
            ("1", "0x1.8p-64", "0x8.000000000000001p-3"),
            ("-3", "1e4000", "0xd.1ba8323fe558c61p+13284"),
            ("inf", "-inf", "-nan"),
            ("-inf", "1", "-inf"),
        ] {
            assert_eq!(
                shown(number(first) + number(second)),
                sum,
                "{first} {second}"
            );
        }
    }

    #[test]
    fn products_are_rounded_to_64_bits() {
        for (first, second, product) in [
            ("0.1", "3", "0x9.99999999999999ap-5"),
            ("-2", "0.5", "-0x8p-3"),
            ("0x1p16000", "0x1p16000", "inf"),
            ("0x1p-16000", "0x1p-16000", "0x0p+0"),
            ("0", "inf", "-nan"),
        ] {
            assert_eq!(
                shown(number(first) * number(second)),
                product,
                "{first} {second}"
            );
        }
    }

    #[test]
    fn numbers_are_ordered() {
        let ordered = [
            "-inf", "-1e10", "-0.5", "0", "1e-4940", "0.5", "0.6", "7", "inf",
        ];
        for pair in ordered.windows(2) {
            assert!(number(pair[0]) < number(pair[1]), "{pair:?}");
        }
        assert_eq!(
            number("0").partial_cmp(&number("-0")),
            Some(Ordering::Equal)
        );
        assert_eq!(number("nan").partial_cmp(&number("1")), None);
    }
}
