//! `git fsck`: whether objects are whole, and which are missing or not needed.

use std::collections::HashSet;

use super::Call;
use super::reachable::reachable;
use crate::args::options;
use crate::object::{Commit, Tag, parse_tree};
use crate::oid::{self, Kind, Oid};
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, show};

options! {
    /// What the command line says.
    struct Options for "fsck" {
        unreachable: bool = "unreachable",
        dangling: Option<bool> = "dangling",
    }
    ignored "v|verbose tags root reflogs full connectivity-only strict progress references"
    refused "lost-found name-objects cache"
}

/// The bit of the exit status for objects that are not whole.
const CORRUPT: i32 = 1;
/// The bit of the exit status for objects that are named and not there.
const MISSING: i32 = 2;

/// `git fsck`.
pub(crate) fn fsck(call: &Call) -> Result<i32> {
    let (options, _) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let mut status = 0;
    let mut used: HashSet<Oid> = HashSet::new();
    let all = repo.objects.all();
    for oid in &all {
        if !check(&repo, oid, &mut used) {
            status |= CORRUPT;
        }
    }
    let mut lost = Vec::new();
    let seen = reachable(&repo, &mut |kind, oid| lost.push((kind, oid)))?;
    for (kind, oid) in lost {
        out::line(format!("missing {} {oid}", kind.name()));
        status |= MISSING;
    }
    for oid in all.iter().filter(|oid| !seen.contains(oid)) {
        let Ok(Some((kind, _))) = repo.objects.get(oid) else {
            continue;
        };
        if options.unreachable {
            out::line(format!("unreachable {} {oid}", kind.name()));
        } else if !used.contains(oid) && options.dangling != Some(false) {
            out::line(format!("dangling {} {oid}", kind.name()));
        }
    }
    notice_unborn(&repo);
    Ok(status)
}

/// Tells what is wrong with an object; whether it is whole.
///
/// Adds the objects that it names to `used`.
fn check(repo: &Repo, oid: &Oid, used: &mut HashSet<Oid>) -> bool {
    let place = || show(&repo.objects.path_of(oid));
    let Ok(Some((kind, content))) = repo.objects.get(oid) else {
        out::note(format!(
            "error: {oid}: object corrupt or missing: {}",
            place()
        ));
        return false;
    };
    let is_itself = oid::hash(kind, &content) == *oid;
    if !is_itself {
        out::note(format!(
            "error: {oid}: hash-path mismatch, found at: {}",
            place()
        ));
    }
    let Some(names) = names(oid, kind, &content) else {
        out::note(format!("error in {} {oid}: broken object", kind.name()));
        return false;
    };
    used.extend(names);
    is_itself
}

/// The objects that an object names; none when it cannot be read.
fn names(oid: &Oid, kind: Kind, content: &[u8]) -> Option<Vec<Oid>> {
    Some(match kind {
        Kind::Blob => Vec::new(),
        Kind::Tree => {
            let entries = parse_tree(content)?;
            entries.iter().map(|entry| entry.oid).collect()
        }
        Kind::Commit => {
            let commit = Commit::parse(*oid, content)?;
            [vec![commit.tree], commit.parents].concat()
        }
        Kind::Tag => vec![Tag::parse(content)?.target],
    })
}

/// Tells when `HEAD` is a branch without commits.
fn notice_unborn(repo: &Repo) {
    if repo.head().is_some() {
        return;
    }
    let Some(branch) = repo.branch() else {
        return;
    };
    out::note(format!(
        "notice: HEAD points to an unborn branch ({})",
        show(&branch)
    ));
    if repo.refs.all(b"refs/").is_empty() {
        out::note("notice: No default references");
    }
}
