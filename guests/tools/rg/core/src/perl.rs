/*!
codepod: what `-P` matches with.

PCRE2's own crate insists on its just-in-time compiler, which there is none of
for WebAssembly. This has the part of `grep::pcre2` that ripgrep uses, on
fancy-regex: look-around, backreferences, atomic groups.
*/

use fancy_regex::{BytesMode, Regex, RegexBuilder};
use grep::matcher::{Captures, Match, Matcher};

/// How much backtracking one search may take.
const BACKTRACK_LIMIT: usize = 10_000_000;

/// Builds a matcher; the names are those of `grep::pcre2`.
#[derive(Debug, Default)]
pub(crate) struct RegexMatcherBuilder {
    multi_line: bool,
    fixed_strings: bool,
    caseless: bool,
    case_smart: bool,
    whole_line: bool,
    word: bool,
    dotall: bool,
    crlf: bool,
    ascii: bool,
}

impl RegexMatcherBuilder {
    pub(crate) fn new() -> RegexMatcherBuilder {
        RegexMatcherBuilder {
            ascii: true,
            ..RegexMatcherBuilder::default()
        }
    }

    pub(crate) fn multi_line(&mut self, yes: bool) -> &mut Self {
        self.multi_line = yes;
        self
    }

    pub(crate) fn fixed_strings(&mut self, yes: bool) -> &mut Self {
        self.fixed_strings = yes;
        self
    }

    pub(crate) fn caseless(&mut self, yes: bool) -> &mut Self {
        self.caseless = yes;
        self
    }

    pub(crate) fn case_smart(&mut self, yes: bool) -> &mut Self {
        self.case_smart = yes;
        self
    }

    pub(crate) fn whole_line(&mut self, yes: bool) -> &mut Self {
        self.whole_line = yes;
        self
    }

    pub(crate) fn word(&mut self, yes: bool) -> &mut Self {
        self.word = yes;
        self
    }

    pub(crate) fn dotall(&mut self, yes: bool) -> &mut Self {
        self.dotall = yes;
        self
    }

    pub(crate) fn crlf(&mut self, yes: bool) -> &mut Self {
        self.crlf = yes;
        self
    }

    /// Letters, digits and spaces are those of Unicode.
    pub(crate) fn utf(&mut self, yes: bool) -> &mut Self {
        self.ascii = !yes;
        self
    }

    /// Builds it. Fails with what is wrong with a pattern.
    pub(crate) fn build_many(&self, patterns: &[String]) -> anyhow::Result<RegexMatcher> {
        let mut parts = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            let pattern = match self.fixed_strings {
                true => fancy_regex::escape(pattern).into_owned(),
                false => pattern.clone(),
            };
            parts.push(format!("(?:{pattern})"));
        }
        let mut pattern = parts.join("|");
        if self.whole_line {
            pattern = format!("^(?:{pattern})$");
        } else if self.word {
            pattern = format!(r"(?<!\w)(?:{pattern})(?!\w)");
        }
        let upper = patterns
            .iter()
            .any(|pattern| pattern.chars().any(char::is_uppercase));
        let caseless = self.caseless || self.case_smart && !upper;
        let mode = match self.ascii {
            true => BytesMode::Ascii,
            false => BytesMode::Unicode,
        };
        let regex = RegexBuilder::new(&pattern)
            .case_insensitive(caseless)
            .multi_line(self.multi_line)
            .dot_matches_new_line(self.dotall)
            .crlf(self.crlf)
            .bytes_mode(mode)
            .backtrack_limit(BACKTRACK_LIMIT)
            .build()
            .map_err(|error| anyhow::anyhow!("regex parse error: {error}"))?;
        let mut names = Vec::new();
        for (index, name) in regex.capture_names().enumerate() {
            if let Some(name) = name {
                names.push((name.to_owned(), index));
            }
        }
        Ok(RegexMatcher { regex, names })
    }
}

/// A matcher of Perl's expressions.
#[derive(Clone, Debug)]
pub(crate) struct RegexMatcher {
    regex: Regex,
    names: Vec<(String, usize)>,
}

/// The groups of a match.
#[derive(Clone, Debug)]
pub(crate) struct RegexCaptures(Vec<Option<Match>>);

impl Captures for RegexCaptures {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> Option<Match> {
        self.0.get(index).copied().flatten()
    }
}

/// Why a search did not come to an end.
fn failed(error: fancy_regex::Error) -> std::io::Error {
    std::io::Error::other(error.to_string())
}

impl Matcher for RegexMatcher {
    type Captures = RegexCaptures;
    type Error = std::io::Error;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, std::io::Error> {
        let found = self.regex.find_from_pos(haystack, at).map_err(failed)?;
        Ok(found.map(|found| Match::new(found.start(), found.end())))
    }

    fn new_captures(&self) -> Result<RegexCaptures, std::io::Error> {
        Ok(RegexCaptures(vec![None; self.regex.captures_len()]))
    }

    fn capture_count(&self) -> usize {
        self.regex.captures_len()
    }

    fn capture_index(&self, name: &str) -> Option<usize> {
        let found = self.names.iter().find(|(known, _)| known == name);
        found.map(|(_, index)| *index)
    }

    fn captures_at(
        &self,
        haystack: &[u8],
        at: usize,
        captures: &mut RegexCaptures,
    ) -> Result<bool, std::io::Error> {
        let found = self.regex.captures_from_pos(haystack, at).map_err(failed)?;
        let Some(found) = found else { return Ok(false) };
        for (index, slot) in captures.0.iter_mut().enumerate() {
            *slot = found
                .get(index)
                .map(|group| Match::new(group.start(), group.end()));
        }
        Ok(true)
    }
}
