//! The index: every keyword of the texts, in order, with the context that it stands in.

use std::ops::Range;

use codepod_posix_regex::Regex;
use codepod_tool::{Stop, quoted_text};

use super::words::Words;
use super::{Settings, Text};

/// A sentence or line: what is shown around a keyword comes from it.
pub(super) struct Context {
    /// Where it lies in its text, without the white space at its end and without a reference.
    pub(super) span: Range<usize>,
    /// Its words, in order. It may be cut everywhere but inside of them.
    words: Vec<Range<usize>>,
}

/// A keyword.
pub(super) struct Entry {
    /// Which text it is in.
    pub(super) text: usize,
    /// Which context it is in.
    pub(super) context: usize,
    pub(super) word: Range<usize>,
    /// Its line, counted from 1; only with `-A`.
    pub(super) line: usize,
    /// Where its line's reference lies; only with `-r`.
    pub(super) reference: Range<usize>,
}

/// All keywords in the order of the output.
pub(super) struct Index {
    pub(super) contexts: Vec<Context>,
    pub(super) entries: Vec<Entry>,
    /// Columns of the longest reference.
    pub(super) reference_width: usize,
    /// Columns of the longest word.
    pub(super) longest_word: usize,
}

/// Whether a byte is white space.
pub(super) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl Context {
    /// The last place at or before `limit` where the context may be cut.
    pub(super) fn cut_before(&self, limit: usize) -> usize {
        let limit = limit.min(self.span.end);
        match self.word_around(limit) {
            Some(word) => word.start,
            None => limit,
        }
    }

    /// The first place at or behind `limit` where the context may be cut.
    pub(super) fn cut_behind(&self, limit: usize) -> usize {
        let limit = limit.max(self.span.start);
        match self.word_around(limit) {
            Some(word) => word.end,
            None => limit,
        }
    }

    /// The word that a place is inside of, not at its border.
    fn word_around(&self, place: usize) -> Option<&Range<usize>> {
        let after = self.words.partition_point(|word| word.end <= place);
        self.words.get(after).filter(|word| word.start < place)
    }
}

impl Index {
    /// Finds the keywords of texts and sorts them.
    pub(super) fn of(
        texts: &[Text],
        settings: &Settings,
        words: &Words,
        sentence: Option<&Regex>,
    ) -> Result<Index, Stop> {
        let mut index = Index {
            contexts: Vec::new(),
            entries: Vec::new(),
            reference_width: 0,
            longest_word: 0,
        };
        for (place, text) in texts.iter().enumerate() {
            let mut lines = Lines::new(&text.bytes, settings.input_references);
            let mut start = 0;
            while start < text.bytes.len() {
                let end = context_end(&text.bytes, start, settings, sentence)?;
                index.add(place, &text.bytes, start..end, &mut lines, words)?;
                start = end;
            }
            if settings.auto_references {
                let count = memchr::memchr_iter(b'\n', &text.bytes).count();
                let width = text.name.len() + 1 + (count + 1).to_string().len();
                index.reference_width = index.reference_width.max(width);
            }
        }
        if !settings.auto_references {
            let widths = index.entries.iter().map(|entry| entry.reference.len());
            index.reference_width = widths.max().unwrap_or(0);
        }
        let bytes = |entry: &Entry| &texts[entry.text].bytes[entry.word.clone()];
        // The sort is stable: equal words stay in the order of the texts.
        if settings.ignores_case {
            let folded = |entry: &Entry| bytes(entry).to_ascii_uppercase();
            index.entries.sort_by_cached_key(folded);
        } else {
            index
                .entries
                .sort_by(|one, other| bytes(one).cmp(bytes(other)));
        }
        Ok(index)
    }

    /// Adds a context and the keywords in it.
    fn add(
        &mut self,
        text: usize,
        bytes: &[u8],
        part: Range<usize>,
        lines: &mut Lines<'_>,
        words: &Words,
    ) -> Result<(), Stop> {
        let mut span = part.clone();
        let white = bytes[span.clone()].iter().rev();
        span.end -= white.take_while(|byte| is_white(**byte)).count();
        lines.go_to(span.start);
        if lines.start == span.start && lines.reference.end > span.start {
            span.start = lines.reference.end;
            let white = bytes[span.start..span.end.max(span.start)].iter();
            span.start += white.take_while(|byte| is_white(**byte)).count();
            span.end = span.end.max(span.start);
        }
        let found = words.matcher.words(bytes, span.clone())?;
        // Words of references count for the longest one, too.
        let skipped = words.matcher.words(bytes, part.start..span.start)?;
        let lengths = found.iter().chain(&skipped).map(|word| word.len());
        self.longest_word = self.longest_word.max(lengths.max().unwrap_or(0));
        let context = self.contexts.len();
        for word in &found {
            lines.go_to(word.start);
            if word.start < lines.reference.end || !words.is_keyword(&bytes[word.clone()]) {
                continue;
            }
            self.entries.push(Entry {
                text,
                context,
                word: word.clone(),
                line: lines.number,
                reference: lines.reference.clone(),
            });
        }
        self.contexts.push(Context { span, words: found });
        Ok(())
    }
}

/// Where the context that starts at a place ends, with what separates it from the next.
fn context_end(
    bytes: &[u8],
    start: usize,
    settings: &Settings,
    sentence: Option<&Regex>,
) -> Result<usize, Stop> {
    let Some(regex) = sentence else {
        return Ok(bytes.len());
    };
    let found = regex.find(bytes, start);
    match found.map_err(|error| Stop::failed(error.message()))? {
        None => Ok(bytes.len()),
        Some((from, to)) if from == to => {
            let start = b"error: regular expression has a match of length zero: ";
            let pattern = settings.sentence.as_deref().unwrap_or_default();
            Err(Stop::Failed([&start[..], &quoted_text(pattern)].concat()))
        }
        Some((_, to)) => Ok(to),
    }
}

/// Follows the lines of a text while its words are read.
struct Lines<'a> {
    bytes: &'a [u8],
    with_references: bool,
    /// The number of the line, from 1.
    number: usize,
    start: usize,
    /// Where the next line starts; the end of the text if there is none.
    next: usize,
    /// The first field of the line; empty without references.
    reference: Range<usize>,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8], with_references: bool) -> Lines<'a> {
        let mut lines = Lines {
            bytes,
            with_references,
            number: 0,
            start: 0,
            next: 0,
            reference: 0..0,
        };
        lines.advance();
        lines
    }

    /// Goes to the line that a place is in.
    fn go_to(&mut self, place: usize) {
        while place >= self.next && self.next < self.bytes.len() {
            self.advance();
        }
    }

    fn advance(&mut self) {
        self.number += 1;
        self.start = self.next;
        let rest = &self.bytes[self.start..];
        self.next += memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        if self.with_references {
            let length = rest.iter().take_while(|byte| !is_white(**byte)).count();
            self.reference = self.start..self.start + length;
        } else {
            self.reference = self.start..self.start;
        }
    }
}
