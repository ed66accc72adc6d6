//! `git read-tree`: a tree object into the index.

use super::Call;
use crate::args::options;
use crate::diff::change;
use crate::index::Entry;
use crate::oid::Kind;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "read-tree" {
        empty: bool = "empty",
        reset: bool = "reset",
        /// The working tree follows.
        update: bool = "u|",
        prefix: Option<Vec<u8>> = "prefix=",
    }
    ignored "m| i| n|dry-run v|"
    refused "index-output= aggressive trivial"
}

/// `git read-tree`.
pub(crate) fn read_tree(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let mut index = repo.index()?;
    if options.empty {
        index.entries.clear();
        return repo.write_index(&index).map(|()| 0);
    }
    let [name] = &rest.words[..] else {
        return fatal("codepod's git read-tree reads one tree");
    };
    let oid = match revision::try_resolve(&repo, name)? {
        Some(oid) => revision::peel(&repo, oid, Some(Kind::Tree))?,
        None => return fatal(format!("Not a valid object name {}", show(name))),
    };
    if let Some(prefix) = &options.prefix {
        for (path, (mode, oid)) in change::flatten(&repo, &oid)? {
            index.put(Entry::new([&prefix[..], &path].concat(), mode, oid, 0));
        }
    } else if options.update && options.reset {
        worktree::reset_hard(&repo, oid, &mut index)?;
    } else {
        index = worktree::reset_index(&repo, Some(oid), &index)?;
    }
    repo.write_index(&index)?;
    Ok(0)
}
