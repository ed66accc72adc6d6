//! Other repositories, on the same machine: `remote`, `fetch`, `pull`, `ls-remote`.

use std::collections::HashSet;

use super::Call;
use super::branch::{remove_section, set_value};
use crate::args;
use crate::ident::{Role, identity};
use crate::merge::Labels;
use crate::object::{Commit, Tag, parse_tree};
use crate::objects::Objects;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::refs::Refs;
use crate::repo::{self, Repo};
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;

/// Another repository: its references and objects.
pub(crate) struct Other {
    pub(crate) dir: Vec<u8>,
    pub(crate) refs: Refs,
    pub(crate) objects: Objects,
}

/// Opens a repository by the path of a remote. Names of hosts are refused: there is no network here.
pub(crate) fn open(path: &[u8], base: &[u8]) -> Result<Other> {
    let path = path.strip_prefix(b"file://").unwrap_or(path);
    let text = show(path);
    let has_scheme = text.contains("://");
    let is_host = !text.starts_with('/')
        && !text.starts_with('.')
        && text
            .split_once(':')
            .is_some_and(|(host, _)| !host.contains('/'));
    if has_scheme || is_host {
        return fatal(format!(
            "codepod's git has no network: '{text}' is not a path"
        ));
    }
    let whole = if path.first() == Some(&b'/') {
        path.to_vec()
    } else {
        [base, b"/", path].concat()
    };
    for suffix in [&b"/.git"[..], b"", b".git/.git", b".git"] {
        let place = [&whole[..], suffix].concat();
        if let Ok(Some(dir)) = repo::git_link(&place) {
            let dir = os::real_path(&dir)?;
            let common = match os::read(&[&dir[..], b"/commondir"].concat()) {
                Ok(text) => os::real_path(&[&dir[..], b"/", text.trim_ascii_end()].concat())?,
                Err(_) => dir.clone(),
            };
            let objects = Objects::open([&common[..], b"/objects"].concat());
            return Ok(Other {
                refs: Refs {
                    own: dir.clone(),
                    common,
                },
                dir,
                objects,
            });
        }
    }
    let shown = show(path);
    out::note(format!(
        "fatal: '{shown}' does not appear to be a git repository"
    ));
    out::note(
        "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
    );
    Err(Stop::Status(128))
}

/// Copies objects, and all that they lead to, that the target does not have.
pub(crate) fn copy(from: &Objects, to: &Objects, starts: &[Oid]) -> Result<usize> {
    let mut seen: HashSet<Oid> = HashSet::new();
    let mut todo: Vec<Oid> = starts.to_vec();
    let mut found: Vec<Oid> = Vec::new();
    while let Some(oid) = todo.pop() {
        if !seen.insert(oid) || (to.has(&oid) && oid != Oid::EMPTY_TREE) {
            continue;
        }
        let (kind, content) = from.read(&oid)?;
        match kind {
            Kind::Blob => {}
            Kind::Tag => todo.extend(Tag::parse(&content).map(|tag| tag.target)),
            Kind::Commit => {
                if let Some(commit) = Commit::parse(oid, &content) {
                    todo.push(commit.tree);
                    todo.extend(commit.parents);
                }
            }
            Kind::Tree => {
                let entries = parse_tree(&content).unwrap_or_default();
                todo.extend(
                    entries
                        .into_iter()
                        .filter(|entry| entry.kind() != Kind::Commit)
                        .map(|entry| entry.oid),
                );
            }
        }
        found.push(oid);
    }
    // A parent is written before its children, so that a copy that was cut off is still whole.
    for oid in found.iter().rev() {
        let (kind, content) = from.read(oid)?;
        to.write(kind, &content)?;
    }
    Ok(found.len())
}

/// The names of remotes.
fn names(repo: &Repo) -> Vec<Vec<u8>> {
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

/// How `fetch` goes.
#[derive(Debug, Default)]
pub(crate) struct FetchOptions {
    quiet: bool,
    prune: bool,
    tags: bool,
    no_tags: bool,
    force: bool,
}

/// A line of what `fetch` and `push` did.
pub(crate) struct Row {
    pub(crate) flag: char,
    pub(crate) summary: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) reason: String,
}

