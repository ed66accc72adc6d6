//! What of a context is shown around a keyword.
//!
//! A line has two halves. The right one starts with the keyword and what is after it, and ends
//! with the head: the end of what is too long for the left half. The left half ends with what is
//! before the keyword, and starts with the tail: what is too long for the right half.

use std::ops::Range;

use super::index::{Context, Index, is_white};
use super::{Format, Settings};

/// How many columns the fields may take.
pub(super) struct Widths {
    /// Columns of a half of the line.
    pub(super) half: usize,
    pub(super) gap: usize,
    /// Columns of the longest reference.
    pub(super) reference: usize,
    before: usize,
    after: usize,
    /// How far before a keyword anything is shown.
    reach: usize,
    marks_truncation: bool,
}

/// A field of a line.
#[derive(Clone, Default)]
pub(super) struct Field {
    pub(super) span: Range<usize>,
    /// Whether its context goes on where it was cut.
    pub(super) truncated: bool,
}

/// The fields of a line.
pub(super) struct Fields {
    pub(super) tail: Field,
    pub(super) before: Field,
    /// By how much the padding is wider than `before` asks for, as GNU has it: where nothing fits
    /// before the keyword, the white space there counts.
    pub(super) extra: usize,
    /// The keyword and what is behind it.
    pub(super) after: Field,
    pub(super) head: Field,
}

impl Widths {
    /// The widths for all lines.
    pub(super) fn new(settings: &Settings, index: &Index) -> Widths {
        let reference = index.reference_width;
        let mut width = settings.width;
        if settings.has_references() && !settings.references_at_right {
            width = width.saturating_sub(reference + settings.gap);
        }
        let half = width / 2;
        // Both ends of a field may have the mark of truncation.
        let marks = 2 * settings.truncation.len();
        let (left, right) = if settings.traditional {
            (0, marks + 1)
        } else {
            (marks, marks)
        };
        Widths {
            half,
            gap: settings.gap,
            reference,
            before: half.saturating_sub(settings.gap + left),
            after: half.saturating_sub(right),
            reach: half + index.longest_word,
            marks_truncation: !settings.truncation.is_empty() && settings.format() != Format::Tex,
        }
    }

    /// Chooses what is shown around a word.
    pub(super) fn fields(&self, text: &[u8], context: &Context, word: &Range<usize>) -> Fields {
        let whole = &context.span;
        let after_end = context.cut_before(word.start + self.after).max(word.end);
        let mut after = self.field(text, word.start..after_end);
        // With a break file a word may begin with white space.
        after.span.start = word.start;
        after.truncated &= after_end < whole.end;

        let before_end = back_over_white(text, whole.start, word.start);
        let limit = before_end.saturating_sub(self.before);
        let before_start = context.cut_behind(limit).min(before_end);
        let mut before = self.field(text, before_start..before_end);
        let head_end = back_over_white(text, whole.start, before_start);
        before.truncated &= head_end > whole.start;
        let extra = over_white(text, before_start, word.start).saturating_sub(before_end);

        let mut tail = Field::default();
        let room = (self.before + extra).saturating_sub(before.span.len() + self.gap);
        let start = over_white(text, after_end, whole.end);
        // A tail stays one column shorter than its room.
        let end = context
            .cut_before(start + room.saturating_sub(1))
            .max(start);
        if end > start {
            tail = self.field(text, start..end);
            tail.truncated &= end < whole.end;
            after.truncated = false;
        }
        let mut head = Field::default();
        let room = self.after.saturating_sub(after.span.len() + self.gap);
        let start = context.cut_behind(head_end.saturating_sub(room));
        let start = start.max(self.leftmost(context, word)).min(head_end);
        if head_end > start {
            head = self.field(text, start..head_end);
            head.truncated &= back_over_white(text, whole.start, start) > whole.start;
            before.truncated = false;
        }
        Fields {
            tail,
            before,
            extra,
            after,
            head,
        }
    }

    /// The first place that is shown of a word's context.
    fn leftmost(&self, context: &Context, word: &Range<usize>) -> usize {
        if word.start - context.span.start <= self.reach {
            return context.span.start;
        }
        context.cut_behind(word.start - self.reach + 1)
    }

    /// A field without the white space at its ends.
    fn field(&self, text: &[u8], span: Range<usize>) -> Field {
        let start = over_white(text, span.start, span.end);
        let end = back_over_white(text, start, span.end);
        Field {
            span: start..end.max(start),
            truncated: self.marks_truncation,
        }
    }
}

/// The first place from `start` on where there is no white space, at most `end`.
fn over_white(text: &[u8], start: usize, end: usize) -> usize {
    let white = text[start..end.max(start)].iter();
    start + white.take_while(|byte| is_white(**byte)).count()
}

/// The last place before `end` behind which there is only white space, at least `start`.
fn back_over_white(text: &[u8], start: usize, end: usize) -> usize {
    let white = text[start.min(end)..end].iter().rev();
    end - white.take_while(|byte| is_white(**byte)).count()
}
