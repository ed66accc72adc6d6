//! POSIX and GNU regular expressions, basic and extended, as glibc and GNU's tools have them.
//!
//! The match is the leftmost, and of those the longest. Which part a group takes is decided as
//! glibc does it: not by POSIX's own rule, but by walking the expression from its start, where the
//! first alternative and another turn of a repetition go first, among all ways that lead to that
//! end. Back references, classes, intervals and GNU's `\w \W \s \S \b \B \< \> \` \'` are there.
//!
//! Text is bytes. It is UTF-8 as in the locale `C.UTF-8`, unless [`set_bytes`] says otherwise; what
//! is no UTF-8 is matched by itself and by nothing else.
//!
//! Whether and where there is a match is found by automata (`quick`) or, without the feature
//! `fast`, by a walk ([`search`]); groups by a walk back and forth ([`submatch`]). All of them take
//! time proportional to the text. Only with back references it may take more ([`backtrack`]); then
//! the number of steps is limited.

mod ast;
mod back;
mod backtrack;
pub mod chars;
mod class;
#[cfg(feature = "fast")]
mod fast;
mod glob;
#[cfg(feature = "fast")]
mod hir;
#[cfg(feature = "fast")]
mod lines;
#[cfg(feature = "fast")]
mod literal;
mod named;
mod parse;
#[cfg(feature = "perl")]
mod perl;
mod printable;
mod program;
#[cfg(feature = "fast")]
mod quick;
mod search;
mod submatch;
mod syntax;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

pub use chars::{
    is_bytes, lower, next as next_char, previous as previous_char, push as push_char, set_bytes,
    set_locale, upper,
};
pub use glob::{Brackets, Glob};
pub use named::Named;
#[cfg(feature = "perl")]
pub use perl::Perl;
pub use printable::is_printable;
pub use syntax::{Config, Leading, Syntax};

use ast::Ast;
use program::Program;

/// A compiled expression. It keeps what it learns while it searches, so it is for one thread.
#[derive(Debug)]
pub struct Regex {
    config: Config,
    ast: Ast,
    program: OnceCell<Result<Program, Error>>,
    #[cfg(feature = "fast")]
    quick: quick::Quick,
}

/// Why there is no answer; named as POSIX names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// `REG_BADPAT`: a bracket expression that has not begun.
    Pattern,
    /// `REG_BADRPT`: nothing to repeat.
    Repetition,
    /// `REG_BADBR`: what is in `{}` is no interval.
    Interval,
    /// `REG_EBRACE`: `{` without `}`.
    Brace,
    /// `REG_EBRACK`: `[` without `]`.
    Bracket,
    /// `REG_EPAREN`: `(` without `)`.
    Parenthesis,
    /// `REG_ERPAREN`: `)` without `(`.
    Unopened,
    /// `REG_ERANGE`: a range that ends before it starts.
    Range,
    /// `REG_ECTYPE`: no such class.
    Class,
    /// `REG_ECOLLATE`: no such collating element.
    Collation,
    /// `REG_EESCAPE`: a backslash at the end.
    Escape,
    /// `REG_ESUBREG`: a back reference to a group that has not ended.
    Reference,
    /// `REG_ESIZE`: a repetition of more than 32,767.
    Size,
    /// `REG_ESPACE`: too large, nested too deeply, or too many steps.
    Space,
}

impl Error {
    /// The message of glibc's `regerror`.
    pub fn message(self) -> &'static str {
        match self {
            Error::Pattern => "Invalid regular expression",
            Error::Repetition => "Invalid preceding regular expression",
            Error::Interval => "Invalid content of \\{\\}",
            Error::Brace => "Unmatched \\{",
            Error::Bracket => "Unmatched [, [^, [:, [., or [=",
            Error::Parenthesis => "Unmatched ( or \\(",
            Error::Unopened => "Unmatched ) or \\)",
            Error::Range => "Invalid range end",
            Error::Class => "Invalid character class name",
            Error::Collation => "Invalid collation character",
            Error::Escape => "Trailing backslash",
            Error::Reference => "Invalid back reference",
            Error::Size => "Regular expression too big",
            Error::Space => "Memory exhausted",
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}

/// Where something lies in the text: start, and end exclusive.
pub type Span = (usize, usize);

/// The whole match and each group, none for one that took no part.
pub type Spans = Vec<Option<Span>>;

impl Regex {
    /// Compiles an expression.
    pub fn new(pattern: &[u8], config: &Config) -> Result<Regex, Error> {
        Regex::any(&[pattern], config)
    }

