//! Bracket expressions.

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

    /// Whether what it has beyond ASCII takes long to list.
    pub(crate) fn is_vast(&self, icase: bool) -> bool {
        self.named.iter().any(|named| named.last().is_none()) || (icase && !self.ranges.is_empty())
    }

    /// The characters in it as ranges, in order. With `icase` the characters whose upper case is in it.
    pub(crate) fn list(&self, icase: bool) -> Vec<(u32, u32)> {
        /// Beyond these, characters differ only from one of `BLOCKS` to the next.
        const KNOWN: [(u32, u32); 2] = [(0, 0x3_3480), (0xe_0000, 0xe_0200)];
        /// Where blocks without any assigned character start, and where there are no more characters.
        const BLOCKS: [u32; 6] = [0x3_3480, 0xe_0200, 0xf_0000, 0xf_fffe, 0x10_0000, 0x11_0000];
        if !self.is_vast(icase) || chars::is_bytes() {
            return self.short_list(icase);
        }
        let mut list = List::default();
        let has = |code| self.has(if icase { chars::upper(code) } else { code });
        let (first, second) = (KNOWN[0], KNOWN[1]);
        (first.0..first.1)
            .filter(|code| has(*code))
            .for_each(|code| list.add(code, code));
        if has(BLOCKS[0]) {
            list.add(first.1, second.0 - 1);
        }
        (second.0..second.1)
            .filter(|code| has(*code))
            .for_each(|code| list.add(code, code));
        for block in BLOCKS[1..].windows(2) {
            if has(block[0]) {
                list.add(block[0], block[1] - 1);
            }
        }
        list.ranges
    }

    /// The same where what is beyond ASCII is known as it is.
    fn short_list(&self, icase: bool) -> Vec<(u32, u32)> {
        let last = if chars::is_bytes() { 0xff } else { 0x10_ffff };
        // What is behind ı and ſ is not folded to ASCII.
        let named = self.named.iter().filter_map(|named| named.last()).max();
        let near = named.unwrap_or(0x7f).max(if icase { 0x17f } else { 0x7f });
        let near = if chars::is_bytes() { last } else { near };
        let has = |code| self.has(if icase { chars::upper(code) } else { code });
        let mut list = List::default();
        (0..=near)
            .filter(|code| has(*code))
            .for_each(|code| list.add(code, code));
        let mut edges: Vec<u32> = vec![near + 1, last + 1];
        for (first, end) in &self.ranges {
            edges.extend(
                [*first, *end + 1]
                    .iter()
                    .filter(|edge| (near + 1..=last).contains(edge)),
            );
        }
        edges.sort_unstable();
        edges.dedup();
        for pair in edges.windows(2) {
            // A run may start with codes that are no characters.
            let starts_in_gap = (0xd800..0xe000).contains(&pair[0]) && pair[1] > 0xe000;
            if self.has(if starts_in_gap { 0xe000 } else { pair[0] }) {
                list.add(pair[0], pair[1] - 1);
            }
        }
        list.ranges
    }
}

/// Ranges in order, neighbours joined.
#[derive(Default)]
struct List {
    ranges: Vec<(u32, u32)>,
}

impl List {
    fn add(&mut self, first: u32, last: u32) {
        match self.ranges.last_mut() {
            Some((_, end)) if *end + 1 == first => *end = last,
            _ => self.ranges.push((first, last)),
        }
    }
}
