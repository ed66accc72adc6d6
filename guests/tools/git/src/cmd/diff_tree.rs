//! `git diff-tree`.

use super::Call;
use super::comparison::{CommandLine, finish};
use crate::args::usage;
use crate::diff::change::{self, Change, Item};
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal};

/// `git diff-tree`.
pub(crate) fn diff_tree(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let renames = call.words.iter().any(|word| {
        word.starts_with(b"-M") || word.starts_with(b"-C") || word.starts_with(b"--find-")
    });
    let mut line = CommandLine::read(Some(&repo), &repo.config, &call.words)?;
    line.be_plumbing();
    line.options.renames = renames;
    if line.stdin {
        return fatal("codepod's git diff-tree does not support --stdin");
    }
    let (trees, paths) = line.trees(&repo)?;
    let (old, new) = match trees[..] {
        [new] => {
            let oid = revision::resolve_commit(&repo, &line.words[0])?;
            let commit = Commit::read(&repo.objects, &oid)?;
            let old = match commit.parents[..] {
                [] if line.root => None,
                [parent] => Some(revision::peel(&repo, parent, Some(Kind::Tree))?),
                _ => return Ok(0),
            };
            if !line.no_commit_id && old != Some(new) {
                out::line(oid.hex());
            }
            (old, new)
        }
        [old, new] => (Some(old), new),
        _ => return Err(usage("diff-tree", "one commit or two trees are needed")),
    };
    let mut changes = change::trees(&repo, old, Some(new), &paths)?;
    if !(line.recursive || line.options.patch || line.options.stat) {
        changes = top_level(&repo, old, new, changes)?;
    }
    finish(&repo, changes, &line.options, old)
}

/// Directories in the place of the files below them.
fn top_level(repo: &Repo, old: Option<Oid>, new: Oid, changes: Vec<Change>) -> Result<Vec<Change>> {
    let mut out: Vec<Change> = Vec::new();
    for change in changes {
        let Some(slash) = change.new.path.iter().position(|byte| *byte == b'/') else {
            out.push(change);
            continue;
        };
        let name = &change.new.path[..slash];
        if out.last().is_some_and(|last| last.new.path == name) {
            continue;
        }
        let item = |tree: Option<Oid>| -> Result<Option<Item>> {
            let Some(tree) = tree else {
                return Ok(None);
            };
            Ok(revision::in_tree(repo, tree, name)?
                .and_then(|found| found.entry.map(|(mode, _)| (mode, found.oid))))
        };
        out.push(Change::new(name, item(old)?, item(Some(new))?));
    }
    Ok(out)
}
