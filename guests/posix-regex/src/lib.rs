//! POSIX and GNU regular expressions, basic and extended, as glibc and GNU's tools have them.
//!
//! The match is the leftmost, and of those the longest. Which part a group takes is decided as glibc does it: not by POSIX's own
//! rule, but by walking the expression from its start, where the first alternative and another turn of a repetition go first, among
//! all ways that lead to that end. Back references, classes, intervals and GNU's `\w \W \s \S \b \B \< \> \` \'` are there.
//!
//! Text is bytes. It is UTF-8 as in the locale `C.UTF-8`, unless [`set_bytes`] says otherwise; what is no UTF-8 is matched by itself
//! and by nothing else.
//!
//! Whether and where there is a match is found by automata ([`fast`]), groups by a walk back and forth ([`submatch`]); both take time
//! proportional to the text. Only with back references it may take more ([`backtrack`]); then the number of steps is limited.

mod ast;
mod back;
mod backtrack;
mod chars;
mod class;
mod fast;
mod glob;
mod hir;
mod lines;
mod literal;
mod named;
mod parse;
mod printable;
mod program;
mod search;
mod submatch;
mod syntax;
#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell};

pub use chars::{
    is_bytes, lower, next as next_char, previous as previous_char, push as push_char, set_bytes,
    set_locale, upper,
};
pub use glob::Glob;
pub use printable::is_printable;
pub use syntax::{Config, Leading, Syntax};

use ast::Ast;
use fast::Fast;
use literal::Required;
use memchr::memmem::Finder;
use program::Program;

/// A compiled expression. It keeps what it learns while it searches, so it is for one thread.
#[derive(Debug)]
pub struct Regex {
    config: Config,
    ast: Ast,
    program: OnceCell<Result<Program, Error>>,
    /// Text that every match contains.
    finder: Option<Finder<'static>>,
    /// Every match is the finder's text.
    exact: bool,
    fast: OnceCell<Option<Fast>>,
    /// The automata with all classes listed, made when text beyond ASCII was met.
    wide: OnceCell<Option<Fast>>,
    /// How often the finder's text was in a line that did not match, less how often it was in one that did.
    misses: Cell<i32>,
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

    /// Compiles expressions; the result finds what any of them matches. Groups are counted through all of them.
    pub fn any(patterns: &[&[u8]], config: &Config) -> Result<Regex, Error> {
        Regex::from_ast(parse::parse(patterns, config)?, config)
    }

    /// Takes texts as they are; the result finds any of them.
    pub fn literals(texts: &[&[u8]], config: &Config) -> Result<Regex, Error> {
        Regex::from_ast(parse::literals(texts, config)?, config)
    }

    fn from_ast(ast: Ast, config: &Config) -> Result<Regex, Error> {
        let Required { text, exact } = literal::required(&ast, config.icase);
        // Text with the end of a line in it is in no line.
        let finder = (!text.is_empty()).then(|| Finder::new(&text).into_owned());
        let exact =
            exact && finder.is_some() && config.line.is_none_or(|line| !text.contains(&line));
        let regex = Regex {
            config: *config,
            ast,
            program: OnceCell::new(),
            finder,
            exact,
            fast: OnceCell::new(),
            wide: OnceCell::new(),
            misses: Cell::new(0),
        };
        if regex.ast.references || regex.fast().is_none() {
            regex.program()?;
        }
        Ok(regex)
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

    /// Whether there is a match at or after `from`.
    pub fn is_match(&self, text: &[u8], from: usize) -> Result<bool, Error> {
        if let Some(finder) = &self.finder {
            match finder.find(&text[from..]) {
                None => return Ok(false),
                Some(_) if self.exact => return Ok(true),
                Some(_) => {}
            }
        }
        if self.ast.references {
            return Ok(self.find(text, from)?.is_some());
        }
        let found = self.fast().map(|fast| fast.end(text, from, text.len()));
        match found {
            Some(Ok(found)) => Ok(found.is_some()),
            Some(Err(_)) => match self.wide().map(|fast| fast.end(text, from, text.len())) {
                Some(Ok(found)) => Ok(found.is_some()),
                _ => Ok(search::find(self.program()?, text, from).is_some()),
            },
            None => Ok(search::find(self.program()?, text, from).is_some()),
        }
    }

    /// The first match at or after `from`. Anchors and word boundaries see the whole text.
    pub fn find(&self, text: &[u8], from: usize) -> Result<Option<Span>, Error> {
        if let Some(finder) = &self.finder {
            match finder.find(&text[from..]) {
                None => return Ok(None),
                Some(at) if self.exact => {
                    return Ok(Some((from + at, from + at + finder.needle().len())));
                }
                Some(_) => {}
            }
        }
        if self.ast.references {
            let spans = backtrack::captures(self.program()?, text, from)?;
            return Ok(spans.and_then(|spans| spans[0]));
        }
        if let Some(fast) = self.fast()
            && let Ok(found) = fast.find(text, from)
        {
            return Ok(found);
        }
        if let Some(fast) = self.wide()
            && let Ok(found) = fast.find(text, from)
        {
            return Ok(found);
        }
        Ok(search::find(self.program()?, text, from))
    }

    /// The first match at or after `from`, with its groups.
    pub fn captures(&self, text: &[u8], from: usize) -> Result<Option<Spans>, Error> {
        if self.ast.references {
            if self
                .finder
                .as_ref()
                .is_some_and(|finder| finder.find(&text[from..]).is_none())
            {
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

    fn program(&self) -> Result<&Program, Error> {
        let program = self
            .program
            .get_or_init(|| Program::new(&self.ast, self.config.icase));
        program.as_ref().map_err(|error| *error)
    }

    fn fast(&self) -> Option<&Fast> {
        let build = || {
            let translated = hir::translate(&self.ast, &self.config, false)?;
            Fast::new(translated.hir, self.config.line, translated.ascii_only)
        };
        self.fast.get_or_init(build).as_ref()
    }

    /// The automata for all text; none where there cannot be any.
    fn wide(&self) -> Option<&Fast> {
        let build = || {
            let translated = hir::translate(&self.ast, &self.config, true)?;
            if !translated.can_be_wide {
                return None;
            }
            Fast::new(translated.hir, self.config.line, false)
        };
        self.wide.get_or_init(build).as_ref()
    }
}
