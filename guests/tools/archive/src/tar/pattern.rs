//! Patterns of names: which are left out, which are taken.

use posix_regex::Glob;

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
        let glob = Glob {
            icase: self.style.ignore_case,
            pathname: !self.style.match_slash,
            leading_dir: true,
            ..Glob::default()
        };
        glob.matches(&self.text, name)
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
