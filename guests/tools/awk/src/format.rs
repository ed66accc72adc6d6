//! `printf`: conversions as C and gawk have them.

use crate::number;
use crate::text;
use crate::value::Value;

/// The widest a conversion may be, so that a short format cannot fill the memory.
const WIDEST: usize = 1 << 24;

/// One conversion.
#[derive(Debug, Clone, Copy, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Formats `values` by `format` onto `out`. `convfmt` makes strings of numbers.
///
/// Fails with the message of gawk when there are not enough values.
pub fn format(
    format: &[u8],
    values: &[Value],
    convfmt: &[u8],
    bytes: bool,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let mut reader = Reader::new(format, values);
    while reader.at < format.len() {
        let rest = &format[reader.at..];
        let Some(percent) = memchr::memchr(b'%', rest) else {
            out.extend_from_slice(rest);
            break;
        };
        out.extend_from_slice(&rest[..percent]);
        let start = reader.at + percent;
        reader.at = start + 1;
        if reader.skip(b'%') {
            out.push(b'%');
            continue;
        }
        let chosen = reader.chosen();
        let spec = reader.spec()?;
        let Some(&letter) = format.get(reader.at) else {
            out.extend_from_slice(&format[start..]);
            break;
        };
        if !b"cdiouxXeEfFgGsaA".contains(&letter) {
            // What is no conversion is printed as it stands.
            out.extend_from_slice(&format[start..=reader.at]);
            reader.at += 1;
            continue;
        }
        let value = reader.value(chosen)?;
        reader.at += 1;
        convert(letter, spec, value, convfmt, bytes, out);
    }
    Ok(())
}

/// Reads the conversions of a format and takes their values.
struct Reader<'a> {
    format: &'a [u8],
    /// Where in the format it is.
    at: usize,
    values: &'a [Value],
    /// How many values were taken in order.
    taken: usize,
    /// Whether values were taken by number, and whether one after the other.
    numbered: bool,
    in_order: bool,
}

impl<'a> Reader<'a> {
    fn new(format: &'a [u8], values: &'a [Value]) -> Self {
        Reader {
            format,
            at: 0,
            values,
            taken: 0,
            numbered: false,
            in_order: false,
        }
    }

    /// Whether `byte` is next, which is then read.
    fn skip(&mut self, byte: u8) -> bool {
        let is_next = self.format.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The digits that are next.
    fn digits(&self) -> &'a [u8] {
        let rest = &self.format[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        &rest[..count]
    }

    /// The number of the value that a conversion asks for: `%2$s` takes the second.
    fn chosen(&mut self) -> Option<usize> {
        let digits = self.digits();
        let behind = self.at + digits.len();
        if digits.is_empty() || self.format.get(behind) != Some(&b'$') {
            return None;
        }
        self.at = behind + 1;
        Some(decimal(digits))
    }

    /// Everything between the percent sign and the letter.
    fn spec(&mut self) -> Result<Spec, String> {
        let mut spec = Spec::default();
        self.flags(&mut spec);
        if self.format.get(self.at) == Some(&b'*') {
            let width = self.take()?.num();
            spec.left |= width < 0.0;
            spec.width = (width.abs() as usize).min(WIDEST);
            self.at += 1;
        } else {
            spec.width = self.length();
        }
        if self.skip(b'.') {
            spec.precision = self.precision()?;
        }
        while let Some(b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b't') = self.format.get(self.at) {
            self.at += 1;
        }
        Ok(spec)
    }

    fn flags(&mut self, spec: &mut Spec) {
        while let Some(flag) = self.format.get(self.at) {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                b'\'' => {}
                _ => break,
            }
            self.at += 1;
        }
    }

    /// What stands behind the point; none where the value for it is negative.
    fn precision(&mut self) -> Result<Option<usize>, String> {
        if self.format.get(self.at) != Some(&b'*') {
            return Ok(Some(self.length()));
        }
        let precision = self.take()?.num();
        self.at += 1;
        Ok((precision >= 0.0).then_some((precision as usize).min(WIDEST)))
    }

