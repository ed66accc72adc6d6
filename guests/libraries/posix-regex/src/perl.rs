//! Perl's expressions, for `-P` of grep and git.

use crate::{Config, Error, Span};

/// The most steps back in one search.
const STEPS: usize = 10_000_000;

/// A compiled expression of Perl's.
#[derive(Debug)]
pub struct Perl {
    regex: fancy_regex::Regex,
}

impl Perl {
    /// Compiles an expression; of the configuration, `icase`, `word` and `whole` count. Fails with
    /// the message.
    pub fn new(pattern: &[u8], config: &Config) -> Result<Perl, String> {
        let Ok(pattern) = std::str::from_utf8(pattern) else {
            return Err("the pattern is no UTF-8".into());
        };
        let pattern = match (config.whole, config.word) {
            (true, _) => format!("^(?:{pattern})$"),
            (_, true) => format!("(?<!\\w)(?:{pattern})(?!\\w)"),
            _ => pattern.to_owned(),
        };
        let built = fancy_regex::RegexBuilder::new(&pattern)
            .case_insensitive(config.icase)
            .backtrack_limit(STEPS)
            .build();
        match built {
            Ok(regex) => Ok(Perl { regex }),
            Err(error) => Err(message(&error)),
        }
    }

    /// The first match at or after `from`; bytes that are no UTF-8 match nothing.
    pub fn find(&self, line: &[u8], from: usize) -> Result<Option<Span>, Error> {
        let find = |text: &str, from: usize| match self.regex.find_from_pos(text, from) {
            Ok(found) => Ok(found.map(|found| (found.start(), found.end()))),
            Err(_) => Err(Error::Space),
        };
        let mut start = 0;
        for chunk in line.utf8_chunks() {
            let valid = chunk.valid();
            let end = start + valid.len();
            if from <= end
                && (from >= start || !valid.is_empty())
                && let Some(found) = find(valid, from.saturating_sub(start))?
            {
                return Ok(Some((start + found.0, start + found.1)));
            }
            start = end + chunk.invalid().len();
        }
        if line.is_empty() {
            return find("", 0);
        }
        Ok(None)
    }
}

/// What PCRE says, where it says it often.
fn message(error: &fancy_regex::Error) -> String {
    let text = error.to_string();
    let known = [
        (
            "Opening parenthesis without closing",
            "missing closing parenthesis",
        ),
        ("unclosed group", "missing closing parenthesis"),
        ("unopened group", "unmatched closing parenthesis"),
        ("end of string not reached", "unmatched closing parenthesis"),
        (
            "unclosed character class",
            "missing terminating ] for character class",
        ),
        (
            "Invalid character class",
            "missing terminating ] for character class",
        ),
        (
            "repetition operator missing expression",
            "quantifier does not follow a repeatable item",
        ),
        (
            "Target of repeat operator is invalid",
            "quantifier does not follow a repeatable item",
        ),
        ("Backslash without following", "\\ at end of pattern"),
        (
            "Invalid back reference",
            "reference to non-existent subpattern",
        ),
    ];
    let found = known.iter().find(|(theirs, _)| text.contains(theirs));
    found.map_or(text.clone(), |(_, ours)| (*ours).to_owned())
}
