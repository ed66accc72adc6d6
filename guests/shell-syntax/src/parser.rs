//! The parser: one complete command after another.

use crate::alias::Aliases;
use crate::error::SyntaxError;
use crate::tree::{Element, Expr, List, Word};

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
            first_line: 1,
        }
    }
}

/// Where more text comes from when the parser needs it: standard input, a terminal.
pub trait Source {
    /// Appends at least one byte, usually a line, or says that there is no more.
    fn more(&mut self, text: &mut Vec<u8>) -> bool;
}

/// Reads a script.
pub struct Parser<'s> {
    source: Option<&'s mut dyn Source>,
    text: Vec<u8>,
    options: Options,
}

impl<'s> Parser<'s> {
    /// Reads a script that is all there.
    pub fn new(text: &[u8], options: Options) -> Parser<'s> {
        Parser {
            source: None,
            text: text.to_vec(),
            options,
        }
    }

    /// Reads a script as its text comes. No more is asked for than the command needs.
    pub fn from_source(source: &'s mut dyn Source, options: Options) -> Parser<'s> {
        Parser {
            source: Some(source),
            text: Vec::new(),
            options,
        }
    }

    /// The next complete command: everything up to a newline that ends it. Empty lines and comments give an empty list or are skipped;
    /// `None` at the end. After an error, the rest of the line is skipped, and the next call goes on behind it.
    pub fn next(&mut self, aliases: &dyn Aliases) -> Result<Option<List>, SyntaxError> {
        let _ = aliases;
        let _ = (&self.source, &self.text, self.options);
        todo!()
    }

    /// Changes the grammar for what follows; `first_line` is ignored.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// The line that comes next.
    pub fn line(&self) -> u32 {
        todo!()
    }

    /// The text read so far; spans are offsets into it.
    pub fn text(&self) -> &[u8] {
        &self.text
    }
}

/// Parses arithmetic whose text is already expanded. The error is the message and the rest of the text from the bad token on
/// (`syntax error: operand expected`, `"* 2"`).
pub fn arithmetic(text: &[u8]) -> Result<Expr, ArithmeticError> {
    let _ = text;
    todo!()
}

/// What is wrong with arithmetic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArithmeticError {
    /// bash's message: `syntax error: operand expected`, `syntax error in expression`, `value too great for base`, …
    pub message: &'static str,
    /// The error token, as bash prints it in `(error token is "…")`.
    pub token: Vec<u8>,
}

/// Parses text as the inside of double quotes: prompts, `${x@P}`, arithmetic text of a subscript.
pub fn double_quoted(text: &[u8], options: Options) -> Result<Word, SyntaxError> {
    let _ = (text, options);
    todo!()
}

/// Parses text as one word, whatever it holds: `${!x}` targets, subscripts given as strings.
pub fn word(text: &[u8], options: Options) -> Result<Word, SyntaxError> {
    let _ = (text, options);
    todo!()
}

/// Parses `(…)` of a compound assignment that came as a string: `declare "a=(1 2)"`.
pub fn elements(text: &[u8], options: Options) -> Result<Vec<Element>, SyntaxError> {
    let _ = (text, options);
    todo!()
}
