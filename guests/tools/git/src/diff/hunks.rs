//! Hunks of a patch: which lines are shown together, and how.

use super::lines::Hunk;
use super::patch::{Printer, color};
use crate::out::put;

/// A line that a patch consists of, for [`Printer::hunks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Both,
    Old,
    New,
}

impl Printer<'_> {
    /// Prints hunks with their context.
    pub(super) fn hunks(&self, old: &[&[u8]], new: &[&[u8]], hunks: &[Hunk]) {
        for group in group(hunks, self.options.context, self.options.inter_hunk) {
            let (mut first, mut last) = (group[0], group[group.len() - 1]);
            let mut context = self.options.context;
            if self.options.function_context {
                (first, last) = widen(old, first, last, context);
                context = 0;
            }
            let before = context.min(first.old).min(first.new);
            let (old_start, new_start) = (first.old - before, first.new - before);
            let old_end = (last.old + last.old_len + context).min(old.len());
            let new_end = (last.new + last.new_len + context).min(new.len());
            let range = |start: usize, length: usize| match length {
                0 => format!("{start},0"),
                1 => format!("{}", start + 1),
                _ => format!("{},{length}", start + 1),
            };
            let head = format!(
                "@@ -{} +{} @@",
                range(old_start, old_end - old_start),
                range(new_start, new_end - new_start)
            );
            let function = function_before(old, old_start);
            self.hunk_head(head.as_bytes(), function);
            let (mut at_old, mut at_new) = (old_start, new_start);

            for hunk in group {
                while at_new < hunk.new {
                    self.body(Mark::Both, new[at_new]);
                    at_new += 1;
                }
                for line in &old[hunk.old..hunk.old + hunk.old_len] {
                    self.body(Mark::Old, line);
                }
                for line in &new[hunk.new..hunk.new + hunk.new_len] {
                    self.body(Mark::New, line);
                }
                at_old = hunk.old + hunk.old_len;
                at_new = hunk.new + hunk.new_len;
            }
            while at_new < new_end && at_old < old_end {
                self.body(Mark::Both, new[at_new]);
                at_old += 1;
                at_new += 1;
            }
        }
    }

    /// Prints the line that starts a hunk.
    pub(crate) fn hunk_head(&self, head: &[u8], function: Option<&[u8]>) {
        put(&self.options.line_prefix);
        let colored = self.options.color;
        if colored {
            put(color::FRAG.as_bytes());
        }
        put(head);
        if colored {
            put(color::RESET.as_bytes());
        }
        if let Some(function) = function {
            if colored {
                put(b" ");
                put(function);
                put(color::RESET.as_bytes());
            } else {
                put(b" ");
                put(function);
            }
        }
        put(b"\n");
    }

    fn body(&self, mark: Mark, line: &[u8]) {
        let (text, ended) = match line.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (line, false),
        };
        put(&self.options.line_prefix);
        let sign: &[u8] = match mark {
            Mark::Both => b" ",
            Mark::Old => b"-",
            Mark::New => b"+",
        };
        if !self.options.color {
            put(sign);
            put(text);
        } else {
            let reset = color::RESET.as_bytes();
            match mark {
                Mark::Both => {
                    put(sign);
                    put(text);
                    // Context has no colour, and so nothing to end, but for an empty line git
                    // prints the end.
                    put(reset_for(text));
                }
                Mark::Old => {
                    put(color::OLD.as_bytes());
                    put(sign);
                    put(text);
                    put(reset);
                }
                Mark::New => {
                    put(color::NEW.as_bytes());
                    put(sign);
                    put(reset);
                    let end = text
                        .iter()
                        .rposition(|byte| !b" \t\r".contains(byte))
                        .map_or(0, |at| at + 1);
                    if end > 0 {
                        put(color::NEW.as_bytes());
                        put(&text[..end]);
                        put(reset);
                    }
                    if end < text.len() {
                        put(color::SPACE.as_bytes());
                        put(&text[end..]);
                        put(reset);
                    }
                }
            }
        }
        put(b"\n");
        if !ended {
            self.line(b"\\ No newline at end of file");
        }
    }
}

fn reset_for(text: &[u8]) -> &'static [u8] {
    if text.is_empty() {
        b""
    } else {
        color::RESET.as_bytes()
    }
}

/// Hunks that are so close that they are shown together.
pub(crate) fn group(hunks: &[Hunk], context: usize, more: usize) -> Vec<&[Hunk]> {
    let mut groups = Vec::new();
    let mut start = 0;
    for at in 1..=hunks.len() {
        let apart = at == hunks.len() || {
            let last = hunks[at - 1];
            hunks[at].old - (last.old + last.old_len)
                > context.saturating_mul(2).saturating_add(more)
        };
        if apart {
            groups.push(&hunks[start..at]);
            start = at;
        }
    }
    groups
}

/// Widens a hunk to the whole function.
fn widen(old: &[&[u8]], mut first: Hunk, mut last: Hunk, context: usize) -> (Hunk, Hunk) {
    let is_start = |line: &&[u8]| starts_function(line);
    let start = (0..=first.old.min(old.len().saturating_sub(1)))
        .rev()
        .find(|at| old.get(*at).is_some_and(is_start));
    let up = first.old
        - start
            .unwrap_or(first.old.saturating_sub(context))
            .min(first.old);
    let up = up.min(first.new);
    first = Hunk {
        old: first.old - up,
        new: first.new - up,
        old_len: 0,
        new_len: 0,
    };
    let end = last.old + last.old_len;
    let mut stop = (end..old.len())
        .find(|at| is_start(&old[*at]))
        .unwrap_or(old.len());
    while stop > end && old[stop - 1].trim_ascii().is_empty() {
        stop -= 1;
    }
    last.old_len += stop - end;
    last.new_len += stop - end;
    (first, last)
}

fn starts_function(line: &[u8]) -> bool {
    line.first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_' || *byte == b'$')
}

/// The last line before a place that looks like the start of a function.
pub(crate) fn function_before<'t>(old: &[&'t [u8]], start: usize) -> Option<&'t [u8]> {
    let line = old[..start.min(old.len())]
        .iter()
        .rev()
        .find(|line| starts_function(line))?;
    let mut end = line.len().min(80);
    // It ends before what is no text, and no letter is cut in two.
    end = line[..end]
        .utf8_chunks()
        .next()
        .map_or(0, |text| text.valid().len());
    Some(line[..end].trim_ascii_end())
}
