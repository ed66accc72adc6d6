//! Patterns of file names as git has them: `*`, `?`, sets, and `**` over directories.

/// Whether `*` and `?` stop at slashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slashes {
    /// They do; `**` goes over them.
    Stop,
    /// They do not.
    Pass,
}

/// Whether a text matches a pattern. Takes at most pattern times text steps.
pub(crate) fn matches(pattern: &[u8], text: &[u8], slashes: Slashes, fold: bool) -> bool {
    let mut state = State {
        pattern,
        text,
        slashes,
        fold,
        failed: Vec::new(),
    };
    state.failed.resize(
        (pattern.len() + 1).saturating_mul(text.len() + 1) / 8 + 1,
        0,
    );
    state.run(0, 0)
}

struct State<'a> {
    pattern: &'a [u8],
    text: &'a [u8],
    slashes: Slashes,
    fold: bool,
    /// A bit for each place in pattern and text from which no way led to the end.
    failed: Vec<u8>,
}

impl State<'_> {
    fn run(&mut self, mut p: usize, mut t: usize) -> bool {
        loop {
            let Some(&token) = self.pattern.get(p) else {
                return t == self.text.len();
            };
            if token == b'*' {
                return self.star(p, t);
            }
            let Some(&byte) = self.text.get(t) else {
                return false;
            };
            match token {
                b'?' => {
                    if byte == b'/' && self.slashes == Slashes::Stop {
                        return false;
                    }
                    p += 1;
                }
                b'[' => match self.set(p, byte) {
                    Some((true, end)) if !(byte == b'/' && self.slashes == Slashes::Stop) => {
                        p = end
                    }
                    _ => return false,
                },
                b'\\' if p + 1 < self.pattern.len() => {
                    if !self.same(self.pattern[p + 1], byte) {
                        return false;
                    }
                    p += 2;
                }
                _ => {
                    if !self.same(token, byte) {
                        return false;
                    }
                    p += 1;
                }
            }
            t += 1;
        }
    }

    fn same(&self, a: u8, b: u8) -> bool {
        a == b || (self.fold && a.eq_ignore_ascii_case(&b))
    }

    fn star(&mut self, p: usize, t: usize) -> bool {
        let place = p * (self.text.len() + 1) + t;
        if self.failed[place / 8] & (1 << (place % 8)) != 0 {
            return false;
        }
        let mut after = p + 1;
        while self.pattern.get(after) == Some(&b'*') {
            after += 1;
        }
        let double = after - p >= 2;
        let starts = p == 0 || self.pattern[p - 1] == b'/';
        let ends = after == self.pattern.len() || self.pattern[after] == b'/';
        let over = self.slashes == Slashes::Pass || (double && starts && ends);
        // `**/` also stands for no directory at all.
        let mut found = double
            && starts
            && self.slashes == Slashes::Stop
            && self.pattern.get(after) == Some(&b'/')
            && self.run(after + 1, t);
        let mut at = t;
        while !found {
            found = self.run(after, at);
            match self.text.get(at) {
                Some(b'/') if !over => break,
                Some(_) => at += 1,
                None => break,
            }
        }
        if !found {
            self.failed[place / 8] |= 1 << (place % 8);
        }
        found
    }

    /// Whether a byte is in the set that starts at `p`, and where the set ends; none when it has no end.
    fn set(&self, p: usize, byte: u8) -> Option<(bool, usize)> {
        let pattern = self.pattern;
        let mut at = p + 1;
        let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
        if negated {
            at += 1;
        }
        let mut found = false;
        let mut first = true;
        loop {
            let mut low = *pattern.get(at)?;
            if low == b']' && !first {
                break;
            }
            first = false;
            if low == b'[' && pattern.get(at + 1) == Some(&b':') {
                let rest = &pattern[at + 2..];
                if let Some(end) = rest.windows(2).position(|pair| pair == b":]") {
                    found |= in_class(&rest[..end], byte)?;
                    at += end + 4;
                    continue;
                }
            }
            if low == b'\\' {
                at += 1;
                low = *pattern.get(at)?;
            }
            if pattern.get(at + 1) == Some(&b'-')
                && pattern.get(at + 2).is_some_and(|byte| *byte != b']')
            {
                let mut high = pattern[at + 2];
                at += 3;
                if high == b'\\' {
                    high = *pattern.get(at)?;
                    at += 1;
                }
                let other = if byte.is_ascii_lowercase() {
                    byte.to_ascii_uppercase()
                } else {
                    byte.to_ascii_lowercase()
                };
                found |=
                    (low..=high).contains(&byte) || (self.fold && (low..=high).contains(&other));
            } else {
                found |= self.same(low, byte);
                at += 1;
            }
        }
        Some((found != negated, at + 1))
    }
}

fn in_class(name: &[u8], byte: u8) -> Option<bool> {
    Some(match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => byte == b' ' || byte == b'\t',
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => byte.is_ascii_whitespace() || byte == 11,
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}

/// Whether a pattern has anything special in it.
pub(crate) fn has_special(pattern: &[u8]) -> bool {
    pattern.iter().any(|byte| b"*?[\\".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_slashes() {
        let stop = |pattern: &str, text: &str| {
            matches(pattern.as_bytes(), text.as_bytes(), Slashes::Stop, false)
        };
        assert!(stop("*.c", "a.c") && !stop("*.c", "d/a.c"));
        assert!(stop("**/a", "a") && stop("**/a", "x/y/a") && stop("a/**", "a/b/c"));
        assert!(stop("a/**/b", "a/b") && stop("a/**/b", "a/x/y/b"));
        assert!(stop("[a-c]x", "bx") && !stop("[!a-c]x", "bx") && stop("[[:digit:]]", "7"));
        assert!(matches(b"*", b"a/b", Slashes::Pass, false));
        assert!(matches(b"A?", b"ab", Slashes::Stop, true));
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = b"*a".repeat(40);
        let text = [&b"a".repeat(39)[..], &b"b".repeat(500)[..]].concat();
        assert!(!matches(&pattern, &text, Slashes::Pass, false));
    }
}
