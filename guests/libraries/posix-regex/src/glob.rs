//! File patterns: `*`, `?`, `[…]` and backslashes, as `fnmatch` has them, and as those tools have
//! them that do not use it.
//!
//! Patterns of the shell are matched by the shell itself (`shell/src/pattern.rs`). It compiles a
//! pattern once and asks more of it than whether it matches a whole name: the shortest and longest
//! prefix and suffix, the leftmost part, extended forms. Characters and named classes are the same
//! for both.

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
    /// The name may go on behind the match, with a slash.
    pub leading_dir: bool,
    /// `**` between slashes stands for any number of directories, as in git. Only with `pathname`.
    pub double_star: bool,
    /// Characters are bytes, and classes and case are those of ASCII, whatever the locale.
    pub bytes: bool,
    /// What brackets may hold.
    pub brackets: Brackets,
}

/// What brackets may hold, and what `[` is that has no end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Brackets {
    /// `fnmatch`'s: `[:name:]`, `[.x.]` and `[=x=]` are known; without an end, `[` stands for
    /// itself.
    #[default]
    Posix,
    /// git's: `[:name:]` is known; without an end or with an unknown name, nothing matches.
    Git,
    /// Those of zip and tree: characters and ranges, and the first `]` is the end; without one,
    /// nothing matches.
    Plain,
}

/// What stands between brackets.
struct Bracket {
    negated: bool,
    /// Characters and ranges, whose case may not matter.
    ranges: Class,
    /// Named classes. Their case always matters, but not in git.
    named: Class,
    /// Where it ends in the pattern.
    end: usize,
}

/// Where to go on when a match fails: a place in the pattern, and how far the star before it
/// reaches in the name.
type Retry = (usize, usize);

impl Glob {
    /// Whether `name` as a whole matches `pattern`. Takes time proportional to the product of both
    /// lengths at most.
    pub fn matches(self, pattern: &[u8], name: &[u8]) -> bool {
        if self.period
            && name.first() == Some(&b'.')
            && pattern.first() != Some(&b'.')
            && pattern.first() != Some(&b'\\')
        {
            return false;
        }
        let (mut at, mut place) = (0, 0);
        // Only the last star of a kind is tried again: what one before it could reach, it reaches,
        // too.
        let mut star: Option<Retry> = None;
        let mut directories: Option<Retry> = None;
        loop {
            if pattern.get(at) == Some(&b'*') {
                let stars = pattern[at..].iter().take_while(|byte| **byte == b'*');
                let after = at + stars.count();
                if self.is_double_star(pattern, at, after) {
                    if after == pattern.len() {
                        return true;
                    }
                    at = after + 1;
                    (star, directories) = (None, Some((at, place)));
                } else {
                    at = after;
                    star = Some((at, place));
                }
                continue;
            }
            if at == pattern.len() && self.may_end(name, place) {
                return true;
            }
            let step = (place < name.len() && at < pattern.len())
                .then(|| self.one(pattern, at, name, place))
                .flatten();
            if let Some(next) = step {
                (at, place) = next;
            } else if let Some(next) = star.and_then(|star| self.one_more(star, name)) {
                star = Some(next);
                (at, place) = next;
            } else if let Some(next) = directories.and_then(|last| one_directory_more(last, name)) {
                (star, directories) = (None, Some(next));
                (at, place) = next;
            } else {
                return false;
            }
        }
    }

    /// Whether these stars stand for directories: two or more of them, with nothing else between
    /// slashes.
    fn is_double_star(self, pattern: &[u8], start: usize, end: usize) -> bool {
        self.double_star
            && self.pathname
            && end - start >= 2
            && (start == 0 || pattern[start - 1] == b'/')
            && matches!(pattern.get(end), None | Some(b'/'))
    }

    /// Whether a match may end at this place of the name.
    fn may_end(self, name: &[u8], place: usize) -> bool {
        match name.get(place) {
            None => true,
            Some(byte) => self.leading_dir && *byte == b'/',
        }
    }

