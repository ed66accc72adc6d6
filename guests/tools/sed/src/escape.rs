//! Escapes that sed knows beside those of expressions: `\t`, `\x41`, `\o101`, `\d065`, `\cX` and so
//! on.

/// What a backslash and what follows it stand for, and how long that is with the backslash. `text`
/// starts at the backslash.
pub(crate) fn produced(text: &[u8]) -> Option<(u8, usize)> {
    Some(match *text.get(1)? {
        b'a' => (7, 2),
        b'f' => (12, 2),
        b'n' => (b'\n', 2),
        b'r' => (b'\r', 2),
        b't' => (b'\t', 2),
        b'v' => (11, 2),
        // A backslash behind it is written twice.
        b'c' if text.get(2) == Some(&b'\\') => (b'\\' ^ 0x40, 4),
        b'c' => (text.get(2)?.to_ascii_uppercase() ^ 0x40, 3),
        b'd' => number(text, 10, 3)?,
        b'o' => number(text, 8, 3)?,
        b'x' => number(text, 16, 2)?,
        _ => return None,
    })
}

fn number(text: &[u8], base: u32, most: usize) -> Option<(u8, usize)> {
    let mut value = 0;
    let mut length = 0;
    while let Some(digit) = text
        .get(2 + length)
        .and_then(|byte| char::from(*byte).to_digit(base))
    {
        value = value * base + digit;
        length += 1;
        if length == most {
            break;
        }
    }
    (length > 0).then_some((value as u8, 2 + length))
}

/// An expression with sed's escapes replaced. What they stand for is special if it is so in an
/// expression: `\x2a` repeats. Strictly by POSIX they do not count between brackets.
pub(crate) fn expression(text: &[u8], posix: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if posix && text[at] == b'[' {
            // Strictly, a backslash between brackets is one.
            let start = at + 1 + usize::from(text.get(at + 1) == Some(&b'^'));
            let end = text
                .iter()
                .skip(start + 1)
                .position(|byte| *byte == b']')
                .map_or(text.len(), |length| start + length + 2);
            out.extend_from_slice(&text[at..end]);
            at = end;
            continue;
        }
        if text[at] != b'\\' {
            out.push(text[at]);
            at += 1;
            continue;
        }
        match produced(&text[at..]) {
            Some((byte, length)) => {
                out.push(byte);
                at += length;
            }
            None => {
                let end = (at + 2).min(text.len());
                out.extend_from_slice(&text[at..end]);
                at = end;
            }
        }
    }
    out
}
