//! Bracket expressions.

use crate::pattern::chars;
pub(super) use crate::pattern::class::Named;

/// A set of characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Class {
    /// The ASCII characters in it, negation done.
    ascii: u128,
    /// All but these.
    negated: bool,
    /// Ranges, as far as they lie beyond ASCII.
    ranges: Vec<(u32, u32)>,
    /// Named classes.
    named: Vec<Named>,
}

/// Whether a character belongs to a word: letters, digits and `_`.
pub(super) fn is_word(code: u32) -> bool {
    code == u32::from(b'_') || Named::Alnum.holds(code)
}

impl Class {
    /// `\w`, `\s` and, negated, `\W`, `\S`.
    pub(super) fn escape(letter: u8) -> Class {
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
    pub(super) fn add_range(&mut self, first: u32, last: u32) {
        for code in first..=last.min(127) {
            self.ascii |= 1 << code;
        }
        if last > 127 {
            self.ranges.push((first.max(128), last));
        }
    }

    /// Adds a named class.
    pub(super) fn add_named(&mut self, named: Named) {
        for code in 0..128 {
            if named.holds(code) {
                self.ascii |= 1 << code;
            }
        }
        self.named.push(named);
    }

    /// Everything is added.
    pub(super) fn finish(&mut self, negated: bool) {
        self.negated = negated;
        if negated {
            self.ascii = !self.ascii;
        }
    }

    /// Whether a character is in it. A byte that is no character never is.
    #[inline]
    pub(super) fn has(&self, code: u32) -> bool {
        if code < 128 {
            return self.ascii >> code & 1 == 1;
        }
        self.has_wide(code)
    }

    fn has_wide(&self, code: u32) -> bool {
        if chars::char(code).is_none() {
            return false;
        }
        let found = self
            .ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&code))
            || self.named.iter().any(|named| named.holds(code));
        found != self.negated
    }
}
