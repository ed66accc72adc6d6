//! `git ls-remote`.

use super::Call;
use super::remotes::{default_remote, url};
use super::transfer::{For, Other, open};
use crate::args::options;
use crate::oid::Oid;
use crate::repo::{Repo, outside_config};
use crate::stop::{Result, show};
use crate::wildmatch::{self, Slashes};
use crate::{os, out};

options! {
    /// What the command line says.
    struct Options for "ls-remote" {
        quiet: bool = "q|quiet",
        branches: bool = "b|branches",
        heads: bool = "h|heads",
        tags: bool = "t|tags",
        /// No `HEAD`, and not what tags lead to.
        refs: bool = "refs",
        exit_code: bool = "exit-code",
    }
    ignored "get-url upload-pack="
    refused "sort= symref o|server-option="
}

/// `git ls-remote`.
pub(crate) fn ls_remote(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let started = os::cwd()?;
    let repo = Repo::try_discover(&call.global)?;
    let (given, patterns) = match &rest.words[..] {
        [] => (None, &[][..]),
        [name, patterns @ ..] => (Some(name.clone()), patterns),
    };
    let is_given = given.is_some();
    let name = given
        .or_else(|| repo.as_ref().map(default_remote))
        .unwrap_or_default();
    let known = repo.as_ref().and_then(|repo| url(repo, &name));
    let place = known.unwrap_or(name);
    let config = match &repo {
        Some(repo) => repo.config.clone(),
        None => outside_config(&call.global)?,
    };
    let base = repo.and_then(|repo| repo.work_tree).unwrap_or(started);
    let other = open(
        &config,
        &place,
        &base,
        For::Fetch(&prefixes(&options)),
        options.quiet,
    )?;
    if !is_given && !options.quiet {
        out::note(format!("From {}", show(&other.place)));
    }
    let mut found = references(&other, &options);
    found.retain(|(name, _)| patterns.is_empty() || matches(patterns, name));
    for (name, oid) in &found {
        out::line([oid.hex().as_bytes(), b"\t", name].concat());
    }
    Ok(match options.exit_code && found.is_empty() {
        true => 2,
        false => 0,
    })
}

/// What the names begin with that the options ask for; nothing for all.
fn prefixes(options: &Options) -> Vec<Vec<u8>> {
    let mut prefixes = Vec::new();
    if options.heads || options.branches {
        prefixes.push(b"refs/heads/".to_vec());
    }
    if options.tags {
        prefixes.push(b"refs/tags/".to_vec());
    }
    prefixes
}

/// The references that the options ask for, in the order in which they are shown.
fn references(other: &Other, options: &Options) -> Vec<(Vec<u8>, Oid)> {
    let branches = options.heads || options.branches;
    let is_limited = branches || options.tags;
    let mut found = Vec::new();
    if !is_limited && !options.refs {
        let head = other.resolve(b"HEAD");
        found.extend(head.map(|oid| (b"HEAD".to_vec(), oid)));
    }
    for (full, oid) in other.all(b"refs/") {
        let is_wanted = !is_limited
            || branches && full.starts_with(b"refs/heads/")
            || options.tags && full.starts_with(b"refs/tags/");
        if !is_wanted {
            continue;
        }
        let target = other.target(&full, oid).filter(|target| *target != oid);
        found.push((full.clone(), oid));
        if let (Some(target), false) = (target, options.refs) {
            found.push(([&full[..], b"^{}"].concat(), target));
        }
    }
    found
}

/// Whether a pattern fits the end of a name.
fn matches(patterns: &[Vec<u8>], name: &[u8]) -> bool {
    let name = [b"/", name].concat();
    patterns.iter().any(|pattern| {
        let pattern = [b"*/", &pattern[..]].concat();
        wildmatch::matches(&pattern, &name, Slashes::Pass, false)
    })
}
