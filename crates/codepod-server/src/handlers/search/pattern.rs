//! Patterns for paths: `*` and `?` within a name, `**` across directories, `[a-z]`, `{a,b}`.
//!
//! `rg` has such patterns, but those that it is given bring back the files that `.gitignore` names,
//! which nobody wants who looks for `*.js` beside `node_modules`.

use codepod_api::{ApiError, Kind};

/// As long as a pattern may be.
const LONGEST: usize = 1 << 10;
/// As many patterns as braces may stand for.
const MOST: usize = 64;

/// A pattern for paths.
#[derive(Debug)]
pub(super) struct Pattern {
    /// One for each choice of braces: its names, each as letters.
    choices: Vec<Vec<Vec<char>>>,
}

impl Pattern {
    pub(super) fn new(text: &str) -> Result<Pattern, ApiError> {
        let refused = |why: String| ApiError::new(Kind::InvalidParams, why);
        if text.is_empty() || text.len() > LONGEST {
            let why = format!("a pattern has 1 to {LONGEST} bytes");
            return Err(refused(why));
        }
        let mut done = Vec::new();
        let mut open = vec![text.to_owned()];
        while let Some(text) = open.pop() {
            match choice(&text) {
                Some(choices) => open.extend(choices),
                None => done.push(text),
            }
            if done.len() + open.len() > MOST {
                return Err(refused(format!(
                    "the braces of a pattern stand for at most {MOST} patterns"
                )));
            }
        }
        let names = |text: &String| {
            let text = text.trim_start_matches("./").trim_start_matches('/');
            let names = text.split('/').map(|name| name.chars().collect());
            names.collect()
        };
        Ok(Pattern {
            choices: done.iter().map(names).collect(),
        })
    }

    /// Whether a path below the directory of the search is meant. A pattern of one name is for
    /// names in every directory.
    pub(super) fn matches(&self, path: &str) -> bool {
        let names: Vec<Vec<char>> = path.split('/').map(|name| name.chars().collect()).collect();
        self.choices.iter().any(|choice| match &choice[..] {
            [name] if !is_any_path(name) => names.last().is_some_and(|last| is_like(name, last)),
            choice => fits(
                choice,
                &names,
                |name| is_any_path(name),
                |a, b| is_like(a, b),
            ),
        })
    }
}

fn is_any_path(name: &[char]) -> bool {
    name == ['*', '*']
}

/// The patterns that the last pair of braces stands for; `None` if there is none.
fn choice(text: &str) -> Option<Vec<String>> {
    let begin = text.rfind('{')?;
    let end = begin + text[begin..].find('}')?;
    let (before, after) = (&text[..begin], &text[end + 1..]);
    let choices = text[begin + 1..end].split(',');
    Some(
        choices
            .map(|choice| format!("{before}{choice}{after}"))
            .collect(),
    )
}

/// Whether a sequence is like a pattern in which some parts stand for any number of entries. Goes
/// back to the last of those only, so it takes no more than the product of both lengths.
fn fits<P, E>(
    pattern: &[P],
    entries: &[E],
    is_any: impl Fn(&P) -> bool,
    is_like: impl Fn(&P, &E) -> bool,
) -> bool {
    let (mut p, mut e) = (0, 0);
    let mut back = None;
    while e < entries.len() {
        match pattern.get(p) {
            Some(part) if is_any(part) => {
                back = Some((p, e));
                p += 1;
            }
            Some(part) if is_like(part, &entries[e]) => {
                p += 1;
                e += 1;
            }
            _ => {
                let Some((any, taken)) = back else {
                    return false;
                };
                back = Some((any, taken + 1));
                (p, e) = (any + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(is_any)
}

/// A part of the pattern for a name.
enum Part {
    Any,
    One,
    Letter(char),
    /// Ranges, and whether they are those that it is not.
    Of(Vec<(char, char)>, bool),
}

fn is_like(pattern: &[char], name: &[char]) -> bool {
    let is_any = |part: &Part| matches!(part, Part::Any);
    fits(&parts(pattern), name, is_any, |part, letter| match part {
        Part::Any | Part::One => true,
        Part::Letter(own) => own == letter,
        Part::Of(ranges, is_not) => {
            let mut ranges = ranges.iter();
            ranges.any(|(from, to)| (from..=to).contains(&letter)) != *is_not
        }
    })
}

fn parts(pattern: &[char]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        parts.push(match first {
            '*' => Part::Any,
            '?' => Part::One,
            '\\' if !rest.is_empty() => {
                let letter = rest[0];
                rest = &rest[1..];
                Part::Letter(letter)
            }
            '[' => match class(rest) {
                Some((part, after)) => {
                    rest = after;
                    part
                }
                None => Part::Letter('['),
            },
            letter => Part::Letter(*letter),
        });
    }
    parts
}

/// What follows an opening bracket; `None` if it is never closed.
fn class(rest: &[char]) -> Option<(Part, &[char])> {
    let (is_not, rest) = match rest {
        ['!' | '^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    // A bracket that is the first one is a letter.
    let end = rest.iter().skip(1).position(|letter| *letter == ']')? + 1;
    let (mut inside, after) = (&rest[..end], &rest[end + 1..]);
    let mut ranges = Vec::new();
    while let [from, more @ ..] = inside {
        match more {
            ['-', to, more @ ..] => {
                ranges.push((*from, *to));
                inside = more;
            }
            more => {
                ranges.push((*from, *from));
                inside = more;
            }
        }
    }
    Some((Part::Of(ranges, is_not), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::new(pattern).unwrap().matches(path)
    }

    #[test]
    fn patterns_are_those_that_people_write() {
        for (pattern, path) in [
            ("*.py", "a.py"),
            ("*.py", "d/e/a.py"),
            ("**/*.py", "a.py"),
            ("**/*.py", "d/e/a.py"),
            ("src/*.{ts,tsx}", "src/a.tsx"),
            ("src/**", "src/a/b"),
            ("./src/*", "src/a"),
            ("**/test_*/[!x]?.[ch]", "a/test_1/ab.c"),
            ("a/**/b/**/c", "a/x/b/y/b/z/c"),
            ("**", "a/b"),
            ("[]a].x", "].x"),
            ("{a,b}{1,2}", "d/b1"),
            ("\\*", "*"),
            ("é?", "éü"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("*.py", "a.pyc"),
            ("src/*.ts", "src/d/a.ts"),
            ("src/*.ts", "d/src/a.ts"),
            ("a/**/c", "a/b"),
            ("[a-c]", "d"),
            ("\\*", "a"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn hostile_patterns_are_refused_or_cheap() {
        assert!(Pattern::new("").is_err());
        assert!(Pattern::new(&"a".repeat(LONGEST + 1)).is_err());
        assert!(Pattern::new(&"{a,b}".repeat(20)).is_err());
        assert!(Pattern::new("{a,b").is_ok() && Pattern::new("[a").is_ok());
        let began = std::time::Instant::now();
        assert!(!matches(&"*a".repeat(500), &"a".repeat(255)));
        assert!(!matches(&"**/a/".repeat(200), &("a/".repeat(2000) + "b")));
        assert!(began.elapsed().as_secs() < 5);
    }
}
