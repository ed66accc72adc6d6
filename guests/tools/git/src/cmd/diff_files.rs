//! `git diff-files`.

use super::Call;
use super::comparison::{CommandLine, finish};
use crate::diff::change;
use crate::pathspec::Pathspec;
use crate::stop::Result;

/// `git diff-files`.
pub(crate) fn diff_files(call: &Call) -> Result<i32> {
    let repo = call.work_tree()?;
    let mut line = CommandLine::read(Some(&repo), &repo.config, &call.words)?;
    line.be_plumbing();
    let paths = Pathspec::new(&repo, &line.words)?;
    let changes = change::index_to_files(&repo, &repo.index()?, &paths)?;
    finish(&repo, changes, &line.options, None)
}
