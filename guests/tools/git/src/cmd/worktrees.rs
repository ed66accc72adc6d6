//! The working trees of a repository.

use crate::os;
use crate::repo::Repo;

/// All working trees: where each is, and its part of the repository. The main one comes first.
pub(crate) fn all(repo: &Repo) -> Vec<(Vec<u8>, Vec<u8>)> {
    let common = os::real_path(&repo.common).unwrap_or_else(|_| repo.common.clone());
    let main = common
        .strip_suffix(b"/.git")
        .map_or(common.clone(), <[u8]>::to_vec);
    let mut found = vec![(
        if main.is_empty() { b"/".to_vec() } else { main },
        common.clone(),
    )];
    let directory = [&common[..], b"/worktrees"].concat();
    for (name, _) in os::list(&directory).unwrap_or_default() {
        let dir = [&directory[..], b"/", &name].concat();
        let Ok(link) = os::read(&[&dir[..], b"/gitdir"].concat()) else {
            continue;
        };
        let place = link.trim_ascii_end();
        found.push((place.strip_suffix(b"/.git").unwrap_or(place).to_vec(), dir));
    }
    found
}
