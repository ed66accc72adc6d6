//! The remotes that the settings know: their names and places.

use crate::config::Config;
use crate::repo::Repo;

/// The names of remotes.
pub(crate) fn names(repo: &Repo) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = Vec::new();
    for entry in &repo.config.entries {
        if let Some(name) = entry.key.strip_prefix(b"remote.").and_then(|rest| {
            rest.iter()
                .rposition(|byte| *byte == b'.')
                .map(|at| rest[..at].to_vec())
        }) && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names.sort();
    names
}

/// Where a remote is.
pub(crate) fn url(repo: &Repo, name: &[u8]) -> Option<Vec<u8>> {
    repo.config
        .get_bytes(&[b"remote.", name, b".url"].concat())
        .map(<[u8]>::to_vec)
}

/// The remote of the current branch.
pub(crate) fn default_remote(repo: &Repo) -> Vec<u8> {
    let branch = repo.branch().unwrap_or_default();
    let named = repo
        .config
        .get_bytes(&[b"branch.", &branch[..], b".remote"].concat())
        .map(<[u8]>::to_vec);
    named.unwrap_or_else(|| match &names(repo)[..] {
        [one] => one.clone(),
        _ => b"origin".to_vec(),
    })
}

/// A place as `url.<base>.insteadOf` and `pushInsteadOf` have it: the longest beginning that fits
/// is replaced.
pub(crate) fn rewritten(config: &Config, place: &[u8], is_push: bool) -> Vec<u8> {
    let longest = |name: &[u8]| {
        let entries = config.entries.iter().filter_map(|entry| {
            let base = entry.key.strip_prefix(b"url.")?.strip_suffix(name)?;
            let beginning = entry.value.as_deref()?;
            let rest = place.strip_prefix(beginning)?;
            Some((beginning.len(), [base, rest].concat()))
        });
        entries
            .max_by_key(|(length, _)| *length)
            .map(|(_, place)| place)
    };
    let pushed = if is_push {
        longest(b".pushinsteadof")
    } else {
        None
    };
    pushed
        .or_else(|| longest(b".insteadof"))
        .unwrap_or_else(|| place.to_vec())
}
