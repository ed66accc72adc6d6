//! The parser: one complete command after another.

mod alias;
mod array;
mod assign;
mod brace;
mod class;
mod command;
mod compound;
mod cond;
mod dollar;
mod heredoc;
mod list;
mod math;
mod param;
mod quoted;
mod raw;
mod reader;
mod redirect;
mod reserved;
mod subscript;
mod substitution;
mod tilde;
mod token;
mod word;

use crate::alias::Aliases;
use crate::error::SyntaxError;
use crate::tree::{Bytes, Element, List, Word};
use reader::{Input, Reader};

pub use quoted::ansi;
pub(crate) use reserved::is_reserved;

/// What changes the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// `shopt -s extglob`
    pub extglob: bool,
    /// `set -o posix`
    pub posix: bool,
    /// `set -B`
    pub braces: bool,
    /// `shopt -s expand_aliases`
    pub aliases: bool,
    /// `set -k`: assignments behind the command's name belong to it, too.
    pub keyword: bool,
    /// The number of the first line.
    pub first_line: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            extglob: false,
            posix: false,
            braces: true,
            aliases: false,
            keyword: false,
            first_line: 1,
        }
    }
}

/// Where more text comes from when the parser needs it: standard input, a terminal.
pub trait Source {
    /// Appends at least one byte, usually a line, or says that there is no more.
    fn more(&mut self, text: &mut Vec<u8>) -> bool;
}

/// Something bash prints about a script that it runs all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line bash gives.
    pub line: u32,
    /// What it prints after `bash: line N: warning: `.
    pub message: Bytes,
}

/// Reads a script.
pub struct Parser<'s> {
    source: Option<&'s mut dyn Source>,
    input: Input,
    options: Options,
    warnings: Vec<Warning>,
}

impl<'s> Parser<'s> {
    /// Reads a script that is all there.
    pub fn new(text: &[u8], options: Options) -> Parser<'s> {
        Parser {
            source: None,
            input: Input::new(text.to_vec(), options.first_line),
            options,
            warnings: Vec::new(),
        }
    }

    /// Reads a script as its text comes. No more is asked for than the command needs.
    pub fn from_source(source: &'s mut dyn Source, options: Options) -> Parser<'s> {
        Parser {
            source: Some(source),
            input: Input::new(Vec::new(), options.first_line),
            options,
            warnings: Vec::new(),
        }
    }

    /// The next complete command: everything up to a newline that ends it. Empty lines and comments
    /// are skipped; `None` at the end. After an error, the rest of the line is skipped, and the
    /// next call goes on behind it.
    pub fn next(&mut self, aliases: &dyn Aliases) -> Result<Option<List>, SyntaxError> {
        let input = std::mem::take(&mut self.input);
        let source = self
            .source
            .as_mut()
            .map(|source| &mut **source as &mut dyn Source);
        let mut reader = Reader::new(input, source, aliases, self.options);
        let result = reader.complete_command();
        if result.is_err() {
            reader.skip_line();
        }
        self.warnings.append(&mut reader.warnings);
        self.input = reader.input;
        result.map_err(|error| *error)
    }

    /// Changes the grammar for what follows; `first_line` is ignored.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// The line that comes next.
    pub fn line(&self) -> u32 {
        self.input.line_at(self.input.pos)
    }

    /// The line that was read last.
    pub fn last_line(&self) -> u32 {
        self.input.line_at(self.input.pos.saturating_sub(1))
    }

    /// Gives the line that comes next another number.
    pub fn renumber(&mut self, line: u32) {
        let now = self.line();
        self.input.renumber(line.wrapping_sub(now));
    }

    /// How much of the text was read: everything up to what the next command starts with.
    pub fn position(&self) -> usize {
        self.input.pos
    }

    /// The text read so far, aliases replaced; spans are offsets into it.
    pub fn text(&self) -> &[u8] {
        &self.input.text
    }

    /// Takes the warnings that reading has caused since the last call: here-documents that the end
    /// of the script ends.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }
}

/// Parses text as the inside of double quotes: prompts, `${x@P}`, arithmetic text of a subscript.
pub fn double_quoted(text: &[u8], options: Options) -> Result<Word, SyntaxError> {
    let mut reader = Reader::of_text(text.to_vec(), options);
    reader.whole_quoted().map_err(|error| *error)
}

/// Parses text as one word, whatever it holds: `${!x}` targets, subscripts given as strings.
pub fn word(text: &[u8], options: Options) -> Result<Word, SyntaxError> {
    let mut reader = Reader::of_text(text.to_vec(), options);
    reader.whole_word().map_err(|error| *error)
}

/// Parses `(…)` of a compound assignment that came as a string: `declare "a=(1 2)"`.
pub fn elements(text: &[u8], options: Options) -> Result<Vec<Element>, SyntaxError> {
    let mut reader = Reader::of_text(text.to_vec(), options);
    reader.whole_elements().map_err(|error| *error)
}
