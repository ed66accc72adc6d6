//! Patterns of file names as git has them: `*`, `?`, sets, and `**` over directories.
//!
//! Patterns and names are a guest's. The crates that match them as git does take exponential time
//! for many `**/`; this takes at most the product of both lengths, and counts its steps.

/// Whether `name` as a whole matches `pattern`. Takes from `steps` what it does, and matches
/// nothing when there are none left.
pub(super) fn matches(pattern: &[u8], name: &[u8], steps: &mut u64) -> bool {
    let (mut at, mut place) = (0, 0);
    // Only the last star of a kind is tried again: it reaches what one before it could reach. Each
    // is a place in the pattern, and how far the star before it reaches in the name.
    let mut star: Option<(usize, usize)> = None;
    let mut directories: Option<(usize, usize)> = None;
    loop {
        *steps = steps.saturating_sub(1);
        if *steps == 0 {
            return false;
        }
        if pattern.get(at) == Some(&b'*') {
            let stars = pattern[at..].iter().take_while(|byte| **byte == b'*');
            let after = at + stars.count();
            if is_double_star(pattern, at, after) {
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
        if at == pattern.len() && place == name.len() {
            return true;
        }
        let step = (place < name.len() && at < pattern.len())
            .then(|| one(pattern, at, name[place]))
            .flatten();
        if let Some(next) = step {
            (at, place) = (next, place + 1);
        } else if let Some((from, reach)) = star.filter(|(_, reach)| takes(name, *reach)) {
            star = Some((from, reach + 1));
            (at, place) = (from, reach + 1);
        } else if let Some((from, next)) = directories.and_then(|last| one_more(last, name)) {
            (star, directories) = (None, Some((from, next)));
            (at, place) = (from, next);
        } else {
            return false;
        }
    }
}

/// Whether a pattern has anything special in it.
pub(super) fn has_special(pattern: &[u8]) -> bool {
    pattern.iter().any(|byte| b"*?[\\".contains(byte))
}

/// Whether these stars stand for directories: two or more of them, with nothing else between
/// slashes.
fn is_double_star(pattern: &[u8], start: usize, end: usize) -> bool {
    end - start >= 2
        && (start == 0 || pattern[start - 1] == b'/')
        && matches!(pattern.get(end), None | Some(b'/'))
}

/// Whether a star may take the byte at a place.
fn takes(name: &[u8], place: usize) -> bool {
    name.get(place).is_some_and(|byte| *byte != b'/')
}

/// Lets `**` take one directory more.
fn one_more((at, from): (usize, usize), name: &[u8]) -> Option<(usize, usize)> {
    let slash = name[from..].iter().position(|byte| *byte == b'/')?;
    Some((at, from + slash + 1))
}

/// Matches one byte, and returns where the pattern goes on.
fn one(pattern: &[u8], at: usize, byte: u8) -> Option<usize> {
    match pattern[at] {
        b'?' => (byte != b'/').then_some(at + 1),
        b'[' => {
            let (has, end) = bracket(pattern, at + 1, byte)?;
            (has && byte != b'/').then_some(end)
        }
        b'\\' if at + 1 < pattern.len() => (pattern[at + 1] == byte).then_some(at + 2),
        plain => (plain == byte).then_some(at + 1),
    }
}

/// Whether a set has a byte, and where it ends; `None` where it does not end or names a class that
/// there is not: then nothing matches.
fn bracket(pattern: &[u8], start: usize, byte: u8) -> Option<(bool, usize)> {
    let mut at = start;
    let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    let first = at;
    let mut has = false;
    loop {
        let next = *pattern.get(at)?;
        if next == b']' && at > first {
            return Some((has != negated, at + 1));
        }
        if next == b'[' && pattern.get(at + 1) == Some(&b':') {
            let rest = &pattern[at + 2..];
            let end = rest.iter().position(|byte| *byte == b']')?;
            if let Some(name) = rest[..end].strip_suffix(b":") {
                has |= in_class(name, byte)?;
                at += end + 3;
                continue;
            }
        }
        let (from, after) = symbol(pattern, at)?;
        at = after;
        if pattern.get(at) == Some(&b'-') && !matches!(pattern.get(at + 1), None | Some(b']')) {
            let (to, after) = symbol(pattern, at + 1)?;
            at = after;
            has |= (from..=to).contains(&byte);
        } else {
            has |= from == byte;
        }
    }
}

/// A byte of a set, which a backslash may stand before.
fn symbol(pattern: &[u8], at: usize) -> Option<(u8, usize)> {
    match pattern.get(at)? {
        b'\\' => Some((*pattern.get(at + 1)?, at + 2)),
        byte => Some((*byte, at + 1)),
    }
}

/// Whether a byte is in a named class; `None` if there is no such class.
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
        b"space" => byte.is_ascii_whitespace() || byte == 0x0b,
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    fn git(pattern: &str, name: &str) -> bool {
        super::matches(pattern.as_bytes(), name.as_bytes(), &mut 1_000_000)
    }

    #[test]
    fn stars_sets_and_slashes() {
        assert!(git("*.c", "a.c") && !git("*.c", "d/a.c"));
        assert!(git("**/a", "a") && git("**/a", "x/y/a") && git("a/**", "a/b/c"));
        assert!(git("a/**/b", "a/b") && git("a/**/b", "a/x/y/b") && !git("a/**/b", "a/xb"));
        assert!(git("[a-c]x", "bx") && !git("[!a-c]x", "bx") && git("[[:digit:]]", "7"));
        assert!(git("[]a]", "]") && git("[a\\]]", "]") && !git("[a", "[a") && git("\\*", "*"));
        assert!(!git("[[:nope:]]", "a") && git("[[:]", ":") && git("a**b", "axb"));
    }

    /// AP-12: a pattern of a guest's does not hold the host up.
    #[test]
    fn many_stars_take_no_time() {
        let name = "a/".repeat(2000);
        let mut steps = 100_000_000;
        let pattern = "**/a/*a*".repeat(200) + "b";
        assert!(!super::matches(
            pattern.as_bytes(),
            name.as_bytes(),
            &mut steps
        ));
        assert!(steps > 90_000_000, "{steps}");
        assert!(!super::matches(b"*", b"abc", &mut 1), "no steps, no match");
    }
}
