//! `--include`, `--exclude` and their kin.

use codepod_posix_regex::Glob;

/// A pattern.
#[derive(Debug)]
struct Entry {
    pattern: Vec<u8>,
    include: bool,
}

/// Patterns in the order in which they were given; the last that matches decides.
#[derive(Debug, Default)]
pub(crate) struct Exclude {
    entries: Vec<Entry>,
}

impl Exclude {
    /// Adds one. It excludes, or with `include` it includes.
    pub(crate) fn add(&mut self, pattern: &[u8], include: bool) {
        self.entries.push(Entry {
            pattern: pattern.to_vec(),
            include,
        });
    }

    /// Whether a name is left out. What is named on the command line matches with any of its last
    /// parts, what is found only whole.
    pub(crate) fn leaves_out(&self, name: &[u8], named: bool) -> bool {
        let Some(first) = self.entries.first() else {
            return false;
        };
        let found = self
            .entries
            .iter()
            .rev()
            .find(|entry| matches(&entry.pattern, name, named));
        match found {
            Some(entry) => !entry.include,
            None => first.include,
        }
    }
}

fn matches(pattern: &[u8], name: &[u8], tails: bool) -> bool {
    let glob = Glob::default();
    if glob.matches(pattern, name) {
        return true;
    }
    // A name followed by a slash is the directory of that name.
    if let Some(shorter) = name.strip_suffix(b"/").filter(|_| !pattern.ends_with(b"/"))
        && matches(pattern, shorter, tails)
    {
        return true;
    }
    tails
        && name.iter().enumerate().any(|(at, byte)| {
            *byte == b'/'
                && name.get(at + 1).is_some_and(|next| *next != b'/')
                && glob.matches(pattern, &name[at + 1..])
        })
}
