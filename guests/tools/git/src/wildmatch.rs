//! Patterns of file names as git has them: `*`, `?`, sets, and `**` over directories.

use codepod_posix_regex::{Brackets, Glob};

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
    let glob = Glob {
        icase: fold,
        pathname: slashes == Slashes::Stop,
        double_star: true,
        bytes: true,
        brackets: Brackets::Git,
        ..Glob::default()
    };
    glob.matches(pattern, text)
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
