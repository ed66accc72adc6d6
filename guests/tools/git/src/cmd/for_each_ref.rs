//! `git for-each-ref`: references, filtered, sorted and shown by a format.

use super::Call;
use super::ref_fields::{format_ref, sort};
use crate::args::{Optional, options};
use crate::oid::Kind;
use crate::oid::Oid;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::Result;
use crate::walk;
use crate::wildmatch::{self, Slashes};

options! {
    /// What the command line says.
    struct Options for "for-each-ref" {
        count: Option<String> = "count=",
        format: Option<Vec<u8>> = "format=",
        color: Option<Vec<u8>> = "color?",
        sort: Vec<Vec<u8>> = "sort=",
        points_at: Option<Vec<u8>> = "points-at=",
        merged: Optional = "merged?",
        no_merged: Optional = "no-merged?",
        contains: Optional = "contains?",
        no_contains: Optional = "no-contains?",
        ignore_case: bool = "ignore-case",
        omit_empty: bool = "omit-empty",
        exclude: Vec<Vec<u8>> = "exclude=",
    }
    refused "s|shell p|perl python tcl include-root-refs"
}

/// References: their full names and objects.
type Refs = Vec<(Vec<u8>, Oid)>;

/// `git for-each-ref`.
pub(crate) fn for_each_ref(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let mut refs = named(&repo, &rest.words, &options);
    if let Some(name) = &options.points_at {
        let target = revision::resolve(&repo, name)?;
        refs.retain(|(_, oid)| {
            *oid == target || revision::peel(&repo, *oid, None).is_ok_and(|oid| oid == target)
        });
    }
    let mut refs = related(&repo, refs, &options)?;
    sort(&repo, &mut refs, &options.sort)?;
    let format = options.format.as_deref();
    let format = format.unwrap_or(b"%(objectname) %(objecttype)\t%(refname)");
    let color = options.color.as_deref() == Some(b"always");
    let count = options
        .count
        .and_then(|count| count.parse().ok())
        .filter(|count| *count > 0)
        .unwrap_or(usize::MAX);
    for (full, oid) in refs.into_iter().take(count) {
        let line = format_ref(&repo, &full, oid, format, color)?;
        if !(line.is_empty() && options.omit_empty) {
            out::line(line);
        }
    }
    Ok(0)
}

/// The references that match one of the patterns, all where there is none, but for excluded ones.
fn named(repo: &Repo, patterns: &[Vec<u8>], options: &Options) -> Refs {
    let matches = |pattern: &[u8], full: &[u8]| {
        let bare = pattern.strip_suffix(b"/").unwrap_or(pattern);
        full == bare
            || full.starts_with(&[bare, b"/"].concat())
            || wildmatch::matches(pattern, full, Slashes::Stop, options.ignore_case)
    };
    let any = |patterns: &[Vec<u8>], full: &[u8]| {
        let mut patterns = patterns.iter();
        patterns.any(|pattern| matches(pattern, full))
    };
    let mut refs = repo.refs.all(b"refs/");
    refs.retain(|(full, _)| {
        (patterns.is_empty() || any(patterns, full)) && !any(&options.exclude, full)
    });
    refs
}

/// The references whose commits are ancestors or descendants of others, as is asked for.
fn related(repo: &Repo, mut refs: Refs, options: &Options) -> Result<Refs> {
    for (wanted, old_first, positive) in [
        (&options.merged, false, true),
        (&options.no_merged, false, false),
        (&options.contains, true, true),
        (&options.no_contains, true, false),
    ] {
        let name: &[u8] = match wanted {
            Optional::No => continue,
            Optional::Plain => b"HEAD",
            Optional::With(name) => name,
        };
        let target = revision::resolve_commit(repo, name)?;
        let mut kept = Vec::new();
        for (full, oid) in refs {
            let Ok(commit) = revision::peel(repo, oid, Some(Kind::Commit)) else {
                continue;
            };
            let (old, new) = match old_first {
                true => (target, commit),
                false => (commit, target),
            };
            if walk::is_ancestor(repo, old, new)? == positive {
                kept.push((full, oid));
            }
        }
        refs = kept;
    }
    Ok(refs)
}
