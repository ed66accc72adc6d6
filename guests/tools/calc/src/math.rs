//! The functions of bc's library: computed with more digits than are asked for, then cut.

use std::cmp::Ordering;

use crate::number::Number;

/// Digits more than asked for.
const MORE: usize = 12;

fn int(value: i64) -> Number {
    Number::integer(value)
}

fn divide(left: &Number, right: &Number, scale: usize) -> Number {
    left.divided(right, scale).unwrap_or_else(Number::zero)
}

fn is_small(number: &Number, scale: usize) -> bool {
    number.truncated(scale).is_zero()
}

/// e to a power.
pub fn exp(x: &Number, scale: usize) -> Option<Number> {
    let negative = x.is_negative();
    let x = if negative { x.negated() } else { x.clone() };
    let whole = x.to_i64().filter(|whole| *whole < 1_000_000)?;
    // Halved until small, then squared back; each squaring doubles the error.
    let extra = MORE + usize::try_from(whole).ok()? * 45 / 100 + 4;
    let work = scale + extra + 10;
    let mut halvings = 0;
    let mut small = x.with_scale(work.max(x.scale()));
    while small.compare(&int(1)) == Ordering::Greater {
        small = divide(&small, &int(2), work + halvings);
        halvings += 1;
    }
    let work = work + halvings;
    let mut term = int(1).with_scale(work);
    let mut sum = term.clone();
    let mut count = 1;
    loop {
        term = divide(&term.times(&small, work), &int(count), work);
        if is_small(&term, work) {
            break;
        }
        sum = sum.plus(&term);
        count += 1;
    }
    for _ in 0..halvings {
        sum = sum.times(&sum, work).truncated(work);
    }
    if negative {
        sum = divide(&int(1), &sum, work);
    }
    Some(sum.truncated(scale))
}

/// The natural logarithm.
pub fn ln(x: &Number, scale: usize) -> Number {
    if x.is_negative() || x.is_zero() {
        // As bc has it: a large negative number.
        return divide(
            &int(1).minus(
                &int(10)
                    .power(&int(scale as i64), 0)
                    .unwrap_or_else(Number::zero),
            ),
            &int(1),
            scale,
        );
    }
    let work = scale + MORE + x.length();
    let mut factor = int(2);
    let mut x = x.with_scale(work.max(x.scale()));
    // Roots until it is near one.
    let (low, high) = (Number::parse(b"0.5", 10), int(2));
    while x.compare(&high) != Ordering::Less || x.compare(&low) != Ordering::Greater {
        x = x.root(work).unwrap_or_else(Number::zero);
        factor = factor.times(&int(2), 0);
    }
    let base = divide(&x.minus(&int(1)), &x.plus(&int(1)), work);
    let square = base.times(&base, work).truncated(work);
    let mut power = base.clone();
    let mut sum = base;
    let mut count = 3;
    loop {
        power = power.times(&square, work).truncated(work);
        let term = divide(&power, &int(count), work);
        if term.is_zero() {
            break;
        }
        sum = sum.plus(&term);
        count += 2;
    }
    sum.times(&factor, work).truncated(scale)
}

/// A quarter of pi.
fn quarter_pi(scale: usize) -> Number {
    // Machin: pi/4 = 4 atan(1/5) - atan(1/239)
    let work = scale + MORE;
    let series = |n: i64| {
        let square = int(n * n);
        let mut power = divide(&int(1), &int(n), work);
        let mut sum = power.clone();
        let mut count = 3;
        let mut sign = true;
        loop {
            power = divide(&power, &square, work);
            let term = divide(&power, &int(count), work);
            if term.is_zero() {
                return sum;
            }
            sum = if sign {
                sum.minus(&term)
            } else {
                sum.plus(&term)
            };
            sign = !sign;
            count += 2;
        }
    };
    int(4).times(&series(5), work).minus(&series(239))
}

/// The nearest number with so many digits, so that what is exact stays exact when it is cut.
fn rounded(number: &Number, scale: usize) -> Number {
    let half = divide(
        &int(5),
        &int(10)
            .power(&int(scale as i64 + 1), 0)
            .unwrap_or_else(|| int(1)),
        scale + 1,
    );
    let moved = if number.is_negative() {
        number.minus(&half)
    } else {
        number.plus(&half)
    };
    moved.truncated(scale)
}

