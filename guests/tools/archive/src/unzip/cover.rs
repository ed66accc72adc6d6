//! The byte ranges of an archive that belong to something.

use std::collections::BTreeMap;

use super::Archive;

/// The byte ranges of an archive that belong to something.
#[derive(Default)]
pub(super) struct Cover {
    /// Ends by beginnings; ranges never overlap.
    ranges: BTreeMap<u64, u64>,
}

impl Cover {
    /// Takes the directory and the end of an archive; none where they share bytes.
    pub(super) fn of(archive: &Archive) -> Option<Cover> {
        let mut cover = Cover::default();
        let extra = u64::try_from(archive.extra_bytes).unwrap_or(0);
        let end = &archive.end;
        let directory = end.offset.saturating_add(extra);
        let free = cover.add(directory, directory.saturating_add(end.size))
            && cover.add(0, extra)
            && end.wide.is_none_or(|(begin, last)| cover.add(begin, last))
            && cover.add(end.at, end.at + 22 + u64::from(end.comment_length));
        free.then_some(cover)
    }

    /// Whether a byte belongs to something.
    pub(super) fn has(&self, at: u64) -> bool {
        let before = self.ranges.range(..=at).next_back();
        before.is_some_and(|(_, end)| at < *end)
    }

    /// Adds a range; false where part of it belongs to another.
    pub(super) fn add(&mut self, begin: u64, end: u64) -> bool {
        if begin >= end {
            return true;
        }
        let free = self
            .ranges
            .range(..end)
            .next_back()
            .is_none_or(|(_, last)| *last <= begin);
        if free {
            self.ranges.insert(begin, end);
        }
        free
    }
}
