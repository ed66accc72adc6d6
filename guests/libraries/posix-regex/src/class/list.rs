//! The characters of a class as ranges, for the automata.

use super::Class;
use crate::chars;
use crate::named::Named;

impl Class {
    /// Whether what it has beyond ASCII takes long to list.
    pub(crate) fn is_vast(&self, icase: bool) -> bool {
        self.named.iter().any(|named| last_of(*named).is_none())
            || (icase && !self.ranges.is_empty())
    }

    /// The characters in it as ranges, in order. With `icase` the characters whose upper case is in
    /// it.
    pub(crate) fn list(&self, icase: bool) -> Vec<(u32, u32)> {
        /// Beyond these, characters differ only from one of `BLOCKS` to the next.
        const KNOWN: [(u32, u32); 2] = [(0, 0x3_3480), (0xe_0000, 0xe_0200)];
        /// Where blocks without any assigned character start, and where there are no more
        /// characters.
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

    /// The ranges where what is beyond ASCII is known as it is.
    fn short_list(&self, icase: bool) -> Vec<(u32, u32)> {
        let last = if chars::is_bytes() { 0xff } else { 0x10_ffff };
        // What is behind ı and ſ is not folded to ASCII.
        let named = self.named.iter().filter_map(|named| last_of(*named)).max();
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

/// Where the last character of a named class beyond ASCII may be, if that is near enough to look at
/// all of them.
fn last_of(named: Named) -> Option<u32> {
    match named {
        Named::Digit | Named::Xdigit => Some(0x7f),
        Named::Space | Named::Blank | Named::Cntrl => Some(0x3000),
        _ => None,
    }
}
