//! The names on the command line: files to take, or members to find.

use super::pattern::{Pattern, Style};

/// A name and the directory that it is relative to.
#[derive(Debug)]
pub(crate) struct Name {
    /// The name as it was given, without slashes at its end.
    pub(crate) text: Vec<u8>,
    /// The directory that `-C` named before it; empty for the working directory.
    pub(crate) directory: Vec<u8>,
    /// How it is compared with members.
    pub(crate) pattern: Pattern,
    /// Whether directories are entered.
    pub(crate) recursion: bool,
    /// How often it was found.
    pub(crate) found: u64,
}

impl Name {
    /// A name.
    pub(crate) fn new(text: Vec<u8>, directory: &[u8], style: Style, recursion: bool) -> Name {
        let mut end = text.len();
        while end > 1 && text[end - 1] == b'/' {
            end -= 1;
        }
        let pattern = Pattern::new(&text, style);
        Name {
            text: text[..end].to_vec(),
            directory: directory.to_vec(),
            pattern,
            recursion,
            found: 0,
        }
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// In their order.
    pub(crate) names: Vec<Name>,
}

impl List {
    /// Finds the name that a member goes by; counts it. Without names every member is wanted.
    pub(crate) fn want(&mut self, member: &[u8]) -> Option<&Name> {
        let plain = member.strip_suffix(b"/").unwrap_or(member);
        let at = self.names.iter().position(|name| {
            name.pattern.matches(member)
                && (name.recursion || name.pattern.style.wildcards || plain == name.text)
        })?;
        self.names[at].found += 1;
        Some(&self.names[at])
    }
}
