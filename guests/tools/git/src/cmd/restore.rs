//! `git restore`, and how files of the index come back.

use super::head::merge_base_name;
use super::{Call, head_tree};
use crate::args::options;
use crate::diff::change::{self, Found};
use crate::index::{Entry, Index};
use crate::oid::{Kind, Oid};
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, error, fatal, show};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "restore" {
        source: Option<Vec<u8>> = "s|source=",
        staged: bool = "S|staged",
        worktree: bool = "W|worktree",
        ignore_unmerged: bool = "ignore-unmerged",
        overlay: bool = "overlay",
        quiet: bool = "q|quiet",
        side: Option<Side> = ["2|ours" => Side::Ours, "3|theirs" => Side::Theirs],
        /// Paths come from this file.
        from: Option<Vec<u8>> = "pathspec-from-file=",
        nul: bool = "pathspec-file-nul",
    }
    ignored "recurse-submodules? progress ignore-skip-worktree-bits"
    refused "p|patch m|merge conflict="
}

/// A side of a merge that an unmerged path is taken from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    Ours,
    Theirs,
}

/// What happens to unmerged paths.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unmerged {
    Refused,
    Skipped,
    Taken(Side),
}

/// `git restore`.
pub(crate) fn restore(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let words = rest.with_listed(options.from.as_deref(), options.nul)?;
    if words.is_empty() {
        return fatal("you must specify path(s) to restore");
    }
    let paths = Pathspec::new(&repo, &words)?;
    let mut index = repo.index()?;
    if let Some(tree) = source(&repo, &options)? {
        from_tree(&repo, tree, &mut index, &paths, &options)?;
        return Ok(0);
    }
    let settles = !options.ignore_unmerged && !unmerged(&index, &paths).is_empty();
    let count = from_index(&repo, &mut index, &paths, options.unmerged())?;
    let is_told = rest.dashes.is_none() || options.side.is_some();
    if settles && is_told && !options.quiet {
        tell_updated(count, "the index");
    }
    Ok(0)
}

impl Options {
    fn unmerged(&self) -> Unmerged {
        match self.side {
            _ if self.ignore_unmerged => Unmerged::Skipped,
            Some(side) => Unmerged::Taken(side),
            None => Unmerged::Refused,
        }
    }
}

/// The tree that files come from; none for the index.
fn source(repo: &Repo, options: &Options) -> Result<Option<Oid>> {
    match &options.source {
        Some(name) => match merge_base_name(repo, name)?.or(revision::try_resolve(repo, name)?) {
            Some(oid) => Ok(Some(revision::peel(repo, oid, Some(Kind::Tree))?)),
            None => fatal(format!("could not resolve {}", show(name))),
        },
        None if options.staged => match head_tree(repo)? {
            Some(tree) => Ok(Some(tree)),
            None => fatal("could not resolve HEAD"),
        },
        None => Ok(None),
    }
}

/// Brings files of the index, of the working tree or of both back to those of a tree.
fn from_tree(
    repo: &Repo,
    tree: Oid,
    index: &mut Index,
    paths: &Pathspec,
    options: &Options,
) -> Result<()> {
    let in_work_tree = options.worktree || !options.staged;
    let files = change::flatten(repo, &tree)?;
    let known = index.entries.values().map(|entry| &entry.path[..]);
    check_matched(paths, known.chain(files.keys().map(Vec::as_slice)))?;
    if !options.overlay {
        let known = index.entries.values().map(|entry| entry.path.clone());
        let is_old = |path: &Vec<u8>| paths.matches(path) && !files.contains_key(path);
        let mut old: Vec<Vec<u8>> = known.filter(is_old).collect();
        old.dedup();
        for path in old {
            if in_work_tree {
                worktree::remove_file(repo, &path);
            }
            if options.staged {
                index.remove(&path);
            }
        }
    }
    for (path, item) in files.into_iter().filter(|(path, _)| paths.matches(path)) {
        let mut entry = match index.get(&path) {
            Some(entry) if (entry.mode, entry.oid) == item => entry.clone(),
            _ => Entry::new(path.clone(), item.0, item.1, 0),
        };
        if in_work_tree && change::compare(repo, &entry)?.0 != Found::Same {
            entry = worktree::write_file(repo, &path, item)?;
        }
        if options.staged {
            index.put(entry);
        }
    }
    change::refresh(repo, index)?;
    repo.write_index(index)
}

/// Writes files of the index that differ in the working tree; how many.
pub(crate) fn from_index(
    repo: &Repo,
    index: &mut Index,
    paths: &Pathspec,
    how: Unmerged,
) -> Result<usize> {
    check_matched(paths, index.entries.values().map(|entry| &entry.path[..]))?;
    let unmerged = unmerged(index, paths);
    let mut count = 0;
    match how {
        Unmerged::Refused if !unmerged.is_empty() => {
            for path in unmerged {
                out::note(format!("error: path '{}' is unmerged", show(&path)));
            }
            return Err(Stop::Status(1));
        }
        Unmerged::Refused | Unmerged::Skipped => {}
        Unmerged::Taken(side) => {
            for path in &unmerged {
                write_side(repo, index, path, side)?;
                count += 1;
            }
        }
    }
    count += write_changed(repo, index, paths)?;
    repo.write_index(index)?;
    Ok(count)
}

/// The paths with a conflict.
fn unmerged(index: &Index, paths: &Pathspec) -> Vec<Vec<u8>> {
    let mut unmerged = index.unmerged();
    unmerged.retain(|path| paths.matches(path));
    unmerged
}

/// Writes one side of a conflict into the working tree.
fn write_side(repo: &Repo, index: &Index, path: &[u8], side: Side) -> Result<()> {
    let [_, _, ours, theirs] = index.stages(path);
    let (entry, word) = match side {
        Side::Ours => (ours, "our"),
        Side::Theirs => (theirs, "their"),
    };
    match entry {
        Some(entry) => {
            worktree::write_file(repo, path, (entry.mode, entry.oid))?;
            Ok(())
        }
        None => error(format!(
            "path '{}' does not have {word} version",
            show(path)
        )),
    }
}

/// Says how many files were written.
pub(crate) fn tell_updated(count: usize, from: &str) {
    let plural = if count == 1 { "path" } else { "paths" };
    out::note(format!("Updated {count} {plural} from {from}"));
}

/// Fails where a path that was named is not there.
pub(crate) fn check_matched<'a>(
    paths: &Pathspec,
    known: impl Iterator<Item = &'a [u8]>,
) -> Result<()> {
    let unmatched = paths.unmatched(known);
    for word in &unmatched {
        out::note(format!(
            "error: pathspec '{}' did not match any file(s) known to git",
            show(word)
        ));
    }
    if unmatched.is_empty() {
        Ok(())
    } else {
        Err(Stop::Status(1))
    }
}

/// Writes files of the index that differ in the working tree; how many.
fn write_changed(repo: &Repo, index: &mut Index, paths: &Pathspec) -> Result<usize> {
    let mut fresh: Vec<Entry> = Vec::new();
    for entry in index.merged().filter(|entry| paths.matches(&entry.path)) {
        let same =
            change::compare(repo, entry)?.0 == Found::Same && !change::is_behind_link(&entry.path);
        if !same {
            fresh.push(worktree::write_file(
                repo,
                &entry.path,
                (entry.mode, entry.oid),
            )?);
        }
    }
    let count = fresh.len();
    fresh.into_iter().for_each(|entry| index.put(entry));
    Ok(count)
}
