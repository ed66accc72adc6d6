//! What the commands that merge have in common: the options of the strategy, and what becomes of
//! the result.

use crate::diff::lines::Space;
use crate::diff::{self, Options, change, patch};
use crate::index::{Entry, Index};
use crate::merge::text::Favor;
use crate::merge::{Labels, Merged};
use crate::oid::Oid;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};
use crate::worktree;

/// What the values of `-X` say.
pub(crate) fn strategy_options(values: &[Vec<u8>], labels: &mut Labels) -> Result<()> {
    for value in values {
        match &value[..] {
            b"ours" => labels.favor = Favor::Ours,
            b"theirs" => labels.favor = Favor::Theirs,
            b"ignore-space-change" => labels.space = Space::Change,
            b"ignore-all-space" => labels.space = Space::All,
            b"ignore-space-at-eol" => labels.space = Space::AtEnd,
            b"patience" | b"histogram" | b"diff-algorithm=histogram" | b"find-renames" => {}
            _ => return fatal(format!("unknown strategy option: -X{}", show(value))),
        }
    }
    Ok(())
}

/// Puts the result of a merge into the index and the working tree, unless something is in the way.
pub(crate) fn apply(
    repo: &Repo,
    merged: &Merged,
    index: &mut Index,
    old: Option<Oid>,
) -> Result<std::result::Result<(), worktree::Obstacles>> {
    let old_files = match old {
        Some(tree) => change::flatten(repo, &tree)?,
        None => Default::default(),
    };
    let mut plan = match worktree::plan(repo, &old_files, &merged.files, index)? {
        Ok(plan) => plan,
        Err(obstacles) => return Ok(Err(obstacles)),
    };
    // A file in conflict is written even where it is as before.
    for (path, item) in &merged.files {
        if merged.conflicts.contains_key(path)
            && !plan.iter().any(|(known, _)| known == path)
            && old_files.get(path) != Some(item)
        {
            plan.push((path.clone(), Some(*item)));
        }
    }
    worktree::apply(repo, &plan, index)?;
    for (path, stages) in &merged.conflicts {
        index.remove(path);
        for (at, item) in stages.iter().enumerate() {
            if let Some((mode, oid)) = item {
                index.entries.insert(
                    (path.clone(), at as u8 + 1),
                    Entry::new(path.clone(), *mode, *oid, at as u8 + 1),
                );
            }
        }
    }
    Ok(Ok(()))
}

/// Prints what a merge had to say.
pub(crate) fn say(merged: &Merged) {
    for (_, message) in &merged.messages {
        out::line(message);
    }
}

/// The lines that name the files in conflict.
pub(crate) fn conflict_lines(merged: &Merged) -> String {
    let list: String = merged
        .conflicts
        .keys()
        .map(|path| format!("#\t{}\n", show(path)))
        .collect();
    format!("\n# Conflicts:\n{list}")
}

/// What changed, as a merge shows it.
pub(crate) fn stat(repo: &Repo, old: Option<Oid>, new: Oid) -> Result<()> {
    let options = Options {
        stat: true,
        summary: true,
        ..Options::new(&repo.config)
    };
    let changes = change::trees(repo, old, Some(new), &Pathspec::default())?;
    let changes = patch::prepare(repo, changes, &options, &[])?;
    diff::show(repo, &changes, &options)?;
    Ok(())
}
