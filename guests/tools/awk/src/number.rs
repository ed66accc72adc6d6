//! Numbers: from text and to text.

use crate::format;

/// Powers of ten that a double has exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The number that a text starts with; 0 when there is none.
#[inline]
pub fn leading(text: &[u8]) -> f64 {
    scan(text).0
}

/// The number that a text is, with nothing but blanks around it.
#[inline]
pub fn whole(text: &[u8]) -> Option<f64> {
    let last = *text.last()?;
    // Most texts that are no number show it at their end.
    if !last.is_ascii_digit()
        && !matches!(
            last,
            b' ' | b'\t' | b'\n' | b'.' | b'f' | b'n' | b'F' | b'N' | b'\r' | 11 | 12
        )
    {
        return None;
    }
    let (value, end) = scan(text);
    if end == 0 {
        return None;
    }
    text[end..]
        .iter()
        .all(|byte| is_blank(*byte))
        .then_some(value)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 11 | 12 | b'\r')
}

/// The number at the start and where it ends; an end of 0 when there is none.
fn scan(text: &[u8]) -> (f64, usize) {
    let mut at = 0;
    while at < text.len() && is_blank(text[at]) {
        at += 1;
    }
    let start = at;
    let mut negative = false;
    if let Some(sign @ (b'+' | b'-')) = text.get(at) {
        negative = *sign == b'-';
        at += 1;
    }
    let digits_from = at;
    let mut mantissa = 0u64;
    let mut digits = 0usize;
    let mut dropped = false;
    let mut scale = 0i32;
    while let Some(digit @ b'0'..=b'9') = text.get(at) {
        push(&mut mantissa, *digit, &mut digits, &mut dropped);
        at += 1;
    }
    let mut seen = at - digits_from;
    if text.get(at) == Some(&b'.') {
        let point = at;
        at += 1;
        while let Some(digit @ b'0'..=b'9') = text.get(at) {
            push(&mut mantissa, *digit, &mut digits, &mut dropped);
            scale -= 1;
            at += 1;
        }
        let fraction = at - point - 1;
        seen += fraction;
        if seen == 0 {
            at = point;
        }
    }
    if seen == 0 {
        return match special(&text[start..]) {
            Some(value) => (value, start + 4),
            None => (0.0, 0),
        };
    }
    let mut exponent = 0i32;
    if let Some(b'e' | b'E') = text.get(at) {
        let sign = text.get(at + 1).copied();
        let from = at + 1 + usize::from(matches!(sign, Some(b'+' | b'-')));
        let mut end = from;
        while let Some(digit @ b'0'..=b'9') = text.get(end) {
            exponent = exponent
                .saturating_mul(10)
                .saturating_add(i32::from(digit - b'0'));
            end += 1;
        }
        if end > from {
            at = end;
            if sign == Some(b'-') {
                exponent = -exponent;
            }
        } else {
            exponent = 0;
        }
    }
    let power = scale.saturating_add(exponent);
    let value = if !dropped && mantissa < 1 << 53 && power.unsigned_abs() <= 22 {
        let exact = mantissa as f64;
        match power < 0 {
            true => exact / POWERS[power.unsigned_abs() as usize],
            false => exact * POWERS[power as usize],
        }
    } else {
        let plain = &text[digits_from..at];
        std::str::from_utf8(plain)
            .ok()
            .and_then(|plain| plain.parse().ok())
            .unwrap_or(0.0)
    };
    (if negative { -value } else { value }, at)
}

#[inline]
fn push(mantissa: &mut u64, digit: u8, digits: &mut usize, dropped: &mut bool) {
    if *digits < 19 {
        *mantissa = *mantissa * 10 + u64::from(digit - b'0');
        if *mantissa != 0 {
            *digits += 1;
        }
    } else {
        *dropped = true;
    }
}

/// `+inf`, `-inf`, `+nan`, `-nan`, which need their sign.
fn special(text: &[u8]) -> Option<f64> {
    let word = text.get(1..4)?;
    let negative = match text[0] {
        b'+' => false,
        b'-' => true,
        _ => return None,
    };
    if text.get(4).is_some_and(|next| next.is_ascii_alphanumeric()) {
        return None;
    }
    let value = if word.eq_ignore_ascii_case(b"inf") {
        f64::INFINITY
    } else if word.eq_ignore_ascii_case(b"nan") {
        f64::NAN
    } else {
        return None;
    };
    Some(value.copysign(if negative { -1.0 } else { 1.0 }))
}

/// Appends a number: integers as they are, others by `format`.
#[inline]
pub fn append(number: f64, format: &[u8], out: &mut Vec<u8>) {
    if number.fract() == 0.0 && number.abs() < 1e16 {
        integer(number as i64, out);
    } else if number.is_nan() || number.is_infinite() {
        out.extend_from_slice(not_finite(number));
    } else if number.fract() == 0.0 {
        out.extend_from_slice(format!("{number:.0}").as_bytes());
    } else if format == b"%.6g" {
        format::general(number, 6, false, false, out);
    } else {
        format::one_number(format, number, out);
    }
}

/// `+inf` and its kin.
pub fn not_finite(number: f64) -> &'static [u8] {
    match (number.is_nan(), number.is_sign_negative()) {
        (true, false) => b"+nan",
        (true, true) => b"-nan",
        (false, false) => b"+inf",
        (false, true) => b"-inf",
    }
}

/// Appends an integer.
#[inline]
pub fn integer(number: i64, out: &mut Vec<u8>) {
    let mut buffer = [0u8; 20];
    let mut at = buffer.len();
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        at -= 1;
        buffer[at] = b'-';
    }
    out.extend_from_slice(&buffer[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbers_by_their_start() {
        assert_eq!(leading(b" 12abc"), 12.0);
        assert_eq!(leading(b"-1.5e3x"), -1500.0);
        assert_eq!(leading(b"1e"), 1.0);
        assert_eq!(leading(b".5."), 0.5);
        assert_eq!(leading(b"0x11"), 0.0);
        assert_eq!(leading(b"inf"), 0.0);
        assert_eq!(
            leading(b"123456789012345678901234567890"),
            123456789012345678901234567890.0
        );
        assert_eq!(leading(b"0.1"), 0.1);
        assert_eq!(leading(b"1e400"), f64::INFINITY);
    }

    #[test]
    fn a_whole_text_is_a_number_or_is_not() {
        assert_eq!(whole(b" 12 "), Some(12.0));
        assert_eq!(whole(b"12a"), None);
        assert_eq!(whole(b""), None);
        assert_eq!(whole(b" "), None);
        assert_eq!(whole(b"."), None);
        assert_eq!(whole(b"5."), Some(5.0));
        assert_eq!(whole(b"-inf"), Some(f64::NEG_INFINITY));
    }
}