    /// Compiles expressions; the result finds what any of them matches. Groups are counted through
    /// all of them.
    pub fn any(patterns: &[&[u8]], config: &Config) -> Result<Regex, Error> {
        Regex::from_ast(parse::parse(patterns, config)?, config)
    }

    /// Takes texts as they are; the result finds any of them.
    pub fn literals(texts: &[&[u8]], config: &Config) -> Result<Regex, Error> {
        Regex::from_ast(parse::literals(texts, config)?, config)
    }

    fn from_ast(ast: Ast, config: &Config) -> Result<Regex, Error> {
        let regex = Regex {
            #[cfg(feature = "fast")]
            quick: quick::Quick::new(&ast, config),
            config: *config,
            ast,
            program: OnceCell::new(),
        };
        if regex.needs_program() {
            regex.program()?;
        }
        Ok(regex)
    }

    /// Whether the walks are needed for sure, so that what is too large for them is an error at
    /// once.
    fn needs_program(&self) -> bool {
        #[cfg(feature = "fast")]
        if !self.ast.references && self.fast().is_some() {
            return false;
        }
        true
    }

    /// How many groups it has.
    pub fn groups(&self) -> usize {
        self.ast.groups
    }

    /// Operators that stand where there is nothing to repeat: for warnings.
    pub fn misplaced(&self) -> &[&'static str] {
        &self.ast.misplaced
    }

    /// Whether it has back references.
    pub fn has_references(&self) -> bool {
        self.ast.references
    }

    /// How many steps its machine has: a measure of the memory that it takes.
    pub fn steps(&self) -> Result<usize, Error> {
        Ok(self.program()?.steps.len())
    }

    /// Whether there is a match at or after `from`.
    pub fn is_match(&self, text: &[u8], from: usize) -> Result<bool, Error> {
        #[cfg(feature = "fast")]
        if let Some(found) = self.quick_is_match(text, from) {
            return Ok(found);
        }
        Ok(self.walk(text, from)?.is_some())
    }

    /// The first match at or after `from`. Anchors and word boundaries see the whole text.
    pub fn find(&self, text: &[u8], from: usize) -> Result<Option<Span>, Error> {
        #[cfg(feature = "fast")]
        if let Some(found) = self.quick_find(text, from) {
            return Ok(found);
        }
        self.walk(text, from)
    }

    /// The first match at or after `from`, with its groups.
    pub fn captures(&self, text: &[u8], from: usize) -> Result<Option<Spans>, Error> {
        if self.ast.references {
            #[cfg(feature = "fast")]
            if self.quick.lacks_required(&text[from..]) {
                return Ok(None);
            }
            return backtrack::captures(self.program()?, text, from);
        }
        let Some(span) = self.find(text, from)? else {
            return Ok(None);
        };
        if self.ast.groups == 0 {
            return Ok(Some(vec![Some(span)]));
        }
        Ok(Some(submatch::groups(self.program()?, text, span)))
    }

    /// The first match without any shortcut.
    fn walk(&self, text: &[u8], from: usize) -> Result<Option<Span>, Error> {
        let program = self.program()?;
        if self.ast.references {
            let spans = backtrack::captures(program, text, from)?;
            return Ok(spans.and_then(|spans| spans[0]));
        }
        Ok(search::find(program, text, from))
    }

    fn program(&self) -> Result<&Program, Error> {
        let program = self
            .program
            .get_or_init(|| Program::new(&self.ast, self.config.icase));
        program.as_ref().map_err(|error| *error)
    }
}
