//! Bracket expressions: `[a-z]`, `[!x]`, `[[:alpha:]]`.

use codepod_posix_regex::Named;

use super::chars;

/// A compiled bracket expression.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Class {
    negated: bool,
    /// The ASCII characters in it.
    ascii: u128,
    /// Ranges that reach beyond ASCII.
    ranges: Vec<(u32, u32)>,
    /// Named classes, which also hold beyond ASCII.
    named: Vec<Named>,
    /// Whether the case of letters does not matter.
    fold: bool,
}

impl Class {
    /// Whether a character is in it.
    #[inline]
    pub(super) fn holds(&self, code: u32) -> bool {
        let found = if code < 0x80 {
            self.ascii >> code & 1 == 1
        } else {
            self.holds_beyond(code)
        };
        found != self.negated
    }

    #[cold]
    #[inline(never)]
    fn holds_beyond(&self, code: u32) -> bool {
        let folded = self.folded(code);
        self.ranges
            .iter()
            .any(|(from, to)| (*from..=*to).contains(&folded))
            || self.named.iter().any(|named| named.holds(code))
    }

    fn folded(&self, code: u32) -> u32 {
        if self.fold { chars::lower(code) } else { code }
    }

    fn add_range(&mut self, from: u32, to: u32) {
        let (from, to) = (self.folded(from), self.folded(to));
        for code in 0..0x80 {
            if (from..=to).contains(&self.folded(code)) {
                self.ascii |= 1 << code;
            }
        }
        if to >= 0x80 {
            self.ranges.push((from, to));
        }
    }

    fn add_named(&mut self, named: Named) {
        for code in 0..0x80u32 {
            if named.holds(code) {
                self.ascii |= 1 << code;
            }
        }
        self.named.push(named);
    }

    /// Reads a bracket expression from behind its `[`. Returns it with where it ends, or nothing
    /// where no `]` closes it: then the `[` stands for itself. With `fold` case does not
    /// matter.
    pub(super) fn parse(pattern: &[u8], fold: bool) -> Option<(Class, usize)> {
        let mut class = Class {
            fold,
            ..Class::default()
        };
        let mut at = 0;
        if matches!(pattern.first(), Some(b'!' | b'^')) {
            class.negated = true;
            at = 1;
        }
        let first = at;
        loop {
            let byte = *pattern.get(at)?;
            if byte == b']' && at > first {
                break;
            }
            if byte == b'['
                && matches!(pattern.get(at + 1), Some(b':' | b'='))
                && let Some(end) = class.special(pattern, at)
            {
                at = end;
                continue;
            }
            let (from, after) = symbol(pattern, at)?;
            at = after;
            if pattern.get(at) == Some(&b'-') && !matches!(pattern.get(at + 1), None | Some(b']')) {
                let (to, after) = symbol(pattern, at + 1)?;
                at = after;
                class.add_range(from, to);
            } else {
                class.add_range(from, from);
            }
        }
        Some((class, at + 1))
    }

    /// `[:name:]` or `[=x=]` at `at`: adds it and returns where it ends.
    fn special(&mut self, pattern: &[u8], at: usize) -> Option<usize> {
        let kind = pattern[at + 1];
        let inside = &pattern[at + 2..];
        let length = inside.windows(2).position(|pair| pair == [kind, b']'])?;
        let name = &inside[..length];
        if kind == b':' {
            let name = name.strip_suffix(b"\\").unwrap_or(name);
            if !name.iter().all(|byte| byte.is_ascii_alphabetic()) {
                return None;
            }
            match name {
                // Not in POSIX.
                b"word" => {
                    self.add_named(Named::Alnum);
                    self.add_range(b'_'.into(), b'_'.into());
                }
                b"ascii" => self.add_range(0, 0x7f),
                _ => Named::parse(name)
                    .into_iter()
                    .for_each(|named| self.add_named(named)),
            }
        } else {
            if name.is_empty() {
                return None;
            }
            let (code, after) = chars::next(name, 0);
            if after != name.len() {
                return None;
            }
            self.add_range(code, code);
        }
        Some(at + 2 + length + 2)
    }
}

/// The character at `at` inside brackets, and where it ends: a plain one, an escaped one, `[.x.]`.
fn symbol(pattern: &[u8], at: usize) -> Option<(u32, usize)> {
    match pattern.get(at)? {
        b'\\' if at + 1 < pattern.len() => Some(chars::next(pattern, at + 1)),
        b'[' if pattern.get(at + 1) == Some(&b'.') => {
            let inside = &pattern[at + 2..];
            match inside.windows(2).position(|pair| pair == b".]") {
                Some(length) if length > 0 => {
                    let name = &inside[..length];
                    let (code, after) = chars::next(name, 0);
                    let code = if after == name.len() {
                        code
                    } else {
                        collating(name)?
                    };
                    Some((code, at + 2 + length + 2))
                }
                _ => Some((u32::from(b'['), at + 1)),
            }
        }
        _ => Some(chars::next(pattern, at)),
    }
}

/// The names of POSIX for characters in `[.name.]`.
fn collating(name: &[u8]) -> Option<u32> {
    const NAMES: &[(&str, u8)] = &[
        ("NUL", 0),
        ("alert", 7),
        ("ampersand", b'&'),
        ("apostrophe", b'\''),
        ("asterisk", b'*'),
        ("backslash", b'\\'),
        ("backspace", 8),
        ("carriage-return", b'\r'),
        ("circumflex", b'^'),
        ("colon", b':'),
        ("comma", b','),
        ("commercial-at", b'@'),
        ("dollar-sign", b'$'),
        ("eight", b'8'),
        ("equals-sign", b'='),
        ("exclamation-mark", b'!'),
        ("five", b'5'),
        ("form-feed", 12),
        ("four", b'4'),
        ("grave-accent", b'`'),
        ("greater-than-sign", b'>'),
        ("hyphen", b'-'),
        ("left-curly-bracket", b'{'),
        ("left-parenthesis", b'('),
        ("left-square-bracket", b'['),
        ("less-than-sign", b'<'),
        ("minus", b'-'),
        ("newline", b'\n'),
        ("nine", b'9'),
        ("number-sign", b'#'),
        ("one", b'1'),
        ("percent-sign", b'%'),
        ("period", b'.'),
        ("plus-sign", b'+'),
        ("question-mark", b'?'),
        ("quotation-mark", b'"'),
        ("right-curly-bracket", b'}'),
        ("right-parenthesis", b')'),
        ("right-square-bracket", b']'),
        ("semicolon", b';'),
        ("seven", b'7'),
        ("six", b'6'),
        ("slash", b'/'),
        ("space", b' '),
        ("tab", b'\t'),
        ("three", b'3'),
        ("tilde", b'~'),
        ("two", b'2'),
        ("underscore", b'_'),
        ("vertical-line", b'|'),
        ("vertical-tab", 11),
        ("zero", b'0'),
    ];
    NAMES
        .iter()
        .find(|(known, _)| known.as_bytes() == name)
        .map(|(_, byte)| u32::from(*byte))
}
