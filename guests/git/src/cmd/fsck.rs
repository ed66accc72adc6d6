//! `git fsck`: whether objects are whole, and which are missing or not needed.

use std::collections::HashSet;

use super::Call;
use super::reachable::reachable;
use crate::args;
use crate::object::{Commit, Tag, parse_tree};
use crate::oid::{self, Kind, Oid};
use crate::out;
use crate::stop::{Result, show};

/// `git fsck`.
pub(crate) fn fsck(call: &Call) -> Result<i32> {
    let table = "v|verbose unreachable dangling tags root cache reflogs full connectivity-only strict lost-found progress name-objects references";
    let parsed = args::parse("fsck", table, &call.words)?;
    parsed.refuse(&["lost-found", "name-objects", "cache"])?;
    let repo = call.repo()?;
    let mut status = 0;
    let mut used: HashSet<Oid> = HashSet::new();
    let all = repo.objects.all();
    for oid in &all {
        let object = match repo.objects.get(oid) {
            Ok(Some(object)) => object,
            _ => {
                out::note(format!(
                    "error: {oid}: object corrupt or missing: {}",
                    show(&repo.objects.path_of(oid))
                ));
                status |= 1;
                continue;
            }
        };
        let (kind, content) = object;
        if oid::hash(kind, &content) != *oid {
            out::note(format!(
                "error: {oid}: hash-path mismatch, found at: {}",
                show(&repo.objects.path_of(oid))
            ));
            status |= 1;
        }
        let good = match kind {
            Kind::Blob => true,
            Kind::Tree => match parse_tree(&content) {
                Some(entries) => {
                    used.extend(entries.iter().map(|entry| entry.oid));
                    true
                }
                None => false,
            },
            Kind::Commit => match Commit::parse(*oid, &content) {
                Some(commit) => {
                    used.insert(commit.tree);
                    used.extend(commit.parents);
                    true
                }
                None => false,
            },
            Kind::Tag => match Tag::parse(&content) {
                Some(tag) => {
                    used.insert(tag.target);
                    true
                }
                None => false,
            },
        };
        if !good {
            out::note(format!("error in {} {oid}: broken object", kind.name()));
            status |= 1;
        }
    }
    let mut lost = Vec::new();
    let seen = reachable(&repo, &mut |kind, oid| lost.push((kind, oid)))?;
    for (kind, oid) in lost {
        out::line(format!("missing {} {oid}", kind.name()));
        status |= 2;
    }
    for oid in all.iter().filter(|oid| !seen.contains(oid)) {
        let Ok(Some((kind, _))) = repo.objects.get(oid) else {
            continue;
        };
        if parsed.has("unreachable") {
            out::line(format!("unreachable {} {oid}", kind.name()));
        } else if !used.contains(oid) && !parsed.has("no-dangling") {
            out::line(format!("dangling {} {oid}", kind.name()));
        }
    }
    if repo.head().is_none()
        && let Some(branch) = repo.branch()
    {
        out::note(format!(
            "notice: HEAD points to an unborn branch ({})",
            show(&branch)
        ));
        if repo.refs.all(b"refs/").is_empty() {
            out::note("notice: No default references");
        }
    }
    Ok(status)
}
