//! A paragraph of `fmt`, and how it is broken into lines.
//!
//! Each way to break it has a cost: for lines that are far from the goal, for neighbours of
//! different length, for breaks within a sentence, and less where a break reads well. The cheapest
//! way is found from the end to the beginning. The costs are GNU's, so that lines break where its
//! do.

use codepod_tool::Output;

/// How much of a paragraph is kept at most; of a longer one the beginning is printed before its
/// end is read.
const MOST_TEXT: usize = 5000;
const MOST_WORDS: usize = 998;

type Cost = i64;

const LINE: Cost = square(70);
const SENTENCE_BONUS: Cost = square(50);
const NO_BREAK: Cost = square(600);
const PAREN_BONUS: Cost = square(40);
const PUNCT_BONUS: Cost = square(40);
/// How much more a later break may cost where the beginning of a long paragraph is printed.
const LINE_CREDIT: Cost = square(3);

const fn square(number: Cost) -> Cost {
    number.saturating_mul(number)
}

/// The cost of a line that is so far from the goal.
const fn short(distance: Cost) -> Cost {
    square(distance.saturating_mul(10))
}

/// The cost of two neighbours that differ by so much.
const fn ragged(difference: Cost) -> Cost {
    short(difference) / 2
}

/// The cost of the last word of a sentence at the beginning of a line.
fn widow(length: usize) -> Cost {
    square(200) / (length as Cost + 2)
}

/// The cost of the first word of a sentence at the end of a line.
fn orphan(length: usize) -> Cost {
    square(150) / (length as Cost + 2)
}

/// A word with the space behind it.
pub(super) struct Word {
    text: Vec<u8>,
    pub(super) space: u64,
    /// It begins with a bracket or a quote.
    paren: bool,
    /// It ends with punctuation.
    punct: bool,
    /// It ends with what may end a sentence.
    pub(super) period: bool,
    /// It ends a sentence.
    pub(super) is_final: bool,
    /// What the paragraph costs from here on, if a line begins here; how long that line is, and
    /// where the next one begins.
    best: Cost,
    line_length: u64,
    next_break: usize,
}

impl Word {
    pub(super) fn new(text: Vec<u8>, space: u64) -> Word {
        // Brackets and quotes may close behind the period. A NUL counts as any of them, as it does
        // for GNU.
        let last = text
            .iter()
            .rposition(|byte| !b")]'\"\0".contains(byte))
            .unwrap_or(0);
        Word {
            paren: text.first().is_some_and(|byte| b"(['`\"\0".contains(byte)),
            punct: text.last().is_some_and(u8::is_ascii_punctuation),
            period: text.get(last).is_some_and(|byte| b".?!\0".contains(byte)),
            is_final: false,
            text,
            space,
            best: 0,
            line_length: 0,
            next_break: 0,
        }
    }

    fn length(&self) -> u64 {
        self.text.len() as u64
    }
}

/// A paragraph.
pub(super) struct Paragraph {
    words: Vec<Word>,
    /// How many bytes the words have.
    length: usize,
    /// Where its prefix begins.
    pub(super) prefix_column: u64,
    pub(super) first_indent: u64,
    pub(super) other_indent: u64,
}

impl Paragraph {
    pub(super) fn new(prefix_column: u64, first_indent: u64, other_indent: u64) -> Paragraph {
        Paragraph {
            words: Vec::new(),
            length: 0,
            prefix_column,
            first_indent,
            other_indent,
        }
    }

    /// Adds a word.
    pub(super) fn push(&mut self, word: Word) {
        self.length += word.text.len();
        self.words.push(word);
    }

    /// Whether it has no words.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether there is no room for more of a word that has `length` bytes so far.
    pub(super) fn is_full_of_text(&self, length: usize) -> bool {
        self.length + length >= MOST_TEXT
    }

    /// Whether there is no room for another word.
    pub(super) fn is_full_of_words(&self) -> bool {
        self.words.len() >= MOST_WORDS
    }

    /// Takes the last word as the end of a sentence.
    pub(super) fn end(&mut self) {
        if let Some(last) = self.words.last_mut() {
            (last.period, last.is_final) = (true, true);
        }
    }

    /// Prints all of it.
    pub(super) fn print(&mut self, page: &mut Page<'_>) {
        self.find_breaks(page);
        self.print_lines(page, self.words.len());
    }

    /// Prints the lines up to a good break, and forgets their words.
    pub(super) fn print_beginning(&mut self, page: &mut Page<'_>) {
        self.find_breaks(page);
        let count = self.words.len();
        let best_from = |place: usize| self.words.get(place).map_or(0, |word| word.best);
        let (mut split, mut least) = (count, Cost::MAX);
        let mut at = self.words[0].next_break;
        while at < count {
            let next = self.words[at].next_break;
            let cost = best_from(at) - best_from(next);
            if cost < least {
                (split, least) = (at, cost);
            }
            least = least.saturating_add(LINE_CREDIT);
            at = next;
        }
        self.print_lines(page, split);
        self.words.drain(..split);
        self.length = self.words.iter().map(|word| word.text.len()).sum();
    }

