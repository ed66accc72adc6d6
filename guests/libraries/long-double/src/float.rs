//! `%f %e %g %a` of an [`Extended`].

use crate::directive::Directive;
use crate::extended::{Extended, Kind};

/// Appends a number as the letter says.
pub fn write(directive: &Directive, letter: u8, number: Extended, out: &mut Vec<u8>) {
    let sign = directive.sign(number.negative);
    let text = match number.kind {
        Kind::Nan => b"nan".to_vec(),
        Kind::Infinity => b"inf".to_vec(),
        Kind::Finite { mantissa, exponent } => match letter.to_ascii_lowercase() {
            b'f' => fixed(
                number,
                directive.precision.unwrap_or(6),
                directive.alternate,
            ),
            b'e' => scientific(
                number,
                directive.precision.unwrap_or(6),
                directive.alternate,
            ),
            b'g' => shortest(
                number,
                directive.precision.unwrap_or(6).max(1),
                directive.alternate,
            ),
            _ => {
                let text =
                    hexadecimal(mantissa, exponent, directive.precision, directive.alternate);
                let mut prefix = sign.to_vec();
                prefix.extend_from_slice(if letter == b'A' { b"0X" } else { b"0x" });
                return finish(directive, letter, &prefix, text, true, out);
            }
        },
    };
    let finite = matches!(number.kind, Kind::Finite { .. });
    finish(directive, letter, sign, text, finite, out);
}

fn finish(
    directive: &Directive,
    letter: u8,
    prefix: &[u8],
    mut text: Vec<u8>,
    zeros: bool,
    out: &mut Vec<u8>,
) {
    if letter.is_ascii_uppercase() {
        text.make_ascii_uppercase();
    }
    directive.pad_number(prefix, &text, zeros, out);
}

/// Rounds decimal digits to the first `keep`, ties to even. True when a digit came in front.
fn round_digits(digits: &mut Vec<u8>, keep: usize) -> bool {
    let Some(&next) = digits.get(keep) else {
        return false;
    };
    let odd = keep > 0 && digits[keep - 1] % 2 == 1;
    let more = digits[keep + 1..].iter().any(|digit| *digit != b'0');
    digits.truncate(keep);
    if next < b'5' || (next == b'5' && !more && !odd) {
        return false;
    }
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return false;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
    true
}

fn fixed(number: Extended, precision: usize, alternate: bool) -> Vec<u8> {
    let (mut digits, mut point) = number.digits();
    let keep = i64::from(point).saturating_add_unsigned(precision as u64);
    if keep < 0 {
        digits.clear();
    } else if round_digits(&mut digits, usize::try_from(keep).unwrap_or(usize::MAX)) {
        point += 1;
    }
    if digits.is_empty() {
        point = 0;
    }
    let mut text = Vec::new();
    let whole = point.max(0) as usize;
    if whole == 0 {
        text.push(b'0');
    }
    text.extend(digits.iter().take(whole));
    text.resize(text.len() + whole.saturating_sub(digits.len()), b'0');
    if precision > 0 || alternate {
        text.push(b'.');
    }
    let end = text.len() + precision;
    text.resize(end.min(text.len() + (-point).max(0) as usize), b'0');
    text.extend(digits.iter().skip(whole));
    text.resize(end, b'0');
    text
}

/// The digits rounded to `keep`, filled up with zeros, and the exponent of the first.
fn significant(number: Extended, keep: usize) -> (Vec<u8>, i32) {
    let (mut digits, mut point) = number.digits();
    if digits.is_empty() {
        point = 1;
    }
    if round_digits(&mut digits, keep) {
        point += 1;
        digits.truncate(keep);
    }
    digits.resize(keep, b'0');
    (digits, point - 1)
}

fn scientific(number: Extended, precision: usize, alternate: bool) -> Vec<u8> {
    let (digits, exponent) = significant(number, precision.saturating_add(1));
    with_exponent(&digits, exponent, alternate)
}

fn with_exponent(digits: &[u8], exponent: i32, alternate: bool) -> Vec<u8> {
    let mut text = vec![digits.first().copied().unwrap_or(b'0')];
    if digits.len() > 1 || alternate {
        text.push(b'.');
    }
    text.extend(digits.iter().skip(1));
    text.push(b'e');
    push_exponent(exponent, 2, &mut text);
    text
}

fn push_exponent(exponent: i32, least: usize, text: &mut Vec<u8>) {
    text.push(if exponent < 0 { b'-' } else { b'+' });
    let number = exponent.unsigned_abs().to_string();
    text.resize(text.len() + least.saturating_sub(number.len()), b'0');
    text.extend_from_slice(number.as_bytes());
}

fn shortest(number: Extended, precision: usize, alternate: bool) -> Vec<u8> {
    let (mut digits, exponent) = significant(number, precision);
    if !alternate {
        while digits.len() > 1 && digits.last() == Some(&b'0') {
            digits.pop();
        }
    }
    if exponent < -4 || i64::from(exponent) >= precision as i64 {
        return with_exponent(&digits, exponent, alternate);
    }
    let mut text = Vec::new();
    if exponent < 0 {
        text.extend_from_slice(b"0.");
        text.resize(text.len() + (-exponent - 1) as usize, b'0');
        text.extend_from_slice(&digits);
        return if digits == b"0" { b"0".to_vec() } else { text };
    }
    let whole = exponent as usize + 1;
    text.extend(digits.iter().take(whole));
    text.resize(whole, b'0');
    if digits.len() > whole || alternate {
        text.push(b'.');
        text.extend(digits.iter().skip(whole));
    }
    text
}

/// As glibc writes a `long double`: the first digit has the highest four bits.
fn hexadecimal(mantissa: u64, exponent: i32, precision: Option<usize>, alternate: bool) -> Vec<u8> {
    let (mut first, mut rest) = (mantissa >> 60, mantissa << 4);
    let mut exponent = if mantissa == 0 { 0 } else { exponent + 60 };
    let mut digits = 15;
    if let Some(precision) = precision.filter(|precision| *precision < 15) {
        let dropped = 60 - 4 * precision as u32;
        let unit = 1u64 << dropped;
        let low = mantissa & (unit - 1);
        let odd = mantissa >> dropped & 1 == 1;
        let mut kept = u128::from(mantissa & !(unit - 1));
        if low > unit / 2 || (low == unit / 2 && odd) {
            kept += u128::from(unit);
        }
        if kept >> 64 != 0 {
            // glibc: 0x1 and the exponent four higher.
            first = 1;
            exponent += 4;
            rest = 0;
        } else {
            first = (kept >> 60) as u64;
            rest = (kept << 4) as u64;
        }
        digits = precision;
    } else if precision.is_none() {
        digits = (16 - rest.trailing_zeros().min(64) as usize / 4).min(15);
        if rest == 0 {
            digits = 0;
        }
    }
    let hex = |digit: u64| b"0123456789abcdef"[(digit & 15) as usize];
    let mut text = vec![hex(first)];
    if digits > 0 || alternate || precision.is_some_and(|precision| precision > 0) {
        text.push(b'.');
    }
    for at in 0..digits as u32 {
        text.push(hex(rest >> (60 - 4 * at)));
    }
    let end = text.len() + precision.unwrap_or(0).saturating_sub(digits);
    text.resize(end, b'0');
    text.push(b'p');
    push_exponent(exponent, 1, &mut text);
    text
}