    /// Lets a star take one character more.
    fn one_more(self, (at, from): Retry, name: &[u8]) -> Option<Retry> {
        let byte = *name.get(from)?;
        (!self.pathname || byte != b'/').then(|| (at, self.next(name, from).1))
    }

    /// Matches one character, and returns where both go on.
    fn one(self, pattern: &[u8], at: usize, name: &[u8], place: usize) -> Option<(usize, usize)> {
        let (code, after) = self.next(name, place);
        let is_slash = self.pathname && code == u32::from(b'/');
        match pattern[at] {
            b'?' => (!is_slash).then_some((at + 1, after)),
            b'[' => match self.bracket(pattern, at + 1) {
                Some(bracket) => {
                    let has = self.has(&bracket, code) != bracket.negated;
                    (has && !is_slash).then_some((bracket.end, after))
                }
                None => (self.brackets == Brackets::Posix && code == u32::from(b'['))
                    .then_some((at + 1, after)),
            },
            byte => {
                let at = at + usize::from(byte == b'\\' && at + 1 < pattern.len());
                let (wanted, next) = self.next(pattern, at);
                let same = wanted == code || (self.icase && self.lower(wanted) == self.lower(code));
                same.then_some((next, after))
            }
        }
    }

    fn has(self, bracket: &Bracket, code: u32) -> bool {
        let Bracket { ranges, named, .. } = bracket;
        if ranges.has(code) || named.has(code) {
            return true;
        }
        let folds_named = self.brackets == Brackets::Git;
        let has = |code: u32| ranges.has(code) || (folds_named && named.has(code));
        self.icase && (has(self.lower(code)) || has(self.upper(code)))
    }

    /// What is between brackets; none where it does not end.
    fn bracket(self, pattern: &[u8], start: usize) -> Option<Bracket> {
        let (mut ranges, mut names) = (Class::default(), Class::default());
        let mut at = start;
        let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
        at += usize::from(negated);
        let first = at;
        loop {
            let byte = *pattern.get(at)?;
            if byte == b']' && (at > first || self.brackets == Brackets::Plain) {
                return Some(Bracket {
                    negated,
                    ranges,
                    named: names,
                    end: at + 1,
                });
            }
            if self.pathname && byte == b'/' && self.brackets == Brackets::Posix {
                return None;
            }
            if byte == b'[' && pattern.get(at + 1) == Some(&b':') {
                let rest = &pattern[at + 2..];
                if self.brackets != Brackets::Plain
                    && let Some(length) = rest.windows(2).position(|pair| pair == b":]")
                {
                    self.add_named(&mut names, Named::parse(&rest[..length])?);
                    at += length + 4;
                    continue;
                }
            }
            let (from, next) = self.symbol(pattern, at)?;
            at = next;
            if pattern.get(at) == Some(&b'-') && !matches!(pattern.get(at + 1), None | Some(b']')) {
                let (to, next) = self.symbol(pattern, at + 1)?;
                at = next;
                if from <= to {
                    ranges.add_range(from, to);
                }
            } else {
                ranges.add_range(from, from);
            }
        }
    }

    fn add_named(self, class: &mut Class, named: Named) {
        if !self.bytes {
            class.add_named(named);
            return;
        }
        (0..0x80)
            .filter(|code| named.holds(*code))
            .for_each(|code| class.add_range(code, code));
    }

    /// A character between brackets: plain, behind a backslash, or as `[.x.]` or `[=x=]`.
    fn symbol(self, pattern: &[u8], at: usize) -> Option<(u32, usize)> {
        match pattern.get(at)? {
            b'\\' if at + 1 < pattern.len() => Some(self.next(pattern, at + 1)),
            b'[' if self.brackets == Brackets::Posix
                && matches!(pattern.get(at + 1), Some(b'.' | b'=')) =>
            {
                let kind = pattern[at + 1];
                if at + 2 >= pattern.len() {
                    return None;
                }
                let (code, next) = self.next(pattern, at + 2);
                (pattern.get(next..next + 2) == Some(&[kind, b']'])).then_some((code, next + 2))
            }
            _ => Some(self.next(pattern, at)),
        }
    }

