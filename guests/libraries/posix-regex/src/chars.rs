//! Characters of byte strings: UTF-8 where it is, single bytes where it is not.

use std::cell::Cell;

/// The code of a byte that is no character: beyond all characters.
const BYTE: u32 = 0x11_0000;

thread_local! {
    /// Whether every byte is a character: the locale `C`.
    static BYTES: Cell<bool> = const { Cell::new(false) };
}

/// Says whether every byte is a character, as in the locale `C`, or text is UTF-8, as in `C.UTF-8`.
pub fn set_bytes(bytes: bool) {
    BYTES.set(bytes);
}

/// Whether every byte is a character.
pub fn is_bytes() -> bool {
    BYTES.get()
}

/// Takes the locale from the environment: `C.UTF-8` unless it names one that is not UTF-8.
pub fn set_locale() {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let bytes = named.is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        !name.contains("utf-8") && !name.contains("utf8")
    });
    set_bytes(bytes);
}

/// The character at `at` and where the next one starts. A byte that is part of no character counts
/// as one.
///
/// `at` must be inside the text.
#[inline]
pub fn next(text: &[u8], at: usize) -> (u32, usize) {
    let first = text[at];
    if first < 0x80 {
        return (u32::from(first), at + 1);
    }
    wide(text, at)
}

fn wide(text: &[u8], at: usize) -> (u32, usize) {
    let first = u32::from(text[at]);
    if BYTES.get() {
        return (first, at + 1);
    }
    match decode(&text[at..]) {
        Some((code, length)) => (code, at + length),
        None => (BYTE + first, at + 1),
    }
}

/// The character that ends at `end` and where it starts.
///
/// `end` must be above 0.
#[inline]
pub fn previous(text: &[u8], end: usize) -> (u32, usize) {
    let last = text[end - 1];
    if last < 0x80 {
        return (u32::from(last), end - 1);
    }
    if BYTES.get() {
        return (u32::from(last), end - 1);
    }
    if last & 0xc0 == 0x80 {
        for length in 2..=end.min(4) {
            let start = end - length;
            if text[start] & 0xc0 == 0x80 {
                continue;
            }
            match decode(&text[start..end]) {
                Some((code, found)) if found == length => return (code, start),
                _ => break,
            }
        }
    }
    (BYTE + u32::from(last), end - 1)
}

/// How many characters there are.
pub fn count(text: &[u8]) -> usize {
    if BYTES.get() || text.is_ascii() {
        return text.len();
    }
    let (mut at, mut count) = (0, 0);
    while at < text.len() {
        at = next(text, at).1;
        count += 1;
    }
    count
}

/// Where the character with this number starts; the end of the text for all beyond.
pub fn offset(text: &[u8], number: usize) -> usize {
    if number >= text.len() || text[..number].is_ascii() {
        if number < text.len() {
            return number;
        }
        if text.is_ascii() {
            return text.len();
        }
    }
    let mut at = 0;
    for _ in 0..number {
        if at >= text.len() {
            break;
        }
        at = next(text, at).1;
    }
    at
}

/// The code as a character, unless it stands for a byte.
pub fn char(code: u32) -> Option<char> {
    char::from_u32(code)
}

/// Appends what the code stands for.
pub fn push(code: u32, out: &mut Vec<u8>) {
    if BYTES.get() && code < 0x100 {
        out.push(code as u8);
        return;
    }
    match char::from_u32(code) {
        Some(char) => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.push((code.wrapping_sub(BYTE)) as u8),
    }
}

/// The code in lower case, where that is one character.
pub fn lower(code: u32) -> u32 {
    if code < 0x80 {
        return u32::from((code as u8).to_ascii_lowercase());
    }
    let Some(char) = char::from_u32(code).filter(|_| !BYTES.get()) else {
        return code;
    };
    let mut lower = char.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => u32::from(one),
        _ => code,
    }
}

/// The code in upper case, where that is one character.
pub fn upper(code: u32) -> u32 {
    if code < 0x80 {
        return u32::from((code as u8).to_ascii_uppercase());
    }
    let Some(char) = char::from_u32(code).filter(|_| !BYTES.get()) else {
        return code;
    };
    let mut upper = char.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => u32::from(one),
        _ => code,
    }
}

/// The character at the start and its length.
fn decode(text: &[u8]) -> Option<(u32, usize)> {
    let length = match text.first()? {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let char = std::str::from_utf8(text.get(..length)?)
        .ok()?
        .chars()
        .next()?;
    Some((u32::from(char), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walking_back_gives_the_same_characters() {
        for text in [
            &b"abc"[..],
            "aé漢😀b".as_bytes(),
            b"\xc3\xa9\xe6\xbc\xff\xc3a\x80\x80\x80\x80\xf0\x9f\x98",
            b"\xf0\x9f\x98\x80\xe2\x82",
        ] {
            let (mut at, mut forward) = (0, Vec::new());
            while at < text.len() {
                let (code, after) = next(text, at);
                forward.push((code, at));
                at = after;
            }
            let (mut end, mut back) = (text.len(), Vec::new());
            while end > 0 {
                let (code, start) = previous(text, end);
                back.push((code, start));
                end = start;
            }
            back.reverse();
            assert_eq!(forward, back);
            assert_eq!(count(text), forward.len());
            for (number, (_, start)) in forward.iter().enumerate() {
                assert_eq!(offset(text, number), *start);
            }
            assert_eq!(offset(text, forward.len()), text.len());
            assert_eq!(offset(text, 1000), text.len());
        }
    }
}