    /// A width or a precision in digits.
    fn length(&mut self) -> usize {
        let digits = self.digits();
        self.at += digits.len();
        decimal(digits).min(WIDEST)
    }

    /// The value of a conversion: the one it asks for, or the next.
    fn value(&mut self, chosen: Option<usize>) -> Result<&'a Value, String> {
        self.numbered |= chosen.is_some();
        self.in_order |= chosen.is_none();
        if self.numbered && self.in_order {
            return Err("must use `count$' on all formats or none".to_owned());
        }
        match chosen {
            Some(number) => number
                .checked_sub(1)
                .and_then(|number| self.values.get(number))
                .ok_or_else(|| self.missing()),
            None => self.take(),
        }
    }

    /// The next value.
    fn take(&mut self) -> Result<&'a Value, String> {
        let value = self.values.get(self.taken);
        self.taken += 1;
        value.ok_or_else(|| self.missing())
    }

    /// The message that there is no value for what is read.
    fn missing(&self) -> String {
        let shown = String::from_utf8_lossy(self.format);
        let caret = text::length(&self.format[..self.at]);
        let spaces = " ".repeat(caret);
        format!(
            "not enough arguments to satisfy format string\n\t`{shown}'\n\t{spaces}^ ran out for this one"
        )
    }
}

fn decimal(digits: &[u8]) -> usize {
    digits.iter().fold(0usize, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'))
    })
}

fn convert(letter: u8, spec: Spec, value: &Value, convfmt: &[u8], bytes: bool, out: &mut Vec<u8>) {
    match letter {
        b's' => {
            let text = value.str(convfmt);
            string(text.as_bytes(), spec, bytes, out);
        }
        b'c' => {
            let text = one_character(value, bytes);
            string(
                &text,
                Spec {
                    precision: None,
                    ..spec
                },
                bytes,
                out,
            );
        }
        b'd' | b'i' => integer(value.num(), spec, out),
        b'o' | b'u' | b'x' | b'X' => unsigned(letter, value.num(), spec, out),
        _ => floating(letter, value.num(), spec, out),
    }
}

/// What `%c` prints: the character of a number, or the first of a string.
fn one_character(value: &Value, bytes: bool) -> Vec<u8> {
    if let Value::Num(_) = value {
        return code(value.num(), bytes);
    }
    if let Value::Input(text) = value
        && let Some(number) = number::whole(text.as_bytes())
    {
        return code(number, bytes);
    }
    let text = value.str(b"%.6g");
    let text = text.as_bytes();
    if text.is_empty() {
        return vec![0];
    }
    let length = if bytes {
        1.min(text.len())
    } else {
        text::character(text)
    };
    text[..length].to_vec()
}

fn code(number: f64, bytes: bool) -> Vec<u8> {
    let number = number.trunc() as i64 as u32;
    match char::from_u32(number) {
        Some(character) if !bytes => character.to_string().into_bytes(),
        _ => vec![number as u8],
    }
}

fn string(mut text: &[u8], spec: Spec, bytes: bool, out: &mut Vec<u8>) {
    if let Some(precision) = spec.precision {
        let end = if bytes {
            precision.min(text.len())
        } else {
            text::offset(text, precision)
        };
        text = &text[..end];
    }
    let length = if bytes {
        text.len()
    } else {
        text::length(text)
    };
    pad(text, length, spec, out);
}

fn pad(text: &[u8], length: usize, spec: Spec, out: &mut Vec<u8>) {
    let fill = spec.width.saturating_sub(length);
    if !spec.left {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(text);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
}

/// A number with its sign or prefix, filled with zeros or blanks.
fn numeric(prefix: &[u8], digits: &[u8], spec: Spec, zeros: bool, out: &mut Vec<u8>) {
    let length = prefix.len() + digits.len();
    if zeros && !spec.left && spec.width > length {
        out.extend_from_slice(prefix);
        out.resize(out.len() + spec.width - length, b'0');
        out.extend_from_slice(digits);
        return;
    }
    let whole = [prefix, digits].concat();
    pad(&whole, length, spec, out);
}

fn sign(negative: bool, spec: Spec) -> &'static [u8] {
    match (negative, spec.plus, spec.space) {
        (true, ..) => b"-",
        (false, true, _) => b"+",
        (false, false, true) => b" ",
        _ => b"",
    }
}

