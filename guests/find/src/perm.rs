//! Modes in the argument of `-perm`: octal, or as `chmod` takes them.

/// The bits that a mode means for files and for directories; none where it is none.
pub(crate) fn parse(text: &str) -> Option<(u32, u32)> {
    if text
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit())
    {
        let bits = u32::from_str_radix(text, 8)
            .ok()
            .filter(|bits| *bits <= 0o7777)?;
        return Some((bits, bits));
    }
    Some((symbolic(text, false)?, symbolic(text, true)?))
}

/// `u=rwx,g+x`, from no bits at all.
fn symbolic(text: &str, is_directory: bool) -> Option<u32> {
    let mut mode = 0;
    for clause in text.split(',') {
        let mut letters = clause.chars().peekable();
        let mut who = 0;
        while let Some(letter) = letters.peek() {
            who |= match letter {
                'u' => 0o4700,
                'g' => 0o2070,
                'o' => 0o1007,
                'a' => 0o7777,
                _ => break,
            };
            letters.next();
        }
        if who == 0 {
            who = 0o7777;
        }
        letters.peek()?;
        while let Some(operator) = letters.next() {
            if !matches!(operator, '+' | '-' | '=') {
                return None;
            }
            let mut bits = 0;
            while let Some(letter) = letters.peek() {
                bits |= match letter {
                    'r' => 0o444,
                    'w' => 0o222,
                    'x' => 0o111,
                    'X' if is_directory || mode & 0o111 != 0 => 0o111,
                    'X' => 0,
                    's' => 0o6000,
                    't' => 0o1000,
                    'u' => copied(mode >> 6),
                    'g' => copied(mode >> 3),
                    'o' => copied(mode),
                    _ => break,
                };
                letters.next();
            }
            // The sticky bit is everybody's.
            let bits = bits & (who | 0o1000);
            match operator {
                '+' => mode |= bits,
                '-' => mode &= !bits,
                _ => mode = mode & !(who & 0o7777) | bits,
            }
        }
    }
    Some(mode)
}

fn copied(bits: u32) -> u32 {
    (bits & 7) * 0o111
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn modes_are_read() {
        assert_eq!(parse("644"), Some((0o644, 0o644)));
        assert_eq!(parse("u=rw,go=r"), Some((0o644, 0o644)));
        assert_eq!(parse("u+x"), Some((0o100, 0o100)));
        assert_eq!(parse("a+rX"), Some((0o444, 0o555)));
        assert_eq!(parse("u+s,+t"), Some((0o5000, 0o5000)));
        assert_eq!(parse("9"), None);
        assert_eq!(parse("z"), None);
    }
}
