//! What finds matches: expressions, many strings at once, whole lines from a list, Perl's
//! expressions.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use codepod_posix_regex::{
    Config, Error, Perl, Regex, Span, Syntax, is_bytes, next_char, previous_char,
};
use memchr::memchr;

use crate::arguments::{Asked, Kind};

/// From here on strings are looked for all at once.
const MANY: usize = 40;

/// Finds matches.
pub(crate) enum Matcher {
    /// Expressions, or few strings.
    Posix(Box<Regex>),
    /// Many strings; with the flag, only as whole words.
    Strings(Box<AhoCorasick>, bool),
    /// Whole lines that are one of these.
    Lines(HashSet<Vec<u8>>),
    /// Perl's.
    Perl(Box<Perl>),
    /// No pattern, no match.
    Never,
}

impl Matcher {
    /// Compiles. Fails with the message.
    pub(crate) fn new(asked: &Asked) -> Result<Matcher, String> {
        if asked.patterns.is_empty() {
            return Ok(Matcher::Never);
        }
        if asked.kind == Kind::Perl {
            return perl(asked);
        }
        let mut patterns: Vec<&[u8]> = asked.patterns.iter().map(|pattern| &pattern[..]).collect();
        if patterns.len() > 1 {
            let mut seen = HashSet::new();
            patterns.retain(|pattern| seen.insert(*pattern));
        }
        let config = Config {
            icase: asked.icase,
            line: Some(asked.end),
            word: asked.word && !asked.whole,
            whole: asked.whole,
            ..Config::new(if asked.kind == Kind::Extended {
                Syntax::EGREP
            } else {
                Syntax::GREP
            })
        };
        let fixed = asked.kind == Kind::Fixed;
        let plain_case =
            !asked.icase || patterns.iter().all(|pattern| pattern.is_ascii()) && is_bytes();
        if fixed && patterns.len() >= MANY && plain_case {
            return strings(&patterns, asked);
        }
        if fixed {
            return Regex::literals(&patterns, &config)
                .map(|regex| Matcher::Posix(Box::new(regex)))
                .map_err(|error| error.message().to_owned());
        }
        for pattern in &patterns {
            check_class_syntax(pattern)?;
        }
        let regex = Regex::any(&patterns, &config).map_err(|error| error.message().to_owned())?;
        for what in regex.misplaced() {
            codepod_tool::complain("grep", format!("warning: {what}"));
        }
        Ok(Matcher::Posix(Box::new(regex)))
    }

    /// Whether no line of any file can be selected, so that none need be read.
    pub(crate) fn selects_nothing(&self, asked: &Asked) -> bool {
        match self {
            Matcher::Never => !asked.invert,
            Matcher::Perl(_) => false,
            _ => {
                let all = asked.patterns.iter().any(Vec::is_empty) && !asked.whole && !asked.word;
                asked.invert && all
            }
        }
    }

    /// The first line at or after `from` that matches, without its end. `text` ends with the end of
    /// a line.
    pub(crate) fn find_line(
        &self,
        text: &[u8],
        from: usize,
        end: u8,
    ) -> Result<Option<Span>, Error> {
        match self {
            Matcher::Never => Ok(None),
            Matcher::Posix(regex) => regex.find_line(text, from),
            Matcher::Strings(strings, false) => {
                let input = Input::new(text).span(from..text.len()).earliest(true);
                Ok(strings.find(input).map(|found| {
                    let start = memchr::memrchr(end, &text[from..found.start()])
                        .map_or(from, |at| from + at + 1);
                    let stop = memchr(end, &text[found.start()..])
                        .map_or(text.len(), |at| found.start() + at);
                    (start, stop)
                }))
            }
            Matcher::Strings(..) | Matcher::Lines(_) | Matcher::Perl(_) => {
                let mut start = from;
                while start < text.len() {
                    let stop = memchr(end, &text[start..]).map_or(text.len(), |at| start + at);
                    if self.find(&text[start..stop], 0)?.is_some() {
                        return Ok(Some((start, stop)));
                    }
                    start = stop + 1;
                }
                Ok(None)
            }
        }
    }

