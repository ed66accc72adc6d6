//! `git ls-remote`.

use super::Call;
use super::remote::{default_remote, url};
use super::transfer::{open, revision_target};
use crate::oid::Oid;
use crate::repo::Repo;
use crate::stop::{Result, show};
use crate::{args, os, out};

/// `git ls-remote`.
pub(crate) fn ls_remote(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "ls-remote",
        "q|quiet b|branches h|heads t|tags refs get-url sort= exit-code symref upload-pack=",
        &call.words,
    )?;
    parsed.refuse(&["sort", "symref"])?;
    let started = os::cwd()?;
    let repo = Repo::try_discover(&call.global)?;
    let name = parsed
        .words
        .first()
        .cloned()
        .or_else(|| repo.as_ref().map(default_remote))
        .unwrap_or_default();
    let place = repo
        .as_ref()
        .and_then(|repo| url(repo, &name))
        .unwrap_or(name);
    let base = repo
        .as_ref()
        .and_then(|repo| repo.work_tree.clone())
        .unwrap_or(started);
    let other = open(&place, &base)?;
    if parsed.words.is_empty() && !parsed.has("quiet") {
        out::note(format!("From {}", show(&place)));
    }
    let mut refs: Vec<(Vec<u8>, Oid)> = Vec::new();
    let limited = parsed.has("heads") || parsed.has("branches") || parsed.has("tags");
    if !limited && !parsed.has("refs") {
        refs.extend(
            other
                .refs
                .resolve(b"HEAD")
                .map(|oid| (b"HEAD".to_vec(), oid)),
        );
    }
    for (full, oid) in other.refs.all(b"refs/") {
        let heads =
            (parsed.has("heads") || parsed.has("branches")) && full.starts_with(b"refs/heads/");
        if limited && !heads && !(parsed.has("tags") && full.starts_with(b"refs/tags/")) {
            continue;
        }
        let target = revision_target(&other, oid).filter(|target| *target != oid);
        refs.push((full.clone(), oid));
        if let (Some(target), false) = (target, parsed.has("refs")) {
            refs.push(([&full[..], b"^{}"].concat(), target));
        }
    }
    let mut any = false;
    for (full, oid) in refs {
        let wanted = parsed.words.len() < 2
            || parsed.words[1..].iter().any(|pattern| {
                crate::wildmatch::matches(
                    &[b"*/", &pattern[..]].concat(),
                    &[b"/", &full[..]].concat(),
                    crate::wildmatch::Slashes::Pass,
                    false,
                )
            });
        if wanted {
            any = true;
            out::line([oid.hex().as_bytes(), b"\t", &full].concat());
        }
    }
    Ok(if parsed.has("exit-code") && !any {
        2
    } else {
        0
    })
}
