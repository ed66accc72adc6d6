//! `--word-diff`: changes word by word.

use imara_diff::Algorithm;

use super::hunks::{function_before, group};
use super::lines::{self, Hunk, Space};
use super::options::Options;
use super::patch::color;
use crate::out::put;
use crate::pattern::{self, Pattern};
use crate::stop::{Result, Stop};

/// How words that differ are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `[-old-]{+new+}`.
    Plain,
    /// By colours.
    Color,
    /// One piece a line.
    Porcelain,
}

/// Where words are: from and to.
fn words(text: &[u8], regex: Option<&Pattern>) -> Vec<(usize, usize)> {
    if let Some(regex) = regex {
        return regex
            .find_all(text)
            .filter(|(start, end)| start < end)
            .collect();
    }
    let mut found = Vec::new();
    let mut start = None;
    for (at, byte) in text.iter().enumerate() {
        match (byte.is_ascii_whitespace(), start) {
            (true, Some(from)) => {
                found.push((from, at));
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    found.extend(start.map(|from| (from, text.len())));
    found
}

/// What `--word-diff-regex` says a word is.
pub(crate) fn word_pattern(options: &Options) -> Result<Option<Pattern>> {
    let compile = |text: &String| {
        let compiled = pattern::compile(text.as_bytes(), pattern::Kind::Extended, false);
        compiled
            .map_err(|_| Stop::Fatal(format!("invalid regular expression: {text}").into_bytes()))
    };
    options.word_regex.as_ref().map(compile).transpose()
}

/// Prints the hunks of a file, in words of this pattern.
pub(crate) fn print(
    options: &Options,
    regex: Option<&Pattern>,
    old: &[&[u8]],
    new: &[&[u8]],
    hunks: &[Hunk],
) -> Result<()> {
    let style = options.word_diff.unwrap_or(Style::Plain);
    for group in group(hunks, options.context, options.inter_hunk) {
        let (first, last) = (group[0], group[group.len() - 1]);
        let before = options.context.min(first.old);
        let (old_start, new_start) = (first.old - before, first.new - before.min(first.new));
        let old_end = (last.old + last.old_len + options.context).min(old.len());
        let new_end = (last.new + last.new_len + options.context).min(new.len());
        let range = |start: usize, length: usize| match length {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            _ => format!("{},{length}", start + 1),
        };
        let (a, b) = (
            range(old_start, old_end - old_start),
            range(new_start, new_end - new_start),
        );
        let function = function_before(old, old_start);
        let tail = function
            .map(|function| [b" ", function].concat())
            .unwrap_or_default();
        let head = format!("@@ -{a} +{b} @@");
        if options.color {
            put(format!("{}{head}{}", color::FRAG, color::RESET).as_bytes());
        } else {
            put(head.as_bytes());
        }
        put(&tail);
        put(b"\n");
        let mut at = new_start;
        for hunk in group {
            context(&new[at..hunk.new], style, options.color);
            let gone = old[hunk.old..hunk.old + hunk.old_len].concat();
            let come = new[hunk.new..hunk.new + hunk.new_len].concat();
            piece(options, style, &gone, &come, regex);
            at = hunk.new + hunk.new_len;
        }
        context(&new[at..new_end], style, options.color);
    }
    Ok(())
}

fn context(lines: &[&[u8]], style: Style, color: bool) {
    for line in lines {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if style == Style::Porcelain {
            put(b" ");
            put(text);
            put(b"\n~\n");
        } else {
            put(text);
            put(if color && !text.is_empty() {
                b"\x1b[m\n"
            } else {
                b"\n"
            });
        }
    }
}

/// Prints what one hunk changed.
fn piece(options: &Options, style: Style, old: &[u8], new: &[u8], regex: Option<&Pattern>) {
    let (old_words, new_words) = (words(old, regex), words(new, regex));
    let a: Vec<&[u8]> = old_words
        .iter()
        .map(|(from, to)| &old[*from..*to])
        .collect();
    let b: Vec<&[u8]> = new_words
        .iter()
        .map(|(from, to)| &new[*from..*to])
        .collect();
    let hunks = lines::compare_with(&a, &b, Space::Exact, Algorithm::Myers, false);
    let mut shown = 0;
    for hunk in hunks {
        let span = |words: &[(usize, usize)], at: usize, length: usize, text: &[u8]| match length {
            0 => {
                let place = if at == 0 { 0 } else { words[at - 1].1 };
                (place, place)
            }
            _ => (
                words[at].0,
                words.get(at + length - 1).map_or(text.len(), |word| word.1),
            ),
        };
        let gone = span(&old_words, hunk.old, hunk.old_len, old);
        let come = span(&new_words, hunk.new, hunk.new_len, new);
        plain(style, &new[shown..come.0.max(shown)]);
        marked(options, style, false, &old[gone.0..gone.1]);
        marked(options, style, true, &new[come.0..come.1]);
        shown = come.1.max(shown);
    }
    plain(style, &new[shown..]);
}

fn plain(style: Style, text: &[u8]) {
    if style != Style::Porcelain {
        put(text);
        return;
    }
    each_line(text, |line, ended| {
        if !line.is_empty() {
            put(b" ");
            put(line);
            put(b"\n");
        }
        if ended {
            put(b"~\n");
        }
    });
}

fn each_line(text: &[u8], mut work: impl FnMut(&[u8], bool)) {
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(line) => work(line, true),
            None => work(line, false),
        }
    }
}

fn marked(options: &Options, style: Style, added: bool, text: &[u8]) {
    let code = if added { color::NEW } else { color::OLD };
    each_line(text, |line, ended| {
        if style == Style::Porcelain {
            if !line.is_empty() {
                put(if added { b"+" } else { b"-" });
                put(line);
                put(b"\n");
            }
            if ended {
                put(b"~\n");
            }
            return;
        }
        if !line.is_empty() {
            if options.color {
                put(code.as_bytes());
            }
            let (open, close): (&[u8], &[u8]) = match (style, added) {
                (Style::Plain, true) => (b"{+", b"+}"),
                (Style::Plain, false) => (b"[-", b"-]"),
                _ => (b"", b""),
            };
            put(open);
            put(line);
            put(close);
            if options.color {
                put(color::RESET.as_bytes());
            }
        }
        if ended {
            put(b"\n");
        }
    });
}
