//! Lists of strings as one block: arguments and environments, each ended by a NUL.

use std::sync::Arc;

/// An immutable list of byte strings, cheap to share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strings {
    block: Arc<[u8]>,
    count: usize,
}

impl Strings {
    /// From a block in which every string is ended by a NUL. `None` when the last one is not.
    pub fn from_block(block: &[u8]) -> Option<Strings> {
        if block.last().is_some_and(|last| *last != 0) {
            return None;
        }
        let count = block.iter().filter(|byte| **byte == 0).count();
        Some(Strings {
            block: block.into(),
            count,
        })
    }

    /// From single strings. `None` when one holds a NUL.
    pub fn new<S: AsRef<[u8]>>(strings: impl IntoIterator<Item = S>) -> Option<Strings> {
        let mut block = Vec::new();
        let mut count = 0;
        for string in strings {
            let string = string.as_ref();
            if string.contains(&0) {
                return None;
            }
            block.extend_from_slice(string);
            block.push(0);
            count += 1;
        }
        Some(Strings {
            block: block.into(),
            count,
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, each ended by a NUL.
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// The block that [`Self::block`] returns, shared.
    pub fn shared_block(&self) -> Arc<[u8]> {
        self.block.clone()
    }

    /// One after the other, without the NULs.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.block
            .split_inclusive(|byte| *byte == 0)
            .map(|string| &string[..string.len() - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_and_its_strings_are_the_same() {
        let strings = Strings::new(["a", "", "bc"]).unwrap();
        assert_eq!(strings.block(), b"a\0\0bc\0");
        assert_eq!(Strings::from_block(b"a\0\0bc\0"), Some(strings.clone()));
        assert_eq!(strings.iter().collect::<Vec<_>>(), [&b"a"[..], b"", b"bc"]);
        assert_eq!(Strings::from_block(b"a\0b"), None);
        assert_eq!(Strings::new(["a\0b"]), None);
        assert_eq!(Strings::from_block(b"").unwrap().len(), 0);
    }
}
