//! `git read-tree`: a tree object into the index.

use super::Call;
use crate::args;
use crate::diff::change;
use crate::index::Entry;
use crate::oid::Kind;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree;

/// `git read-tree`.
pub(crate) fn read_tree(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "read-tree",
        "empty m| reset u| i| n|dry-run v| prefix= index-output= trivial aggressive",
        &call.words,
    )?;
    parsed.refuse(&["index-output", "aggressive", "trivial"])?;
    let repo = call.repo()?;
    let mut index = repo.index()?;
    if parsed.has("empty") {
        index.entries.clear();
        return repo.write_index(&index).map(|()| 0);
    }
    let [name] = &parsed.words[..] else {
        return fatal("codepod's git read-tree reads one tree");
    };
    let oid = match revision::try_resolve(&repo, name)? {
        Some(oid) => revision::peel(&repo, oid, Some(Kind::Tree))?,
        None => return fatal(format!("Not a valid object name {}", show(name))),
    };
    if let Some(prefix) = parsed.value("prefix") {
        for (path, (mode, oid)) in change::flatten(&repo, &oid)? {
            index.put(Entry::new([prefix, &path[..]].concat(), mode, oid, 0));
        }
    } else if parsed.has("u") && parsed.has("reset") {
        worktree::reset_hard(&repo, oid, &mut index)?;
    } else {
        index = worktree::reset_index(&repo, Some(oid), &index)?;
    }
    repo.write_index(&index)?;
    Ok(0)
}
