//! `git prune`: loose objects that nothing leads to are deleted.

use std::collections::HashSet;

use super::Call;
use super::reachable::reachable;
use crate::args;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::Result;

/// `git prune`.
pub(crate) fn prune(call: &Call) -> Result<i32> {
    let parsed = args::parse("prune", "n|dry-run v|verbose expire= progress", &call.words)?;
    let repo = call.repo()?;
    let seen = reachable(&repo, &mut |_, _| {})?;
    prune_loose(&repo, &seen, parsed.has("dry-run"))?;
    Ok(0)
}

pub(super) fn prune_loose(repo: &Repo, seen: &HashSet<Oid>, dry: bool) -> Result<()> {
    for oid in repo
        .objects
        .loose()
        .into_iter()
        .filter(|oid| !seen.contains(oid))
    {
        let kind = repo.objects.read(&oid)?.0;
        if dry {
            out::line(format!("{oid} {}", kind.name()));
            continue;
        }
        let path = repo.objects.path_of(&oid);
        os::remove(&path)?;
        let _ = os::rmdir(&path[..path.len() - 39]);
    }
    Ok(())
}
