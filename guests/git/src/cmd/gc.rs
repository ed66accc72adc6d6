//! `git gc`: objects into one pack, references into one file.

use super::Call;
use super::prune::prune_loose;
use super::reachable::reachable;
use crate::args;
use crate::oid::Oid;
use crate::os;
use crate::pack;
use crate::revision;
use crate::stop::Result;

/// `git gc`: all objects that are used go into one pack, references into one file.
pub(crate) fn gc(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "gc",
        "q|quiet prune? aggressive auto detach force keep-largest-pack cruft",
        &call.words,
    )?;
    let repo = call.repo()?;
    if parsed.has("auto") && repo.objects.loose().len() < 6700 {
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
        let (sum, data, index) = pack::build(&repo.objects, &names)?;
        let base = [
            repo.objects.directory(),
            b"/pack/pack-",
            sum.hex().as_bytes(),
        ]
        .concat();
        let old: Vec<Vec<u8>> = os::list(&[repo.objects.directory(), b"/pack"].concat())
            .unwrap_or_default()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        os::mkdir_above(&base)?;
        for (suffix, content) in [(&b".pack"[..], &data), (b".idx", &index)] {
            let path = [&base[..], suffix].concat();
            let _ = os::remove(&path);
            os::write(&path, content)?;
            let _ = os::chmod(&path, 0o444);
        }
        let kept = format!("pack-{sum}");
        for name in old
            .iter()
            .filter(|name| name.starts_with(b"pack-") && !name.starts_with(kept.as_bytes()))
        {
            // Objects that nothing leads to stay, loose, as git keeps the young ones.
            let path = [repo.objects.directory(), b"/pack/", &name[..]].concat();
            let _ = os::chmod(&path, 0o644);
            os::remove(&path)?;
        }
        for oid in repo
            .objects
            .loose()
            .into_iter()
            .filter(|oid| seen.contains(oid))
        {
            let path = repo.objects.path_of(&oid);
            os::remove(&path)?;
            let _ = os::rmdir(&path[..path.len() - 39]);
        }
    }
    repo.refs.pack(|oid| {
        revision::peel(&repo, oid, None)
            .ok()
            .filter(|peeled| *peeled != oid)
    })?;
    if parsed.value("prune") == Some(b"now") {
        prune_loose(&repo, &seen, false)?;
    }
    Ok(0)
}
