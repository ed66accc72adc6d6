//! Patterns of names as zip and unzip have them: `*` and `?` match slashes, too, and characters are
//! bytes.

use posix_regex::{Brackets, Glob};

/// Whether a pattern matches a whole name.
///
/// Takes time by the product of both lengths, whatever the pattern.
pub(crate) fn matches(pattern: &[u8], name: &[u8], ignore_case: bool) -> bool {
    let glob = Glob {
        icase: ignore_case,
        bytes: true,
        brackets: Brackets::Plain,
        ..Glob::default()
    };
    glob.matches(pattern, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_sets_and_escapes() {
        let yes: [(&[u8], &[u8]); 7] = [
            (b"*", b""),
            (b"*.txt", b"a/b.txt"),
            (b"a?c", b"a/c"),
            (b"[a-c]x", b"bx"),
            (b"[!a]x", b"bx"),
            (b"\\*", b"*"),
            (b"*a*b*", b"xaybz"),
        ];
        for (pattern, name) in yes {
            assert!(matches(pattern, name, false), "{pattern:?} {name:?}");
        }
        let no: [(&[u8], &[u8]); 7] = [
            (b"", b"a"),
            (b"a", b"ab"),
            (b"[a", b"a"),
            (b"\\*", b"a"),
            (b"A", b"a"),
            (b"*a", b"b"),
            (b"[]]", b"]"),
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