impl Row {
    /// This row, with what became of it.
    pub(crate) fn with(self, flag: char, summary: impl Into<String>, reason: &str) -> Row {
        Row {
            flag,
            summary: summary.into(),
            reason: reason.to_owned(),
            ..self
        }
    }
}

pub(crate) fn print_rows(title: &str, place: &str, rows: &[&Row]) {
    if rows.is_empty() {
        return;
    }
    out::note(format!("{title} {place}"));
    let width = rows
        .iter()
        .map(|row| row.summary.len())
        .max()
        .unwrap_or(0)
        .max(17);
    let from_width = rows
        .iter()
        .map(|row| row.from.len())
        .max()
        .unwrap_or(0)
        .max(10);
    for row in rows {
        let reason = if row.reason.is_empty() {
            String::new()
        } else {
            format!(" ({})", row.reason)
        };
        let from = match title {
            "To" => row.from.clone(),
            _ => format!("{:<from_width$}", row.from),
        };
        let from = match row.flag {
            '-' if title == "To" => String::new(),
            _ => format!("{from} -> "),
        };
        out::note(format!(
            " {} {:<width$} {from}{}{reason}",
            row.flag, row.summary, row.to
        ));
    }
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
    let shown = show(&place);
    let mut text = Vec::new();
    for (oid, full, merge) in &head_lines {
        let mark = if *merge { "" } else { "not-for-merge" };
        let what = match full.strip_prefix(b"refs/heads/") {
            Some(branch) => format!("branch '{}' of ", show(branch)),
            None if full == b"HEAD" => String::new(),
            None => format!("tag '{}' of ", show(super::short_ref(full))),
        };
        text.extend(format!("{oid}\t{mark}\t{what}{}\n", shown.trim_end_matches("/.git")).bytes());
    }
    os::write(&repo.file("FETCH_HEAD"), &text)?;
    if !options.quiet {
        print_rows(
            "From",
            shown.strip_suffix(".git").map_or(shown.as_str(), |text| {
                text.strip_suffix('/').unwrap_or(text)
            }),
            &rows.iter().collect::<Vec<_>>(),
        );
    }
    if failed {
        return Err(Stop::Status(1));
    }
    Ok(head_lines)
}

