//! What a word is, and which words are keywords.

use std::collections::HashSet;
use std::ops::Range;

use codepod_posix_regex::Regex;
use codepod_tool::Stop;

/// Finds words in a text.
pub(super) enum Matcher {
    /// What matches an expression.
    Regex(Box<Regex>),
    /// Bytes that are marked in a table.
    Bytes(Box<[bool; 256]>),
}

/// How words are found, and which of them count.
pub(super) struct Words {
    pub(super) matcher: Matcher,
    /// Words that are no keywords.
    pub(super) ignored: Option<WordList>,
    /// Words that alone are keywords.
    pub(super) only: Option<WordList>,
}

impl Words {
    /// Whether a word goes into the index.
    pub(super) fn is_keyword(&self, word: &[u8]) -> bool {
        let is_in = |list: &WordList| list.has(word);
        self.only.as_ref().is_none_or(is_in) && !self.ignored.as_ref().is_some_and(is_in)
    }
}

impl Matcher {
    /// The words in a part of a text, one after the other.
    pub(super) fn words(&self, text: &[u8], part: Range<usize>) -> Result<Vec<Range<usize>>, Stop> {
        let mut words = Vec::new();
        let mut at = part.start;
        let text = &text[..part.end];
        while at < part.end {
            let word = match self {
                Matcher::Bytes(is_word) => {
                    let is_word = |byte: &u8| is_word[usize::from(*byte)];
                    text[at..].iter().position(is_word).map(|skipped| {
                        let start = at + skipped;
                        let length = text[start..].iter().take_while(|byte| is_word(byte));
                        start..start + length.count()
                    })
                }
                Matcher::Regex(regex) => regex
                    .find(text, at)
                    .map_err(|error| Stop::failed(error.message()))?
                    .map(|(start, end)| start..end),
            };
            let Some(word) = word else { break };
            // A match of no length is no word.
            at = word.end.max(word.start + 1);
            if !word.is_empty() {
                words.push(word);
            }
        }
        Ok(words)
    }
}

/// Words of a file, one a line.
pub(super) struct WordList {
    words: HashSet<Vec<u8>>,
    ignores_case: bool,
}

impl WordList {
    /// The words of a file's text.
    pub(super) fn new(text: &[u8], ignores_case: bool) -> WordList {
        let lines = text.split(|byte| *byte == b'\n');
        let words = lines
            .filter(|line| !line.is_empty())
            .map(|line| key(line, ignores_case))
            .collect();
        WordList {
            words,
            ignores_case,
        }
    }

    fn has(&self, word: &[u8]) -> bool {
        self.words.contains(&key(word, self.ignores_case))
    }
}

/// What words are compared by.
pub(super) fn key(word: &[u8], ignores_case: bool) -> Vec<u8> {
    if ignores_case {
        word.to_ascii_uppercase()
    } else {
        word.to_vec()
    }
}
