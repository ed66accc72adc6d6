//! Strings: bytes that are cheap to copy. Short ones are kept in place, longer ones are shared.

use std::rc::Rc;

/// How long a string in place may be.
const SHORT: usize = 14;

/// A string.
#[derive(Clone)]
pub struct Str(Form);

#[derive(Clone)]
enum Form {
    Short(u8, [u8; SHORT]),
    Long(Rc<Vec<u8>>),
}

impl Str {
    /// The empty string.
    pub const EMPTY: Str = Str(Form::Short(0, [0; SHORT]));

    /// A copy of `bytes`.
    #[inline]
    pub fn new(bytes: &[u8]) -> Str {
        if bytes.len() <= SHORT {
            let mut short = [0; SHORT];
            short[..bytes.len()].copy_from_slice(bytes);
            Str(Form::Short(bytes.len() as u8, short))
        } else {
            Str(Form::Long(Rc::new(bytes.to_vec())))
        }
    }

    /// Its bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Form::Short(length, bytes) => &bytes[..usize::from(*length)],
            Form::Long(bytes) => bytes,
        }
    }

    /// Adds bytes at the end; without a copy where nobody else has the string.
    pub fn push(&mut self, more: &[u8]) {
        match &mut self.0 {
            Form::Short(length, bytes) => {
                let old = usize::from(*length);
                if old + more.len() <= SHORT {
                    bytes[old..old + more.len()].copy_from_slice(more);
                    *length += more.len() as u8;
                } else {
                    let mut long = Vec::with_capacity((old + more.len()) * 2);
                    long.extend_from_slice(&bytes[..old]);
                    long.extend_from_slice(more);
                    self.0 = Form::Long(Rc::new(long));
                }
            }
            Form::Long(bytes) => Rc::make_mut(bytes).extend_from_slice(more),
        }
    }
}

impl From<Vec<u8>> for Str {
    fn from(bytes: Vec<u8>) -> Str {
        if bytes.len() <= SHORT {
            return Str::new(&bytes);
        }
        Str(Form::Long(Rc::new(bytes)))
    }
}

impl std::fmt::Debug for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(self.as_bytes()))
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Str {}

/// How long the character at the start of `bytes` is: what is no UTF-8 is a character by itself.
#[inline]
pub fn character(bytes: &[u8]) -> usize {
    let length = match bytes.first() {
        None => return 0,
        Some(0..=0xbf) | Some(0xf8..) => return 1,
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf7) => 4,
    };
    match bytes.get(..length) {
        Some(character) if std::str::from_utf8(character).is_ok() => length,
        _ => 1,
    }
}

/// How many characters `bytes` have.
pub fn length(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    let (mut at, mut count) = (0, 0);
    while at < bytes.len() {
        at += character(&bytes[at..]);
        count += 1;
    }
    count
}

/// Where in `bytes` character `number`, counted from 0, starts; the end when there are fewer.
pub fn offset(bytes: &[u8], number: usize) -> usize {
    if bytes.is_ascii() {
        return number.min(bytes.len());
    }
    let mut at = 0;
    for _ in 0..number {
        if at >= bytes.len() {
            break;
        }
        at += character(&bytes[at..]);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushing_keeps_copies_as_they_were() {
        let mut first = Str::new(b"0123456789abcdef");
        let second = first.clone();
        first.push(b"g");
        assert_eq!(first.as_bytes(), b"0123456789abcdefg");
        assert_eq!(second.as_bytes(), b"0123456789abcdef");
    }

    #[test]
    fn bytes_that_are_no_utf8_are_characters() {
        assert_eq!(length(b"a\xff\xc3\xa4\xc3"), 4);
        assert_eq!(offset("äöü".as_bytes(), 2), 4);
    }
}
