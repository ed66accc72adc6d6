//! Splitting what `read` read by `IFS`.

use codepod_shell_syntax::Name;

use crate::assign;
use crate::shell::Shell;
use crate::text::Text;

/// Finds word after word. Bytes that a backslash stood before separate nothing.
pub(super) struct Splitter<'t> {
    text: &'t [u8],
    escapes: &'t [usize],
    ifs: Separators,
    at: usize,
}

/// The bytes of `IFS`.
struct Separators([bool; 256]);

impl Separators {
    fn of(shell: &mut Shell) -> Separators {
        let mut bytes = [false; 256];
        let set = shell.state.variables.get(Name::IFS).exists();
        let ifs = if set { assign::get(shell, Name::IFS) } else { None };
        for byte in ifs.as_deref().unwrap_or(b" \t\n") {
            bytes[usize::from(*byte)] = true;
        }
        Separators(bytes)
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    fn is_blank(&self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\n') && self.has(byte)
    }
}

impl<'t> Splitter<'t> {
    pub(super) fn new(shell: &mut Shell, text: &'t [u8], escapes: &'t [usize]) -> Splitter<'t> {
        let mut splitter = Splitter {
            text,
            escapes,
            ifs: Separators::of(shell),
            at: 0,
        };
        splitter.skip_blanks();
        splitter
    }

    fn is_escaped(&self, at: usize) -> bool {
        !self.escapes.is_empty() && self.escapes.binary_search(&at).is_ok()
    }

    fn separates(&self, at: usize) -> bool {
        self.ifs.has(self.text[at]) && !self.is_escaped(at)
    }

    fn blank(&self, at: usize) -> bool {
        self.ifs.is_blank(self.text[at]) && !self.is_escaped(at)
    }

    fn skip_blanks(&mut self) {
        while self.at < self.text.len() && self.blank(self.at) {
            self.at += 1;
        }
    }

    fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The next word; the separator behind it is passed.
    pub(super) fn word(&mut self) -> (usize, usize) {
        let start = self.at;
        while !self.at_end() && !self.separates(self.at) {
            self.at += 1;
        }
        let end = self.at;
        let blank = !self.at_end() && self.blank(self.at);
        self.skip_blanks();
        // One other separator may stand among the blanks, or instead of them.
        if !self.at_end() && self.separates(self.at) && (blank || self.at == end) {
            self.at += 1;
            self.skip_blanks();
        }
        (start, end)
    }

    /// All that is left, for the last variable: without blanks at the end, and if it is only one word, without the separator behind it.
    pub(super) fn rest(&mut self) -> (usize, usize) {
        let start = self.at;
        let word = self.word();
        if self.at_end() {
            return word;
        }
        let mut end = self.text.len();
        while end > start && self.blank(end - 1) {
            end -= 1;
        }
        (start, end)
    }
}

/// All words, for `-a`.
pub(super) fn words(shell: &mut Shell, text: &[u8], escapes: &[usize]) -> Vec<Text> {
    let mut splitter = Splitter::new(shell, text, escapes);
    let mut words = Vec::new();
    while !splitter.at_end() {
        let (start, end) = splitter.word();
        words.push(Text::new(&text[start..end]));
    }
    words
}
