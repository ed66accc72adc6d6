//! Decimal digits of binary floating-point numbers.
//!
//! A mantissa times a power of two has finitely many decimal digits. They are computed exactly,
//! with integers in limbs of nine digits.

/// A decimal number.
pub(crate) struct Decimal {
    /// Its digits from the first that is not zero.
    digits: Vec<u8>,
    /// How many of them stand behind the point. All numbers that are compared have the same.
    places: usize,
}

impl Decimal {
    /// A number times a power of two.
    pub(crate) fn new(number: u128, power: i32) -> Decimal {
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

    /// Whether it is less than another with as many digits behind the point.
    pub(crate) fn is_less(&self, other: &Decimal) -> bool {
        (self.digits.len(), &self.digits) < (other.digits.len(), &other.digits)
    }

    /// The number with so many digits, and zeros behind them. Halves go to the even digit.
    pub(crate) fn rounded(&self, precision: usize) -> Decimal {
        let mut digits = self.digits.clone();
        if precision < digits.len() {
            let zeros = digits.len() - precision;
            round(&mut digits, precision);
            digits.resize(digits.len() + zeros, b'0');
        }
        Decimal {
            digits,
            places: self.places,
        }
    }

    /// The number with so many digits behind the point, as C's `%.*f` has it.
    pub(crate) fn fixed(&self, places: usize) -> String {
        let zeros = (self.places + 1).saturating_sub(self.digits.len());
        let mut digits = vec![b'0'; zeros];
        digits.extend_from_slice(&self.digits);
        let keep = digits.len() - self.places + places;
        if keep < digits.len() {
            round(&mut digits, keep);
        } else {
            digits.resize(keep, b'0');
        }
        let text = String::from_utf8_lossy(&digits);
        let (whole, part) = text.split_at(text.len() - places);
        let point = if part.is_empty() { "" } else { "." };
        format!("{whole}{point}{part}")
    }

    /// The number like `1.25e-7`.
    pub(crate) fn scientific(&self) -> String {
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

/// Keeps the first digits, at least one. Halves go to the even digit.
fn round(digits: &mut Vec<u8>, keep: usize) {
    let is_half = digits[keep] == b'5' && digits[keep + 1..].iter().all(|digit| *digit == b'0');
    let is_odd = !(digits[keep - 1] - b'0').is_multiple_of(2);
    let goes_up = if is_half {
        is_odd
    } else {
        digits[keep] >= b'5'
    };
    digits.truncate(keep);
    if goes_up {
        increment(digits);
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

/// A number like `-1.25e-7` in the form of C's `%g` with a precision.
pub(crate) fn general(scientific: &str, precision: usize) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    let (first, rest) = digits.split_at(digits.len().min(1));
    let with_point = |whole: &str, part: &str| {
        let point = if part.is_empty() { "" } else { "." };
        format!("{sign}{whole}{point}{part}")
    };
    if exponent < -4 || exponent >= precision as i32 {
        let way = if exponent < 0 { '-' } else { '+' };
        let size = exponent.unsigned_abs();
        return format!("{}e{way}{size:02}", with_point(first, rest));
    }
    if exponent < 0 {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return with_point("0", &format!("{zeros}{digits}"));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return with_point(&format!("{digits:0<whole$}"), "");
    }
    with_point(&digits[..whole], &digits[whole..])
}
