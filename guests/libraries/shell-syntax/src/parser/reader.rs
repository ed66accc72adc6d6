//! The text being read, and the position in it.

use crate::alias::Aliases;
use crate::error::{ErrorKind, SyntaxError};
use crate::parser::alias::Expansion;
use crate::parser::heredoc::Pending;
use crate::parser::{Options, Source, Warning};
use crate::tree::{Span, Word};

/// What parsing gives: errors are rare and big.
pub(super) type Parse<T = ()> = Result<T, Box<SyntaxError>>;

/// How deep things may nest, in units of about 100 bytes of stack: 240 compound commands, 150
/// substitutions, 370 `${…}`. What is that deep can be parsed, walked and dropped on half of a
/// stack of 1 MB.
pub(super) const MAX_DEPTH: u32 = 4800;

/// How deep subscripts may nest in subscripts. Each is in the tree twice, as a word and as
/// arithmetic.
pub(super) const MAX_SUBSCRIPTS: u32 = 6;

/// How much of the script put aside is taken at a time.
const CHUNK: usize = 1024;

/// The text and where in it we are. Lives from command to command.
#[derive(Debug, Default)]
pub(super) struct Input {
    /// What was read so far. Holds no NUL: bash drops them, and here a NUL is the end.
    pub(super) text: Vec<u8>,
    /// The next byte.
    pub(super) pos: usize,
    /// The script behind `text`, put aside so that replacing an alias moves little; from `rest_at`
    /// on.
    rest: Vec<u8>,
    rest_at: usize,
    /// The number of the first line.
    first_line: u32,
    /// Positions with the number of newlines before them: one where we are, one where
    /// here-documents are.
    marks: [(usize, u32); 2],
    /// Nothing more comes.
    ended: bool,
    /// Aliases whose text is being read.
    pub(super) expansions: Vec<Expansion>,
    /// How many bytes aliases have put in.
    pub(super) expanded: usize,
}

impl Input {
    pub(super) fn new(mut text: Vec<u8>, first_line: u32) -> Input {
        drop_nul(&mut text, 0);
        Input {
            text,
            first_line,
            ..Input::default()
        }
    }

    /// Moves the numbers of all lines.
    pub(super) fn renumber(&mut self, by: u32) {
        self.first_line = self.first_line.wrapping_add(by);
    }

    /// The line of a position.
    pub(super) fn line_at(&self, pos: usize) -> u32 {
        self.first_line.wrapping_add(self.newlines_before(pos))
    }

    pub(super) fn newlines_before(&self, pos: usize) -> u32 {
        let pos = pos.min(self.text.len());
        let (mark, lines) = self.marks[self.nearest(pos)];
        if pos >= mark {
            lines + newlines(&self.text[mark..pos])
        } else {
            lines - newlines(&self.text[pos..mark])
        }
    }

    fn nearest(&self, pos: usize) -> usize {
        let [first, second] = self.marks;
        usize::from(second.0.abs_diff(pos) < first.0.abs_diff(pos))
    }

    /// The text behind `pos` changes: `lines` newlines are before it.
    pub(super) fn changes(&mut self, pos: usize, lines: u32) {
        for mark in &mut self.marks {
            if mark.0 > pos {
                *mark = (pos, lines);
            }
        }
    }

    /// Puts what is behind `pos + keep` aside, so that it need not move when text is put in here.
    pub(super) fn set_rest_aside(&mut self, keep: usize) {
        let from = self.pos.saturating_add(keep);
        // Seldom, as all of the rest moves.
        if self.text.len() <= from.saturating_add(4 * CHUNK) {
            return;
        }
        let mut rest = self.text.split_off(from);
        rest.extend_from_slice(&self.rest[self.rest_at..]);
        self.rest = rest;
        self.rest_at = 0;
    }
}

fn newlines(text: &[u8]) -> u32 {
    text.iter().map(|byte| u32::from(*byte == b'\n')).sum()
}

fn drop_nul(text: &mut Vec<u8>, from: usize) {
    if text[from..].contains(&0) {
        let mut at = from;
        text.retain(|byte| {
            let keep = at > 0 || *byte != 0;
            at = at.saturating_sub(1);
            keep
        });
    }
}

