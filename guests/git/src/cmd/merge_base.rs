//! `git merge-base`: the common ancestors of commits.

use super::Call;
use crate::args;
use crate::oid::Kind;
use crate::out;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::walk;

/// `git merge-base`.
pub(crate) fn merge_base(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "merge-base",
        "a|all is-ancestor octopus independent fork-point",
        &call.words,
    )?;
    parsed.refuse(&["fork-point"])?;
    let repo = call.repo()?;
    let mut commits = Vec::new();
    for word in &parsed.words {
        match revision::try_resolve(&repo, word)? {
            Some(oid) => match revision::peel(&repo, oid, Some(Kind::Commit)) {
                Ok(oid) => commits.push(oid),
                Err(_) => return fatal(format!("Not a valid commit name {}", show(word))),
            },
            None => return fatal(format!("Not a valid object name {}", show(word))),
        }
    }
    if parsed.has("is-ancestor") {
        let [old, new] = commits[..] else {
            return fatal("--is-ancestor takes exactly two commits");
        };
        return Ok(i32::from(!walk::is_ancestor(&repo, old, new)?));
    }
    if parsed.has("independent") {
        for commit in &commits {
            let mut reached = false;
            for other in commits.iter().filter(|other| *other != commit) {
                reached |= walk::is_ancestor(&repo, *commit, *other)?;
            }
            if !reached {
                out::line(commit.hex());
            }
        }
        return Ok(0);
    }
    let [first, second, ..] = commits[..] else {
        return Err(args::usage("merge-base", "two commits are needed"));
    };
    let mut bases = walk::merge_bases(&repo, first, second)?;
    if parsed.has("octopus") {
        for other in &commits[2..] {
            let mut next = Vec::new();
            for base in &bases {
                next.extend(walk::merge_bases(&repo, *base, *other)?);
            }
            bases = next;
        }
    }
    let count = if parsed.has("all") { bases.len() } else { 1 };
    bases
        .iter()
        .take(count)
        .for_each(|oid| out::line(oid.hex()));
    Ok(i32::from(bases.is_empty()))
}
