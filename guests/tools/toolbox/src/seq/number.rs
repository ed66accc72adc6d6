//! An operand of `seq`: its value, and how it is written.

use codepod_long_double::{Extended, Kind};
use codepod_tool::{Stop, Usage, quoted_text};

/// A number.
#[derive(Clone)]
pub(super) struct Number {
    pub(super) value: Extended,
    /// How many digits it has behind the point when it is written without an exponent; none where
    /// that is not known.
    pub(super) precision: Option<usize>,
    /// How wide its sign and the digits before the point are; 0 where that is not known.
    pub(super) whole: usize,
    /// Its digits, if it has nothing else.
    pub(super) digits: Option<Vec<u8>>,
}

impl Number {
    pub(super) fn one() -> Number {
        Number {
            value: Extended::from_integer(1),
            precision: Some(0),
            whole: 1,
            digits: Some(b"1".to_vec()),
        }
    }

    /// Fails with GNU's message where `text` is no number.
    pub(super) fn parse(text: &[u8]) -> Result<Number, Stop> {
        let wrong = |what: &[u8]| {
            let message = [b"invalid ", what, b": ", &quoted_text(text)].concat();
            Stop::from(Usage::new(message))
        };
        let read = Extended::read(text);
        let overflow = read.range && read.number.kind == Kind::Infinity;
        if read.taken == 0 || read.taken < text.len() || overflow {
            return Err(wrong(b"floating point argument"));
        }
        if read.number.kind == Kind::Nan {
            return Err(wrong(b"'not-a-number' argument"));
        }
        let text = text.trim_ascii_start();
        let text = text.strip_prefix(b"+").unwrap_or(text);
        let is_hex = text.iter().any(|byte| byte.eq_ignore_ascii_case(&b'x'));
        let value = read.number;
        if is_hex || value.kind == Kind::Infinity {
            let is_whole = !text.contains(&b'.') && !text.contains(&b'p');
            return Ok(Number {
                value,
                precision: is_whole.then_some(0),
                whole: 0,
                digits: None,
            });
        }
        let (precision, whole) = layout(text);
        let is_digits = text.iter().all(u8::is_ascii_digit);
        Ok(Number {
            value,
            precision: Some(precision),
            whole,
            digits: is_digits.then(|| text.to_vec()),
        })
    }

    /// The number times 10 to the `power`, if it is whole then and small enough.
    pub(super) fn scaled(&self, power: usize) -> Option<i64> {
        let power = u32::try_from(power).ok()?;
        let factor = Extended::from_integer(10u64.checked_pow(power)?);
        let product = self.value * factor;
        let Kind::Finite { mantissa, exponent } = product.kind else {
            return None;
        };
        // The nearest whole number: a decimal fraction is none exactly.
        let down = u32::try_from(-exponent).ok()?;
        let half = 1u64.checked_shl(down.checked_sub(1)?).unwrap_or(0);
        let rounded = u128::from(mantissa) + u128::from(half);
        let magnitude = rounded.checked_shr(down).unwrap_or(0);
        let magnitude = i64::try_from(magnitude).ok().filter(|n| *n < LARGEST)?;
        Some(if product.negative {
            -magnitude
        } else {
            magnitude
        })
    }
}

/// Below this a `long double` keeps every decimal digit of a sum, with some bits to spare.
const LARGEST: i64 = 1 << 58;

/// The digits behind the point of a decimal number, and the width of what stands before it.
fn layout(text: &[u8]) -> (usize, usize) {
    let end = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = text.split_at(end.unwrap_or(text.len()));
    let exponent = exponent.get(1..).map_or(0, power);
    let unsigned = mantissa.strip_prefix(b"-").unwrap_or(mantissa);
    let point = unsigned.iter().position(|byte| *byte == b'.');
    let whole = point.unwrap_or(unsigned.len());
    let fraction = unsigned.len() - point.map_or(unsigned.len(), |point| point + 1);
    let sign = mantissa.len() - unsigned.len();
    // The exponent moves the point; to the left it leaves the digits before it as they are.
    let precision = (fraction as i64).saturating_sub(exponent).max(0);
    let whole = (sign + whole.max(1)).saturating_add(exponent.max(0) as usize);
    (precision as usize, whole)
}

/// The number behind the `e`; what is too large for `long double` anyway is not told apart.
fn power(text: &[u8]) -> i64 {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+"));
    let value = digits.unwrap_or(text).iter().fold(0i64, |value, digit| {
        (value * 10 + i64::from(digit - b'0')).min(i64::from(i32::MAX))
    });
    if text.starts_with(b"-") {
        -value
    } else {
        value
    }
}
