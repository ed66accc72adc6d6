//! Patterns of file names, as the options of coreutils take them.

use codepod_posix_regex::Glob;

/// Whether a pattern matches a whole name; wildcards do not match a dot at its start.
pub(crate) fn fnmatch(pattern: &[u8], name: &[u8]) -> bool {
    let glob = Glob {
        period: true,
        ..Glob::default()
    };
    glob.matches(pattern, name)
}

/// Whether a pattern of `--exclude` matches a path, or what is behind one of its slashes.
pub(crate) fn excludes(pattern: &[u8], path: &[u8]) -> bool {
    let slashes = (1..path.len()).filter(|at| path[at - 1] == b'/' && path[*at] != b'/');
    let mut starts = std::iter::once(0).chain(slashes);
    starts.any(|start| Glob::default().matches(pattern, &path[start..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        assert!(fnmatch(b"*.[ch]", b"a.c"));
        assert!(!fnmatch(b"*.[!ch]", b"a.c"));
        assert!(fnmatch(b"a?c*", "aéc".as_bytes()));
        assert!(!fnmatch(b"*", b".hidden"));
        assert!(fnmatch(b"\\*", b"*"));
        assert!(fnmatch(b"[", b"["));
    }

    #[test]
    fn what_is_excluded_may_start_behind_a_slash() {
        assert!(excludes(b"d/x", b"./d/x"));
        assert!(excludes(b"?hidden", b"d/.hidden"));
        assert!(excludes(b"d*x", b"d/a/x"));
        assert!(!excludes(b"d", b"./d/x"));
    }
}
