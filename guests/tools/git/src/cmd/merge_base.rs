//! `git merge-base`: the common ancestors of commits.

use super::Call;
use crate::args::{self, options};
use crate::oid::{Kind, Oid};
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::walk;

options! {
    /// What the command line says.
    struct Options for "merge-base" {
        all: bool = "a|all",
        is_ancestor: bool = "is-ancestor",
        octopus: bool = "octopus",
        independent: bool = "independent",
    }
    refused "fork-point"
}

/// `git merge-base`.
pub(crate) fn merge_base(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let commits = rest
        .words
        .iter()
        .map(|word| commit(&repo, word))
        .collect::<Result<Vec<Oid>>>()?;
    if options.is_ancestor {
        let [old, new] = commits[..] else {
            return fatal("--is-ancestor takes exactly two commits");
        };
        return Ok(i32::from(!walk::is_ancestor(&repo, old, new)?));
    }
    if options.independent {
        print_independent(&repo, &commits)?;
        return Ok(0);
    }
    let [first, second, ref others @ ..] = commits[..] else {
        return Err(args::usage("merge-base", "two commits are needed"));
    };
    let mut bases = walk::merge_bases(&repo, first, second)?;
    if options.octopus {
        for other in others {
            let mut next = Vec::new();
            for base in &bases {
                next.extend(walk::merge_bases(&repo, *base, *other)?);
            }
            bases = next;
        }
    }
    let count = if options.all { bases.len() } else { 1 };
    bases
        .iter()
        .take(count)
        .for_each(|oid| out::line(oid.hex()));
    Ok(i32::from(bases.is_empty()))
}

fn commit(repo: &Repo, word: &[u8]) -> Result<Oid> {
    let Some(oid) = revision::try_resolve(repo, word)? else {
        return fatal(format!("Not a valid object name {}", show(word)));
    };
    match revision::peel(repo, oid, Some(Kind::Commit)) {
        Ok(oid) => Ok(oid),
        Err(_) => fatal(format!("Not a valid commit name {}", show(word))),
    }
}

/// Prints the commits that no other of them leads to.
fn print_independent(repo: &Repo, commits: &[Oid]) -> Result<()> {
    for commit in commits {
        let mut reached = false;
        for other in commits.iter().filter(|other| *other != commit) {
            reached |= walk::is_ancestor(repo, *commit, *other)?;
        }
        if !reached {
            out::line(commit.hex());
        }
    }
    Ok(())
}
