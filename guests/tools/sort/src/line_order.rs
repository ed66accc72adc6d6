//! What decides which of two lines comes first.

use std::cmp::Ordering;

use crate::key::Key;
use crate::order::Order;

/// The order of lines.
#[derive(Debug)]
pub(crate) struct LineOrder {
    /// Without one, whole lines are compared.
    pub(crate) keys: Vec<Key>,
    pub(crate) separator: Option<u8>,
    /// `-r` for the comparison of whole lines.
    pub(crate) reverse: bool,
    /// Lines whose keys are equal keep their order.
    pub(crate) stable: bool,
    /// Only the first of lines whose keys are equal is kept.
    pub(crate) unique: bool,
    pub(crate) salt: [u8; 16],
}

impl LineOrder {
    /// Compares two lines.
    pub(crate) fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.compare_parts(self.part(a).1, self.part(b).1)
            .then_with(|| self.compare_rest(a, b))
    }

    /// What the first key compares of a line, and where it starts.
    pub(crate) fn part<'l>(&self, line: &'l [u8]) -> (usize, &'l [u8]) {
        match self.keys.first() {
            Some(key) => key.of(line, self.separator),
            None => (0, line),
        }
    }

    /// Compares what the first key compares.
    pub(crate) fn compare_parts(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self.keys.first() {
            Some(key) => key.compare(a, b, &self.salt),
            None => self.directed(a.cmp(b)),
        }
    }

    /// Compares lines whose first keys are equal.
    pub(crate) fn compare_rest(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.keys.is_empty() {
            return Ordering::Equal;
        }
        for key in &self.keys[1..] {
            let (_, part_a) = key.of(a, self.separator);
            let (_, part_b) = key.of(b, self.separator);
            let result = key.compare(part_a, part_b, &self.salt);
            if result != Ordering::Equal {
                return result;
            }
        }
        match (self.stable || self.unique, self.reverse) {
            (true, _) => Ordering::Equal,
            (false, true) => b.cmp(a),
            (false, false) => a.cmp(b),
        }
    }

    /// A number for what the first key compares: where two differ, the lines compare so, but for
    /// the direction.
    pub(crate) fn rank(&self, part: &[u8]) -> u64 {
        match self.keys.first() {
            Some(key) => key.rank(part, &self.salt),
            None => Order::Bytes.rank(part, &self.salt),
        }
    }

    /// Turns the result of comparing ranks around where `-r` says so.
    pub(crate) fn directed(&self, result: Ordering) -> Ordering {
        match self.keys.first() {
            Some(key) => key.directed(result),
            None if self.reverse => result.reverse(),
            None => result,
        }
    }
}
