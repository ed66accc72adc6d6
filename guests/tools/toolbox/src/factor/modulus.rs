//! Arithmetic modulo an odd number, for numbers of three sizes.
//!
//! Those of 64 and 128 bits are in Montgomery's form, which needs no divisions: a residue `a`
//! stands for `a / 2^64` or `a / 2^128`. Larger ones are plain big integers.

use num_bigint::BigUint;
use num_integer::Integer as _;
use num_traits::{PrimInt, WrappingMul, WrappingNeg, WrappingSub, Zero as _};

/// A modulus, with the residues that belong to it.
pub(super) trait Modulus {
    /// A residue, in the form that the modulus has for it.
    type Residue: Clone + PartialEq;

    /// The residue of a small number.
    fn residue(&self, number: u64) -> Self::Residue;
    /// The product of two residues.
    fn multiply(&self, first: &Self::Residue, second: &Self::Residue) -> Self::Residue;
    /// The sum of two residues.
    fn add(&self, first: &Self::Residue, second: &Self::Residue) -> Self::Residue;
    /// How far two residues are from each other.
    fn distance(&self, first: &Self::Residue, second: &Self::Residue) -> Self::Residue;
    /// The greatest common divisor of a residue and the modulus. The form does not matter to it.
    fn divisor(&self, residue: &Self::Residue) -> BigUint;
}

/// `-1 / modulus` modulo 2 to the bits of its type, for an odd modulus.
fn negative_inverse<N: PrimInt + WrappingMul + WrappingNeg + WrappingSub>(modulus: N) -> N {
    let two = N::one() + N::one();
    let mut inverse = modulus;
    // Each step doubles the bits that are right; the first three are, and 128 are enough.
    for _ in 0..6 {
        let product = modulus.wrapping_mul(&inverse);
        inverse = inverse.wrapping_mul(&two.wrapping_sub(&product));
    }
    inverse.wrapping_neg()
}

/// The sum of two residues, which never overflows.
#[inline]
fn sum<N: PrimInt>(modulus: N, first: N, second: N) -> N {
    let gap = modulus - second;
    if first >= gap {
        first - gap
    } else {
        first + second
    }
}

/// A modulus below 2^64.
pub(super) struct Small {
    modulus: u64,
    /// `-1 / modulus` modulo 2^64.
    inverse: u64,
}

impl Small {
    pub(super) fn new(modulus: u64) -> Small {
        Small {
            modulus,
            inverse: negative_inverse(modulus),
        }
    }
}

impl Modulus for Small {
    type Residue = u64;

    fn residue(&self, number: u64) -> u64 {
        let shifted = u128::from(number) << 64;
        (shifted % u128::from(self.modulus)) as u64
    }

    #[inline]
    fn multiply(&self, first: &u64, second: &u64) -> u64 {
        let product = u128::from(*first) * u128::from(*second);
        let low = (product as u64).wrapping_mul(self.inverse);
        let added = u128::from(low) * u128::from(self.modulus);
        // The low halves add up to zero, with a carry unless both are zero.
        let carry = u128::from(product as u64 != 0);
        let sum = (product >> 64) + (added >> 64) + carry;
        let modulus = u128::from(self.modulus);
        (if sum >= modulus { sum - modulus } else { sum }) as u64
    }

    #[inline]
    fn add(&self, first: &u64, second: &u64) -> u64 {
        sum(self.modulus, *first, *second)
    }

    #[inline]
    fn distance(&self, first: &u64, second: &u64) -> u64 {
        first.abs_diff(*second)
    }

    fn divisor(&self, residue: &u64) -> BigUint {
        residue.gcd(&self.modulus).into()
    }
}

/// A modulus below 2^128.
pub(super) struct Medium {
    modulus: u128,
    /// `-1 / modulus` modulo 2^128.
    inverse: u128,
    /// 2^128 modulo the modulus: the residue of 1.
    one: u128,
}

impl Medium {
    pub(super) fn new(modulus: u128) -> Medium {
        Medium {
            modulus,
            inverse: negative_inverse(modulus),
            one: (u128::MAX % modulus + 1) % modulus,
        }
    }
}

