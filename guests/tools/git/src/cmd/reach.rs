//! Filters of references: `--contains`, `--merged` and their opposites.

use crate::oid::{Kind, Oid};
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, show};
use crate::walk;

/// Names of references and what they lead to.
type Refs = Vec<(Vec<u8>, Oid)>;

/// The commits that a filter names, each time it is given; `HEAD` where it names none.
type Names = [Option<Vec<u8>>];

/// What references are to reach, and what is to reach them.
pub(crate) struct Reach<'a> {
    /// They have one of these commits.
    pub(crate) contains: &'a Names,
    pub(crate) no_contains: &'a Names,
    /// One of these commits has them.
    pub(crate) merged: &'a Names,
    pub(crate) no_merged: &'a Names,
}

impl Reach<'_> {
    /// Whether nothing is filtered.
    pub(crate) fn is_empty(&self) -> bool {
        let Reach {
            contains,
            no_contains,
            merged,
            no_merged,
        } = self;
        let filters = [contains, no_contains, merged, no_merged];
        filters.iter().all(|names| names.is_empty())
    }

    /// Keeps those references which fit.
    pub(crate) fn keep(&self, repo: &Repo, refs: Refs) -> Result<Refs> {
        if self.is_empty() {
            return Ok(refs);
        }
        let contains = commits(repo, self.contains)?;
        let no_contains = commits(repo, self.no_contains)?;
        let merged = commits(repo, self.merged)?;
        let no_merged = commits(repo, self.no_merged)?;
        let mut kept = Vec::new();
        for (full, oid) in refs {
            let Ok(commit) = revision::peel(repo, oid, Some(Kind::Commit)) else {
                continue;
            };
            if (contains.is_empty() || has_one(repo, commit, &contains)?)
                && !has_one(repo, commit, &no_contains)?
                && (merged.is_empty() || is_in_one(repo, commit, &merged)?)
                && !is_in_one(repo, commit, &no_merged)?
            {
                kept.push((full, oid));
            }
        }
        Ok(kept)
    }
}

fn has_one(repo: &Repo, commit: Oid, others: &[Oid]) -> Result<bool> {
    for other in others {
        if walk::is_ancestor(repo, *other, commit)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_in_one(repo: &Repo, commit: Oid, others: &[Oid]) -> Result<bool> {
    for other in others {
        if walk::is_ancestor(repo, commit, *other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn commits(repo: &Repo, names: &Names) -> Result<Vec<Oid>> {
    let names = names.iter().map(|name| name.as_deref().unwrap_or(b"HEAD"));
    names.map(|name| commit(repo, name)).collect()
}

fn commit(repo: &Repo, name: &[u8]) -> Result<Oid> {
    match revision::try_resolve(repo, name)? {
        Some(oid) => revision::peel(repo, oid, Some(Kind::Commit)),
        None => Err(Stop::ErrorStatus(
            format!("malformed object name {}", show(name)).into_bytes(),
            129,
        )),
    }
}
