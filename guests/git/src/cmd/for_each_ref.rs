//! `git for-each-ref`: references, filtered, sorted and shown by a format.

use super::Call;
use super::ref_fields::{format_ref, sort};
use crate::args;
use crate::oid::Kind;
use crate::out;
use crate::revision;
use crate::stop::Result;
use crate::walk;
use crate::wildmatch::{self, Slashes};

/// `git for-each-ref`.
pub(crate) fn for_each_ref(call: &Call) -> Result<i32> {
    let table = "s|shell p|perl python tcl count= format= color? sort= points-at= merged? no-merged? contains? no-contains? ignore-case omit-empty \
                 exclude= include-root-refs";
    let parsed = args::parse("for-each-ref", table, &call.words)?;
    parsed.refuse(&["shell", "perl", "python", "tcl", "include-root-refs"])?;
    let repo = call.repo()?;
    let mut refs = repo.refs.all(b"refs/");
    let matches = |pattern: &[u8], full: &[u8]| {
        let bare = pattern.strip_suffix(b"/").unwrap_or(pattern);
        full == bare
            || full.starts_with(&[bare, b"/"].concat())
            || wildmatch::matches(pattern, full, Slashes::Stop, parsed.has("ignore-case"))
    };
    refs.retain(|(full, _)| {
        parsed.words.is_empty() || parsed.words.iter().any(|pattern| matches(pattern, full))
    });
    refs.retain(|(full, _)| {
        !parsed
            .values("exclude")
            .iter()
            .any(|pattern| matches(pattern, full))
    });
    if let Some(name) = parsed.value("points-at") {
        let target = revision::resolve(&repo, name)?;
        refs.retain(|(_, oid)| {
            *oid == target || revision::peel(&repo, *oid, None).is_ok_and(|oid| oid == target)
        });
    }
    for (name, old_first, positive) in [
        ("merged", false, true),
        ("no-merged", false, false),
        ("contains", true, true),
        ("no-contains", true, false),
    ] {
        if parsed.has(name) {
            let target = revision::resolve_commit(&repo, parsed.value(name).unwrap_or(b"HEAD"))?;
            let mut kept = Vec::new();
            for (full, oid) in refs {
                let Ok(commit) = revision::peel(&repo, oid, Some(Kind::Commit)) else {
                    continue;
                };
                let (old, new) = if old_first {
                    (target, commit)
                } else {
                    (commit, target)
                };
                if walk::is_ancestor(&repo, old, new)? == positive {
                    kept.push((full, oid));
                }
            }
            refs = kept;
        }
    }
    sort(&repo, &mut refs, &parsed.values("sort"))?;
    let format = parsed
        .value("format")
        .unwrap_or(b"%(objectname) %(objecttype)\t%(refname)")
        .to_vec();
    let count = parsed
        .text("count")
        .and_then(|count| count.parse().ok())
        .filter(|count| *count > 0)
        .unwrap_or(usize::MAX);
    for (full, oid) in refs.into_iter().take(count) {
        let line = format_ref(
            &repo,
            &full,
            oid,
            &format,
            parsed.value("color") == Some(b"always"),
        )?;
        if !(line.is_empty() && parsed.has("omit-empty")) {
            out::line(line);
        }
    }
    Ok(0)
}