fn integer(number: f64, spec: Spec, out: &mut Vec<u8>) {
    if !number.is_finite() {
        return string(
            number::not_finite(number),
            Spec {
                precision: None,
                ..spec
            },
            true,
            out,
        );
    }
    let number = number.trunc();
    let mut digits = format!("{:.0}", number.abs()).into_bytes();
    if spec.precision == Some(0) && number == 0.0 {
        digits.clear();
    }
    let least = spec.precision.unwrap_or(0);
    if digits.len() < least {
        let zeros = vec![b'0'; least - digits.len()];
        digits.splice(0..0, zeros);
    }
    let zeros = spec.zero && spec.precision.is_none();
    numeric(sign(number < 0.0, spec), &digits, spec, zeros, out);
}

fn unsigned(letter: u8, number: f64, spec: Spec, out: &mut Vec<u8>) {
    if !number.is_finite() {
        return string(
            number::not_finite(number),
            Spec {
                precision: None,
                ..spec
            },
            true,
            out,
        );
    }
    let number = number.trunc();
    // Too large for 64 bits: gawk writes it as a decimal.
    if !(-9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&number) {
        return floating(b'g', number, spec, out);
    }
    let number = if number < 0.0 {
        (number as i64).cast_unsigned()
    } else {
        number as u64
    };
    let mut digits = match letter {
        b'o' => format!("{number:o}"),
        b'x' => format!("{number:x}"),
        b'X' => format!("{number:X}"),
        _ => number.to_string(),
    }
    .into_bytes();
    if spec.precision == Some(0) && number == 0 {
        digits.clear();
    }
    let least = spec.precision.unwrap_or(0);
    if digits.len() < least {
        let zeros = vec![b'0'; least - digits.len()];
        digits.splice(0..0, zeros);
    }
    let prefix: &[u8] = match (spec.alternate && number != 0, letter) {
        (true, b'x') => b"0x",
        (true, b'X') => b"0X",
        (true, b'o') if digits.first() != Some(&b'0') => b"0",
        _ => b"",
    };
    let zeros = spec.zero && spec.precision.is_none();
    numeric(prefix, &digits, spec, zeros, out);
}

fn floating(letter: u8, number: f64, spec: Spec, out: &mut Vec<u8>) {
    if !number.is_finite() {
        return string(
            number::not_finite(number),
            Spec {
                precision: None,
                ..spec
            },
            true,
            out,
        );
    }
    let magnitude = number.abs();
    let precision = spec.precision.unwrap_or(6).min(5000);
    let mut digits = Vec::new();
    match letter {
        b'f' | b'F' => {
            digits = format!("{magnitude:.precision$}").into_bytes();
            if spec.alternate && precision == 0 {
                digits.push(b'.');
            }
        }
        b'e' | b'E' => exponential(
            magnitude,
            precision,
            spec.alternate,
            letter == b'E',
            &mut digits,
        ),
        b'a' | b'A' => hexadecimal(magnitude, spec.precision, letter == b'A', &mut digits),
        _ => general(
            magnitude,
            precision,
            spec.alternate,
            letter == b'G',
            &mut digits,
        ),
    }
    numeric(
        sign(number.is_sign_negative(), spec),
        &digits,
        spec,
        spec.zero,
        out,
    );
}

/// `1.5e+10`
fn exponential(magnitude: f64, precision: usize, alternate: bool, upper: bool, out: &mut Vec<u8>) {
    let text = format!("{magnitude:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    out.extend_from_slice(mantissa.as_bytes());
    if alternate && precision == 0 {
        out.push(b'.');
    }
    out.push(if upper { b'E' } else { b'e' });
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => (b'-', digits),
        None => (b'+', exponent),
    };
    out.push(sign);
    if digits.len() < 2 {
        out.push(b'0');
    }
    out.extend_from_slice(digits.as_bytes());
}

