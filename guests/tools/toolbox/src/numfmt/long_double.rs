//! Arithmetic of `long double` as x86 has it: a mantissa of 64 bits, rounded to nearest.
//!
//! GNU's `numfmt` computes with it, and its rounding shows in what is printed: `8.1K` is 8101.

use crate::decimal::{Decimal, general};

/// A number that is not too large for any exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LongDouble {
    is_negative: bool,
    /// The highest bit is set, unless the number is zero.
    mantissa: u64,
    /// The number is `mantissa` times two to this power.
    power: i32,
}

/// How a number becomes whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    Up,
    Down,
    FromZero,
    TowardsZero,
    Nearest,
}

impl From<u64> for LongDouble {
    fn from(number: u64) -> LongDouble {
        LongDouble::rounded(false, u128::from(number), 0)
    }
}

impl LongDouble {
    /// The nearest number to `number` times two to a power.
    fn rounded(is_negative: bool, number: u128, power: i32) -> LongDouble {
        let bits = 128 - number.leading_zeros();
        let (mut mantissa, mut power) = match bits.checked_sub(64) {
            None if number == 0 => (0, 0),
            None | Some(0) => (number << (64 - bits), power - (64 - bits).cast_signed()),
            Some(extra) => {
                let (mantissa, rest) = (number >> extra, number & ((1 << extra) - 1));
                let half = 1 << (extra - 1);
                let goes_up = rest > half || (rest == half && mantissa & 1 == 1);
                (mantissa + u128::from(goes_up), power + extra.cast_signed())
            }
        };
        if mantissa >> 64 == 1 {
            (mantissa, power) = (mantissa >> 1, power + 1);
        }
        LongDouble {
            is_negative,
            mantissa: mantissa as u64,
            power,
        }
    }

    /// The number with a sign.
    pub(super) fn with_sign(self, is_negative: bool) -> LongDouble {
        LongDouble {
            is_negative,
            ..self
        }
    }

    /// Ten or another base to a power.
    pub(super) fn power_of(base: u64, power: u32) -> LongDouble {
        let base = LongDouble::from(base);
        (0..power).fold(LongDouble::from(1), |product, _| product.times(base))
    }

    pub(super) fn times(self, other: LongDouble) -> LongDouble {
        LongDouble::rounded(
            self.is_negative != other.is_negative,
            u128::from(self.mantissa) * u128::from(other.mantissa),
            self.power + other.power,
        )
    }

    /// The quotient by a number that is not zero.
    pub(super) fn over(self, other: LongDouble) -> LongDouble {
        let divisor = u128::from(other.mantissa.max(1));
        let whole = u128::from(self.mantissa) << 63;
        let (quotient, rest) = (whole / divisor, whole % divisor);
        let (more, rest) = ((rest << 60) / divisor, (rest << 60) % divisor);
        // The lowest bit stands for all that follow.
        let quotient = (quotient << 60) | more | u128::from(rest > 0);
        LongDouble::rounded(
            self.is_negative != other.is_negative,
            quotient,
            self.power - other.power - 123,
        )
    }

    /// The sum with a number of the same sign.
    pub(super) fn plus(self, other: LongDouble) -> LongDouble {
        let (large, small) = if self.is_less(other) {
            (other, self)
        } else {
            (self, other)
        };
        if small.mantissa == 0 {
            return large;
        }
        let distance = (large.power - small.power).cast_unsigned();
        if distance <= 63 {
            let sum = (u128::from(large.mantissa) << distance) + u128::from(small.mantissa);
            return LongDouble::rounded(large.is_negative, sum, small.power);
        }
        // The lowest bit stands for the small number, which is below the last place.
        let sum = (u128::from(large.mantissa) << 62) | 1;
        LongDouble::rounded(large.is_negative, sum, large.power - 62)
    }

    /// Whether it is less than another, both without their signs.
    pub(super) fn is_less(self, other: LongDouble) -> bool {
        match (self.mantissa, other.mantissa) {
            (_, 0) => false,
            (0, _) => true,
            _ => (self.power, self.mantissa) < (other.power, other.mantissa),
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// The number made whole.
    pub(super) fn whole(self, round: Round) -> LongDouble {
        if self.power >= 0 {
            return self;
        }
        let shift = self.power.unsigned_abs();
        let whole = self.mantissa.checked_shr(shift).unwrap_or(0);
        let has_rest = self.mantissa != whole.checked_shl(shift).unwrap_or(0);
        let goes_out = match round {
            Round::Up => !self.is_negative,
            Round::Down => self.is_negative,
            Round::FromZero => true,
            Round::TowardsZero => false,
            Round::Nearest => {
                let half = LongDouble::rounded(self.is_negative, 1, -1);
                return self.plus(half).whole(Round::TowardsZero);
            }
        };
        let whole = LongDouble::from(whole + u64::from(has_rest && goes_out));
        // Zero has no sign.
        whole.with_sign(self.is_negative && !whole.is_zero())
    }

    /// The number as C's `%.*Lf` prints it.
    pub(super) fn fixed(self, places: usize) -> String {
        // Without the zeros at its end a number has fewer digits.
        let zeros = self.mantissa.trailing_zeros() % 64;
        let mantissa = u128::from(self.mantissa >> zeros);
        let digits = Decimal::new(mantissa, self.power + zeros.cast_signed()).fixed(places);
        let sign = if self.is_negative { "-" } else { "" };
        format!("{sign}{digits}")
    }

    /// The number as C's `%Lg` prints it.
    pub(super) fn general(self) -> String {
        const PRECISION: usize = 6;
        if self.is_zero() {
            return self.fixed(0);
        }
        let digits = Decimal::new(u128::from(self.mantissa), self.power).rounded(PRECISION);
        let sign = if self.is_negative { "-" } else { "" };
        format!("{sign}{}", general(&digits.scientific(), PRECISION))
    }
}

#[cfg(test)]
mod tests {
    use super::{LongDouble, Round};

    fn number(number: u64) -> LongDouble {
        LongDouble::from(number)
    }

    #[test]
    fn results_are_the_nearest_numbers() {
        let tenth = number(1).over(number(10));
        assert_eq!(tenth.mantissa, 0xcccc_cccc_cccc_cccd);
        assert_eq!(tenth.power, -67);
        assert_eq!(
            number(81).over(number(10)).times(number(1000)).fixed(20),
            "8100.00000000000000044409"
        );
        assert_eq!(tenth.fixed(1), "0.1");
        assert_eq!(
            number(u64::MAX).plus(number(1)).fixed(0),
            "18446744073709551616"
        );
        assert_eq!(LongDouble::power_of(10, 27).general(), "1e+27");
    }

    #[test]
    fn numbers_become_whole() {
        let minus = number(3).over(number(2)).with_sign(true);
        let whole = |round| minus.whole(round).fixed(0);
        assert_eq!(whole(Round::Up), "-1");
        assert_eq!(whole(Round::Down), "-2");
        assert_eq!(whole(Round::Nearest), "-2");
        let small = number(1).over(number(10)).with_sign(true);
        assert_eq!(small.whole(Round::Up).fixed(0), "0");
        assert_eq!(small.fixed(0), "-0");
    }
}
