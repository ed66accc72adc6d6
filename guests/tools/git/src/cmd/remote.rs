//! `git remote`: the other repositories that this one knows, on the same machine.

use super::Call;
use super::fetch::{Settings, fetch_from};
use super::remotes::{names, url};
use crate::args::{options, usage};
use crate::config::{remove_section, set_value};
use crate::ident::{Role, identity};
use crate::out;
use crate::refs::{Target, is_valid};
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};

options! {
    /// What the command line of `git remote add` says.
    struct AddOptions for "remote add" {
        fetch: bool = "f|fetch",
    }
    ignored "tags"
    refused "mirror? m|master= t|track="
}

/// `git remote`.
pub(crate) fn remote(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let is_verbose = |word: &Vec<u8>| word == b"-v" || word == b"--verbose";
    let verbose = call.words.iter().any(is_verbose);
    let mut words = call.words.clone();
    words.retain(|word| !is_verbose(word));
    let (action, rest) = match &words[..] {
        [] => (&b"show"[..], &[][..]),
        [action, rest @ ..] => (&action[..], rest),
    };
    match action {
        b"show" if rest.is_empty() => {
            list(&repo, verbose);
            Ok(0)
        }
        b"add" => add_named(call, &repo, rest),
        b"remove" | b"rm" => remove(&repo, rest),
        b"rename" => rename(&repo, rest),
        b"get-url" => get_url(&repo, rest),
        b"set-url" => set_url(&repo, rest),
        other => fatal(format!(
            "codepod's git remote does not support {}",
            show(other)
        )),
    }
}

fn list(repo: &Repo, verbose: bool) {
    for name in names(repo) {
        if !verbose {
            out::line(name);
            continue;
        }
        let place = show(&url(repo, &name).unwrap_or_default());
        let push = repo
            .config
            .get_bytes(&[b"remote.", &name[..], b".pushurl"].concat())
            .map_or(place.clone(), show);
        let name = show(&name);
        out::line(format!("{name}\t{place} (fetch)\n{name}\t{push} (push)"));
    }
}

/// `git remote add`.
fn add_named(call: &Call, repo: &Repo, words: &[Vec<u8>]) -> Result<i32> {
    let (options, rest) = AddOptions::read(words)?;
    let [name, place] = &rest.words[..] else {
        return Err(usage("remote add", "a name and a place are needed"));
    };
    if names(repo).contains(name) {
        return Err(exists(name));
    }
    if !is_valid(&[b"refs/remotes/", &name[..], b"/x"].concat(), false) {
        return fatal(format!("'{}' is not a valid remote name", show(name)));
    }
    add(repo, name, place)?;
    if options.fetch {
        out::line(format!("Updating {}", show(name)));
        // The settings are read again: the remote is in them now.
        fetch_from(&call.repo()?, name, &[], &Settings::default())?;
    }
    Ok(0)
}

/// Writes a remote into the settings.
pub(crate) fn add(repo: &Repo, name: &[u8], place: &[u8]) -> Result<()> {
    let file = repo.shared("config");
    set_value(&file, &[b"remote.", name, b".url"].concat(), Some(place))?;
    let spec = [b"+refs/heads/*:refs/remotes/", name, b"/*"].concat();
    set_value(&file, &[b"remote.", name, b".fetch"].concat(), Some(&spec))
}

fn remove(repo: &Repo, words: &[Vec<u8>]) -> Result<i32> {
    let Some(name) = words.first() else {
        return Err(usage("remote remove", "a name is needed"));
    };
    if !names(repo).contains(name) {
        return Err(missing(name));
    }
    let file = repo.shared("config");
    remove_section(&file, &[b"remote.", &name[..]].concat())?;
    for (full, _) in repo.refs.all(&[b"refs/remotes/", &name[..], b"/"].concat()) {
        repo.refs.delete(&full)?;
    }
    for key in followers(repo, name) {
        let branch = key.strip_suffix(b"remote").unwrap_or(key);
        for what in [&b"remote"[..], b"merge"] {
            set_value(&file, &[branch, what].concat(), None)?;
        }
    }
    Ok(0)
}

fn rename(repo: &Repo, words: &[Vec<u8>]) -> Result<i32> {
    let [old, new, ..] = words else {
        return Err(usage("remote rename", "two names are needed"));
    };
    if !names(repo).contains(old) {
        return Err(missing(old));
    }
    if names(repo).contains(new) {
        return Err(exists(new));
    }
    let file = repo.shared("config");
    let place = url(repo, old).unwrap_or_default();
    remove_section(&file, &[b"remote.", &old[..]].concat())?;
    add(repo, new, &place)?;
    move_references(repo, old, new)?;
    for key in followers(repo, old) {
        set_value(&file, key, Some(new))?;
    }
    Ok(0)
}

/// Gives the references of a remote its new name.
fn move_references(repo: &Repo, old: &[u8], new: &[u8]) -> Result<()> {
    let who = identity(repo, Role::Committer, false)?;
    let from = [b"refs/remotes/", old, b"/"].concat();
    for (full, _) in repo.refs.all(&from) {
        let to = [b"refs/remotes/", new, b"/", &full[from.len()..]].concat();
        let message = format!("remote: renamed {} to {}", show(&full), show(&to));
        match repo.refs.raw(&full) {
            Some(Target::Symbolic(target)) => {
                repo.refs.delete(&full)?;
                let short = target.strip_prefix(&from[..]).unwrap_or(&target);
                let target = [b"refs/remotes/", new, b"/", short].concat();
                repo.refs.write_symbolic(&to, &target)?;
            }
            _ => repo.refs.rename(&full, &to, &who, message.as_bytes())?,
        }
    }
    Ok(())
}

fn get_url(repo: &Repo, words: &[Vec<u8>]) -> Result<i32> {
    let name = words.first().cloned().unwrap_or_default();
    let Some(place) = url(repo, &name) else {
        return Err(no_such(&name));
    };
    out::line(place);
    Ok(0)
}

fn set_url(repo: &Repo, words: &[Vec<u8>]) -> Result<i32> {
    let [name, place, ..] = words else {
        return Err(usage("remote set-url", "a name and a place are needed"));
    };
    if !names(repo).contains(name) {
        return Err(no_such(name));
    }
    let key = [b"remote.", &name[..], b".url"].concat();
    set_value(&repo.shared("config"), &key, Some(place))?;
    Ok(0)
}

/// The settings `branch.NAME.remote` of the branches that follow a remote.
fn followers<'a>(repo: &'a Repo, remote: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let entries = repo.config.entries.iter();
    let followers = entries.filter(move |entry| {
        let rest = entry.key.strip_prefix(b"branch.");
        rest.is_some_and(|rest| rest.ends_with(b".remote"))
            && entry.value.as_deref() == Some(remote)
    });
    followers.map(|entry| &entry.key[..])
}

fn exists(name: &[u8]) -> Stop {
    let message = format!("remote {} already exists.", show(name));
    Stop::ErrorStatus(message.into_bytes(), 3)
}

fn missing(name: &[u8]) -> Stop {
    Stop::ErrorStatus(format!("No such remote: '{}'", show(name)).into_bytes(), 2)
}

/// What `get-url` and `set-url` say of a remote that is missing, without the colon.
fn no_such(name: &[u8]) -> Stop {
    Stop::ErrorStatus(format!("No such remote '{}'", show(name)).into_bytes(), 2)
}
