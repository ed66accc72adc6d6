//! The bytes of a value: short ones lie inside, long ones are shared until written.

use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many bytes lie inside.
const INLINE: usize = 14;

/// A string of bytes. Cloning is cheap; appending to one that is not shared is amortised constant
/// time.
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Inline(u8, [u8; INLINE]),
    Shared(Rc<Vec<u8>>),
}

impl Text {
    /// No bytes.
    pub const EMPTY: Text = Text(Repr::Inline(0, [0; INLINE]));

    /// These bytes.
    pub fn new(bytes: &[u8]) -> Text {
        if bytes.len() <= INLINE {
            let mut inside = [0; INLINE];
            inside[..bytes.len()].copy_from_slice(bytes);
            Text(Repr::Inline(bytes.len() as u8, inside))
        } else {
            Text(Repr::Shared(Rc::new(bytes.to_vec())))
        }
    }

    /// A number in decimal.
    pub fn number(number: i64) -> Text {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = number.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        Text::new(&digits[at..])
    }

    /// Appends bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Repr::Inline(len, inside) => {
                let old = usize::from(*len);
                let new = old + bytes.len();
                if new <= INLINE {
                    inside[old..new].copy_from_slice(bytes);
                    *len = new as u8;
                } else {
                    let mut all = Vec::with_capacity(new.max(64));
                    all.extend_from_slice(&inside[..old]);
                    all.extend_from_slice(bytes);
                    self.0 = Repr::Shared(Rc::new(all));
                }
            }
            Repr::Shared(shared) => Rc::make_mut(shared).extend_from_slice(bytes),
        }
    }

    /// The bytes as a vector, without copying where they are not shared.
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Repr::Inline(len, inside) => inside[..usize::from(len)].to_vec(),
            Repr::Shared(shared) => {
                Rc::try_unwrap(shared).unwrap_or_else(|shared| (*shared).clone())
            }
        }
    }
}

impl Deref for Text {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline(len, inside) => &inside[..usize::from(*len)],
            Repr::Shared(shared) => shared,
        }
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Text {
        if bytes.len() <= INLINE {
            Text::new(&bytes)
        } else {
            Text(Repr::Shared(Rc::new(bytes)))
        }
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Text {
        Text::new(bytes)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::new(text.as_bytes())
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::EMPTY
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl std::borrow::Borrow<[u8]> for Text {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Text) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Text) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl std::hash::Hash for Text {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(self))
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        <&'de [u8]>::deserialize(deserializer).map(Text::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, -1, 1234567890123, i64::MAX, i64::MIN] {
            assert_eq!(&*Text::number(number), number.to_string().as_bytes());
        }
    }

    #[test]
    fn a_shared_text_is_copied_when_it_is_written() {
        let mut first = Text::new(b"longer than what lies inside");
        let second = first.clone();
        first.push(b"!");
        assert_eq!(&*second, b"longer than what lies inside");
        assert_eq!(&*first, b"longer than what lies inside!");
    }

    #[test]
    fn a_short_text_grows_out_of_itself() {
        let mut text = Text::EMPTY;
        for _ in 0..10 {
            text.push(b"abc");
        }
        assert_eq!(text.len(), 30);
    }
}
