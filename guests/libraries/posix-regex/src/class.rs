//! Bracket expressions.

#[cfg(feature = "fast")]
mod list;

use crate::chars;
pub(crate) use crate::named::Named;

/// A set of characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Class {
    /// The ASCII characters in it, negation done.
    ascii: u128,
    /// All but these.
    negated: bool,
    /// Ranges, as far as they lie beyond ASCII.
    ranges: Vec<(u32, u32)>,
    /// Named classes.
    named: Vec<Named>,
    /// Bytes that are no characters: they are in it only when they are named, never by negation.
    bytes: Vec<u32>,
}

/// Whether a character belongs to a word: letters, digits and `_`.
pub(crate) fn is_word(code: u32) -> bool {
    code == u32::from(b'_') || Named::Alnum.holds(code)
}

impl Class {
    /// `\w`, `\s` and, negated, `\W`, `\S`.
    pub(crate) fn escape(letter: u8) -> Class {
        let mut class = Class::default();
        if letter.eq_ignore_ascii_case(&b'w') {
            class.add_named(Named::Alnum);
            class.add_range(b'_'.into(), b'_'.into());
        } else {
            class.add_named(Named::Space);
        }
        class.finish(letter.is_ascii_uppercase());
        class
    }

    /// Adds a range, both ends included.
    pub(crate) fn add_range(&mut self, first: u32, last: u32) {
        for code in first..=last.min(127) {
            self.ascii |= 1 << code;
        }
        if first > 0x10_ffff {
            self.bytes.push(first);
        } else if last > 127 {
            self.ranges.push((first.max(128), last));
        }
    }

    /// Adds a named class.
    pub(crate) fn add_named(&mut self, named: Named) {
        for code in 0..128 {
            if named.holds(code) {
                self.ascii |= 1 << code;
            }
        }
        self.named.push(named);
    }

    /// Everything is added.
    pub(crate) fn finish(&mut self, negated: bool) {
        self.negated = negated;
        if negated {
            self.ascii = !self.ascii;
        }
    }

    /// Takes an ASCII character out.
    pub(crate) fn remove(&mut self, code: u8) {
        self.ascii &= !(1 << code);
    }

    /// Whether a character is in it. A byte that is no character never is.
    #[inline]
    pub(crate) fn has(&self, code: u32) -> bool {
        if code < 128 {
            return self.ascii >> code & 1 == 1;
        }
        self.has_wide(code)
    }

    fn has_wide(&self, code: u32) -> bool {
        if chars::char(code).is_none() {
            return self.bytes.contains(&code);
        }
        let found = self
            .ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&code))
            || self.named.iter().any(|named| named.holds(code));
        found != self.negated
    }
}
