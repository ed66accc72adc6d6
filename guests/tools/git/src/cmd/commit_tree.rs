//! `git commit-tree`: a commit object of a tree.

use super::Call;
use crate::args::options;
use crate::ident::{Role, identity};
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::revision;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "commit-tree" {
        parents: Vec<Vec<u8>> = "p|=",
        messages: Vec<Vec<u8>> = "m|=",
        file: Option<Vec<u8>> = "F|=",
    }
    refused "S|gpg-sign?"
}

/// `git commit-tree`.
pub(crate) fn commit_tree(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let [tree] = &rest.words[..] else {
        return fatal("must give exactly one tree");
    };
    let Some(tree) = revision::try_resolve(&repo, tree)? else {
        return fatal(format!("not a valid object name {}", show(tree)));
    };
    let tree = revision::peel(&repo, tree, Some(Kind::Tree))?;
    let mut parents: Vec<Oid> = Vec::new();
    for name in &options.parents {
        let Some(oid) = revision::try_resolve(&repo, name)? else {
            return fatal(format!("not a valid object name {}", show(name)));
        };
        let oid = revision::peel(&repo, oid, Some(Kind::Commit))?;
        if parents.contains(&oid) {
            out::note(format!("error: duplicate parent {oid} ignored"));
        } else {
            parents.push(oid);
        }
    }
    let message = match (options.messages.is_empty(), options.file.as_deref()) {
        (false, _) => super::commit::join_messages(&options.messages),
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
