//! Regular expressions of git's commands: POSIX basic and extended ones, fixed strings, Perl's.

use codepod_posix_regex::{Config, Error, Perl, Regex, Span, Syntax, next_char};

/// Which syntax a pattern is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `-G`, the default.
    Basic,
    /// `-E`.
    Extended,
    /// `-F`.
    Fixed,
    /// `-P`.
    Perl,
}

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    matcher: Matcher,
}

#[derive(Debug)]
enum Matcher {
    Posix(Box<Regex>),
    Perl(Box<Perl>),
}

/// Compiles a pattern for lines: `^` and `$` stand for their ends. With `fold` the case of letters
/// does not matter. Fails with the message.
pub(crate) fn compile(pattern: &[u8], kind: Kind, fold: bool) -> Result<Pattern, String> {
    codepod_posix_regex::set_locale();
    let config = |syntax| Config {
        icase: fold,
        multiline: true,
        ..Config::new(syntax)
    };
    let built = match kind {
        Kind::Basic => Regex::new(pattern, &config(Syntax::BASIC)),
        Kind::Extended => Regex::new(pattern, &config(Syntax::REGCOMP_EXTENDED)),
        Kind::Fixed => Regex::literals(&[pattern], &config(Syntax::BASIC)),
        Kind::Perl => {
            let regex = Perl::new(pattern, &config(Syntax::BASIC))?;
            let matcher = Matcher::Perl(Box::new(regex));
            return Ok(Pattern { matcher });
        }
    };
    posix(built)
}

/// Compiles an extended pattern for text whose lines do not matter, as values of the configuration
/// and `:/text` have it. Fails with the message.
pub(crate) fn compile_for_text(pattern: &[u8]) -> Result<Pattern, String> {
    codepod_posix_regex::set_locale();
    posix(Regex::new(pattern, &Config::new(Syntax::REGCOMP_EXTENDED)))
}

fn posix(built: Result<Regex, Error>) -> Result<Pattern, String> {
    let regex = built.map_err(|error| error.message().to_owned())?;
    let matcher = Matcher::Posix(Box::new(regex));
    Ok(Pattern { matcher })
}

impl Pattern {
    /// The first match at or after `from`. A search that takes too many steps finds nothing.
    pub(crate) fn find(&self, text: &[u8], from: usize) -> Option<Span> {
        let found = match &self.matcher {
            Matcher::Posix(regex) => regex.find(text, from),
            Matcher::Perl(regex) => regex.find(text, from),
        };
        found.ok().flatten()
    }

    /// Whether it matches somewhere.
    pub(crate) fn is_match(&self, text: &[u8]) -> bool {
        match &self.matcher {
            Matcher::Posix(regex) => regex.is_match(text, 0).unwrap_or(false),
            Matcher::Perl(_) => self.find(text, 0).is_some(),
        }
    }

    /// Whether it matches in some line.
    pub(crate) fn is_in_a_line(&self, text: &[u8]) -> bool {
        let mut lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.any(|line| self.is_match(line.strip_suffix(b"\n").unwrap_or(line)))
    }

    /// The matches one after another. Behind an empty one the search goes on with the next
    /// character.
    pub(crate) fn find_all<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = Span> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= text.len() {
                return None;
            }
            let (start, end) = self.find(text, at)?;
            at = match end {
                _ if end == start && end < text.len() => next_char(text, end).1,
                _ if end == start => end + 1,
                _ => end,
            };
            Some((start, end))
        })
    }
}
