//! `git commit-tree`: a commit object of a tree.

use super::Call;
use crate::args;
use crate::ident::{Role, identity};
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::revision;
use crate::stop::{Result, fatal, show};

/// `git commit-tree`.
pub(crate) fn commit_tree(call: &Call) -> Result<i32> {
    let parsed = args::parse("commit-tree", "p|= m|= F|= S|gpg-sign?", &call.words)?;
    parsed.refuse(&["gpg-sign"])?;
    let repo = call.repo()?;
    let [tree] = &parsed.words[..] else {
        return fatal("must give exactly one tree");
    };
    let Some(tree) = revision::try_resolve(&repo, tree)? else {
        return fatal(format!("not a valid object name {}", show(tree)));
    };
    let tree = revision::peel(&repo, tree, Some(Kind::Tree))?;
    let mut parents: Vec<Oid> = Vec::new();
    for name in parsed.values("p") {
        let Some(oid) = revision::try_resolve(&repo, &name)? else {
            return fatal(format!("not a valid object name {}", show(&name)));
        };
        let oid = revision::peel(&repo, oid, Some(Kind::Commit))?;
        if parents.contains(&oid) {
            out::note(format!("error: duplicate parent {oid} ignored"));
        } else {
            parents.push(oid);
        }
    }
    let parts = parsed.values("m");
    let message = match (parts.is_empty(), parsed.value("F")) {
        (false, _) => super::commit::join_messages(&parts),
        (true, Some(b"-") | None) => os::read_stdin()?,
        (true, Some(file)) => os::read(file)?,
    };
    let commit = Commit {
        oid: Oid::NULL,
        tree,
        parents,
        author: identity(&repo, Role::Author, true)?,
        committer: identity(&repo, Role::Committer, true)?,
        encoding: None,
        message,
    };
    out::line(super::write_commit(&repo, &commit)?.hex());
    Ok(0)
}
