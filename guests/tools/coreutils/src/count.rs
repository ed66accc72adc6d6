//! A number of lines or bytes as `head` and `tail` read it: digits and a suffix.

use codepod_tool::quoted;

/// The number that `text` is. Fails with GNU's message; `what` is `lines` or `bytes`.
pub(crate) fn parse(text: &[u8], what: &str) -> Result<u64, Vec<u8>> {
    let wrong = |why: &str| {
        let start = format!("invalid number of {what}: ");
        [start.as_bytes(), &quoted(text), why.as_bytes()].concat()
    };
    let bare = text.trim_ascii_start();
    let bare = bare.strip_prefix(b"+").unwrap_or(bare);
    let digits = bare.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, suffix) = bare.split_at(digits);
    let unit = unit(suffix).filter(|_| !digits.is_empty());
    let unit = unit.ok_or_else(|| wrong(""))?;
    let number = digits.iter().try_fold(0u64, |number, digit| {
        let more = number.checked_mul(10)?;
        more.checked_add(u64::from(digit - b'0'))
    });
    number
        .and_then(|number| number.checked_mul(unit?))
        .ok_or_else(|| wrong(": Value too large for defined data type"))
}

/// What a suffix multiplies by; `Some(None)` where that is more than fits.
fn unit(suffix: &[u8]) -> Option<Option<u64>> {
    let (letter, rest) = match suffix {
        [] => return Some(Some(1)),
        b"b" => return Some(Some(512)),
        [letter, rest @ ..] => (letter, rest),
    };
    let power = b"KMGTPEZY"
        .iter()
        .position(|known| known == &letter.to_ascii_uppercase())?;
    if letter.is_ascii_lowercase() && !matches!(letter, b'k' | b'm') {
        return None;
    }
    let base: u64 = match rest {
        b"" | b"iB" => 1024,
        b"B" => 1000,
        _ => return None,
    };
    Some(base.checked_pow(power as u32 + 1))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn suffixes_multiply() {
        let cases: [(&[u8], u64); 8] = [
            (b"7", 7),
            (b"+7", 7),
            (b" 7", 7),
            (b"2b", 1024),
            (b"1kB", 1000),
            (b"3K", 3072),
            (b"1MiB", 1 << 20),
            (b"1m", 1 << 20),
        ];
        for (text, number) in cases {
            assert_eq!(parse(text, "lines"), Ok(number));
        }
    }

    #[test]
    fn what_is_no_number_or_too_large_is_refused() {
        for text in [&b""[..], b"x", b"1x", b"-1", b"1kBB", b"1g"] {
            assert!(parse(text, "lines").is_err(), "{text:?}");
        }
        for text in [&b"16E"[..], b"1Y", b"99999999999999999999"] {
            let message = parse(text, "bytes").unwrap_err();
            assert!(message.ends_with(b"Value too large for defined data type"));
        }
    }
}
