//! Escape sequences in the values of options, and numbers.

/// The bytes that a text with escape sequences stands for. Unknown sequences stay as they are.
pub(super) fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        let Some((&letter, behind)) = rest.split_first().filter(|_| byte == b'\\') else {
            bytes.push(byte);
            continue;
        };
        rest = behind;
        match letter {
            b'x' => rest = number(&mut bytes, rest, 16, b"\\x"),
            b'0' => rest = number(&mut bytes, rest, 8, b""),
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            // Nothing follows it.
            b'c' => break,
            b'f' => bytes.push(12),
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'v' => bytes.push(11),
            _ => bytes.extend([b'\\', letter]),
        }
    }
    bytes
}

/// Adds the byte of up to three digits, or `without` where there are none. Returns what is behind
/// them.
fn number<'a>(bytes: &mut Vec<u8>, text: &'a [u8], base: u32, without: &[u8]) -> &'a [u8] {
    let digits: Vec<u32> = text
        .iter()
        .take(3)
        .map_while(|byte| char::from(*byte).to_digit(base))
        .collect();
    if digits.is_empty() && !without.is_empty() {
        bytes.extend(without);
    } else {
        let value = digits.iter().fold(0, |value, digit| value * base + digit);
        bytes.push((value & 0xff) as u8);
    }
    &text[digits.len()..]
}

/// A number in decimal, octal (`010`) or hexadecimal (`0x10`).
pub(super) fn integer(text: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(text).ok()?.trim_start();
    let text = text.strip_prefix('+').unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    let (digits, base) = match (lower.strip_prefix("0x"), lower.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (&lower[..], 10),
    };
    if digits.starts_with('+') {
        return None;
    }
    usize::from_str_radix(digits, base).ok()
}
