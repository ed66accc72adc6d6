//! Files that the index does not know.

use crate::ignore::Ignore;
use crate::index::Index;
use crate::os;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::Result;

/// Which unknown files are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untracked {
    /// None.
    No,
    /// Directories in the place of all that is in them.
    Normal,
    /// Every file.
    All,
}

/// Files that the index does not know, and those that are ignored.
pub(crate) fn unknown(
    repo: &Repo,
    index: &Index,
    mode: Untracked,
    with_ignored: Option<Untracked>,
    paths: &Pathspec,
) -> Result<(Vec<Vec<u8>>, Vec<Vec<u8>>)> {
    let ignore = Ignore::new(repo);
    let mut walk = Walk {
        index,
        ignore: &ignore,
        mode,
        with_ignored,
        paths,
        untracked: Vec::new(),
        ignored: Vec::new(),
    };
    walk.directory(b"", 0)?;
    Ok((walk.untracked, walk.ignored))
}

struct Walk<'a> {
    index: &'a Index,
    ignore: &'a Ignore,
    mode: Untracked,
    with_ignored: Option<Untracked>,
    paths: &'a Pathspec,
    untracked: Vec<Vec<u8>>,
    ignored: Vec<Vec<u8>>,
}

impl Walk<'_> {
    fn directory(&mut self, prefix: &[u8], depth: usize) -> Result<()> {
        if depth > 1000 {
            return Ok(());
        }
        for (name, kind) in
            os::list(prefix.strip_suffix(b"/").unwrap_or(prefix)).unwrap_or_default()
        {
            if name == b".git" {
                continue;
            }
            let path = [prefix, &name].concat();
            if kind != os::Kind::Directory {
                if !self.index.has(&path) && self.paths.matches(&path) && kind != os::Kind::Other {
                    if self.ignore.ignores(&path, false) {
                        if self.with_ignored.is_some() {
                            self.ignored.push(path);
                        }
                    } else if self.mode != Untracked::No {
                        self.untracked.push(path);
                    }
                }
                continue;
            }
            if !self.paths.may_match_below(&path) && !self.paths.matches(&path) {
                continue;
            }
            let below = [&path[..], b"/"].concat();
            let tracked = self.index.has_below(&path);
            if self.index.get(&path).is_some() {
                continue;
            }
            if !tracked && self.ignore.ignores(&path, true) {
                match self.with_ignored {
                    None => {}
                    Some(Untracked::All) => self.all_ignored(&below, depth + 1)?,
                    Some(_) if has_files(&below, 0) && self.paths.matches(&path) => {
                        self.ignored.push(below);
                    }
                    Some(_) => {}
                }
                continue;
            }
            if tracked {
                self.directory(&below, depth + 1)?;
                continue;
            }
            if os::exists(&[&below[..], b".git"].concat()) {
                if self.mode != Untracked::No && self.paths.matches(&path) {
                    self.untracked.push(below);
                }
                continue;
            }
            let collapse = self.mode != Untracked::All && self.paths.matches(&path);
            let (had, had_ignored) = (self.untracked.len(), self.ignored.len());
            self.directory(&below, depth + 1)?;
            if collapse {
                if self.untracked.len() > had {
                    self.untracked.truncate(had);
                    self.untracked.push(below);
                } else if self.ignored.len() > had_ignored
                    && self.with_ignored == Some(Untracked::Normal)
                {
                    self.ignored.truncate(had_ignored);
                    self.ignored.push(below);
                }
            }
        }
        Ok(())
    }

    fn all_ignored(&mut self, prefix: &[u8], depth: usize) -> Result<()> {
        if depth > 1000 {
            return Ok(());
        }
        for (name, kind) in os::list(prefix).unwrap_or_default() {
            let path = [prefix, &name].concat();
            if kind == os::Kind::Directory {
                self.all_ignored(&[&path[..], b"/"].concat(), depth + 1)?;
            } else if self.paths.matches(&path) {
                self.ignored.push(path);
            }
        }
        Ok(())
    }
}

fn has_files(directory: &[u8], depth: usize) -> bool {
    depth < 1000
        && os::list(directory)
            .unwrap_or_default()
            .iter()
            .any(|(name, kind)| {
                *kind != os::Kind::Directory
                    || has_files(&[directory, name, b"/"].concat(), depth + 1)
            })
}
