//! File patterns, as `fnmatch` has them: `*`, `?`, `[…]` and backslashes.

use crate::chars;
use crate::class::Class;
use crate::named::Named;

/// How a file pattern is matched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Glob {
    /// Case of letters does not matter.
    pub icase: bool,
    /// `*`, `?` and `[…]` do not match a slash.
    pub pathname: bool,
    /// A period at the start is matched by a period only.
    pub period: bool,
}

impl Glob {
    /// Whether `name` as a whole matches `pattern`. Takes time proportional to the product of both lengths at most.
    pub fn matches(self, pattern: &[u8], name: &[u8]) -> bool {
        if self.period
            && name.first() == Some(&b'.')
            && pattern.first() != Some(&b'.')
            && pattern.first() != Some(&b'\\')
        {
            return false;
        }
        let (mut at, mut place) = (0, 0);
        // Where the last star is, and the next place that it may reach to.
        let mut star: Option<(usize, usize)> = None;
        loop {
            if pattern.get(at) == Some(&b'*') {
                at += 1;
                star = Some((at, place));
                continue;
            }
            if place == name.len() && at == pattern.len() {
                return true;
            }
            let step = (place < name.len() && at < pattern.len())
                .then(|| self.one(pattern, at, name, place))
                .flatten();
            match (step, star) {
                (Some((next, after)), _) => (at, place) = (next, after),
                (None, Some((back, from))) if from < name.len() => {
                    if self.pathname && name[from] == b'/' {
                        return false;
                    }
                    let after = chars::next(name, from).1;
                    star = Some((back, after));
                    (at, place) = (back, after);
                }
                _ => return false,
            }
        }
    }

    /// Matches one character, and returns where both go on.
    fn one(self, pattern: &[u8], at: usize, name: &[u8], place: usize) -> Option<(usize, usize)> {
        let (code, after) = chars::next(name, place);
        let fold = |code| if self.icase { chars::lower(code) } else { code };
        let is_slash = self.pathname && code == u32::from(b'/');
        match pattern[at] {
            b'?' => (!is_slash).then_some((at + 1, after)),
            b'[' => match self.bracket(pattern, at + 1) {
                Some((class, negated, end)) => {
                    let has = class.has(code)
                        || (self.icase
                            && (class.has(chars::lower(code)) || class.has(chars::upper(code))));
                    (has != negated && !is_slash).then_some((end, after))
                }
                None => (code == u32::from(b'[')).then_some((at + 1, after)),
            },
            byte => {
                let at = at + usize::from(byte == b'\\' && at + 1 < pattern.len());
                let (wanted, next) = chars::next(pattern, at);
                (fold(wanted) == fold(code)).then_some((next, after))
            }
        }
    }

    /// What is between brackets, whether it is negated, and where it ends; none where it does not end.
    fn bracket(self, pattern: &[u8], start: usize) -> Option<(Class, bool, usize)> {
        let mut class = Class::default();
        let mut at = start;
        let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
        at += usize::from(negated);
        let first = at;
        loop {
            let byte = *pattern.get(at)?;
            if byte == b']' && at > first {
                class.finish(false);
                return Some((class, negated, at + 1));
            }
            if self.pathname && byte == b'/' {
                return None;
            }
            if byte == b'[' && pattern.get(at + 1) == Some(&b':') {
                let rest = &pattern[at + 2..];
                if let Some(length) = rest.windows(2).position(|pair| pair == b":]") {
                    class.add_named(Named::parse(&rest[..length])?);
                    at += length + 4;
                    continue;
                }
            }
            let (from, next) = symbol(pattern, at)?;
            at = next;
            if pattern.get(at) == Some(&b'-') && !matches!(pattern.get(at + 1), None | Some(b']')) {
                let (to, next) = symbol(pattern, at + 1)?;
                at = next;
                if from <= to {
                    class.add_range(from, to);
                }
            } else {
                class.add_range(from, from);
            }
        }
    }
}

/// A character between brackets: plain, behind a backslash, or as `[.x.]` or `[=x=]`.
fn symbol(pattern: &[u8], at: usize) -> Option<(u32, usize)> {
    match pattern.get(at)? {
        b'\\' if at + 1 < pattern.len() => Some(chars::next(pattern, at + 1)),
        b'[' if matches!(pattern.get(at + 1), Some(b'.' | b'=')) => {
            let kind = pattern[at + 1];
            let (code, next) = chars::next(
                pattern
                    .get(at + 2..)
                    .filter(|rest| !rest.is_empty())
                    .map(|_| pattern)?,
                at + 2,
            );
            (pattern.get(next..next + 2) == Some(&[kind, b']'])).then_some((code, next + 2))
        }
        _ => Some(chars::next(pattern, at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_fnmatch_says() {
        let cases: &[(&str, &str, bool)] = &[
            ("*.c", "a.c", true),
            ("*.c", "a.h", false),
            ("a*b*c", "axxbyyc", true),
            ("a?c", "aéc", true),
            ("[!a]x", "bx", true),
            ("[]a]", "]", true),
            ("[a-c]", "b", true),
            ("[[:digit:]]*", "1x", true),
            ("\\*", "*", true),
            ("[", "[", true),
            ("[a", "[a", true),
            ("*", ".x", true),
            ("*/b", "a/x/b", true),
            ("", "", true),
            ("*", "", true),
            ("**a", "ba", true),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(
                Glob::default().matches(pattern.as_bytes(), name.as_bytes()),
                *expected,
                "{pattern} {name}"
            );
        }
        let icase = Glob {
            icase: true,
            ..Glob::default()
        };
        assert!(icase.matches(b"*.C", b"a.c"));
        assert!(icase.matches(b"[A-C]", b"b"));
    }
}
