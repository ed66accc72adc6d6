//! Splitting what `read` read by `IFS`.

use crate::expand::ifs::{self, Ifs, Splits};
use crate::shell::Shell;
use crate::text::Text;

/// From where to where a word goes.
pub(super) type Part = (usize, usize);

/// Finds word after word. Bytes that a backslash stood before separate nothing.
struct Splitter<'t> {
    text: &'t [u8],
    escapes: &'t [usize],
    ifs: &'t Ifs,
    at: usize,
}

impl<'t> Splitter<'t> {
    fn new(ifs: &'t Ifs, text: &'t [u8], escapes: &'t [usize]) -> Splitter<'t> {
        let mut splitter = Splitter {
            text,
            escapes,
            ifs,
            at: 0,
        };
        splitter.skip_blanks();
        splitter
    }

    /// How the character at a place splits, and where the next one is.
    #[inline]
    fn splits(&self, at: usize) -> (Splits, usize) {
        if !self.escapes.is_empty() && self.escapes.binary_search(&at).is_ok() {
            return (Splits::No, at + 1);
        }
        self.ifs.at(self.text, at)
    }

    fn skip_blanks(&mut self) {
        while self.at < self.text.len() && self.splits(self.at).0 == Splits::Space {
            self.at += 1;
        }
    }

    fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The next word; the separator behind it is passed.
    fn word(&mut self) -> Part {
        let start = self.at;
        while !self.at_end() {
            let (Splits::No, next) = self.splits(self.at) else {
                break;
            };
            self.at = next;
        }
        let end = self.at;
        self.skip_blanks();
        // One other separator may stand among the blanks, or instead of them.
        if !self.at_end()
            && let (Splits::Other, next) = self.splits(self.at)
        {
            self.at = next;
            self.skip_blanks();
        }
        (start, end)
    }

    /// All that is left, for the last variable: without blanks at the end, and if it is only one
    /// word, without the separator behind it.
    fn rest(&mut self) -> Part {
        let start = self.at;
        let word = self.word();
        if self.at_end() {
            return word;
        }
        let mut end = self.text.len();
        while end > start && self.splits(end - 1).0 == Splits::Space {
            end -= 1;
        }
        (start, end)
    }
}

/// The whole line for one variable.
pub(super) fn whole(shell: &Shell, text: &[u8], escapes: &[usize]) -> Part {
    ifs::current(shell, |ifs| Splitter::new(ifs, text, escapes).rest())
}

/// A part for each of several variables.
pub(super) fn parts(shell: &Shell, text: &[u8], escapes: &[usize], count: usize) -> Vec<Part> {
    ifs::current(shell, |ifs| {
        let mut splitter = Splitter::new(ifs, text, escapes);
        let mut parts: Vec<Part> = (1..count).map(|_| splitter.word()).collect();
        parts.push(splitter.rest());
        parts
    })
}

/// All words, for `-a`.
pub(super) fn words(shell: &Shell, text: &[u8], escapes: &[usize]) -> Vec<Text> {
    ifs::current(shell, |ifs| {
        let mut splitter = Splitter::new(ifs, text, escapes);
        let mut words = Vec::new();
        while !splitter.at_end() {
            let (start, end) = splitter.word();
            words.push(Text::new(&text[start..end]));
        }
        words
    })
}
