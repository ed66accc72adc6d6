//! `fmt`: fills and joins the lines of paragraphs.
//!
//! This file has the command line and tells paragraphs apart; `fmt/paragraph.rs` breaks one into
//! lines.

mod paragraph;

use std::io;

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, flag, long, quoted, value,
};

use crate::arguments::{help, version};
use crate::bounded;
use crate::system;
use crate::text_input::{Input, finish, or_standard_input};
use paragraph::{Page, Paragraph, Word};

/// How wide lines are unless something else is asked for, and the most that can be asked for.
const WIDTH: i64 = 75;
const WIDEST: i64 = 2500;
/// How much wider than the goal lines may be where only the goal is given.
const BEYOND_GOAL: i64 = 10;
/// By how many percent lines should stay below the width.
const LEEWAY: i64 = 7;
/// The indentation of a tagged paragraph's further lines where there is nothing to go by.
const TAG_INDENT: u64 = 3;

#[derive(Clone, Copy)]
enum Key {
    Crown,
    Prefix,
    Split,
    Tagged,
    Uniform,
    Width,
    Goal,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Crown, b'c', "crown-margin"),
    value(Key::Prefix, b'p', "prefix"),
    flag(Key::Split, b's', "split-only"),
    flag(Key::Tagged, b't', "tagged-paragraph"),
    flag(Key::Uniform, b'u', "uniform-spacing"),
    value(Key::Width, b'w', "width"),
    value(Key::Goal, b'g', "goal"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Which lines make a paragraph.
#[derive(Default)]
struct Kinds {
    crown: bool,
    split: bool,
    tagged: bool,
}

/// What lines begin with that are formatted.
#[derive(Default)]
struct Prefix {
    /// Without blanks on both sides.
    text: Vec<u8>,
    /// Spaces before it.
    lead: u64,
    /// The length with the spaces behind it.
    full: u64,
}

impl Prefix {
    fn new(text: &[u8]) -> Prefix {
        let lead = text.iter().take_while(|byte| **byte == b' ').count();
        let behind = &text[lead..];
        let kept = behind.iter().rposition(|byte| *byte != b' ');
        Prefix {
            text: behind[..kept.map_or(0, |last| last + 1)].to_vec(),
            lead: lead as u64,
            full: behind.len() as u64,
        }
    }
}

struct Settings {
    kinds: Kinds,
    uniform: bool,
    prefix: Prefix,
    width: u64,
    goal: u64,
    files: Arguments,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut out = Output::new();
    let mut status = 0;
    for name in &settings.files {
        let input = match Input::open(name) {
            Ok(input) => input,
            Err(error) => {
                out.write_out();
                let why = system::io_message(&error);
                let start = b"cannot open ";
                let middle = b" for reading: ";
                complain(
                    tool,
                    [start, &quoted(name)[..], middle, why.as_bytes()].concat(),
                );
                status = 1;
                continue;
            }
        };
        let mut source = Source::new(input, &settings, &mut out);
        source.format();
        if source.text.failed {
            out.write_out();
            complain(tool, "read error");
            status = 1;
        }
    }
    finish(tool, &mut out, status)
}

fn settings(tool: &str, mut arguments: Arguments) -> Result<Settings, Stop> {
    let (mut kinds, mut uniform, mut prefix) = (Kinds::default(), false, Prefix::default());
    let (mut width, mut goal) = (None, None);
    // `-N` is `-w N` where it is the first argument.
    if let Some([b'-', number @ ..]) = arguments.first().map(Vec::as_slice)
        && number.first().is_some_and(u8::is_ascii_digit)
    {
        width = Some(number.to_vec());
        arguments.remove(0);
    }
    let files = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::Crown => kinds.crown = true,
            Key::Prefix => prefix = Prefix::new(&value.unwrap_or_default()),
            Key::Split => kinds.split = true,
            Key::Tagged => kinds.tagged = true,
            Key::Uniform => uniform = true,
            Key::Width => width = value,
            Key::Goal => goal = value,
            Key::Help => {
                let about = "Reformat each paragraph in the FILE(s), writing to standard output.";
                let status = help(tool, "[-WIDTH] [OPTION]... [FILE]...", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    });
    let files = files.map_err(late_width)?;
    let (width, goal) = widths(width.as_deref(), goal.as_deref())?;
    Ok(Settings {
        kinds,
        uniform,
        prefix,
        width: width.unsigned_abs(),
        goal: goal.unsigned_abs(),
        files: or_standard_input(files),
    })
}

/// The message about `-N` where it is not the first argument.
fn late_width(stop: Stop) -> Stop {
    if let Stop::Usage(usage) = &stop
        && let Some([digit @ b'0'..=b'9', b'\'']) =
            usage.message.strip_prefix(b"invalid option -- '")
    {
        let digit = char::from(*digit);
        return Usage::new(format!(
            "invalid option -- {digit}; -WIDTH is recognized only when it is the first\n\
             option; use -w N instead"
        ))
        .into();
    }
    stop
}

/// The width and the goal, of which one follows from the other where it is not given.
fn widths(width: Option<&[u8]>, goal: Option<&[u8]>) -> Result<(i64, i64), Stop> {
    let number = |text: &[u8], most| {
        // No number is negative here, so a sign makes it none.
        if text.trim_ascii_start().starts_with(b"-") {
            let start = b"invalid width: ";
            let message = [&start[..], &codepod_tool::quoted_text(text)].concat();
            return Err(Stop::Failed(message));
        }
        bounded::number(text, 0, most, "invalid width")
    };
    let given = width.map(|text| number(text, WIDEST)).transpose()?;
    match goal {
        Some(goal) => {
            let goal = number(goal, given.unwrap_or(WIDTH))?;
            Ok((given.unwrap_or(goal + BEYOND_GOAL), goal))
        }
        None => {
            let width = given.unwrap_or(WIDTH);
            Ok((width, width * (2 * (100 - LEEWAY) + 1) / 200))
        }
    }
}

/// The bytes of a file.
struct Text {
    input: Input,
    block: Vec<u8>,
    at: usize,
    /// Whether reading failed, which counts as the end.
    failed: bool,
}

impl Text {
    fn next(&mut self) -> Option<u8> {
        if self.at == self.block.len() {
            self.fill().unwrap_or_else(|_| self.failed = true);
        }
        let byte = self.block.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn fill(&mut self) -> io::Result<()> {
        self.block.clear();
        self.at = 0;
        if !self.failed
            && let Some(block) = self.input.block()?
        {
            self.block.extend_from_slice(block);
        }
        Ok(())
    }
}

/// A file that is formatted.
struct Source<'a> {
    text: Text,
    settings: &'a Settings,
    page: Page<'a>,
    /// The byte that was read last and is not used yet; none at the end.
    byte: Option<u8>,
    /// The column that it stands at.
    column: u64,
    /// Where the prefix of the current line begins.
    prefix_column: u64,
}

impl<'a> Source<'a> {
    fn new(input: Input, settings: &'a Settings, out: &'a mut Output) -> Source<'a> {
        Source {
            text: Text {
                input,
                block: Vec::new(),
                at: 0,
                failed: false,
            },
            settings,
            page: Page::new(out, &settings.prefix.text, settings.width, settings.goal),
            byte: None,
            column: 0,
            prefix_column: 0,
        }
    }

    fn format(&mut self) {
        let mut other_indent = 0;
        self.start_line();
        while !self.page.is_broken()
            && let Some(mut paragraph) = self.paragraph(other_indent)
        {
            paragraph.print(&mut self.page);
            other_indent = paragraph.other_indent;
        }
    }

    fn read(&mut self) {
        self.byte = self.text.next();
    }

    fn at_line_end(&self) -> bool {
        matches!(self.byte, None | Some(b'\n'))
    }

    /// Goes over blanks.
    fn skip_blanks(&mut self) {
        loop {
            match self.byte {
                Some(b' ') => self.column += 1,
                Some(b'\t') => {
                    self.page.has_tabs = true;
                    self.column = (self.column / 8 + 1) * 8;
                }
                _ => return,
            }
            self.read();
        }
    }

    /// Begins a line: goes over its blanks and, as far as it is there, the prefix.
    fn start_line(&mut self) {
        self.column = 0;
        self.read();
        self.skip_blanks();
        let prefix = &self.settings.prefix;
        self.prefix_column = self.column;
        if prefix.text.is_empty() {
            self.prefix_column = self.column.min(prefix.lead);
            return;
        }
        for wanted in &prefix.text {
            if self.byte != Some(*wanted) {
                return;
            }
            self.column += 1;
            self.read();
        }
        self.skip_blanks();
    }

    /// Whether the line has the whole prefix, and something behind it.
    fn has_text(&self) -> bool {
        !self.at_line_end() && self.column >= self.prefix_column + self.settings.prefix.full
    }

    /// Whether the line may belong to a paragraph whose prefix is at a column.
    fn continues(&self, paragraph: &Paragraph) -> bool {
        self.has_text() && self.prefix_column == paragraph.prefix_column
    }

    /// Copies lines that are not formatted, and reads the paragraph behind them; none at the end.
    fn paragraph(&mut self, other_indent: u64) -> Option<Paragraph> {
        while !self.has_text() || self.prefix_column < self.settings.prefix.lead {
            self.copy_line();
            self.byte?;
            self.page.end_line();
            if self.page.is_broken() {
                return None;
            }
            self.start_line();
        }
        self.page.last_length = 0;
        let mut paragraph = Paragraph::new(self.prefix_column, self.column, other_indent);
        self.line(&mut paragraph);
        let continues = self.continues(&paragraph);
        self.set_other_indent(&mut paragraph, continues);
        let kinds = &self.settings.kinds;
        let mut joins = if kinds.split {
            false
        } else if kinds.crown {
            continues
        } else if kinds.tagged {
            continues && self.column != paragraph.first_indent
        } else {
            continues && self.column == paragraph.other_indent
        };
        while joins {
            self.line(&mut paragraph);
            joins = self.continues(&paragraph) && self.column == paragraph.other_indent;
        }
        paragraph.end();
        Some(paragraph)
    }

    /// Copies the rest of a line that is not formatted, without its end.
    fn copy_line(&mut self) {
        let prefix = &self.settings.prefix.text;
        let page = &mut self.page;
        page.start_line();
        if self.column > self.prefix_column || !matches!(self.byte, None | Some(b'\n')) {
            page.space(self.prefix_column);
            let shown = self.column.saturating_sub(page.column);
            let shown = usize::try_from(shown).map_or(prefix.len(), |n| n.min(prefix.len()));
            page.text(&prefix[..shown]);
            let at_end = matches!(self.byte, None | Some(b'\n'));
            if !at_end {
                page.space(self.column - page.column);
            }
            if self.byte.is_none() && self.column >= self.prefix_column + prefix.len() as u64 {
                page.end_line();
            }
        }
        while !self.at_line_end() {
            if let Some(byte) = self.byte {
                self.page.text(&[byte]);
            }
            self.read();
        }
    }

    /// Takes the words of a line, and begins the next line.
    fn line(&mut self, paragraph: &mut Paragraph) {
        loop {
            self.word(paragraph);
            if self.at_line_end() {
                break;
            }
        }
        self.start_line();
    }

    /// Takes a word and the blanks behind it.
    fn word(&mut self, paragraph: &mut Paragraph) {
        let mut text = Vec::new();
        // A word has at least one byte: a form feed begins one, although it ends the one before.
        while let Some(byte) = self.byte {
            if paragraph.is_full_of_text(text.len()) {
                self.make_room(paragraph, &mut text);
            }
            text.push(byte);
            self.read();
            if matches!(self.byte, Some(b'\t'..=b'\r' | b' ')) {
                break;
            }
        }
        self.column += text.len() as u64;
        let start = self.column;
        self.skip_blanks();
        let mut word = Word::new(text, self.column - start);
        word.is_final = match self.byte {
            None => true,
            Some(b'\n') => word.period,
            Some(_) => word.period && word.space > 1,
        };
        if self.at_line_end() || self.settings.uniform {
            word.space = if word.is_final { 2 } else { 1 };
        }
        if paragraph.is_full_of_words() {
            self.make_room(paragraph, &mut Vec::new());
        }
        paragraph.push(word);
    }

    /// Prints the beginning of a paragraph that is too long; of a single word that is, all of it.
    fn make_room(&mut self, paragraph: &mut Paragraph, word: &mut Vec<u8>) {
        self.set_other_indent(paragraph, true);
        if paragraph.is_empty() {
            self.page.text(word);
            word.clear();
        } else {
            paragraph.print_beginning(&mut self.page);
        }
    }

    /// Decides how far lines but the first are indented.
    fn set_other_indent(&self, paragraph: &mut Paragraph, continues: bool) {
        let kinds = &self.settings.kinds;
        let first = paragraph.first_indent;
        if kinds.split || !kinds.crown && !kinds.tagged {
            paragraph.other_indent = first;
        } else if kinds.crown {
            paragraph.other_indent = if continues { self.column } else { first };
        } else if continues && self.column != first {
            paragraph.other_indent = self.column;
        } else if paragraph.other_indent == first {
            // A tag has to stand out.
            paragraph.other_indent = if first == 0 { TAG_INDENT } else { 0 };
        }
    }
}
