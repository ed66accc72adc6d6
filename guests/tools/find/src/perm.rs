//! Modes in the argument of `-perm`: octal, or as `chmod` takes them.

use codepod_mode::Change;

/// The bits that a mode means for files and for directories; none where it is none.
///
/// A symbolic mode starts from no bits, and the umask does not count.
pub(crate) fn parse(text: &[u8]) -> Option<(u32, u32)> {
    let change = Change::parse(text)?;
    Some((change.apply(0, false, 0), change.apply(0, true, 0)))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn modes_are_read() {
        assert_eq!(parse(b"644"), Some((0o644, 0o644)));
        assert_eq!(parse(b"a+rX"), Some((0o444, 0o555)));
        assert_eq!(parse(b"+w"), Some((0o222, 0o222)));
        assert_eq!(parse(b"9"), None);
    }
}
