//! Which paths a command is about: the words after `--`.

use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::wildmatch::{self, Slashes};

/// One of the words.
#[derive(Debug, Clone)]
struct Item {
    /// As the user wrote it.
    given: Vec<u8>,
    /// From the root.
    pattern: Vec<u8>,
    exclude: bool,
    /// No byte is special.
    literal: bool,
    /// `*` stops at slashes.
    glob: bool,
    fold: bool,
}

/// The words of a command; without any, everything is meant.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pathspec {
    items: Vec<Item>,
}

impl Pathspec {
    /// Reads the words.
    pub(crate) fn new(repo: &Repo, words: &[Vec<u8>]) -> Result<Pathspec> {
        let mut items = Vec::new();
        for word in words {
            items.push(item(repo, word)?);
        }
        if !items.is_empty() && items.iter().all(|item| item.exclude) {
            let everything = repo
                .prefix
                .strip_suffix(b"/")
                .unwrap_or(&repo.prefix)
                .to_vec();
            items.push(Item {
                given: Vec::new(),
                pattern: everything,
                exclude: false,
                literal: true,
                glob: false,
                fold: false,
            });
        }
        Ok(Pathspec { items })
    }

    /// Whether there are no words.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether a path is meant.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        if self.items.is_empty() {
            return true;
        }
        let included = self
            .items
            .iter()
            .any(|item| !item.exclude && item.matches(path));
        included
            && !self
                .items
                .iter()
                .any(|item| item.exclude && item.matches(path))
    }

    /// Whether something below a directory can be meant.
    pub(crate) fn may_match_below(&self, directory: &[u8]) -> bool {
        self.items.is_empty()
            || self
                .items
                .iter()
                .any(|item| !item.exclude && item.may_match_below(directory))
    }

    /// The words, in order, that match none of the paths.
    pub(crate) fn unmatched<'a>(&self, paths: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
        let mut left: Vec<&Item> = self
            .items
            .iter()
            .filter(|item| !item.exclude && !item.given.is_empty())
            .collect();
        for path in paths {
            if left.is_empty() {
                break;
            }
            left.retain(|item| !item.matches(path));
        }
        left.into_iter().map(|item| item.given.clone()).collect()
    }

    /// Those that have nothing special in them: path from the root and what the user wrote.
    pub(crate) fn literal(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let plain = |item: &&Item| {
            !item.exclude && (item.literal || !wildmatch::has_special(&item.pattern))
        };
        self.items
            .iter()
            .filter(plain)
            .map(|item| (&item.pattern[..], &item.given[..]))
    }
}

impl Item {
    fn matches(&self, path: &[u8]) -> bool {
        if self.pattern.is_empty() || path == self.pattern {
            return true;
        }
        let same = |a: &[u8], b: &[u8]| {
            if self.fold {
                a.eq_ignore_ascii_case(b)
            } else {
                a == b
            }
        };
        let bare = self.pattern.strip_suffix(b"/").unwrap_or(&self.pattern);
        if path.len() > bare.len() && path[bare.len()] == b'/' && same(&path[..bare.len()], bare) {
            return true;
        }
        if self.literal {
            return same(path, &self.pattern);
        }
        if !wildmatch::has_special(&self.pattern) {
            return self.fold && same(path, &self.pattern);
        }
        let slashes = if self.glob {
            Slashes::Stop
        } else {
            Slashes::Pass
        };
        wildmatch::matches(&self.pattern, path, slashes, self.fold)
            || wildmatch::matches(
                &[&self.pattern[..], b"/**"].concat(),
                path,
                Slashes::Stop,
                self.fold,
            )
    }

    fn may_match_below(&self, directory: &[u8]) -> bool {
        if self.fold {
            return true;
        }
        let special = self.pattern.iter().position(|byte| b"*?[\\".contains(byte));
        let fixed = match special {
            Some(at) if !self.literal => &self.pattern[..at],
            _ => &self.pattern[..],
        };
        let directory = [directory, b"/"].concat();
        fixed.starts_with(&directory) || directory.starts_with(fixed) || self.matches(&directory)
    }
}

fn item(repo: &Repo, word: &[u8]) -> Result<Item> {
    let mut item = Item {
        given: word.to_vec(),
        pattern: Vec::new(),
        exclude: false,
        literal: false,
        glob: false,
        fold: false,
    };
    let mut top = false;
    let mut rest = word;
    if word.is_empty() {
        return fatal(
            "empty string is not a valid pathspec. please use . instead if you meant to match all paths",
        );
    }
    if repo.global.literal_pathspecs {
        item.literal = true;
    } else if let Some(magic) = word.strip_prefix(b":(") {
        let Some(end) = magic.iter().position(|byte| *byte == b')') else {
            return fatal(format!(
                "Missing ')' at the end of pathspec magic in '{}'",
                show(word)
            ));
        };
        for name in magic[..end].split(|byte| *byte == b',') {
            match name {
                b"top" => top = true,
                b"exclude" => item.exclude = true,
                b"literal" => item.literal = true,
                b"glob" => item.glob = true,
                b"icase" => item.fold = true,
                b"" => {}
                _ => {
                    return fatal(format!(
                        "Invalid pathspec magic '{}' in '{}'",
                        show(name),
                        show(word)
                    ));
                }
            }
        }
        rest = &magic[end + 1..];
    } else if word[0] == b':'
        && word.len() > 1
        && !word[1].is_ascii_alphanumeric()
        && b"/!^:".contains(&word[1])
    {
        rest = &word[1..];
        while let Some((first, after)) = rest.split_first() {
            match first {
                b'/' => top = true,
                b'!' | b'^' => item.exclude = true,
                b':' => {
                    rest = after;
                    break;
                }
                _ => break,
            }
            rest = after;
        }
    }
    item.pattern = if top {
        rest.to_vec()
    } else {
        let slash = rest.ends_with(b"/");
        let Some(mut path) = repo.path_of_user(rest) else {
            let tree = show(repo.work_tree.as_deref().unwrap_or(&repo.dir));
            return Err(Stop::Fatal(
                format!(
                    "{}: '{}' is outside repository at '{tree}'",
                    show(word),
                    show(rest)
                )
                .into_bytes(),
            ));
        };
        if slash && !path.is_empty() {
            path.push(b'/');
        }
        path
    };
    Ok(item)
}
