//! The lines of an index, for a terminal, roff or TeX.

use std::ops::Range;

use super::index::{Entry, Index, is_white};
use super::layout::{Field, Fields, Widths};
use super::{Format, Settings, Text};

/// Prints the lines of an index.
pub(super) struct Printer<'a> {
    settings: &'a Settings,
    widths: &'a Widths,
    index: &'a Index,
    texts: &'a [Text],
    format: Format,
}

impl<'a> Printer<'a> {
    /// A printer of an index of texts.
    pub(super) fn new(
        settings: &'a Settings,
        widths: &'a Widths,
        index: &'a Index,
        texts: &'a [Text],
    ) -> Printer<'a> {
        Printer {
            settings,
            widths,
            index,
            texts,
            format: settings.format(),
        }
    }

    /// Hands each line to `put`, until that says that nothing more can be written.
    pub(super) fn all(&self, put: &mut dyn FnMut(&[u8]) -> bool) {
        let mut line = Vec::new();
        for entry in &self.index.entries {
            line.clear();
            let text = &self.texts[entry.text].bytes;
            let context = &self.index.contexts[entry.context];
            let fields = self.widths.fields(text, context, &entry.word);
            match self.format {
                Format::Terminal => self.terminal(&mut line, entry, text, &fields),
                Format::Roff => self.roff(&mut line, entry, text, &fields),
                Format::Tex => self.tex(&mut line, entry, text, &fields),
            }
            line.push(b'\n');
            if !put(&line) {
                return;
            }
        }
    }

    fn terminal(&self, line: &mut Vec<u8>, entry: &Entry, text: &[u8], fields: &Fields) {
        let (half, gap) = (self.widths.half, self.widths.gap);
        let at_right = self.settings.references_at_right;
        let has_references = self.settings.has_references();
        let reference = self.reference(entry);
        if !at_right {
            self.put(line, &reference);
            // The colon lets editors find the line.
            if self.settings.auto_references {
                line.push(b':');
            }
            let width = if has_references {
                self.widths.reference
            } else {
                0
            };
            fill(line, width + gap);
        }
        let start = line.len();
        self.left_to_right(line, text, &fields.tail);
        let before = self.length(&fields.before);
        let width = (half + fields.extra).saturating_sub(gap + before);
        fill(line, start + width);
        self.right_to_left(line, text, &fields.before);
        line.resize(line.len() + gap, b' ');
        let start = line.len();
        self.left_to_right(line, text, &fields.after);
        if !fields.head.span.is_empty() {
            let width = half.saturating_sub(self.length(&fields.head));
            fill(line, start + width);
            self.right_to_left(line, text, &fields.head);
        } else if has_references && at_right {
            fill(line, start + half);
        }
        if has_references && at_right {
            line.resize(line.len() + gap, b' ');
            self.put(line, &reference);
        }
    }

    fn roff(&self, line: &mut Vec<u8>, entry: &Entry, text: &[u8], fields: &Fields) {
        line.push(b'.');
        line.extend_from_slice(&self.settings.macro_name);
        line.extend_from_slice(b" \"");
        self.left_to_right(line, text, &fields.tail);
        line.extend_from_slice(b"\" \"");
        self.right_to_left(line, text, &fields.before);
        line.extend_from_slice(b"\" \"");
        self.left_to_right(line, text, &fields.after);
        line.extend_from_slice(b"\" \"");
        self.right_to_left(line, text, &fields.head);
        line.push(b'"');
        if self.settings.has_references() {
            line.extend_from_slice(b" \"");
            self.put(line, &self.reference(entry));
            line.push(b'"');
        }
    }

    fn tex(&self, line: &mut Vec<u8>, entry: &Entry, text: &[u8], fields: &Fields) {
        line.push(b'\\');
        line.extend_from_slice(&self.settings.macro_name);
        line.push(b' ');
        let after = entry.word.end.min(fields.after.span.end)..fields.after.span.end;
        let parts: [&Range<usize>; 5] = [
            &fields.tail.span,
            &fields.before.span,
            &(fields.after.span.start..after.start),
            &after,
            &fields.head.span,
        ];
        for part in parts {
            line.push(b'{');
            self.put(line, &text[part.clone()]);
            line.push(b'}');
        }
        if self.settings.has_references() {
            line.push(b'{');
            self.put(line, &self.reference(entry));
            line.push(b'}');
        }
    }

    /// What the line is called.
    fn reference(&self, entry: &Entry) -> Vec<u8> {
        let text = &self.texts[entry.text];
        if self.settings.auto_references {
            let line = format!(":{}", entry.line);
            return [&text.name[..], line.as_bytes()].concat();
        }
        text.bytes[entry.reference.clone()].to_vec()
    }

    /// Columns of a field with its mark.
    fn length(&self, field: &Field) -> usize {
        let mark = usize::from(field.truncated) * self.settings.truncation.len();
        field.span.len() + mark
    }

    /// A field that goes on at its end.
    fn left_to_right(&self, line: &mut Vec<u8>, text: &[u8], field: &Field) {
        self.put(line, &text[field.span.clone()]);
        if field.truncated {
            line.extend_from_slice(&self.settings.truncation);
        }
    }

    /// A field that goes on before its start.
    fn right_to_left(&self, line: &mut Vec<u8>, text: &[u8], field: &Field) {
        if field.truncated {
            line.extend_from_slice(&self.settings.truncation);
        }
        self.put(line, &text[field.span.clone()]);
    }

    /// Adds text as the format needs it.
    fn put(&self, line: &mut Vec<u8>, text: &[u8]) {
        for &byte in text {
            match (self.format, byte) {
                _ if is_white(byte) => line.push(b' '),
                (Format::Roff, b'"') => line.extend_from_slice(b"\"\""),
                (Format::Tex, b'$' | b'%' | b'&' | b'#' | b'_') => line.extend([b'\\', byte]),
                (Format::Tex, b'{' | b'}') => line.extend([b'$', b'\\', byte, b'$']),
                (Format::Tex, b'\\') => line.extend_from_slice(b"\\backslash{}"),
                _ => line.push(byte),
            }
        }
    }
}

/// Fills a line with spaces up to a column.
fn fill(line: &mut Vec<u8>, column: usize) {
    if line.len() < column {
        line.resize(column, b' ');
    }
}
