//! `git diff-index`.

use super::Call;
use super::comparison::{CommandLine, finish};
use crate::args::usage;
use crate::diff::change;
use crate::stop::Result;

/// `git diff-index`.
pub(crate) fn diff_index(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let mut line = CommandLine::read(Some(&repo), &repo.config, &call.words)?;
    line.be_plumbing();
    let (trees, paths) = line.trees(&repo)?;
    let [tree] = trees[..] else {
        return Err(usage("diff-index", "one tree is needed"));
    };
    let index = repo.index()?;
    let changes = match line.cached {
        true => change::tree_to_index(&repo, Some(tree), &index, &paths)?,
        false => change::tree_to_files(&repo, Some(tree), &index, &paths)?,
    };
    finish(&repo, changes, &line.options, Some(tree))
}
