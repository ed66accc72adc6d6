//! `git show-ref`: references and their objects.

use super::Call;
use crate::args::{Optional, options};
use crate::oid::Oid;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "show-ref" {
        tags: bool = "tags",
        heads: bool = "heads",
        branches: bool = "branches",
        verify: bool = "verify",
        exists: bool = "exists",
        head: bool = "h|head",
        dereference: bool = "d|dereference",
        /// Only object names are shown.
        hash: Optional = "s|hash?",
        abbrev: Optional = "abbrev?",
        quiet: bool = "q|quiet",
    }
    ignored "exclude-existing?"
}

/// `git show-ref`.
pub(crate) fn show_ref(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    if options.exists {
        let name = rest.words.first().cloned().unwrap_or_default();
        if repo.refs.raw(&name).is_some() {
            return Ok(0);
        }
        out::note("error: reference does not exist");
        return Ok(2);
    }
    if options.verify {
        return verify(&repo, &rest.words, &options);
    }
    let mut any = false;
    for (full, oid) in candidates(&repo, &options) {
        let ends =
            |pattern: &Vec<u8>| full == *pattern || full.ends_with(&[b"/", &pattern[..]].concat());
        let always = options.head && full == b"HEAD";
        if always || rest.words.is_empty() || rest.words.iter().any(ends) {
            any = true;
            print(&repo, &full, oid, &options);
        }
    }
    Ok(i32::from(!any))
}

/// `--verify`: names are full, and have to be there.
fn verify(repo: &Repo, names: &[Vec<u8>], options: &Options) -> Result<i32> {
    for name in names {
        let is_full = name.starts_with(b"refs/") || name == b"HEAD";
        match repo.refs.resolve(name).filter(|_| is_full) {
            Some(oid) => print(repo, name, oid, options),
            None if options.quiet => return Ok(1),
            None => return fatal(format!("'{}' - not a valid ref", show(name))),
        }
    }
    Ok(0)
}

/// The references that patterns are looked for in.
fn candidates(repo: &Repo, options: &Options) -> Vec<(Vec<u8>, Oid)> {
    let heads = options.heads || options.branches;
    let mut refs = repo.refs.all(b"refs/");
    if heads || options.tags {
        refs.retain(|(full, _)| {
            (heads && full.starts_with(b"refs/heads/"))
                || (options.tags && full.starts_with(b"refs/tags/"))
        });
    }
    if options.head
        && let Some(head) = repo.head()
    {
        refs.insert(0, (b"HEAD".to_vec(), head));
    }
    refs
}

fn print(repo: &Repo, full: &[u8], oid: Oid, options: &Options) {
    if options.quiet {
        return;
    }
    let line = |oid: &Oid, suffix: &[u8]| {
        let name = object_name(repo, oid, options);
        match options.hash {
            Optional::No => out::line([name.as_bytes(), b" ", full, suffix].concat()),
            _ => out::line(name),
        }
    };
    line(&oid, b"");
    if options.dereference
        && let Ok(peeled) = revision::peel(repo, oid, None)
        && peeled != oid
    {
        line(&peeled, b"^{}");
    }
}

/// An object's name, as short as `--hash=N` or `--abbrev=N` says.
fn object_name(repo: &Repo, oid: &Oid, options: &Options) -> String {
    let digits = match (&options.hash, &options.abbrev) {
        (Optional::With(count), _) | (_, Optional::With(count)) => show(count).parse().ok(),
        _ => None,
    };
    match digits {
        Some(count) => repo.objects.abbreviate(oid, count),
        None if options.abbrev != Optional::No => repo.short(oid),
        None => oid.hex(),
    }
}
