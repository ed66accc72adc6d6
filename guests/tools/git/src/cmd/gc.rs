//! `git gc`: objects into one pack, references into one file.

use super::Call;
use super::pack_refs;
use super::prune::prune_loose;
use super::reachable::reachable;
use crate::args::options;
use crate::oid::Oid;
use crate::os;
use crate::pack;
use crate::repo::Repo;
use crate::stop::Result;
use std::collections::HashSet;

options! {
    /// What the command line says.
    struct Options for "gc" {
        auto: bool = "auto",
        prune: Option<Vec<u8>> = "prune?",
    }
    ignored "q|quiet aggressive detach force keep-largest-pack cruft"
}

/// `git gc`: all objects that are used go into one pack, references into one file.
pub(crate) fn gc(call: &Call) -> Result<i32> {
    let (options, _) = Options::read(&call.words)?;
    let repo = call.repo()?;
    if options.auto && repo.objects.loose().len() < 6700 {
        return Ok(0);
    }
    let seen = reachable(&repo, &mut |_, _| {})?;
    let mut names: Vec<Oid> = repo
        .objects
        .all()
        .into_iter()
        .filter(|oid| seen.contains(oid))
        .collect();
    names.sort();
    if !names.is_empty() {
        pack_objects(&repo, &names)?;
        remove_packed(&repo, &seen)?;
    }
    pack_refs::pack(&repo)?;
    if options.prune.as_deref() == Some(b"now") {
        prune_loose(&repo, &seen, false)?;
    }
    Ok(0)
}

/// Writes objects into one pack, and deletes the packs that were there.
fn pack_objects(repo: &Repo, names: &[Oid]) -> Result<()> {
    let (sum, data, index) = pack::build(&repo.objects, names)?;
    let directory = [repo.objects.directory(), b"/pack"].concat();
    let kept = format!("pack-{sum}");
    let base = [&directory[..], b"/", kept.as_bytes()].concat();
    let old = os::list(&directory).unwrap_or_default();
    os::mkdir_above(&base)?;
    for (suffix, content) in [(&b".pack"[..], &data), (b".idx", &index)] {
        let path = [&base[..], suffix].concat();
        let _ = os::remove(&path);
        os::write(&path, content)?;
        let _ = os::chmod(&path, 0o444);
    }
    for (name, _) in old {
        if name.starts_with(b"pack-") && !name.starts_with(kept.as_bytes()) {
            let path = [&directory[..], b"/", &name].concat();
            let _ = os::chmod(&path, 0o644);
            os::remove(&path)?;
        }
    }
    Ok(())
}

/// Deletes the loose objects that are in the pack now.
///
/// Objects that nothing leads to stay, as git keeps the young ones.
fn remove_packed(repo: &Repo, seen: &HashSet<Oid>) -> Result<()> {
    for oid in repo.objects.loose() {
        if seen.contains(&oid) {
            let path = repo.objects.path_of(&oid);
            os::remove(&path)?;
            let _ = os::rmdir(&path[..path.len() - 39]);
        }
    }
    Ok(())
}
