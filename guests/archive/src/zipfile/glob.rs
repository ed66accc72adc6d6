//! Patterns of names as zip and unzip have them: `*` and `?` match slashes, too.

/// Whether a pattern matches a whole name.
///
/// Takes time by the product of both lengths, whatever the pattern.
pub(crate) fn matches(pattern: &[u8], name: &[u8], ignore_case: bool) -> bool {
    // Where the last star was, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    let (mut p, mut n) = (0, 0);
    while n < name.len() {
        let one = if pattern.get(p) == Some(&b'*') {
            star = Some((p, n));
            p += 1;
            continue;
        } else {
            single(&pattern[p..], name[n], ignore_case)
        };
        match (one, star) {
            (Some(length), _) => {
                p += length;
                n += 1;
            }
            (None, Some((at, taken))) => {
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// How long the part of the pattern is that matches this byte; none where it does not.
fn single(pattern: &[u8], byte: u8, ignore_case: bool) -> Option<usize> {
    let same = |a: u8, b: u8| {
        if ignore_case {
            a.eq_ignore_ascii_case(&b)
        } else {
            a == b
        }
    };
    match *pattern.first()? {
        b'?' => Some(1),
        b'\\' => {
            let (length, literal) = pattern.get(1).map_or((1, b'\\'), |next| (2, *next));
            same(literal, byte).then_some(length)
        }
        b'[' => set(pattern, byte, ignore_case),
        literal => same(literal, byte).then_some(1),
    }
}

/// The same for `[…]`; one without an end matches nothing.
fn set(pattern: &[u8], byte: u8, ignore_case: bool) -> Option<usize> {
    let fold = |byte: u8| {
        if ignore_case {
            byte.to_ascii_lowercase()
        } else {
            byte
        }
    };
    let mut at = 1;
    let reverse = matches!(pattern.get(at), Some(b'!' | b'^'));
    at += usize::from(reverse);
    let mut found = false;
    let mut first = true;
    loop {
        let mut low = *pattern.get(at)?;
        if low == b']' && !first {
            break;
        }
        first = false;
        if low == b'\\' {
            at += 1;
            low = *pattern.get(at)?;
        }
        at += 1;
        let mut high = low;
        if pattern.get(at) == Some(&b'-') && pattern.get(at + 1).is_some_and(|next| *next != b']') {
            high = pattern[at + 1];
            at += 2;
            if high == b'\\' {
                high = *pattern.get(at)?;
                at += 1;
            }
        }
        found |= (fold(low)..=fold(high)).contains(&fold(byte));
    }
    (found != reverse).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_sets_and_escapes() {
        let yes: [(&[u8], &[u8]); 8] = [
            (b"*", b""),
            (b"*.txt", b"a/b.txt"),
            (b"a?c", b"a/c"),
            (b"[a-c]x", b"bx"),
            (b"[!a]x", b"bx"),
            (b"\\*", b"*"),
            (b"*a*b*", b"xaybz"),
            (b"[]]", b"]"),
        ];
        for (pattern, name) in yes {
            assert!(matches(pattern, name, false), "{pattern:?} {name:?}");
        }
        let no: [(&[u8], &[u8]); 6] = [
            (b"", b"a"),
            (b"a", b"ab"),
            (b"[a", b"a"),
            (b"\\*", b"a"),
            (b"A", b"a"),
            (b"*a", b"b"),
        ];
        for (pattern, name) in no {
            assert!(!matches(pattern, name, false), "{pattern:?} {name:?}");
        }
        assert!(matches(b"A[B-C]", b"ac", true));
        // Quick, although there are many ways to try.
        let pattern = [&b"a*".repeat(200)[..], b"c"].concat();
        assert!(!matches(&pattern, &b"a".repeat(20_000), false));
    }
}
