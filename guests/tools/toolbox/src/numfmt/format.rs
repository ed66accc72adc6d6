//! `--format`: what stands around a number, and its width and precision.

use codepod_tool::quoted_text;

/// A format like `%10.2f`.
#[derive(Debug, Default)]
pub(super) struct Format {
    pub(super) before: Vec<u8>,
    pub(super) after: Vec<u8>,
    pub(super) is_grouped: bool,
    /// The width, filled with blanks; numbers stand left where it is negative.
    pub(super) padding: Option<i64>,
    /// The width, filled with zeros.
    pub(super) zeros: Option<u64>,
    pub(super) precision: Option<u64>,
}

impl Format {
    /// Reads a format. Fails with a message.
    pub(super) fn parse(text: &[u8]) -> Result<Format, Vec<u8>> {
        let shown = quoted_text(text);
        let wrong = |before: &[u8], after: &[u8]| Err([before, &shown, after].concat());
        let invalid = || {
            let why = b", directive must be %[0]['][-][N][.][N]f";
            wrong(b"invalid format ", why)
        };
        let Some((start, length)) = directive(text) else {
            return wrong(b"format ", b" has no % directive");
        };
        // GNU counts `%%` as one, and takes as many bytes as it has counted.
        let mut format = Format {
            before: text[..length].to_vec(),
            ..Format::default()
        };
        let mut rest = &text[start + 1..];
        let mut has_zero = false;
        while let [flag @ (b' ' | b'\'' | b'0'), behind @ ..] = rest {
            format.is_grouped |= *flag == b'\'';
            has_zero |= *flag == b'0';
            rest = behind;
        }
        let (width, behind) = match width(rest) {
            Some(found) => found,
            None => return wrong(b"invalid format ", b" (width overflow)"),
        };
        rest = behind;
        match width {
            0 => {}
            1.. if has_zero => format.zeros = Some(width.unsigned_abs()),
            _ => format.padding = Some(width),
        }
        if rest.is_empty() {
            return wrong(b"format ", b" ends in %");
        }
        if let [b'.', behind @ ..] = rest {
            let digits = behind.iter().take_while(|byte| byte.is_ascii_digit());
            let (digits, behind) = behind.split_at(digits.count());
            let precision = integer(digits)
                .filter(|_| !(digits.is_empty() && matches!(behind, [b'-' | b'+' | b' ', ..])));
            let Some(precision) = precision else {
                return wrong(b"invalid precision in format ", b"");
            };
            format.precision = Some(precision);
            rest = behind;
        }
        let [b'f', behind @ ..] = rest else {
            return invalid();
        };
        if directive(behind).is_some() {
            return wrong(b"format ", b" has too many % directives");
        }
        format.after = behind.to_vec();
        Ok(format)
    }
}

/// Where the first `%` is that is not `%%`, and how many characters stand before it.
fn directive(text: &[u8]) -> Option<(usize, usize)> {
    let (mut at, mut count) = (0, 0);
    while at < text.len() {
        at += match text[at..] {
            [b'%', b'%', ..] => 2,
            [b'%', ..] => return Some((at, count)),
            _ => 1,
        };
        count += 1;
    }
    None
}

/// A width with its sign, and what follows it; 0 where there is none. None if it is too large.
fn width(text: &[u8]) -> Option<(i64, &[u8])> {
    let (is_left, rest) = match text {
        [b'-', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => (true, rest),
        _ => (false, text),
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = rest.split_at(digits);
    let width = integer(digits)?.cast_signed();
    Some((if is_left { -width } else { width }, rest))
}

/// A number of digits; 0 for none.
fn integer(digits: &[u8]) -> Option<u64> {
    let number = digits.iter().try_fold(0u64, |number, digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    });
    number.filter(|number| i64::try_from(*number).is_ok())
}
