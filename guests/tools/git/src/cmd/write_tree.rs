//! `git write-tree`: the index as a tree object.

use super::Call;
use crate::args::options;
use crate::out;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "write-tree" {
        prefix: Option<Vec<u8>> = "prefix=",
    }
    ignored "missing-ok"
}

/// `git write-tree`.
pub(crate) fn write_tree(call: &Call) -> Result<i32> {
    let (options, _) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let index = repo.index()?;
    let tree = worktree::write_tree(&repo, &index)?;
    match &options.prefix {
        None => out::line(tree.hex()),
        Some(prefix) => {
            let bare = prefix.strip_suffix(b"/").unwrap_or(&prefix[..]);
            match revision::in_tree(&repo, tree, bare)? {
                Some(found) => out::line(found.oid.hex()),
                None => return fatal(format!("git-write-tree: prefix {} not found", show(prefix))),
            }
        }
    }
    Ok(0)
}
