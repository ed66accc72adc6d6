//! POSIX extended regular expressions as glibc has them: for `[[ =~ ]]`, and for whoever needs one later.
//!
//! The match is the leftmost, and of those the longest. Which part a group takes is decided as glibc does it: not by POSIX's own
//! rule, but by walking the expression from its start, where the first alternative and another turn of a repetition go first, among
//! all ways that lead to that end. Back references, classes, intervals and GNU's `\w \W \s \S \b \B \< \> \` \'` are there.
//!
//! Matching takes time proportional to text and expression ([`search`], [`submatch`]). Only with back references it may take more
//! ([`backtrack`]); then the number of steps is limited. What is no UTF-8 is matched by itself and by nothing else.

mod ast;
mod back;
mod backtrack;
mod class;
mod parse;
mod program;
mod search;
mod submatch;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use program::Program;

/// A compiled expression.
#[derive(Debug)]
pub struct Regex {
    program: Program,
}

/// Why there is no answer; named as POSIX names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
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
            Error::Repetition => "Invalid preceding regular expression",
            Error::Interval => "Invalid content of \\{\\}",
            Error::Brace => "Unmatched { or \\{",
            Error::Bracket => "Unmatched [, [^, [:, [., or [=",
            Error::Parenthesis => "Unmatched ( or \\(",
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

/// Where something lies in the text: start, and end exclusive.
pub type Span = (usize, usize);

/// The whole match and each group, none for one that took no part.
pub type Spans = Vec<Option<Span>>;

impl Regex {
    /// Compiles. With `icase` the case of letters does not matter.
    pub fn new(pattern: &[u8], icase: bool) -> Result<Regex, Error> {
        let parsed = parse::parse(pattern, icase)?;
        Ok(Regex {
            program: Program::new(parsed, icase)?,
        })
    }

    /// Compiles, or takes what was compiled lately.
    pub fn cached(pattern: &[u8], icase: bool) -> Result<Rc<Regex>, Error> {
        const KEPT: usize = 16;
        type Kept = (Vec<u8>, bool, Rc<Regex>);
        thread_local! {
            static CACHE: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
        }
        CACHE.with_borrow_mut(|cache| {
            let known = cache
                .iter()
                .position(|(known, fold, _)| known == pattern && *fold == icase);
            if let Some(at) = known {
                if at > 0 {
                    cache.swap(at, at - 1);
                }
                return Ok(Rc::clone(&cache[at.saturating_sub(1)].2));
            }
            let regex = Rc::new(Regex::new(pattern, icase)?);
            if regex.program.is_small() {
                cache.truncate(KEPT - 1);
                cache.push((pattern.to_vec(), icase, Rc::clone(&regex)));
            }
            Ok(regex)
        })
    }

    /// How many groups it has.
    pub fn groups(&self) -> usize {
        self.program.groups
    }

    /// The first match at or after `from`. Anchors and word boundaries see the whole text.
    pub fn find(&self, text: &[u8], from: usize) -> Result<Option<Span>, Error> {
        if self.program.references {
            let spans = backtrack::captures(&self.program, text, from)?;
            return Ok(spans.and_then(|spans| spans[0]));
        }
        Ok(search::find(&self.program, text, from))
    }

    /// The first match at or after `from`, with its groups.
    pub fn captures(&self, text: &[u8], from: usize) -> Result<Option<Spans>, Error> {
        if self.program.references {
            return backtrack::captures(&self.program, text, from);
        }
        let Some(span) = search::find(&self.program, text, from) else {
            return Ok(None);
        };
        Ok(Some(submatch::groups(&self.program, text, span)))
    }
}
