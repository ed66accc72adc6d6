//! Patterns: `* ? […]` and the extended forms, compiled and matched.
//!
//! Without extended forms a pattern is runs of single-character tests between stars. Each run is
//! looked for once, leftmost (or from the end, rightmost), so matching takes linear time for all
//! questions: whole, shortest and longest prefix or suffix, leftmost longest part. With extended
//! forms ([`extended`]) sets of positions are computed instead: never exponential.

mod class;
mod extended;
mod parse;
mod run;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

pub use codepod_posix_regex::chars;

use class::Class;

/// How many compiled patterns of a kind are remembered.
const CACHED: usize = 256;
/// Longer patterns are not.
const CACHED_LENGTH: usize = 256;

/// Compiled patterns by their text.
type Compiled = HashMap<Box<[u8]>, Rc<Pattern>>;

thread_local! {
    /// By what changes how a pattern is read: `extglob`, `nocase`, and whether bytes are
    /// characters.
    static CACHE: RefCell<[Compiled; 8]> = RefCell::default();
}

/// A pattern, compiled.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    ops: Vec<Op>,
    /// Whether there are extended forms in it.
    extended: bool,
    /// Whether `[!]…]` is in it, whose length bash gets wrong.
    odd: bool,
}

/// One step of a pattern.
#[derive(Debug, Clone, PartialEq)]
enum Op {
    /// These bytes.
    Bytes(Vec<u8>),
    /// This character in either case; the code is in lower case.
    Folded(u32),
    /// `?`
    Any,
    /// `[…]`
    Class(Box<Class>),
    /// `*`, also several of them.
    Star,
    /// `?(…)`, `*(…)`, `+(…)`, `@(…)`, `!(…)`
    Extended(u8, Vec<Vec<Op>>),
}

/// What changes how a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// `?(…)` and so on are special.
    pub extglob: bool,
    /// Case does not matter.
    pub nocase: bool,
}

impl Pattern {
    /// Whether it has no characters.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Compiles a pattern. A backslash makes the next character stand for itself; anything that is
    /// not well-formed does so too.
    pub fn new(pattern: &[u8], options: Options) -> Pattern {
        parse::parse(pattern, options)
    }

    /// A pattern, compiled once and remembered as long as not too many others are asked for.
    pub fn cached(pattern: &[u8], options: Options) -> Rc<Pattern> {
        if pattern.len() > CACHED_LENGTH {
            return Rc::new(Pattern::new(pattern, options));
        }
        CACHE.with_borrow_mut(|cache| {
            let kind = [options.extglob, options.nocase, chars::is_bytes()];
            let kind = kind
                .iter()
                .fold(0, |kind, bit| kind * 2 + usize::from(*bit));
            let cache = &mut cache[kind];
            if let Some(compiled) = cache.get(pattern) {
                return Rc::clone(compiled);
            }
            if cache.len() >= CACHED {
                cache.clear();
            }
            let compiled = Rc::new(Pattern::new(pattern, options));
            cache.insert(pattern.into(), Rc::clone(&compiled));
            compiled
        })
    }

    /// The pattern that matches these bytes and nothing else.
    pub fn literal(bytes: &[u8]) -> Pattern {
        let ops = if bytes.is_empty() {
            Vec::new()
        } else {
            vec![Op::Bytes(bytes.to_vec())]
        };
        Pattern {
            ops,
            extended: false,
            odd: false,
        }
    }

    /// Whether `${x/p/r}` of bash finds it nowhere although it matches: without `*`, bash tries
    /// only parts of the length that the pattern has, and counts `[!]…]` as more than one
    /// character.
    pub fn is_never_found(&self) -> bool {
        self.odd && !self.extended && !self.ops.contains(&Op::Star)
    }

    /// Whether `${x/p/r}` replaces an empty string: only where the pattern is empty or starts with
    /// `*`, and at the end with `?(` or `!(`.
    pub fn may_replace_nothing(&self, at_end: bool) -> bool {
        match self.ops.first() {
            None | Some(Op::Star | Op::Extended(b'*', _)) => true,
            Some(Op::Extended(b'?' | b'!', _)) => at_end,
            _ => false,
        }
    }