/// Reads one command.
pub(super) struct Reader<'a> {
    pub(super) input: Input,
    source: Option<&'a mut dyn Source>,
    pub(super) aliases: &'a dyn Aliases,
    pub(super) options: Options,
    pub(super) warnings: Vec<Warning>,
    /// Here-documents whose body comes after the next newline.
    pub(super) pending: Vec<Pending>,
    /// Where the line ends that here-documents were looked for behind; 0 when unknown.
    pub(super) late_line: usize,
    /// How much was taken out of the text so far: positions behind it have changed.
    pub(super) taken_out: usize,
    /// Bodies that were read, until the tree they belong to is whole.
    pub(super) bodies: Vec<Word>,
    /// How deep we are.
    pub(super) depth: u32,
    /// In how many subscripts we are.
    pub(super) subscripts: u32,
    /// Whether we are in the value of an assignment.
    pub(super) assigns: bool,
    /// Lines of the substitution we are in that have no commands. bash prints a substitution when
    /// it has read it, without them, and counts the lines of that when it runs.
    pub(super) empty_lines: Option<u32>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        input: Input,
        source: Option<&'a mut dyn Source>,
        aliases: &'a dyn Aliases,
        options: Options,
    ) -> Reader<'a> {
        Reader {
            input,
            source,
            aliases,
            options,
            warnings: Vec::new(),
            pending: Vec::new(),
            late_line: 0,
            taken_out: 0,
            bodies: Vec::new(),
            depth: 0,
            subscripts: 0,
            assigns: false,
            empty_lines: None,
        }
    }

    /// Reads a piece of text on its own.
    pub(super) fn of_text(text: Vec<u8>, options: Options) -> Reader<'static> {
        let mut reader = Reader::new(Input::new(text, options.first_line), None, &(), options);
        reader.input.ended = true;
        reader
    }

    /// A reader for text that was taken out of this one.
    pub(super) fn inner(&self, text: Vec<u8>, line: u32) -> Reader<'a> {
        let mut reader = Reader::new(Input::new(text, line), None, self.aliases, self.options);
        reader.depth = self.depth;
        reader.subscripts = self.subscripts;
        reader
    }

    /// The next byte; 0 at the end.
    #[inline]
    pub(super) fn peek(&mut self) -> u8 {
        match self.input.text.get(self.input.pos) {
            Some(byte) => *byte,
            None => self.peek_more(0),
        }
    }

    /// The byte `ahead` of the next one; 0 behind the end.
    #[inline]
    pub(super) fn peek_at(&mut self, ahead: usize) -> u8 {
        match self.input.text.get(self.input.pos + ahead) {
            Some(byte) => *byte,
            None => self.peek_more(ahead),
        }
    }

    #[cold]
    #[inline(never)]
    fn peek_more(&mut self, ahead: usize) -> u8 {
        loop {
            if let Some(byte) = self.input.text.get(self.input.pos + ahead) {
                return *byte;
            }
            if !self.refill() {
                return 0;
            }
        }
    }

    /// Reads more text. At the end of a script without a final newline, that newline is the last
    /// that comes.
    fn refill(&mut self) -> bool {
        let input = &mut self.input;
        if input.ended {
            return false;
        }
        let before = input.text.len();
        if input.rest_at < input.rest.len() {
            let end = (input.rest_at + CHUNK).min(input.rest.len());
            input
                .text
                .extend_from_slice(&input.rest[input.rest_at..end]);
            input.rest_at = end;
            return true;
        }
        if let Some(source) = &mut self.source {
            while source.more(&mut input.text) && input.text.len() >= before {
                drop_nul(&mut input.text, before);
                if input.text.len() > before {
                    return true;
                }
            }
        }
        input.ended = true;
        match input.text.last() {
            Some(b'\n') | None => false,
            // A backslash at the very end stands for itself.
            Some(b'\\') if trailing_backslashes(&input.text) % 2 == 1 => false,
            Some(_) => {
                input.text.push(b'\n');
                true
            }
        }
    }

    /// Where we are.
    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.input.pos
    }

    /// Goes on.
    #[inline]
    pub(super) fn skip(&mut self, count: usize) {
        self.input.pos += count;
    }

    /// A piece of the text.
    #[inline]
    pub(super) fn slice(&self, start: usize, end: usize) -> &[u8] {
        self.input.text.get(start..end).unwrap_or(&[])
    }

    /// Passes bytes that have none of the classes, and returns the one that has (0 at the end).
    #[inline]
    pub(super) fn scan(&mut self, classes: u16) -> u8 {
        loop {
            let from = self.input.pos;
            let rest = self.input.text.get(from..).unwrap_or(&[]);
            if let Some(at) = rest
                .iter()
                .position(|byte| super::class::is(*byte, classes))
            {
                self.input.pos = from + at;
                return rest[at];
            }
            self.input.pos = from + rest.len();
            if self.peek() == 0 {
                return 0;
            }
        }
    }

    /// The line of a position.
    #[inline]
    pub(super) fn line_at(&mut self, pos: usize) -> u32 {
        let input = &mut self.input;
        let pos = pos.min(input.text.len());
        let lines = input.newlines_before(pos);
        let nearest = input.nearest(pos);
        input.marks[nearest] = (pos, lines);
        input.first_line.wrapping_add(lines)
    }

    /// The line we are on.
    pub(super) fn line(&mut self) -> u32 {
        self.line_at(self.input.pos)
    }

    /// The line that a command has whose first words end here.
    pub(super) fn command_line(&mut self) -> u32 {
        let empty = self.empty_lines.unwrap_or(0);
        self.line().saturating_sub(empty)
    }

    /// From `start` to here.
    pub(super) fn span(&self, start: usize) -> Span {
        Span {
            start: start as u32,
            end: self.input.pos as u32,
        }
    }

    /// Skips blanks, continued lines and a comment: what may stand before a token.
    #[inline]
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.input.pos += 1,
                b'\\' if self.peek_at(1) == b'\n' => self.input.pos += 2,
                b'#' => self.comment(),
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        loop {
            let from = self.input.pos;
            let rest = &self.input.text[from..];
            if let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
                self.input.pos = from + at;
                return;
            }
            self.input.pos = self.input.text.len();
            if self.peek() == 0 {
                return;
            }
        }
    }

    /// Skips blanks, comments and newlines, reading here-documents where they come.
    pub(super) fn newlines(&mut self) -> Parse {
        let mut first = true;
        loop {
            self.blanks();
            if self.peek() != b'\n' {
                return Ok(());
            }
            self.newline()?;
            if let Some(empty) = &mut self.empty_lines
                && !std::mem::take(&mut first)
            {
                *empty += 1;
            }
        }
    }

    /// Passes a newline and the here-documents behind it.
    pub(super) fn newline(&mut self) -> Parse {
        self.input.pos += 1;
        if self.pending.is_empty() {
            Ok(())
        } else {
            self.read_here_documents()
        }
    }

    /// After an error: behind the end of the line.
    pub(super) fn skip_line(&mut self) {
        self.pending.clear();
        self.comment();
        if self.peek() == b'\n' {
            self.input.pos += 1;
        }
    }

    /// Takes a continued line's backslash and newline at `at` out of the text.
    #[cold]
    #[inline(never)]
    pub(super) fn remove_continuation(&mut self, at: usize) {
        self.take_out(at, at + 2);
    }

    /// Takes text behind here out; its lines still count.
    pub(super) fn take_out(&mut self, from: usize, to: usize) {
        let input = &mut self.input;
        let to = to.min(input.text.len());
        if from >= to {
            return;
        }
        if from < self.late_line {
            self.late_line = 0;
        }
        let lines = input.newlines_before(to);
        let ahead = to.saturating_sub(input.pos);
        input.set_rest_aside(ahead.saturating_add(CHUNK));
        input.text.drain(from..to);
        self.taken_out += to - from;
        // What was taken out counts for what follows.
        input.marks = [(from, lines); 2];
    }

    /// One level deeper; an error when that is too deep. [`Reader::leave`] goes back.
    #[inline]
    pub(super) fn enter(&mut self, cost: u32) -> Parse {
        self.depth += cost;
        if self.depth > MAX_DEPTH {
            return Err(self.error(ErrorKind::TooDeep));
        }
        Ok(())
    }

    /// One level up.
    #[inline]
    pub(super) fn leave(&mut self, cost: u32) {
        self.depth -= cost;
    }

    /// An error here.
    #[cold]
    #[inline(never)]
    pub(super) fn error(&mut self, kind: ErrorKind) -> Box<SyntaxError> {
        self.error_at(kind, self.input.pos)
    }

    /// Whether nothing but newlines follows, to the end of the source.
    #[cold]
    pub(super) fn only_newlines_follow(&mut self) -> bool {
        let mut ahead = 0;
        while self.peek_at(ahead) == b'\n' {
            ahead += 1;
        }
        self.peek_at(ahead) == 0
    }

    /// An error somewhere.
    #[cold]
    #[inline(never)]
    pub(super) fn error_at(&mut self, kind: ErrorKind, pos: usize) -> Box<SyntaxError> {
        let text = &self.input.text;
        let pos = pos.min(text.len());
        let start = text[..pos]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let end = text[pos..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(text.len(), |at| pos + at);
        let source = text[start..end].to_vec();
        Box::new(SyntaxError {
            at_end: matches!(kind, ErrorKind::Unmatched(_)),
            kind,
            line: self.line_at(pos),
            column: (pos - start + 1) as u32,
            source,
            recoverable: false,
            status: Some(2),
            substituted: false,
        })
    }
}

fn trailing_backslashes(text: &[u8]) -> usize {
    text.iter().rev().take_while(|byte| **byte == b'\\').count()
}