    fn next(self, text: &[u8], at: usize) -> (u32, usize) {
        if self.bytes {
            return (text[at].into(), at + 1);
        }
        chars::next(text, at)
    }

    fn lower(self, code: u32) -> u32 {
        if self.bytes && code >= 0x80 {
            return code;
        }
        chars::lower(code)
    }

    fn upper(self, code: u32) -> u32 {
        if self.bytes && code >= 0x80 {
            return code;
        }
        chars::upper(code)
    }
}

/// Lets `**` take one directory more.
fn one_directory_more((at, from): Retry, name: &[u8]) -> Option<Retry> {
    let slash = name[from..].iter().position(|byte| *byte == b'/')?;
    Some((at, from + slash + 1))
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
        assert!(icase.matches(b"[A-C]", b"b") && icase.matches(b"[!a-c]", b"D"));
        assert!(icase.matches(b"[[:upper:]]", b"B") && !icase.matches(b"[[:upper:]]", b"b"));
    }

    fn git(pattern: &str, name: &str) -> bool {
        let glob = Glob {
            pathname: true,
            double_star: true,
            bytes: true,
            brackets: Brackets::Git,
            ..Glob::default()
        };
        glob.matches(pattern.as_bytes(), name.as_bytes())
    }

    #[test]
    fn two_stars_between_slashes_are_directories() {
        assert!(git("**/a", "a") && git("**/a", "x/y/a") && git("a/**", "a/b/c"));
        assert!(git("a/**/b", "a/b") && git("a/**/b", "a/x/y/b") && !git("a/**/b", "a/xb"));
        assert!(git("**/*.c", "a/b/x.c") && !git("*.c", "a/x.c") && !git("a**b", "a/b"));
        assert!(git("**/a/*/c", "a/b/a/b/c") && git("**/b/**/d", "a/b/c/b/d"));
        assert!(!git("**/a/b", "a/x/b") && !git("a/**", "a") && git("**", "a/b"));
    }

    #[test]
    fn brackets_are_those_of_the_tool() {
        assert!(git("[[:digit:]]", "7") && !git("[[:foo:]]", "f") && !git("[a", "[a"));
        assert!(!git("a[/]b", "a/b") && git("a[^x]b", "ayb") && !git("a?c", "aéc"));
        let plain = Glob {
            bytes: true,
            brackets: Brackets::Plain,
            ..Glob::default()
        };
        assert!(plain.matches(b"[[:d]", b"d") && plain.matches(b"[!]", b"x"));
        assert!(!plain.matches(b"[]]", b"]") && !plain.matches(b"[a", b"[a"));
        assert!(Glob::default().matches(b"[\xff]", b"\xff"));
        assert!(Glob::default().matches(b"[[.-.]]", b"-"));
    }

    #[test]
    fn a_slash_may_end_a_match() {
        let glob = Glob {
            leading_dir: true,
            ..Glob::default()
        };
        assert!(glob.matches(b"a", b"a/b") && glob.matches(b"*b", b"ab/c"));
        assert!(!glob.matches(b"a", b"ab/c"));
    }

    #[test]
    fn many_stars_take_no_long_time() {
        let pattern = b"*a".repeat(200);
        let name = [&b"a".repeat(199)[..], &b"b".repeat(20_000)].concat();
        assert!(!Glob::default().matches(&pattern, &name));
        let pattern = [&b"**/*a".repeat(50)[..], b"/x"].concat();
        assert!(!git(&String::from_utf8_lossy(&pattern), &"a/".repeat(1000)));
    }
}
