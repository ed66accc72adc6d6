//! The objects that a repository still needs.

use std::collections::HashSet;

use crate::object::{Commit, Tag, kind_of_mode, parse_tree};
use crate::oid::{Kind, Oid};
use crate::repo::Repo;
use crate::stop::Result;

/// Every object that references, logs and the index lead to.
pub(crate) fn reachable(repo: &Repo, missing: &mut dyn FnMut(Kind, Oid)) -> Result<HashSet<Oid>> {
    let mut todo: Vec<(Oid, Kind)> = Vec::new();
    let mut names: Vec<Vec<u8>> = repo
        .refs
        .all(b"refs/")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    names.push(b"HEAD".to_vec());
    for (_, dir) in super::worktrees::all(repo) {
        let refs = crate::refs::Refs {
            own: dir,
            common: repo.common.clone(),
        };
        todo.extend(refs.resolve(b"HEAD").map(|oid| (oid, Kind::Commit)));
    }
    for name in &names {
        todo.extend(repo.refs.resolve(name).map(|oid| (oid, Kind::Commit)));
        for line in repo.refs.read_log(name) {
            todo.extend(
                [line.old, line.new]
                    .into_iter()
                    .filter(|oid| !oid.is_null() && repo.objects.has(oid))
                    .map(|oid| (oid, Kind::Commit)),
            );
        }
    }
    for entry in repo
        .index()?
        .entries
        .values()
        .filter(|entry| kind_of_mode(entry.mode) == Kind::Blob)
    {
        todo.push((entry.oid, Kind::Blob));
    }
    let mut seen = HashSet::new();
    while let Some((oid, expected)) = todo.pop() {
        if !seen.insert(oid) {
            continue;
        }
        if expected == Kind::Blob {
            if !repo.objects.has(&oid) {
                missing(expected, oid);
            }
            continue;
        }
        let Some((kind, content)) = repo.objects.get(&oid)? else {
            missing(expected, oid);
            continue;
        };
        match kind {
            Kind::Blob => {}
            Kind::Tag => todo.extend(Tag::parse(&content).map(|tag| (tag.target, tag.kind))),
            Kind::Commit => {
                if let Some(mut commit) = Commit::parse(oid, &content) {
                    if repo.objects.is_shallow(&oid) {
                        commit.parents.clear();
                    }
                    todo.push((commit.tree, Kind::Tree));
                    todo.extend(
                        commit
                            .parents
                            .into_iter()
                            .map(|parent| (parent, Kind::Commit)),
                    );
                }
            }
            Kind::Tree => {
                for entry in parse_tree(&content).unwrap_or_default() {
                    if entry.kind() != Kind::Commit {
                        todo.push((entry.oid, entry.kind()));
                    }
                }
            }
        }
    }
    Ok(seen)
}
