//! Which parts of a context stand where in a line.
//!
//! A line has two halves, and the keyword starts the right one. The right half is filled from the
//! keyword on (`after`), the left one up to it (`before`). Where the context ends early on one
//! side, the free part of that half shows more of the other side: `tail` goes on where `after`
//! ends, at the left, and `head` is what comes before `before`, at the right.
//!
//! A half keeps room for two truncation marks, whether they are needed or not. These widths and the
//! limits below were found by trials of the real tool with words of one letter, for which the
//! lengths of fields are exact.

use std::ops::Range;

use super::Settings;
use super::index::{Context, Index, is_white};

/// The columns of a line's parts.
pub(super) struct Widths {
    /// Half of what is left beside the reference.
    pub(super) half: usize,
    pub(super) gap: usize,
    /// The widest reference.
    pub(super) reference: usize,
    /// What fits before the keyword.
    before: usize,
    /// What fits from the keyword on.
    after: usize,
    /// How far before the keyword a context is looked at.
    reach: usize,
}

/// A part of a context.
pub(super) struct Field {
    pub(super) span: Range<usize>,
    /// Whether the context goes on, and no other field shows how.
    pub(super) truncated: bool,
}

/// The parts of a context in a line.
pub(super) struct Fields {
    pub(super) tail: Field,
    pub(super) before: Field,
    /// White space before the keyword that counts for the left half because nothing else is in it.
    pub(super) extra: usize,
    /// The keyword and what follows.
    pub(super) after: Field,
    pub(super) head: Field,
}

impl Widths {
    /// The columns that the options leave to the parts.
    pub(super) fn new(settings: &Settings, index: &Index) -> Widths {
        let (gap, reference) = (settings.gap, index.reference_width);
        let beside = if settings.has_references() && !settings.references_at_right {
            reference.saturating_add(gap)
        } else {
            0
        };
        let half = settings.width.saturating_sub(beside) / 2;
        let marks = 2 * settings.truncation.len();
        // The marks of `-G` are not taken from the left half, and the right one loses a column.
        let (before, after) = if settings.traditional {
            (gap, marks + 1)
        } else {
            (gap + marks, marks)
        };
        Widths {
            half,
            gap,
            reference,
            before: half.saturating_sub(before),
            after: half.saturating_sub(after),
            reach: half.saturating_add(index.longest_word),
        }
    }

    /// Divides a context around a keyword.
    pub(super) fn fields(&self, text: &[u8], context: &Context, word: &Range<usize>) -> Fields {
        let all = Line { text, context };
        let after = all.from(word.start, self.after);
        let after = word.start..after.end.max(word.end);
        let first = match word.start.checked_sub(self.reach) {
            // The place itself is passed: it may be inside of a word.
            Some(place) if place > context.span.start => context.cut_behind(place + 1),
            _ => context.span.start,
        };
        let before = all.up_to(word.start, self.before, first);
        let extra = if before.is_empty() {
            word.start - before.end
        } else {
            0
        };
        // The tail is set off from what follows it by one column more than the gap.
        let free = (self.before + extra).checked_sub(before.len() + self.gap + 1);
        let tail = all.from(all.next(after.end), free.unwrap_or(0));
        let free = self.after.checked_sub(after.len() + self.gap);
        let head = all.up_to(before.start, free.unwrap_or(0), first);
        let (is_tail, is_head) = (!tail.is_empty(), !head.is_empty());
        let goes_on = |end: usize| all.next(end) < context.span.end;
        let is_cut = |start: usize| start > all.next(context.span.start);
        Fields {
            extra,
            tail: Field {
                truncated: is_tail && goes_on(tail.end),
                span: tail,
            },
            before: Field {
                truncated: !is_head && is_cut(before.start),
                span: before,
            },
            after: Field {
                truncated: !is_tail && goes_on(after.end),
                span: after,
            },
            head: Field {
                truncated: is_head && is_cut(head.start),
                span: head,
            },
        }
    }
}

/// A context in its text. Parts of it are whole words, without white space at their ends.
struct Line<'a> {
    text: &'a [u8],
    context: &'a Context,
}

impl Line<'_> {
    /// The first place from `start` on that is not white.
    fn next(&self, start: usize) -> usize {
        let end = self.context.span.end.max(start);
        let white = self.text[start..end].iter();
        start + white.take_while(|byte| is_white(**byte)).count()
    }

    /// The place behind the last byte before `end`, not before `start`, that is not white.
    fn previous(&self, start: usize, end: usize) -> usize {
        let white = self.text[start.min(end)..end].iter().rev();
        end - white.take_while(|byte| is_white(**byte)).count()
    }

    /// What fits into so many columns from a place on.
    fn from(&self, start: usize, columns: usize) -> Range<usize> {
        let end = self.context.cut_before(start.saturating_add(columns));
        start..self.previous(start, end.max(start))
    }

    /// What fits into so many columns before a place, and is not before `first`.
    fn up_to(&self, end: usize, columns: usize, first: usize) -> Range<usize> {
        let end = self.previous(self.context.span.start, end);
        let start = self.context.cut_behind(end.saturating_sub(columns));
        self.next(start.max(first)).min(end)..end
    }
}
