//! Base64, for passwords and certificates.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64, with `=` at the end.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let number = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= group.len() { digit.into() } else { '=' });
        }
    }
    text
}

/// The bytes of base64; white space does not count. `None` for what is not base64.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut number, mut digits, mut ended) = (0u32, 0, false);
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        if *byte == b'=' {
            ended = true;
            continue;
        }
        let digit = DIGITS.iter().position(|digit| digit == byte)?;
        if ended {
            return None;
        }
        number = number << 6 | digit as u32;
        digits += 1;
        if digits % 4 == 0 {
            bytes.extend(&number.to_be_bytes()[1..]);
            number = 0;
        }
    }
    match digits % 4 {
        0 => {}
        2 => bytes.push((number >> 4) as u8),
        3 => bytes.extend([(number >> 10) as u8, (number >> 2) as u8]),
        _ => return None,
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"user:pass\xff", "dXNlcjpwYXNz/w=="),
        ] {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text.as_bytes()).as_deref(), Some(bytes));
        }
        for bad in ["A", "AAAAA", "AA*A", "AA==AA"] {
            assert_eq!(decode(bad.as_bytes()), None, "{bad}");
        }
    }
}
