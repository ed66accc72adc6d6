//! `git stash apply` and `git stash pop`.

use super::{find, forget, is_merged};
use crate::args::options;
use crate::cmd::status::{self, Untracked};
use crate::cmd::{Call, merging};
use crate::diff::change;
use crate::index::Index;
use crate::merge::{self, Labels};
use crate::object::Commit;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, show};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "stash" {
        quiet: bool = "q|quiet",
        /// What was staged is staged again.
        index: bool = "index",
    }
}

/// `git stash apply`.
pub(super) fn apply(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let (options, rest) = Options::read(words)?;
    let repo = call.work_tree()?;
    let stash = find(&repo, &rest.words)?;
    let is_done = take(&repo, &stash.commit, &options)?;
    Ok(i32::from(!is_done))
}

/// `git stash pop`: it is dropped afterwards.
pub(super) fn pop(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let (options, rest) = Options::read(words)?;
    let repo = call.work_tree()?;
    let stash = find(&repo, &rest.words)?;
    if !take(&repo, &stash.commit, &options)? {
        out::line("The stash entry is kept in case you need it again.");
        return Ok(1);
    }
    forget(&repo, &stash, options.quiet)?;
    Ok(0)
}

/// Merges a stash into the index and the working tree; whether that went without conflicts.
fn take(repo: &Repo, stash: &Commit, options: &Options) -> Result<bool> {
    let mut index = repo.index()?;
    change::refresh(repo, &mut index)?;
    if !is_merged(&index) {
        return Ok(false);
    }
    let labels = Labels {
        ours: "Updated upstream".into(),
        theirs: "Stashed changes".into(),
        base: "Stash base".into(),
        ..Labels::default()
    };
    let base = tree(repo, stash.parents[0])?;
    let own = worktree::write_tree(repo, &index)?;
    let staged_tree = tree(repo, stash.parents[1])?;
    let mut staged = None;
    if options.index && staged_tree != base {
        let merged = merge::trees(repo, Some(base), own, staged_tree, &labels, 0)?;
        if !merged.is_clean() {
            out::note("error: conflicts in index. Try without --index.");
            return Ok(false);
        }
        staged = Some(worktree::write_files(repo, &merged.files)?);
    }
    let merged = merge::trees(repo, Some(base), own, stash.tree, &labels, 0)?;
    let before = index.clone();
    if let Err(obstacles) = merging::apply(repo, &merged, &mut index, Some(own))? {
        let _ = obstacles.report::<()>("merge");
        return Ok(false);
    }
    if !restore_untracked(repo, stash)? {
        repo.write_index(&index)?;
        return Ok(false);
    }
    merging::say(&merged);
    if base == stash.tree {
        out::line("Already up to date.");
    }
    if merged.is_clean() {
        index = match staged {
            Some(_) => worktree::reset_index(repo, staged, &index)?,
            None => with_new(before, &index),
        };
    }
    change::refresh(repo, &mut index)?;
    repo.write_index(&index)?;
    if !options.quiet {
        tell(repo, &index)?;
    }
    Ok(merged.is_clean())
}

fn tree(repo: &Repo, commit: Oid) -> Result<Oid> {
    Ok(Commit::read(&repo.objects, &commit)?.tree)
}

/// Writes the files that git did not know; false when one is there already, which is told.
fn restore_untracked(repo: &Repo, stash: &Commit) -> Result<bool> {
    let Some(extra) = stash.parents.get(2) else {
        return Ok(true);
    };
    for (path, item) in change::flatten(repo, &tree(repo, *extra)?)? {
        if os::exists(&path) {
            out::note(format!("{} already exists, no checkout", show(&path)));
            out::note("error: could not restore untracked files from stash");
            return Ok(false);
        }
        worktree::write_file(repo, &path, item)?;
    }
    Ok(true)
}

/// The index as it was, with the files that are new: only those stay staged.
fn with_new(mut before: Index, after: &Index) -> Index {
    let added: Vec<_> = after
        .merged()
        .filter(|entry| before.get(&entry.path).is_none())
        .cloned()
        .collect();
    added.into_iter().for_each(|entry| before.put(entry));
    before
}

fn tell(repo: &Repo, index: &Index) -> Result<()> {
    let all = Pathspec::default();
    let state = status::collect(repo, index, Untracked::Normal, None, &all, true)?;
    status::long(repo, index, &state, Untracked::Normal, false, false)
}
