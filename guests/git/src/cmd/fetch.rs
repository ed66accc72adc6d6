//! `git fetch`.

use super::Call;
use super::remote::{default_remote, names, url};
use super::transfer::{Row, copy, open, print_rows, revision_target, shown_place};
use crate::ident::{Role, identity};
use crate::oid::Oid;
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::{args, os, out, walk};

/// How `fetch` goes.
#[derive(Debug, Default)]
pub(crate) struct FetchOptions {
    pub(crate) quiet: bool,
    pub(crate) prune: bool,
    pub(crate) tags: bool,
    pub(crate) no_tags: bool,
    pub(crate) force: bool,
}

/// Brings the branches of a remote; the objects that were asked for by name, with that name.
pub(crate) fn fetch_from(
    repo: &Repo,
    name: &[u8],
    specs: &[Vec<u8>],
    options: &FetchOptions,
) -> Result<Vec<(Oid, Vec<u8>, bool)>> {
    let configured = url(repo, name);
    let place = configured.clone().unwrap_or_else(|| name.to_vec());
    let base = repo
        .work_tree
        .clone()
        .unwrap_or_else(|| repo.started_in.clone());
    let other = open(&place, &base)?;
    let who = identity(repo, Role::Committer, false)?;
    let mut rows = Vec::new();
    let mut head_lines: Vec<(Oid, Vec<u8>, bool)> = Vec::new();
    let branches = other.refs.all(b"refs/heads/");
    let mut updates: Vec<(Vec<u8>, Vec<u8>, Oid, bool)> = Vec::new();
    if specs.is_empty() {
        let current = repo.branch().unwrap_or_default();
        let merge = repo
            .config
            .get_bytes(&[b"branch.", &current[..], b".merge"].concat())
            .map(<[u8]>::to_vec);
        let follows = repo
            .config
            .get_bytes(&[b"branch.", &current[..], b".remote"].concat())
            == Some(name);
        for (full, oid) in &branches {
            let for_merge = follows && merge.as_ref() == Some(full);
            head_lines.push((*oid, full.clone(), for_merge));
            if configured.is_some() {
                let short = &full[b"refs/heads/".len()..];
                updates.push((
                    full.clone(),
                    [b"refs/remotes/", name, b"/", short].concat(),
                    *oid,
                    true,
                ));
            }
        }
        if configured.is_none() {
            head_lines.clear();
            if let Some(head) = other.refs.resolve(b"HEAD") {
                head_lines.push((head, b"HEAD".to_vec(), true));
            }
        }
        head_lines.sort_by_key(|(_, _, merge)| !merge);
    }
    for spec in specs {
        let (force, spec) = match spec.strip_prefix(b"+") {
            Some(rest) => (true, rest.to_vec()),
            None => (false, spec.clone()),
        };
        let (source, target) = match spec.iter().position(|byte| *byte == b':') {
            Some(at) => (spec[..at].to_vec(), Some(spec[at + 1..].to_vec())),
            None => (spec.clone(), None),
        };
        let found = ["", "refs/heads/", "refs/tags/"].iter().find_map(|prefix| {
            let full = [prefix.as_bytes(), &source[..]].concat();
            other.refs.resolve(&full).map(|oid| (full, oid))
        });
        let Some((full, oid)) = found else {
            return fatal(format!("couldn't find remote ref {}", show(&source)));
        };
        head_lines.push((oid, full.clone(), true));
        match target {
            Some(target) if !target.is_empty() => {
                let target = if target.starts_with(b"refs/") {
                    target
                } else {
                    [b"refs/heads/", &target[..]].concat()
                };
                updates.push((full, target, oid, force || options.force));
            }
            _ => {
                if let (Some(short), true) =
                    (full.strip_prefix(b"refs/heads/"), configured.is_some())
                {
                    let tracking = [b"refs/remotes/", name, b"/", short].concat();
                    updates.push((full.clone(), tracking, oid, true));
                }
            }
        }
    }
    let mut starts: Vec<Oid> = head_lines.iter().map(|(oid, ..)| *oid).collect();
    starts.extend(updates.iter().map(|(_, _, oid, _)| *oid));
    copy(&other.objects, &repo.objects, &starts)?;
    if specs.is_empty() && !options.no_tags || options.tags {
        for (full, oid) in other.refs.all(b"refs/tags/") {
            let target = revision_target(&other, oid);
            let reachable = options.tags || target.is_some_and(|target| repo.objects.has(&target));
            if reachable && repo.refs.resolve(&full).is_none() {
                copy(&other.objects, &repo.objects, &[oid])?;
                updates.push((full.clone(), full, oid, false));
            }
        }
    }
    if options.prune {
        for (full, _) in repo.refs.all(&[b"refs/remotes/", name, b"/"].concat()) {
            let short = &full[b"refs/remotes/".len() + name.len() + 1..];
            let gone = short != b"HEAD"
                && !branches
                    .iter()
                    .any(|(branch, _)| &branch[b"refs/heads/".len()..] == short);
            if gone {
                repo.refs.delete(&full)?;
                rows.push(Row {
                    flag: '-',
                    summary: "[deleted]".into(),
                    from: "(none)".into(),
                    to: show(super::short_ref(&full)),
                    reason: String::new(),
                });
            }
        }
    }
    let mut failed = false;
    for (from, to, oid, force) in &updates {
        let (short_from, short_to) = (show(super::short_ref(from)), show(super::short_ref(to)));
        let old = repo.refs.resolve(to);
        let mut row = Row {
            flag: ' ',
            summary: String::new(),
            from: short_from,
            to: short_to,
            reason: String::new(),
        };
        let log = format!("fetch {}", show(name));
        match old {
            Some(old) if old == *oid => continue,
            None => {
                row.flag = '*';
                let tag = to.starts_with(b"refs/tags/");
                row.summary = if tag { "[new tag]" } else { "[new branch]" }.to_owned();
                let message = format!("{log}: storing head");
                repo.refs
                    .write(to, *oid, Some((&who, message.as_bytes())))?;
            }
            Some(old) => {
                let forward = walk::is_ancestor(repo, old, *oid).unwrap_or(false);
                row.summary = format!("{}..{}", repo.short(&old), repo.short(oid));
                if !forward && !force {
                    row.flag = '!';
                    row.summary = "[rejected]".to_owned();
                    row.reason = "non-fast-forward".to_owned();
                    failed = true;
                    rows.push(row);
                    continue;
                }
                if !forward {
                    row.flag = '+';
                    row.summary = format!("{}...{}", repo.short(&old), repo.short(oid));
                    row.reason = "forced update".to_owned();
                }
                let message = format!(
                    "{log}: {}",
                    if forward {
                        "fast-forward"
                    } else {
                        "forced-update"
                    }
                );
                repo.refs
                    .write(to, *oid, Some((&who, message.as_bytes())))?;
            }
        }
        rows.push(row);
    }
    if updates.is_empty() && !head_lines.is_empty() || !specs.is_empty() && configured.is_some() {
        for (_, full, merge) in head_lines.iter().filter(|(_, _, merge)| *merge) {
            let _ = merge;
            let kind = if full.starts_with(b"refs/heads/") {
                "branch"
            } else if full.starts_with(b"refs/tags/") {
                "tag"
            } else {
                "branch"
            };
            rows.insert(
                0,
                Row {
                    flag: '*',
                    summary: kind.to_owned(),
                    from: show(super::short_ref(full)),
                    to: "FETCH_HEAD".to_owned(),
                    reason: String::new(),
                },
            );
        }
    }
    let shown = shown_place(&place);
    let mut text = Vec::new();
    for (oid, full, merge) in &head_lines {
        let mark = if *merge { "" } else { "not-for-merge" };
        let what = match full.strip_prefix(b"refs/heads/") {
            Some(branch) => format!("branch '{}' of ", show(branch)),
            None if full == b"HEAD" => String::new(),
            None => format!("tag '{}' of ", show(super::short_ref(full))),
        };
        text.extend(format!("{oid}\t{mark}\t{what}{}\n", shown).bytes());
    }
    os::write(&repo.file("FETCH_HEAD"), &text)?;
    if !options.quiet {
        print_rows("From", &shown, &rows.iter().collect::<Vec<_>>());
    }
    if failed {
        return Err(Stop::Status(1));
    }
    Ok(head_lines)
}

