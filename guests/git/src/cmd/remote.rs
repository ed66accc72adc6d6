//! `git remote`: the other repositories that this one knows, on the same machine.

use super::Call;
use super::branch::{remove_section, set_value};
use super::fetch::{FetchOptions, fetch_from};
use crate::ident::{Role, identity};
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::{args, out};

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

pub(crate) fn url(repo: &Repo, name: &[u8]) -> Option<Vec<u8>> {
    repo.config
        .get_bytes(&[b"remote.", name, b".url"].concat())
        .map(<[u8]>::to_vec)
}

/// `git remote`.
pub(crate) fn remote(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let mut words = call.words.clone();
    let verbose = words
        .iter()
        .any(|word| word == b"-v" || word == b"--verbose");
    words.retain(|word| word != b"-v" && word != b"--verbose");
    let file = repo.shared("config");
    let missing = |name: &[u8]| {
        Err(Stop::ErrorStatus(
            format!("No such remote: '{}'", show(name)).into_bytes(),
            2,
        ))
    };
    match words.first().map(Vec::as_slice) {
        None | Some(b"show") if words.len() < 2 => {
            for name in names(&repo) {
                if verbose {
                    let place = show(&url(&repo, &name).unwrap_or_default());
                    let push = repo
                        .config
                        .get_bytes(&[b"remote.", &name[..], b".pushurl"].concat())
                        .map_or(place.clone(), show);
                    out::line(format!(
                        "{}\t{place} (fetch)\n{}\t{push} (push)",
                        show(&name),
                        show(&name)
                    ));
                } else {
                    out::line(name);
                }
            }
            Ok(0)
        }
        Some(b"add") => {
            let parsed = args::parse(
                "remote add",
                "f|fetch tags t|track= m|master= mirror?",
                &words[1..],
            )?;
            parsed.refuse(&["mirror", "master", "track"])?;
            let [name, place] = &parsed.words[..] else {
                return Err(args::usage("remote add", "a name and a place are needed"));
            };
            if names(&repo).contains(name) {
                return Err(Stop::ErrorStatus(
                    format!("remote {} already exists.", show(name)).into_bytes(),
                    3,
                ));
            }
            if !crate::refs::is_valid(&[b"refs/remotes/", &name[..], b"/x"].concat(), false) {
                return fatal(format!("'{}' is not a valid remote name", show(name)));
            }
            add(&repo, name, place)?;
            if parsed.has("fetch") {
                out::line(format!("Updating {}", show(name)));
                return fetch_from(&call.repo()?, name, &[], &FetchOptions::default()).map(|_| 0);
            }
            Ok(0)
        }
        Some(b"remove" | b"rm") => {
            let Some(name) = words.get(1) else {
                return Err(args::usage("remote remove", "a name is needed"));
            };
            if !names(&repo).contains(name) {
                return missing(name);
            }
            remove_section(&file, &[b"remote.", &name[..]].concat())?;
            for (full, _) in repo.refs.all(&[b"refs/remotes/", &name[..], b"/"].concat()) {
                repo.refs.delete(&full)?;
            }
            for entry in &repo.config.entries {
                if let Some(branch) = entry
                    .key
                    .strip_prefix(b"branch.")
                    .and_then(|rest| rest.strip_suffix(b".remote"))
                    && entry.value.as_ref() == Some(name)
                {
                    for what in ["remote", "merge"] {
                        set_value(
                            &file,
                            &[b"branch.", branch, b".", what.as_bytes()].concat(),
                            None,
                        )?;
                    }
                }
            }
            Ok(0)
        }
        Some(b"rename") => {
            let (Some(old), Some(new)) = (words.get(1), words.get(2)) else {
                return Err(args::usage("remote rename", "two names are needed"));
            };
            if !names(&repo).contains(old) {
                return missing(old);
            }
            if names(&repo).contains(new) {
                return Err(Stop::ErrorStatus(
                    format!("remote {} already exists.", show(new)).into_bytes(),
                    3,
                ));
            }
            let place = url(&repo, old).unwrap_or_default();
            remove_section(&file, &[b"remote.", &old[..]].concat())?;
            add(&repo, new, &place)?;
            let who = identity(&repo, Role::Committer, false)?;
            let from = [b"refs/remotes/", &old[..], b"/"].concat();
            for (full, _) in repo.refs.all(&from) {
                let to = [b"refs/remotes/", &new[..], b"/", &full[from.len()..]].concat();
                let message = format!("remote: renamed {} to {}", show(&full), show(&to));
                match repo.refs.raw(&full) {
                    Some(crate::refs::Target::Symbolic(target)) => {
                        repo.refs.delete(&full)?;
                        let target = [
                            b"refs/remotes/",
                            &new[..],
                            b"/",
                            target.strip_prefix(&from[..]).unwrap_or(&target),
                        ]
                        .concat();
                        repo.refs.write_symbolic(&to, &target)?;
                    }
                    _ => repo.refs.rename(&full, &to, &who, message.as_bytes())?,
                }
            }
            for entry in &repo.config.entries {
                if entry.key.starts_with(b"branch.")
                    && entry.key.ends_with(b".remote")
                    && entry.value.as_ref() == Some(old)
                {
                    set_value(&file, &entry.key, Some(new))?;
                }
            }
            Ok(0)
        }
        Some(b"get-url") => {
            let name = words.get(1).cloned().unwrap_or_default();
            match url(&repo, &name) {
                Some(place) => {
                    out::line(place);
                    Ok(0)
                }
                None => Err(Stop::ErrorStatus(
                    format!("No such remote '{}'", show(&name)).into_bytes(),
                    2,
                )),
            }
        }
        Some(b"set-url") => {
            let (Some(name), Some(place)) = (words.get(1), words.get(2)) else {
                return Err(args::usage(
                    "remote set-url",
                    "a name and a place are needed",
                ));
            };
            if !names(&repo).contains(name) {
                return Err(Stop::ErrorStatus(
                    format!("No such remote '{}'", show(name)).into_bytes(),
                    2,
                ));
            }
            set_value(
                &file,
                &[b"remote.", &name[..], b".url"].concat(),
                Some(place),
            )?;
            Ok(0)
        }
        Some(other) => fatal(format!(
            "codepod's git remote does not support {}",
            show(other)
        )),
        None => Ok(0),
    }
}

/// Writes a remote into the settings.
pub(crate) fn add(repo: &Repo, name: &[u8], place: &[u8]) -> Result<()> {
    let file = repo.shared("config");
    set_value(&file, &[b"remote.", name, b".url"].concat(), Some(place))?;
    let spec = [b"+refs/heads/*:refs/remotes/", name, b"/*"].concat();
    set_value(&file, &[b"remote.", name, b".fetch"].concat(), Some(&spec))
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