    /// Finds the cheapest way to break the paragraph into lines.
    fn find_breaks(&mut self, page: &Page<'_>) {
        let count = self.words.len();
        for start in (0..count).rev() {
            let indent = if start == 0 {
                self.first_indent
            } else {
                self.other_indent
            };
            let mut length = indent.saturating_add(self.words[start].length());
            let (mut best, mut line_length, mut next_break) = (Cost::MAX, length, start + 1);
            for next in start + 1..=count {
                let later = self.words.get(next).map_or(0, |word| word.best);
                let mut cost = self.line_cost(page, next, length).saturating_add(later);
                if start == 0 && page.last_length > 0 {
                    let difference = length.cast_signed() - page.last_length.cast_signed();
                    cost = cost.saturating_add(ragged(difference));
                }
                if cost < best {
                    (best, line_length, next_break) = (cost, length, next);
                }
                let Some(word) = self.words.get(next) else {
                    break;
                };
                length = length
                    .saturating_add(self.words[next - 1].space)
                    .saturating_add(word.length());
                if length >= page.width {
                    break;
                }
            }
            let base = self.break_cost(start);
            let word = &mut self.words[start];
            word.best = best.saturating_add(base);
            (word.line_length, word.next_break) = (line_length, next_break);
        }
    }

    /// The cost of a line of some length, if the next one begins at a word.
    fn line_cost(&self, page: &Page<'_>, next: usize, length: u64) -> Cost {
        let Some(word) = self.words.get(next) else {
            return 0;
        };
        let length = length.cast_signed();
        let mut cost = short(page.goal.cast_signed().saturating_sub(length));
        if word.next_break < self.words.len() {
            let difference = length.saturating_sub(word.line_length.cast_signed());
            cost = cost.saturating_add(ragged(difference));
        }
        cost
    }

    /// The cost of a line that begins at a word, by the words around.
    fn break_cost(&self, start: usize) -> Cost {
        let mut cost = LINE;
        let word = &self.words[start];
        if start > 0 {
            let before = &self.words[start - 1];
            if before.period {
                cost += if before.is_final {
                    -SENTENCE_BONUS
                } else {
                    NO_BREAK
                };
            } else if before.punct {
                cost -= PUNCT_BONUS;
            } else if start > 1 && self.words[start - 2].is_final {
                cost += widow(before.text.len());
            }
        }
        if word.paren {
            cost -= PAREN_BONUS;
        } else if word.is_final {
            cost += orphan(word.text.len());
        }
        cost
    }

    /// Prints the lines up to a word.
    fn print_lines(&self, page: &mut Page<'_>, end: usize) {
        let mut start = 0;
        while start < end && !page.is_broken() {
            let indent = if start == 0 {
                self.first_indent
            } else {
                self.other_indent
            };
            let next = self.words[start].next_break;
            page.start_line();
            page.prefix(self.prefix_column);
            page.space(indent.saturating_sub(page.column));
            for (place, word) in self.words[start..next].iter().enumerate() {
                page.text(&word.text);
                if start + place + 1 < next {
                    page.space(word.space);
                }
            }
            page.last_length = page.column;
            page.end_line();
            start = next;
        }
    }
}

/// The output, and what lines on it look like.
pub(super) struct Page<'a> {
    out: &'a mut Output,
    prefix: &'a [u8],
    width: u64,
    goal: u64,
    /// Whether the input has tabs: only then are they used.
    pub(super) has_tabs: bool,
    /// Where the line that is printed ends so far.
    pub(super) column: u64,
    /// The length of the paragraph's last line that is printed already; 0 before the first.
    pub(super) last_length: u64,
}

impl<'a> Page<'a> {
    pub(super) fn new(out: &'a mut Output, prefix: &'a [u8], width: u64, goal: u64) -> Page<'a> {
        Page {
            out,
            prefix,
            width,
            goal,
            has_tabs: false,
            column: 0,
            last_length: 0,
        }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.out.is_broken()
    }

    pub(super) fn start_line(&mut self) {
        self.column = 0;
    }

    pub(super) fn end_line(&mut self) {
        self.out.put_byte(b'\n');
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        self.out.put(text);
        self.column += text.len() as u64;
    }

    fn prefix(&mut self, column: u64) {
        self.space(column);
        self.text(self.prefix);
    }

    /// Goes on by some columns: with tabs where they help, and then with spaces.
    pub(super) fn space(&mut self, count: u64) {
        let end = self.column.saturating_add(count);
        let last_stop = end / 8 * 8;
        if self.has_tabs && self.column + 1 < last_stop {
            while self.column < last_stop && !self.is_broken() {
                self.out.put_byte(b'\t');
                self.column = (self.column / 8 + 1) * 8;
            }
        }
        while self.column < end && !self.is_broken() {
            self.out.put_byte(b' ');
            self.column += 1;
        }
    }
}