fn revision_target(other: &Other, oid: Oid) -> Option<Oid> {
    match other.objects.get(&oid) {
        Ok(Some((Kind::Tag, content))) => Tag::parse(&content).map(|tag| tag.target),
        Ok(Some(_)) => Some(oid),
        _ => None,
    }
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

const FETCH: &str = "v|verbose q|quiet all set-upstream a|append upload-pack= f|force m|multiple t|tags n| j|jobs= prefetch p|prune P|prune-tags \
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

/// `git pull`.
pub(crate) fn pull(call: &Call) -> Result<i32> {
    let table = "v|verbose q|quiet rebase? r| n| stat summary log? squash commit edit no-edit ff ff-only s|strategy= X|strategy-option= \
                 allow-unrelated-histories all p|prune t|tags f|force no-rebase autostash progress no-tags";
    let parsed = args::parse("pull", table, &call.words)?;
    parsed.refuse(&["autostash", "all", "strategy", "log"])?;
    let repo = call.work_tree()?;
    let name = parsed
        .words
        .first()
        .cloned()
        .unwrap_or_else(|| default_remote(&repo));
    let options = FetchOptions {
        quiet: parsed.has("quiet"),
        prune: parsed.has("prune"),
        tags: parsed.has("tags"),
        ..FetchOptions::default()
    };
    let branch = repo.branch();
    if parsed.words.len() < 2
        && branch
            .as_ref()
            .is_none_or(|branch| revision::upstream(&repo, branch).is_none())
        && url(&repo, &name).is_some()
    {
        fetch_from(&repo, &name, &[], &options)?;
        let branch = branch.map_or("<branch>".to_owned(), |branch| show(&branch));
        out::note(format!(
            "There is no tracking information for the current branch.\nPlease specify which branch you want to merge with.\nSee git-pull(1) for \
             details.\n\n    git pull <remote> <branch>\n\nIf you wish to set tracking information for this branch you can do so with:\n\n    git branch \
             --set-upstream-to={}/<branch> {branch}\n",
            show(&name)
        ));
        return Ok(1);
    }
    let heads = fetch_from(
        &repo,
        &name,
        parsed.words.get(1..).unwrap_or_default(),
        &options,
    )?;
    let Some((target, full, _)) = heads.iter().find(|(_, _, merge)| *merge) else {
        return fatal("Couldn't find a branch to merge with");
    };
    let rebases =
        parsed.has("rebase") && parsed.value("rebase") != Some(b"false") || parsed.has("r");
    let rebases =
        rebases || (!parsed.has("no-rebase") && repo.config.truth("pull.rebase") == Some(true));
    let head = repo.head();
    let diverged = match head {
        Some(head) => {
            !walk::is_ancestor(&repo, head, *target)? && !walk::is_ancestor(&repo, *target, head)?
        }
        None => false,
    };
    let decided = rebases
        || parsed.has("no-rebase")
        || parsed.has("ff-only")
        || parsed.has("no-ff")
        || parsed.has("ff");
    let decided =
        decided || repo.config.get("pull.rebase").is_some() || repo.config.get("pull.ff").is_some();
    if diverged && !decided {
        out::hint(
            "You have divergent branches and need to specify how to reconcile them.\nYou can do so by running one of the following commands sometime \
             before\nyour next pull:\n\n  git config pull.rebase false  # merge\n  git config pull.rebase true   # rebase\n  git config pull.ff only       # \
             fast-forward only\n\nYou can replace \"git config\" with \"git config --global\" to set a default\npreference for all repositories. You can \
             also pass --rebase, --no-rebase,\nor --ff-only on the command line to override the configured default per\ninvocation.",
        );
        return fatal("Need to specify how to reconcile divergent branches.");
    }
    if rebases && diverged {
        os::chdir(&repo.started_in)?;
        return super::rebase::rebase(&Call {
            global: call.global.clone(),
            words: vec![target.hex().into_bytes()],
            name: "rebase",
        });
    }
    let place = url(&repo, &name).unwrap_or_else(|| name.clone());
    let short = show(super::short_ref(full));
    let into = match repo.branch() {
        Some(branch) if branch != b"main" && branch != b"master" => {
            format!(" into {}", show(&branch))
        }
        _ => String::new(),
    };
    let from = show(&place);
    let message = match full.strip_prefix(b"refs/heads/") {
        Some(_) => format!(
            "Merge branch '{short}' of {}{into}\n",
            from.trim_end_matches("/.git")
        ),
        None => format!("Merge {}{into}\n", from.trim_end_matches("/.git")),
    };
    let words = vec![target.hex().into_bytes()];
    let fast = match () {
        () if parsed.has("ff-only") || repo.config.get("pull.ff") == Some(b"only") => {
            super::merge::Fast::Only
        }
        () if parsed.has("no-ff") => super::merge::Fast::No,
        () => super::merge::Fast::Yes,
    };
    let mut labels = Labels {
        ours: "HEAD".to_owned(),
        theirs: target.hex(),
        ..Labels::default()
    };
    super::merge::strategy_options(&parsed, &mut labels)?;
    let log = format!(
        "pull{}",
        call.words
            .iter()
            .map(|word| format!(" {}", show(word)))
            .collect::<String>()
    );
    let request = super::merge::Request {
        words: &words,
        message: message.into_bytes(),
        edits: false,
        fast,
        squash: parsed.has("squash"),
        commits: !parsed.has("no-commit"),
        unrelated: parsed.has("allow-unrelated-histories"),
        quiet: parsed.has("quiet"),
        stat: !(parsed.has("no-stat") || parsed.has("n")),
        ours: false,
        labels,
        log: Some(log),
    };
    super::merge::run(&repo, &[*target], &request)
}

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
