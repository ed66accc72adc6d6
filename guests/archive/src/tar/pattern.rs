//! Patterns of names: which are left out, which are taken.

/// How a pattern is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    /// `* ? […]` are special.
    pub(crate) wildcards: bool,
    /// It begins at the start of the name, not behind any slash.
    pub(crate) anchored: bool,
    /// `*` and `?` match a slash.
    pub(crate) match_slash: bool,
    /// Letters are the same in upper and lower case.
    pub(crate) ignore_case: bool,
}

impl Style {
    /// As names are left out.
    pub(crate) const EXCLUDE: Style = Style {
        wildcards: true,
        anchored: false,
        match_slash: true,
        ignore_case: false,
    };
    /// As members are named.
    pub(crate) const MEMBER: Style = Style {
        wildcards: false,
        anchored: true,
        match_slash: true,
        ignore_case: false,
    };
}

/// A pattern with its style.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    /// Its text.
    pub(crate) text: Vec<u8>,
    /// How it is compared.
    pub(crate) style: Style,
}

impl Pattern {
    /// A pattern; slashes at its end do not count.
    pub(crate) fn new(text: &[u8], style: Style) -> Pattern {
        let mut end = text.len();
        while end > 1 && text[end - 1] == b'/' {
            end -= 1;
        }
        Pattern {
            text: text[..end].to_vec(),
            style,
        }
    }

    /// Whether it matches a name, or a directory that the name is in.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        let name = name.strip_suffix(b"/").unwrap_or(name);
        if self.matches_at(name) {
            return true;
        }
        if self.style.anchored {
            return false;
        }
        let mut rest = name;
        while let Some(slash) = rest.iter().position(|byte| *byte == b'/') {
            rest = &rest[slash + 1..];
            if !rest.starts_with(b"/") && self.matches_at(rest) {
                return true;
            }
        }
        false
    }

    fn matches_at(&self, name: &[u8]) -> bool {
        if !self.style.wildcards {
            let same = |start: &[u8]| match self.style.ignore_case {
                true => start.eq_ignore_ascii_case(&self.text),
                false => start == self.text,
            };
            return match name.get(..self.text.len()) {
                Some(start) if same(start) => {
                    name.len() == start.len()
                        || name[start.len()] == b'/'
                        || self.text.ends_with(b"/")
                }
                _ => false,
            };
        }
        glob(&self.text, name, self.style)
    }
}

/// Compares with `fnmatch`'s rules; a slash behind the match ends the name. Takes time proportional to the product of both at most.
fn glob(pattern: &[u8], name: &[u8], style: Style) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        if p == pattern.len() {
            if n == name.len() || name[n] == b'/' {
                return true;
            }
        } else if pattern[p] == b'*' {
            star = Some((p, n));
            p += 1;
            continue;
        } else if n < name.len()
            && let Some((next, width)) = one(pattern, p, name, n, style)
        {
            p = next;
            n += width;
            continue;
        }
        // One more for the last star.
        match star {
            Some((at, from)) if from < name.len() && (style.match_slash || name[from] != b'/') => {
                p = at + 1;
                n = from + 1;
                star = Some((at, n));
            }
            _ => return false,
        }
    }
}

/// Compares one character; returns where the pattern goes on and how much of the name it took.
fn one(pattern: &[u8], p: usize, name: &[u8], n: usize, style: Style) -> Option<(usize, usize)> {
    let slash_ok = style.match_slash || name[n] != b'/';
    match pattern[p] {
        b'?' => slash_ok.then(|| (p + 1, width(name, n))),
        b'[' if slash_ok => match class(pattern, p, name[n], style.ignore_case) {
            Some((next, true)) => Some((next, 1)),
            Some((_, false)) => None,
            None => (name[n] == b'[').then_some((p + 1, 1)),
        },
        b'\\' if p + 1 < pattern.len() => {
            same(pattern[p + 1], name[n], style).then_some((p + 2, 1))
        }
        letter => same(letter, name[n], style).then_some((p + 1, 1)),
    }
}

fn same(a: u8, b: u8, style: Style) -> bool {
    a == b || (style.ignore_case && a.eq_ignore_ascii_case(&b))
}

/// How many bytes the character at a place has.
fn width(name: &[u8], at: usize) -> usize {
    let length = match name[at] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    match name.get(at..at + length) {
        Some(bytes) if std::str::from_utf8(bytes).is_ok() => length,
        _ => 1,
    }
}

/// Reads a bracket expression; returns where it ends and whether the byte is in it. None when it has no end.
fn class(pattern: &[u8], start: usize, byte: u8, ignore_case: bool) -> Option<(usize, bool)> {
    let mut at = start + 1;
    let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    if negated {
        at += 1;
    }
    let first = at;
    let mut found = false;
    loop {
        let mut low = *pattern.get(at)?;
        if low == b']' && at > first {
            return Some((at + 1, found != negated));
        }
        if low == b'[' && pattern.get(at + 1) == Some(&b':') {
            let end = pattern[at + 2..]
                .windows(2)
                .position(|pair| pair == b":]")?;
            let is_in = match &pattern[at + 2..at + 2 + end] {
                b"alpha" => byte.is_ascii_alphabetic(),
                b"digit" => byte.is_ascii_digit(),
                b"alnum" => byte.is_ascii_alphanumeric(),
                b"upper" => byte.is_ascii_uppercase(),
                b"lower" => byte.is_ascii_lowercase(),
                b"space" => byte.is_ascii_whitespace() || byte == 0x0b,
                b"punct" => byte.is_ascii_punctuation(),
                b"xdigit" => byte.is_ascii_hexdigit(),
                _ => false,
            };
            found |= is_in;
            at += end + 4;
            continue;
        }
        if low == b'\\' && at + 1 < pattern.len() {
            at += 1;
            low = pattern[at];
        }
        let mut high = low;
        if pattern.get(at + 1) == Some(&b'-')
            && pattern.get(at + 2).is_some_and(|next| *next != b']')
        {
            high = pattern[at + 2];
            at += 2;
        }
        at += 1;
        let within = |byte: u8| (low..=high).contains(&byte);
        found |= within(byte)
            || (ignore_case
                && (within(byte.to_ascii_lowercase()) || within(byte.to_ascii_uppercase())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excludes(pattern: &str, name: &str) -> bool {
        Pattern::new(pattern.as_bytes(), Style::EXCLUDE).matches(name.as_bytes())
    }

    #[test]
    fn excluded_names_match_behind_any_slash_and_below() {
        assert!(excludes("*.o", "a/b/c.o"));
        assert!(excludes("node_modules", "x/node_modules/y"));
        assert!(excludes("b/c", "a/b/c"));
        assert!(!excludes("b", "ab"));
        assert!(excludes("[a-c]?z", "x/byz"));
        assert!(!excludes("[!a-c]", "b"));
        assert!(excludes("a*z", "a/b/z"));
        assert!(excludes("\\*", "*"));
        assert!(excludes("[", "["));
    }

    #[test]
    fn members_are_named_from_their_start() {
        let member = |pattern: &str, name: &str| {
            Pattern::new(pattern.as_bytes(), Style::MEMBER).matches(name.as_bytes())
        };
        assert!(member("a/b", "a/b/c"));
        assert!(member("a/", "a/"));
        assert!(!member("b", "a/b"));
        assert!(!member("*", "a"));
    }

    #[test]
    fn many_stars_take_no_long_time() {
        let pattern = "*a".repeat(200) + "b";
        assert!(!excludes(&pattern, &"a".repeat(2000)));
    }
}