    /// The bytes it stands for, if there is nothing special in it.
    pub fn as_literal(&self) -> Option<&[u8]> {
        match self.ops.as_slice() {
            [] => Some(b""),
            [Op::Bytes(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// Whether it matches all of the text.
    pub fn matches(&self, text: &[u8]) -> bool {
        match self.ops.as_slice() {
            [] => text.is_empty(),
            [Op::Bytes(bytes)] => text == &bytes[..],
            [Op::Star] => true,
            _ if self.extended => extended::matches(&self.ops, text),
            _ => run::matches(&self.ops, text),
        }
    }

    /// Where the shortest or longest match that starts at the start of the text ends.
    pub fn prefix(&self, text: &[u8], longest: bool) -> Option<usize> {
        if self.extended {
            return extended::prefix(&self.ops, text, longest);
        }
        run::prefix(&self.ops, text, longest)
    }

    /// Where the shortest or longest match that ends at the end of the text starts.
    pub fn suffix(&self, text: &[u8], longest: bool) -> Option<usize> {
        if self.extended {
            return extended::suffix(&self.ops, text, longest);
        }
        run::suffix(&self.ops, text, longest)
    }

    /// Whether it can match the empty text.
    pub fn matches_empty(&self) -> bool {
        self.matches(b"")
    }

    /// The first match at or after `from`, and of those that start there the longest: start and
    /// end.
    pub fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        self.search(text).from(from)
    }

    /// To find one match after another in a text.
    pub fn search<'a>(&'a self, text: &'a [u8]) -> Search<'a> {
        Search {
            pattern: self,
            text,
            starts: extended::Starts::default(),
        }
    }
}

/// Looks for matches in a text, and remembers what it has learned of it.
#[derive(Debug)]
pub struct Search<'a> {
    pattern: &'a Pattern,
    text: &'a [u8],
    starts: extended::Starts,
}

impl Search<'_> {
    /// The first match that starts at `from` or behind it.
    pub fn from(&mut self, from: usize) -> Option<(usize, usize)> {
        if self.pattern.extended {
            return extended::find(&self.pattern.ops, self.text, from, &mut self.starts);
        }
        run::find(&self.pattern.ops, self.text, from)
    }
}

/// Whether a pattern has something special in it, so that it is worth matching against file names:
/// `*`, `?`, a bracket expression that is closed, or with `extglob` an extended form.
pub fn is_pattern(pattern: &[u8], extglob: bool) -> bool {
    let (mut at, mut bracket) = (0, false);
    while at < pattern.len() {
        match pattern[at] {
            b'*' | b'?' => return true,
            b'[' => bracket = true,
            b']' if bracket => return true,
            b'+' | b'@' | b'!' if extglob && pattern.get(at + 1) == Some(&b'(') => return true,
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    false
}

/// Where the first item of a list of patterns ends: at a separator that is neither quoted nor
/// inside brackets, or at the end.
pub fn end_of_item(list: &[u8], separator: u8) -> usize {
    let mut at = 0;
    while let Some(&byte) = list.get(at) {
        if byte == separator {
            return at;
        }
        at += match byte {
            b'\\' => 2,
            b'[' => Class::parse(&list[at + 1..], false).map_or(1, |(_, length)| length + 1),
            _ => 1,
        };
    }
    list.len()
}

/// Appends bytes to a pattern so that they stand for themselves.
pub fn escape(bytes: &[u8], pattern: &mut Vec<u8>) {
    pattern.reserve(bytes.len());
    for byte in bytes {
        if SPECIAL.contains(byte) {
            pattern.push(b'\\');
        }
        pattern.push(*byte);
    }
}

/// What a backslash must stand before.
const SPECIAL: &[u8] = b"*?[]\\()|!+@-^:.=";

/// Whether a pattern so far ends with a backslash of its own, from an expansion.
pub fn quotes_next(pattern: &[u8]) -> bool {
    let others = pattern.iter().rev().take_while(|byte| **byte == b'\\');
    others.count() % 2 == 1
}

/// Every quoted character has a backslash before it, which such a one then quotes: writes it where
/// [`escape`] will not.
pub fn escape_first(bytes: &[u8], pattern: &mut Vec<u8>) {
    if bytes.first().is_some_and(|byte| !SPECIAL.contains(byte)) {
        pattern.push(b'\\');
    }
}

#[cfg(test)]
mod tests;
