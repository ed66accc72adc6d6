//! Patterns of file names: `*`, `?`, `[…]`, `\`.

/// Whether a pattern matches a whole name. A dot at the beginning is like any other byte, except that wildcards do not match it.
pub(crate) fn fnmatch(pattern: &[u8], name: &[u8]) -> bool {
    if name.first() == Some(&b'.') && pattern.first().is_some_and(|byte| b"*?[".contains(byte)) {
        return false;
    }
    // Where to go on when the last star has to take one byte more: never more than two places, so there is no explosion.
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, n));
                p += 1;
                continue;
            }
            Some(b'?') => Some(p + 1),
            Some(b'[') => class(&pattern[p..], name[n])
                .map(|(length, matches)| (p + length, matches))
                .and_then(|(next, matches)| matches.then_some(next))
                .or_else(|| {
                    (class(&pattern[p..], name[n]).is_none() && name[n] == b'[').then_some(p + 1)
                }),
            Some(b'\\') if p + 1 < pattern.len() => (pattern[p + 1] == name[n]).then_some(p + 2),
            Some(byte) => (*byte == name[n]).then_some(p + 1),
            None => None,
        };
        match (step, star) {
            (Some(next), _) => {
                p = next;
                n += 1;
            }
            (None, Some((after, taken))) => {
                star = Some((after, taken + 1));
                p = after;
                n = taken + 1;
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// The length of a class and whether a byte is in it; nothing when the class does not end.
fn class(pattern: &[u8], byte: u8) -> Option<(usize, bool)> {
    let mut at = 1;
    let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    let mut found = false;
    let begin = at;
    loop {
        let mut low = *pattern.get(at)?;
        if low == b']' && at > begin {
            return Some((at + 1, found != negated));
        }
        if low == b'\\' && at + 1 < pattern.len() {
            at += 1;
            low = pattern[at];
        }
        at += 1;
        if pattern.get(at) == Some(&b'-') && pattern.get(at + 1).is_some_and(|next| *next != b']') {
            let high = pattern[at + 1];
            at += 2;
            found |= (low..=high).contains(&byte);
        } else {
            found |= low == byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fnmatch;

    #[test]
    fn patterns_match_whole_names() {
        assert!(fnmatch(b"*.[ch]", b"a.c"));
        assert!(!fnmatch(b"*.[!ch]", b"a.c"));
        assert!(fnmatch(b"a?c*", b"abcd"));
        assert!(!fnmatch(b"*", b".hidden"));
        assert!(fnmatch(b"\\*", b"*"));
        assert!(fnmatch(b"[", b"["));
    }
}
