//! `git show-ref`: references and their objects.

use super::Call;
use crate::args;
use crate::oid::Oid;
use crate::out;
use crate::revision;
use crate::stop::{Result, fatal, show};

/// `git show-ref`.
pub(crate) fn show_ref(call: &Call) -> Result<i32> {
    let table = "tags heads branches verify exists h|head d|dereference s|hash? abbrev? q|quiet exclude-existing?";
    let parsed = args::parse("show-ref", table, &call.words)?;
    let repo = call.repo()?;
    let digits = parsed
        .text("hash")
        .or(parsed.text("abbrev"))
        .and_then(|count| count.parse::<usize>().ok());
    let show_oid = |oid: &Oid| match digits {
        Some(count) => repo.objects.abbreviate(oid, count),
        None if parsed.has("abbrev") => repo.short(oid),
        None => oid.hex(),
    };
    let print = |full: &[u8], oid: Oid| {
        if parsed.has("quiet") {
            return;
        }
        let line = |oid: &Oid, suffix: &str| match parsed.has("hash") {
            true => out::line(show_oid(oid)),
            false => out::line([show_oid(oid).as_bytes(), b" ", full, suffix.as_bytes()].concat()),
        };
        line(&oid, "");
        if parsed.has("dereference")
            && let Ok(peeled) = revision::peel(&repo, oid, None)
            && peeled != oid
        {
            line(&peeled, "^{}");
        }
    };
    if parsed.has("exists") {
        let name = parsed.words.first().cloned().unwrap_or_default();
        if repo.refs.raw(&name).is_some() {
            return Ok(0);
        }
        out::note("error: reference does not exist");
        return Ok(2);
    }
    if parsed.has("verify") {
        for name in &parsed.words {
            match repo
                .refs
                .resolve(name)
                .filter(|_| name.starts_with(b"refs/") || name == b"HEAD")
            {
                Some(oid) => print(name, oid),
                None if parsed.has("quiet") => return Ok(1),
                None => return fatal(format!("'{}' - not a valid ref", show(name))),
            }
        }
        return Ok(0);
    }
    let mut any = false;
    let heads = parsed.has("heads") || parsed.has("branches");
    let mut refs = repo.refs.all(b"refs/");
    if heads || parsed.has("tags") {
        refs.retain(|(full, _)| {
            (heads && full.starts_with(b"refs/heads/"))
                || (parsed.has("tags") && full.starts_with(b"refs/tags/"))
        });
    }
    if parsed.has("head")
        && let Some(head) = repo.head()
    {
        refs.insert(0, (b"HEAD".to_vec(), head));
    }
    for (full, oid) in refs {
        let ends =
            |pattern: &Vec<u8>| full == *pattern || full.ends_with(&[b"/", &pattern[..]].concat());
        let always = parsed.has("head") && full == b"HEAD";
        if always || parsed.words.is_empty() || parsed.words.iter().any(ends) {
            any = true;
            print(&full, oid);
        }
    }
    Ok(i32::from(!any))
}