/// The sine.
pub fn sin(x: &Number, scale: usize) -> Number {
    let work = scale + MORE + x.length();
    let quarter = quarter_pi(work);
    let half = quarter.times(&int(4), work);
    // Into one half turn around zero.
    let turns = divide(&x.plus(&quarter.times(&int(2), work)), &half, 0);
    let turns = if x.is_negative()
        && divide(&x.plus(&quarter.times(&int(2), work)), &half, work).is_negative()
    {
        turns.minus(&int(1))
    } else {
        turns
    };
    let reduced = x.minus(&half.times(&turns, work)).with_scale(work);
    let odd = !turns
        .rest(&int(2), 0)
        .unwrap_or_else(Number::zero)
        .is_zero();
    let square = reduced.times(&reduced, work).truncated(work).negated();
    let mut term = reduced.clone();
    let mut sum = reduced;
    let mut count = 2;
    loop {
        term = divide(&term.times(&square, work), &int(count * (count + 1)), work);
        if term.is_zero() {
            break;
        }
        sum = sum.plus(&term);
        count += 2;
    }
    if odd { sum.negated() } else { sum }.truncated(scale)
}

/// The cosine.
pub fn cos(x: &Number, scale: usize) -> Number {
    let work = scale + MORE;
    let quarter = quarter_pi(work + x.length());
    let exact = sin(&x.plus(&quarter.times(&int(2), work + x.length())), work);
    rounded(&exact, scale + MORE / 2).truncated(scale)
}

/// The arc tangent.
pub fn atan(x: &Number, scale: usize) -> Number {
    let negative = x.is_negative();
    let x = if negative { x.negated() } else { x.clone() };
    let work = scale + MORE + 10;
    // atan(x) = 2 atan(x / (1 + sqrt(1 + x^2))) until it is small.
    let mut factor = 1i64;
    let mut small = x.with_scale(work.max(x.scale()));
    let limit = Number::parse(b"0.2", 10);
    while small.compare(&limit) == Ordering::Greater {
        let root = int(1)
            .plus(&small.times(&small, work))
            .root(work)
            .unwrap_or_else(Number::zero);
        small = divide(&small, &int(1).plus(&root), work);
        factor *= 2;
    }
    let square = small.times(&small, work).truncated(work).negated();
    let mut power = small.clone();
    let mut sum = small;
    let mut count = 3;
    loop {
        power = power.times(&square, work).truncated(work);
        let term = divide(&power, &int(count), work);
        if term.is_zero() {
            break;
        }
        sum = sum.plus(&term);
        count += 2;
    }
    let result = sum.times(&int(factor), work);
    if negative { result.negated() } else { result }.truncated(scale)
}

/// Bessel's function of a whole order; none for an order that is too large.
pub fn bessel(order: &Number, x: &Number, scale: usize) -> Option<Number> {
    let order = order.to_i64().filter(|order| order.abs() < 100_000)?;
    let (n, odd) = (order.abs(), order < 0 && order % 2 != 0);
    let work = scale + MORE + x.length() * 3 + 10;
    // (x/2)^n / n! * sum (-x^2/4)^k / (k! (n+k)!/n!)
    let half = divide(x, &int(2), work);
    let mut first = int(1).with_scale(work);
    for count in 1..=n {
        first = divide(&first.times(&half, work), &int(count), work);
    }
    let square = half.times(&half, work).truncated(work).negated();
    let mut term = int(1).with_scale(work);
    let mut sum = term.clone();
    let mut count = 1;
    loop {
        term = divide(&term.times(&square, work), &int(count * (n + count)), work);
        if term.is_zero() {
            break;
        }
        sum = sum.plus(&term);
        count += 1;
    }
    let result = first.times(&sum, work);
    Some(if odd { result.negated() } else { result }.truncated(scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    fn shown(number: &Number) -> String {
        number.text(&BigInt::from(10), false)
    }

    #[test]
    fn the_first_digits_are_right() {
        assert_eq!(shown(&exp(&int(1), 20).unwrap()), "2.71828182845904523536");
        assert_eq!(shown(&ln(&int(2), 20)), ".69314718055994530941");
        assert_eq!(shown(&sin(&int(1), 20)), ".84147098480789650665");
        assert_eq!(shown(&cos(&int(1), 20)), ".54030230586813971740");
        assert_eq!(
            shown(&atan(&int(1), 20).times(&int(4), 20)),
            "3.14159265358979323844"
        );
        assert_eq!(
            shown(&bessel(&int(0), &int(1), 20).unwrap()),
            ".76519768655796655144"
        );
        assert_eq!(shown(&exp(&int(-1), 20).unwrap()), ".36787944117144232159");
        assert_eq!(shown(&cos(&int(0), 20)), "1.00000000000000000000");
        assert_eq!(shown(&sin(&int(-10), 20)), ".54402111088936981340");
    }
}
