//! Lines of the input, taken apart into words.

/// Columns from one tab stop to the next.
pub(super) const TAB: usize = 8;

/// What lines begin with that are filled: `-p`.
pub(super) struct Prefix {
    /// Spaces before it, of which a line has at least as many.
    leading: usize,
    /// Itself, without the spaces around it.
    pub(super) text: Vec<u8>,
    /// Spaces behind it, of which a line has at least as many.
    trailing: usize,
}

/// A word with the space behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) bytes: Vec<u8>,
    /// Columns to the next word; 0 at the end of a line.
    pub(super) space: usize,
}

/// A line.
pub(super) struct Line {
    /// The column of its prefix; of its text where it has not the prefix, and 0 without `-p`.
    pub(super) indent: usize,
    /// The column of its first word.
    pub(super) column: usize,
    /// Its words; none if it is empty or to be copied.
    pub(super) words: Vec<Word>,
    /// What is copied as it is, because the line has not the prefix.
    pub(super) rest: Vec<u8>,
    /// Whether it begins with the prefix, apart from the blanks around that.
    pub(super) begins_with_prefix: bool,
    /// Whether it has the prefix with its blanks, or nothing behind it.
    pub(super) has_prefix: bool,
    /// Whether there are tabs between words or before them.
    pub(super) has_tabs: bool,
    /// Whether it ends with a newline.
    pub(super) is_ended: bool,
}

impl Prefix {
    /// The prefix of an option.
    pub(super) fn new(given: &[u8]) -> Prefix {
        let leading = given.iter().take_while(|byte| **byte == b' ').count();
        let rest = &given[leading..];
        let trailing = rest.iter().rev().take_while(|byte| **byte == b' ').count();
        Prefix {
            leading,
            text: rest[..rest.len() - trailing].to_vec(),
            trailing,
        }
    }
}

/// A place in a line, and its column.
struct Cursor<'a> {
    rest: &'a [u8],
    column: usize,
    has_tabs: bool,
}

impl Cursor<'_> {
    fn skip_space(&mut self) {
        while let Some((byte, rest)) = self.rest.split_first() {
            match byte {
                b' ' => self.column += 1,
                b'\t' => {
                    self.column = (self.column / TAB + 1) * TAB;
                    self.has_tabs = true;
                }
                _ => return,
            }
            self.rest = rest;
        }
    }

    fn skip(&mut self, length: usize) {
        self.rest = &self.rest[length..];
        self.column += length;
    }
}

impl Line {
    /// Takes a line apart.
    pub(super) fn read(record: &[u8], prefix: &Prefix) -> Line {
        let text = record.strip_suffix(b"\n");
        let mut line = Line {
            indent: 0,
            column: 0,
            words: Vec::new(),
            rest: Vec::new(),
            begins_with_prefix: false,
            has_prefix: false,
            has_tabs: false,
            is_ended: text.is_some(),
        };
        let mut cursor = Cursor {
            rest: text.unwrap_or(record),
            column: 0,
            has_tabs: false,
        };
        cursor.skip_space();
        if !prefix.text.is_empty() {
            line.indent = cursor.column;
        }
        let (start, indent) = (cursor.rest, cursor.column);
        line.begins_with_prefix = start.starts_with(&prefix.text);
        line.has_prefix = line.begins_with_prefix;
        if line.has_prefix && !prefix.text.is_empty() {
            cursor.skip(prefix.text.len());
            let end = cursor.column;
            cursor.skip_space();
            let has_blanks = indent >= prefix.leading && cursor.column >= end + prefix.trailing;
            line.has_prefix = cursor.rest.is_empty() || has_blanks;
        }
        line.column = cursor.column;
        if line.has_prefix {
            line.words = words(&mut cursor);
        } else {
            line.indent = indent;
            line.rest = cursor.rest.to_vec();
        }
        line.has_tabs = cursor.has_tabs;
        line
    }

    /// Whether it has words to fill.
    pub(super) fn is_text(&self) -> bool {
        !self.words.is_empty()
    }
}

/// The words from a place on.
fn words(cursor: &mut Cursor<'_>) -> Vec<Word> {
    let mut words = Vec::new();
    while !cursor.rest.is_empty() {
        // Other white space than blanks begins a word.
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
        let length = cursor.rest[1..].iter().position(is_space);
        let length = length.map_or(cursor.rest.len(), |length| length + 1);
        let bytes = cursor.rest[..length].to_vec();
        cursor.skip(length);
        let end = cursor.column;
        cursor.skip_space();
        let space = if cursor.rest.is_empty() {
            0
        } else {
            cursor.column - end
        };
        words.push(Word { bytes, space });
    }
    words
}
