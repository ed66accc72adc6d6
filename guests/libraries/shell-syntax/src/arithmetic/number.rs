//! Numbers: decimal, `0x1f`, `017`, `2#101`.

/// The value, which wraps around as in bash.
pub(super) fn parse(text: &[u8]) -> Result<i64, &'static str> {
    let mut base = 10u32;
    let mut digits = text;
    if let Some(rest) = text.strip_prefix(b"0") {
        if rest.is_empty() {
            return Ok(0);
        }
        if matches!(rest[0], b'x' | b'X') {
            base = 16;
            digits = &rest[1..];
        } else {
            base = 8;
            digits = rest;
        }
    }
    let mut value = 0i64;
    let mut found_base = false;
    let mut some = false;
    let mut at = 0;
    while let Some(&byte) = digits.get(at) {
        at += 1;
        if byte == b'#' {
            // A base can be given once, and not behind 0 or 0x.
            if found_base || base != 10 {
                return Err("invalid number");
            }
            if !(2..=64).contains(&value) {
                return Err("invalid arithmetic base");
            }
            base = value as u32;
            value = 0;
            found_base = true;
            some = false;
            if digits
                .get(at)
                .is_none_or(|next| !next.is_ascii_alphanumeric() && !matches!(next, b'_' | b'@'))
            {
                return Err("invalid integer constant");
            }
            continue;
        }
        let digit = match byte {
            b'0'..=b'9' => u32::from(byte - b'0'),
            b'a'..=b'z' => u32::from(byte - b'a') + 10,
            b'A'..=b'Z' if base <= 36 => u32::from(byte - b'A') + 10,
            b'A'..=b'Z' => u32::from(byte - b'A') + 36,
            b'@' => 62,
            b'_' => 63,
            _ => break,
        };
        if digit >= base {
            return Err("value too great for base");
        }
        some = true;
        value = value
            .wrapping_mul(i64::from(base))
            .wrapping_add(i64::from(digit));
    }
    if found_base && !some {
        return Err("invalid integer constant");
    }
    Ok(value)
}