/// The product of two numbers: its high and its low half.
#[inline]
fn wide_product(first: u128, second: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a, b) = (first >> 64, first & LOW);
    let (c, d) = (second >> 64, second & LOW);
    let (low, high) = (b * d, a * c);
    let (middle, carried) = (a * d).overflowing_add(b * c);
    let (low, carry) = low.overflowing_add(middle << 64);
    let high = high + (middle >> 64) + (u128::from(carried) << 64) + u128::from(carry);
    (high, low)
}

impl Modulus for Medium {
    type Residue = u128;

    fn residue(&self, number: u64) -> u128 {
        // By doubling and adding: numbers here are small.
        let mut sum = 0;
        for bit in (0..u64::BITS - number.leading_zeros()).rev() {
            sum = self.add(&sum, &sum);
            if number >> bit & 1 == 1 {
                sum = self.add(&sum, &self.one);
            }
        }
        sum
    }

    #[inline]
    fn multiply(&self, first: &u128, second: &u128) -> u128 {
        let (high, low) = wide_product(*first, *second);
        let factor = low.wrapping_mul(self.inverse);
        let (added, _) = wide_product(factor, self.modulus);
        let (sum, overflow) = high.overflowing_add(added);
        let (sum, again) = sum.overflowing_add(u128::from(low != 0));
        if overflow || again || sum >= self.modulus {
            sum.wrapping_sub(self.modulus)
        } else {
            sum
        }
    }

    #[inline]
    fn add(&self, first: &u128, second: &u128) -> u128 {
        sum(self.modulus, *first, *second)
    }

    #[inline]
    fn distance(&self, first: &u128, second: &u128) -> u128 {
        first.abs_diff(*second)
    }

    fn divisor(&self, residue: &u128) -> BigUint {
        residue.gcd(&self.modulus).into()
    }
}

/// A modulus of any size.
pub(super) struct Large(pub(super) BigUint);

impl Modulus for Large {
    type Residue = BigUint;

    fn residue(&self, number: u64) -> BigUint {
        BigUint::from(number) % &self.0
    }

    fn multiply(&self, first: &BigUint, second: &BigUint) -> BigUint {
        first * second % &self.0
    }

    fn add(&self, first: &BigUint, second: &BigUint) -> BigUint {
        let sum = first + second;
        if sum >= self.0 { sum - &self.0 } else { sum }
    }

    fn distance(&self, first: &BigUint, second: &BigUint) -> BigUint {
        if first > second {
            first - second
        } else {
            second - first
        }
    }

    fn divisor(&self, residue: &BigUint) -> BigUint {
        if residue.is_zero() {
            return self.0.clone();
        }
        residue.gcd(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::ToPrimitive as _;

    /// A residue as a plain number: its product with the 1 that is no residue.
    fn check<M: Modulus>(modulus: &M, plain: impl Fn(&M::Residue) -> u128, number: u128) {
        let residue = |n| modulus.residue(n);
        let product = modulus.multiply(&residue(123_456_789), &residue(987_654_321));
        let sum = modulus.add(&product, &residue(77));
        let wanted = (123_456_789u128 * 987_654_321 + 77) % number;
        assert_eq!(plain(&sum), wanted);
    }

    #[test]
    fn products_and_sums_are_reduced() {
        for number in [
            3u64,
            1_000_003,
            u64::MAX,
            (1 << 63) + 1,
            0xffff_ffff_ffff_ffc5,
        ] {
            let small = Small::new(number);
            check(&small, |r| small.multiply(r, &1).into(), number.into());
            let medium = Medium::new(number.into());
            check(&medium, |r| medium.multiply(r, &1), number.into());
            let large = Large(number.into());
            check(&large, |r| r.to_u128().unwrap(), number.into());
        }
        for number in [u128::MAX, (1 << 127) + 1, (1 << 100) + 7] {
            let medium = Medium::new(number);
            check(&medium, |r| medium.multiply(r, &1), number);
            let square = medium.multiply(&(number - 1), &(number - 1));
            let big = BigUint::from(number - 1);
            let two = BigUint::from(1u8) << 128;
            let back = BigUint::from(square) * two % number;
            assert_eq!(back, &big * &big % number);
        }
    }
}
