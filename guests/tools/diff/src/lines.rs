//! A file as lines, and what makes two lines equal.

use std::collections::HashMap;

use codepod_posix_regex::next_char;
use memchr::memchr;

/// Which differences between lines do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ignoring {
    pub(crate) case: bool,
    /// All white space.
    pub(crate) space: bool,
    /// How much white space there is.
    pub(crate) space_amount: bool,
    pub(crate) trailing_space: bool,
    pub(crate) tab_expansion: bool,
    pub(crate) trailing_cr: bool,
    pub(crate) tab_size: usize,
}

/// A file and its lines.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) text: Vec<u8>,
    /// Where each line starts, and where the last ends.
    starts: Vec<usize>,
    /// The last line has no end.
    pub(crate) unended: bool,
}

impl Lines {
    /// Finds the lines of a text.
    pub(crate) fn new(mut text: Vec<u8>, strip_cr: bool) -> Lines {
        if strip_cr && memchr(b'\r', &text).is_some() {
            let mut kept = Vec::with_capacity(text.len());
            for (at, byte) in text.iter().enumerate() {
                if *byte != b'\r' || text.get(at + 1) != Some(&b'\n') {
                    kept.push(*byte);
                }
            }
            text = kept;
        }
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', &text).map(|at| at + 1));
        let unended = text.last().is_some_and(|last| *last != b'\n');
        if unended {
            starts.push(text.len());
        }
        Lines {
            text,
            starts,
            unended,
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A line with its end.
    pub(crate) fn line(&self, number: usize) -> &[u8] {
        &self.text[self.starts[number]..self.starts[number + 1]]
    }

    /// A line without its end.
    pub(crate) fn body(&self, number: usize) -> &[u8] {
        let line = self.line(number);
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    /// Whether a line has no end.
    pub(crate) fn lacks_end(&self, number: usize) -> bool {
        self.unended && number + 1 == self.len()
    }
}

/// The lines of both files as numbers: equal lines have equal numbers.
pub(crate) fn numbered(files: [&Lines; 2], ignoring: Ignoring) -> [Vec<u32>; 2] {
    let plain = Ignoring {
        tab_size: ignoring.tab_size,
        trailing_cr: ignoring.trailing_cr,
        ..Ignoring::default()
    } == ignoring;
    if plain {
        let mut known: HashMap<&[u8], u32> = HashMap::new();
        return files.map(|file| {
            let lines = (0..file.len()).map(|number| file.line(number));
            lines
                .map(|line| {
                    let next = known.len() as u32;
                    *known.entry(line).or_insert(next)
                })
                .collect()
        });
    }
    let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
    files.map(|file| {
        (0..file.len())
            .map(|number| {
                let next = known.len() as u32;
                *known.entry(key(file, number, ignoring)).or_insert(next)
            })
            .collect()
    })
}

/// What of a line counts.
fn key(file: &Lines, number: usize, ignoring: Ignoring) -> Vec<u8> {
    let is_space = |byte: u8| matches!(byte, b' ' | b'\t' | 11..=13);
    let body = file.body(number);
    let mut key = Vec::with_capacity(body.len() + 1);
    let mut column = 0;
    let mut at = 0;
    while at < body.len() {
        let byte = body[at];
        if is_space(byte) && (ignoring.space || ignoring.space_amount) {
            while at < body.len() && is_space(body[at]) {
                at += 1;
            }
            if !ignoring.space && at < body.len() {
                key.push(b' ');
            }
            continue;
        }
        if byte == b'\t' && ignoring.tab_expansion {
            let width = ignoring.tab_size - column % ignoring.tab_size;
            key.resize(key.len() + width, b' ');
            column += width;
            at += 1;
            continue;
        }
        let next = next_char(body, at).1;
        key.extend_from_slice(&body[at..next]);
        column += 1;
        at = next;
    }
    if ignoring.case {
        // Only ASCII letters: GNU diff compares bytes.
        key.make_ascii_lowercase();
    }
    let no_end_counts = !(ignoring.space || ignoring.space_amount || ignoring.trailing_space);
    if ignoring.trailing_space {
        while key.last().is_some_and(|last| is_space(*last)) {
            key.pop();
        }
    }
    if no_end_counts && !file.lacks_end(number) {
        key.push(b'\n');
    }
    key
}