    /// The first match in a line at or after `from`.
    pub(crate) fn find(&self, line: &[u8], from: usize) -> Result<Option<Span>, Error> {
        Ok(match self {
            Matcher::Never => None,
            Matcher::Posix(regex) => return regex.find(line, from),
            Matcher::Lines(lines) => (from == 0 && lines.contains(line)).then_some((0, line.len())),
            Matcher::Strings(strings, false) => strings
                .find(Input::new(line).span(from..line.len()))
                .map(|found| (found.start(), found.end())),
            Matcher::Strings(strings, true) => {
                let mut best: Option<Span> = None;
                for found in strings.find_overlapping_iter(Input::new(line).span(from..line.len()))
                {
                    let span = (found.start(), found.end());
                    let better = best.is_none_or(|best| {
                        span.0 < best.0 || (span.0 == best.0 && span.1 > best.1)
                    });
                    if better && is_word(line, span) {
                        best = Some(span);
                    }
                }
                best
            }
            Matcher::Perl(regex) => return regex.find(line, from),
        })
    }
}

/// Whether what is around a span belongs to no word.
fn is_word(line: &[u8], (start, end): Span) -> bool {
    let word =
        |code: u32| char::from_u32(code).is_some_and(|char| char == '_' || char.is_alphanumeric());
    (start == 0 || !word(previous_char(line, start).0))
        && (end == line.len() || !word(next_char(line, end).0))
}

fn strings(patterns: &[&[u8]], asked: &Asked) -> Result<Matcher, String> {
    if asked.whole && !asked.icase {
        return Ok(Matcher::Lines(
            patterns.iter().map(|pattern| pattern.to_vec()).collect(),
        ));
    }
    let word = asked.word && !asked.whole;
    let kind = if word {
        MatchKind::Standard
    } else {
        MatchKind::LeftmostLongest
    };
    let built = AhoCorasick::builder()
        .match_kind(kind)
        .ascii_case_insensitive(asked.icase)
        .build(patterns);
    match built {
        Ok(strings) => Ok(Matcher::Strings(Box::new(strings), word)),
        Err(_) => Err(Error::Space.message().to_owned()),
    }
}

/// `[:space:]` outside of brackets is a mistake that grep tells.
fn check_class_syntax(pattern: &[u8]) -> Result<(), String> {
    let mut at = 0;
    while at < pattern.len() {
        match pattern[at] {
            b'\\' => at += 2,
            b'[' => {
                let inside = &pattern[at + 1..];
                let close = inside
                    .iter()
                    .skip(1)
                    .position(|byte| *byte == b']')
                    .map(|place| place + 1);
                if let Some(close) = close
                    && inside[0] == b':'
                    && close > 2
                    && inside[close - 1] == b':'
                    && !inside[1..close].iter().any(|byte| b"[-".contains(byte))
                {
                    return Err("character class syntax is [[:space:]], not [:space:]".into());
                }
                at += skip_bracket(inside) + 1;
            }
            _ => at += 1,
        }
    }
    Ok(())
}

/// How long a bracket expression is, from behind its start.
fn skip_bracket(inside: &[u8]) -> usize {
    let mut at = usize::from(inside.first() == Some(&b'^'));
    at += usize::from(inside.get(at) == Some(&b']'));
    while at < inside.len() {
        match (inside[at], inside.get(at + 1)) {
            (b']', _) => return at + 1,
            (b'[', Some(kind @ (b':' | b'.' | b'='))) => {
                let rest = &inside[at + 2..];
                match rest.windows(2).position(|pair| pair == [*kind, b']']) {
                    Some(length) => at += length + 4,
                    None => return inside.len(),
                }
            }
            _ => at += 1,
        }
    }
    at
}

fn perl(asked: &Asked) -> Result<Matcher, String> {
    let [pattern] = &asked.patterns[..] else {
        return Err("the -P option only supports a single pattern".into());
    };
    let config = Config {
        icase: asked.icase,
        word: asked.word,
        whole: asked.whole,
        ..Config::new(Syntax::GREP)
    };
    Ok(Matcher::Perl(Box::new(Perl::new(pattern, &config)?)))
}