pub(crate) const FETCH: &str = "v|verbose q|quiet all set-upstream a|append upload-pack= f|force m|multiple t|tags n| j|jobs= prefetch p|prune P|prune-tags \
    recurse-submodules? dry-run porcelain write-fetch-head k|keep u|update-head-ok progress depth= shallow-since= deepen= unshallow refetch atomic no-tags";

/// `git fetch`.
pub(crate) fn fetch(call: &Call) -> Result<i32> {
    let parsed = args::parse("fetch", FETCH, &call.words)?;
    parsed.refuse(&[
        "depth",
        "shallow-since",
        "deepen",
        "unshallow",
        "dry-run",
        "porcelain",
        "append",
        "set-upstream",
        "prefetch",
    ])?;
    let repo = call.repo()?;
    let options = FetchOptions {
        quiet: parsed.has("quiet"),
        prune: parsed.has("prune") || repo.config.truth("fetch.prune") == Some(true),
        tags: parsed.has("tags"),
        no_tags: parsed.has("no-tags") || parsed.has("n"),
        force: parsed.has("force"),
    };
    if parsed.has("all") {
        for name in names(&repo) {
            out::line(format!("Fetching {}", show(&name)));
            fetch_from(&repo, &name, &[], &options)?;
        }
        return Ok(0);
    }
    let name = parsed
        .words
        .first()
        .cloned()
        .unwrap_or_else(|| default_remote(&repo));
    if parsed.words.is_empty() && url(&repo, &name).is_none() {
        return fatal(
            "No remote repository specified.  Please, specify either a URL or a\nremote name from which new revisions should be fetched.",
        );
    }
    fetch_from(
        &repo,
        &name,
        parsed.words.get(1..).unwrap_or_default(),
        &options,
    )?;
    Ok(0)
}
