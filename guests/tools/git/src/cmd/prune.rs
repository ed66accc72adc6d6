//! `git prune`: loose objects that nothing leads to are deleted.

use std::collections::HashSet;

use super::Call;
use super::reachable::reachable;
use crate::args::options;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::Result;

options! {
    /// What the command line says.
    struct Options for "prune" {
        dry: bool = "n|dry-run",
    }
    ignored "v|verbose expire= progress"
}

/// `git prune`.
pub(crate) fn prune(call: &Call) -> Result<i32> {
    let (options, _) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let seen = reachable(&repo, &mut |_, _| {})?;
    prune_loose(&repo, &seen, options.dry)?;
    Ok(0)
}

/// Deletes loose objects, or lists them, but for those that were seen.
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
