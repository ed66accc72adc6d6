//! The output: filled paragraphs, and lines that are copied.

use codepod_tool::Output;

use super::breaks::{self, Item, Room};
use super::line::{Line, TAB, Word};
use super::{Settings, Shape};

/// Indentation behind the first line of a tagged paragraph that is not indented itself.
const TAG_INDENT: usize = 3;

/// Where the output is.
pub(super) struct Page {
    /// Whether blanks are written as tabs, because the input has some.
    pub(super) uses_tabs: bool,
    column: usize,
    /// The indentation behind the first line of the last tagged paragraph.
    tagged: usize,
}

impl Page {
    /// The beginning of the output.
    pub(super) fn new() -> Page {
        Page {
            uses_tabs: false,
            column: 0,
            tagged: 0,
        }
    }

    /// Copies a line that has no words or not the prefix.
    pub(super) fn copy(&mut self, settings: &Settings, line: &Line, out: &mut Output) {
        let prefix = &settings.prefix.text;
        let shows_prefix = line.begins_with_prefix && !prefix.is_empty();
        if shows_prefix || !line.rest.is_empty() {
            self.blanks(line.indent, out);
        }
        if shows_prefix {
            out.put(prefix);
            self.column += prefix.len();
        }
        if !line.rest.is_empty() {
            self.blanks(line.column.saturating_sub(self.column), out);
        }
        out.put(&line.rest);
        if line.is_ended || line.rest.is_empty() {
            self.end(out);
        } else {
            self.column = 0;
        }
    }

    /// Fills a paragraph.
    pub(super) fn paragraph(&mut self, settings: &Settings, lines: &[Line], out: &mut Output) {
        let Some(first) = lines.first() else {
            return;
        };
        let (words, items) = words(settings, lines);
        let (column, others) = self.columns(settings.shape, lines);
        let room = Room {
            first: column,
            others,
            width: settings.width,
            goal: settings.goal,
        };
        let mut start = 0;
        let mut column = column;
        for end in breaks::lines(&items, &room) {
            self.blanks(first.indent, out);
            out.put(&settings.prefix.text);
            self.column += settings.prefix.text.len();
            self.blanks(column.saturating_sub(self.column), out);
            for place in start..end {
                out.put(&words[place].bytes);
                self.column += items[place].length;
                if place + 1 < end {
                    self.blanks(items[place].space, out);
                }
            }
            self.end(out);
            (start, column) = (end, others);
        }
    }

    /// Where the first line of a paragraph is indented to, and the others.
    fn columns(&mut self, shape: Shape, lines: &[Line]) -> (usize, usize) {
        let first = lines.first().map_or(0, |line| line.column);
        match (shape, lines.get(1)) {
            (Shape::Crown, Some(second)) => return (first, second.column),
            (Shape::Tagged, Some(second)) => self.tagged = second.column,
            // A tag alone: the others are indented as those of the paragraph before, if that
            // tells them from the tag.
            (Shape::Tagged, None) if self.tagged == first => {
                self.tagged = if first == 0 { TAG_INDENT } else { 0 };
            }
            (Shape::Tagged, None) => {}
            _ => return (first, first),
        }
        (first, self.tagged)
    }

    /// Blanks, as tabs where they reach over a tab stop.
    fn blanks(&mut self, count: usize, out: &mut Output) {
        let end = self.column + count;
        if self.uses_tabs {
            let last_stop = end / TAB * TAB;
            if self.column + 1 < last_stop {
                while self.column < last_stop {
                    out.put_byte(b'\t');
                    self.column = (self.column / TAB + 1) * TAB;
                }
            }
        }
        while self.column < end {
            out.put_byte(b' ');
            self.column += 1;
        }
    }

    fn end(&mut self, out: &mut Output) {
        out.put_byte(b'\n');
        self.column = 0;
    }
}

/// The words of a paragraph, and what matters of them.
fn words<'a>(settings: &Settings, lines: &'a [Line]) -> (Vec<&'a Word>, Vec<Item>) {
    let mut words = Vec::new();
    let mut items: Vec<Item> = Vec::new();
    for line in lines {
        for (place, word) in line.words.iter().enumerate() {
            let ends_line = place + 1 == line.words.len();
            let stops = stops(&word.bytes);
            let ends_sentence = stops && (ends_line || word.space > 1);
            let space = match word.space {
                space if !ends_line && !settings.uniform => space,
                _ if ends_sentence => 2,
                _ => 1,
            };
            words.push(word);
            items.push(Item {
                length: word.bytes.len(),
                space,
                opens: matches!(word.bytes.first(), Some(b'(' | b'[' | b'\'' | b'`' | b'"')),
                punctuated: word.bytes.last().is_some_and(u8::is_ascii_punctuation),
                stops,
                ends_sentence,
            });
        }
    }
    if let Some(last) = items.last_mut() {
        last.ends_sentence = true;
    }
    (words, items)
}

/// Whether a word ends with a full stop, question or exclamation mark, apart from closing quotes
/// and parentheses. A NUL byte counts as a closing quote, and a word of NUL bytes as a full stop,
/// as with GNU.
fn stops(word: &[u8]) -> bool {
    let closing = |byte: &&u8| matches!(byte, b')' | b']' | b'\'' | b'"' | 0);
    let last = word.iter().rev().find(|byte| !closing(byte));
    matches!(last.or(word.first()), Some(b'.' | b'?' | b'!' | 0))
}
