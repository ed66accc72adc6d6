//! The remotes that the settings know: their names and places.

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