/// `%g` of any number.
pub fn general(number: f64, precision: usize, alternate: bool, upper: bool, out: &mut Vec<u8>) {
    let precision = precision.max(1);
    if number.is_sign_negative() {
        out.push(b'-');
    }
    let magnitude = number.abs();
    let text = format!("{magnitude:.*e}", precision - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |digits: &str, out: &mut Vec<u8>| {
        let digits = match digits.contains('.') && !alternate {
            true => digits.trim_end_matches('0').trim_end_matches('.'),
            false => digits,
        };
        out.extend_from_slice(digits.as_bytes());
    };
    if exponent < -4 || exponent >= precision as i32 {
        trim(mantissa, out);
        out.push(if upper { b'E' } else { b'e' });
        out.push(if exponent < 0 { b'-' } else { b'+' });
        out.extend_from_slice(format!("{:02}", exponent.abs()).as_bytes());
    } else {
        let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
        trim(&format!("{magnitude:.decimals$}"), out);
    }
}

/// `0x1.8p+1`
fn hexadecimal(magnitude: f64, precision: Option<usize>, upper: bool, out: &mut Vec<u8>) {
    let bits = magnitude.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as i64;
    let mut fraction = bits & ((1 << 52) - 1);
    let mut lead = u64::from(exponent != 0);
    exponent = match (exponent, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => exponent - 1023,
    };
    let mut digits = 13;
    if let Some(precision) = precision.filter(|precision| *precision < 13) {
        let shift = 52 - 4 * precision as u32;
        let all = (lead << 52) | fraction;
        let (half, rest) = (1u64 << (shift - 1), all & ((1 << shift) - 1));
        let mut kept = all >> shift;
        if rest > half || (rest == half && kept & 1 == 1) {
            kept += 1;
        }
        lead = kept >> (4 * precision);
        fraction = kept & ((1u64 << (4 * precision)) - 1);
        digits = precision;
    }
    let mut text = format!("{fraction:0digits$x}");
    if digits == 0 {
        text.clear();
    }
    match precision {
        None => text.truncate(text.trim_end_matches('0').len()),
        Some(precision) => text.extend(std::iter::repeat_n('0', precision.saturating_sub(13))),
    }
    let point = if text.is_empty() { "" } else { "." };
    let whole = format!("0x{lead}{point}{text}p{exponent:+}");
    out.extend_from_slice(if upper { whole.to_uppercase() } else { whole }.as_bytes());
}

/// A number by a format with one conversion: `CONVFMT` and `OFMT`.
pub fn one_number(form: &[u8], number: f64, out: &mut Vec<u8>) {
    // What cannot be filled is left out, as there is one value only.
    let _ = format(form, &[Value::Num(number)], b"%.6g", false, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(form: &str, values: &[Value]) -> String {
        let mut out = Vec::new();
        format(form.as_bytes(), values, b"%.6g", false, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_written_as_c_does() {
        let n = Value::Num;
        assert_eq!(
            shown(
                "%5d|%-5d|%05d|%+d|%.3d",
                &[n(42.9), n(-42.0), n(42.0), n(7.0), n(5.0)]
            ),
            "   42|-42  |00042|+7|005"
        );
        assert_eq!(
            shown(
                "%x|%X|%#x|%o|%#o",
                &[n(255.0), n(255.0), n(255.0), n(8.0), n(8.0)]
            ),
            "ff|FF|0xff|10|010"
        );
        assert_eq!(
            shown(
                "%e|%.2f|%g|%g|%G",
                &[n(12345.678), n(2.675), n(1e-5), n(100_000.0), n(1e-10)]
            ),
            "1.234568e+04|2.67|1e-05|100000|1E-10"
        );
        assert_eq!(
            shown("%*d|%.*f", &[n(-4.0), n(1.0), n(1.0), n(2.25)]),
            "1   |2.2"
        );
        assert_eq!(shown("%a", &[n(1.5)]), "0x1.8p+0");
        assert_eq!(
            shown(
                "%c%c",
                &[n(228.0), Value::Str(crate::text::Str::new(b"xyz"))]
            ),
            "äx"
        );
    }
}
