//! `git branch`.

use super::{Call, check_branch_name, ref_fields::format_ref};
use crate::args;
use crate::config;
use crate::ident::{Role, identity};
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, error, fatal, show};
use crate::walk;
use crate::wildmatch::{self, Slashes};

/// `git branch`.
pub(crate) fn branch(call: &Call) -> Result<i32> {
    let table = "v|verbose q|quiet t|track? u|set-upstream-to= unset-upstream color? r|remotes contains? no-contains? abbrev= a|all d|delete D| \
                 m|move M| omit-empty c|copy C| l|list show-current create-reflog edit-description f|force merged? no-merged? column? sort= \
                 points-at= i|ignore-case recurse-submodules format=";
    // `--contains` and its like take the next word when there is one.
    let mut words = Vec::new();
    let mut given = call.words.iter().peekable();
    while let Some(word) = given.next() {
        let takes = [
            &b"--contains"[..],
            b"--no-contains",
            b"--merged",
            b"--no-merged",
            b"--with",
        ]
        .contains(&&word[..]);
        match given.peek().filter(|next| takes && !next.starts_with(b"-")) {
            Some(next) => {
                words.push([&word[..], b"=", next].concat());
                given.next();
            }
            None => words.push(word.clone()),
        }
    }
    let parsed = args::parse("branch", table, &words)?;
    parsed.refuse(&["edit-description", "column"])?;
    let repo = call.repo()?;
    if parsed.has("show-current") {
        if let Some(branch) = repo.branch() {
            out::line(branch);
        }
        return Ok(0);
    }
    let force = parsed.has("force");
    if parsed.has("delete") || parsed.has("D") {
        return delete(&repo, &parsed, force || parsed.has("D"));
    }
    if parsed.has("move") || parsed.has("M") || parsed.has("copy") || parsed.has("C") {
        return rename(
            &repo,
            &parsed,
            force || parsed.has("M") || parsed.has("C"),
            parsed.has("copy") || parsed.has("C"),
        );
    }
    if let Some(upstream) = parsed.value("set-upstream-to") {
        return upstream_to(&repo, &parsed.words, upstream);
    }
    if parsed.has("unset-upstream") {
        return unset_upstream(&repo, &parsed.words);
    }
    let listing = [
        "list",
        "remotes",
        "all",
        "contains",
        "no-contains",
        "merged",
        "no-merged",
        "points-at",
        "format",
        "sort",
    ];
    if parsed.words.is_empty() || listing.iter().any(|name| parsed.has(name)) {
        return list(&repo, &parsed);
    }
    if parsed.words.len() > 2 {
        return Err(args::usage("branch", "too many arguments"));
    }
    let name = &parsed.words[0];
    create(
        &repo,
        name,
        parsed.words.get(1).map(Vec::as_slice),
        force,
        parsed.has("track"),
        parsed.has("quiet"),
    )?;
    Ok(0)
}

/// Makes a branch, or moves it with `force`.
pub(crate) fn create(
    repo: &Repo,
    name: &[u8],
    start: Option<&[u8]>,
    force: bool,
    track: bool,
    quiet: bool,
) -> Result<Oid> {
    check_branch_name(name)?;
    let full = [b"refs/heads/", name].concat();
    let exists = repo.refs.resolve(&full).is_some();
    if exists && !force {
        return fatal(format!("a branch named '{}' already exists", show(name)));
    }
    if exists {
        check_not_elsewhere(repo, name, true)?;
        if repo.branch().as_deref() == Some(name) {
            let place = show(repo.work_tree.as_deref().unwrap_or(b""));
            return fatal(format!(
                "cannot force update the branch '{}' used by worktree at '{place}'",
                show(name)
            ));
        }
    }
    let word = start.unwrap_or(b"HEAD");
    let Some(oid) = revision::try_resolve(repo, word)? else {
        return fatal(format!(
            "not a valid object name: '{}'",
            show(&start.map_or_else(|| repo_branch(repo), <[u8]>::to_vec))
        ));
    };
    let Ok(oid) = revision::peel(repo, oid, Some(Kind::Commit)) else {
        return fatal(format!("not a valid branch point: '{}'", show(word)));
    };
    let who = identity(repo, Role::Committer, false)?;
    let shown = match start {
        Some(word) => show(word),
        None => repo
            .branch()
            .map_or("HEAD".to_owned(), |branch| show(&branch)),
    };
    let message = if exists {
        format!("branch: Reset to {shown}")
    } else {
        format!("branch: Created from {shown}")
    };
    repo.refs
        .write(&full, oid, Some((&who, message.as_bytes())))?;
    let from = revision::full_ref(repo, word);
    match from {
        Some(from) if from.starts_with(b"refs/remotes/") && start.is_some() => {
            set_upstream(repo, name, &from, quiet)?
        }
        Some(from) if track && from.starts_with(b"refs/heads/") => {
            set_upstream(repo, name, &from, quiet)?
        }
        _ => {}
    }
    Ok(oid)
}

fn repo_branch(repo: &Repo) -> Vec<u8> {
    repo.branch().unwrap_or_else(|| b"HEAD".to_vec())
}

/// Fails when another working tree has the branch.
pub(crate) fn check_not_elsewhere(repo: &Repo, name: &[u8], forcing: bool) -> Result<()> {
    let full = [b"ref: refs/heads/", name].concat();
    let own = repo.absolute_dir();
    for (place, dir) in super::worktrees::all(repo) {
        let head = os::read(&[&dir[..], b"/HEAD"].concat()).unwrap_or_default();
        if os::real_path(&dir).ok() != os::real_path(&own).ok() && head.trim_ascii_end() == full {
            let (name, place) = (show(name), show(&place));
            return match forcing {
                true => fatal(format!(
                    "cannot force update the branch '{name}' used by worktree at '{place}'"
                )),
                false => fatal(format!("'{name}' is already used by worktree at '{place}'")),
            };
        }
    }
    Ok(())
}

/// Writes what a branch follows.
pub(crate) fn set_upstream(repo: &Repo, branch: &[u8], upstream: &[u8], quiet: bool) -> Result<()> {
    let (remote, merge) = match upstream.strip_prefix(b"refs/remotes/") {
        Some(rest) => {
            let slash = rest
                .iter()
                .position(|byte| *byte == b'/')
                .unwrap_or(rest.len());
            let name = rest.get(slash + 1..).unwrap_or_default();
            (rest[..slash].to_vec(), [b"refs/heads/", name].concat())
        }
        None => (b".".to_vec(), upstream.to_vec()),
    };
    let file = repo.shared("config");
    for (what, value) in [("remote", &remote), ("merge", &merge)] {
        let key = [b"branch.", branch, b".", what.as_bytes()].concat();
        set_value(&file, &key, Some(value))?;
    }
    if !quiet {
        out::line(format!(
            "branch '{}' set up to track '{}'.",
            show(branch),
            show(super::short_ref(upstream))
        ));
    }
    Ok(())
}

/// Sets or removes a key of a file, in all places.
pub(crate) fn set_value(file: &[u8], key: &[u8], value: Option<&[u8]>) -> Result<()> {
    let text = os::read(file).unwrap_or_default();
    let Ok(items) = config::parse(&text) else {
        return fatal(format!("bad config file {}", show(file)));
    };
    let places: Vec<usize> = items
        .iter()
        .enumerate()
        .filter(|(_, item)| !item.is_header && item.key == key)
        .map(|(at, _)| at)
        .collect();
    if places.is_empty() && value.is_none() {
        return Ok(());
    }
    match config::edit(&text, key, key, value, &places) {
        Some(text) => Ok(os::replace(file, &text)?),
        None => fatal(format!("could not write config file {}", show(file))),
    }
}

/// Removes a whole section.
pub(crate) fn remove_section(file: &[u8], section: &[u8]) -> Result<bool> {
    let text = os::read(file).unwrap_or_default();
    let Ok(items) = config::parse(&text) else {
        return fatal(format!("bad config file {}", show(file)));
    };
    let mut out = Vec::new();
    let (mut at, mut found) = (0, false);
    for (number, item) in items.iter().enumerate() {
        if !item.is_header || item.key != section {
            continue;
        }
        found = true;
        let end = items[number + 1..]
            .iter()
            .find(|next| next.is_header)
            .map_or(text.len(), |next| next.start);
        out.extend_from_slice(&text[at..item.start]);
        at = end;
    }
    out.extend_from_slice(&text[at..]);
    if found {
        os::replace(file, &out)?;
    }
    Ok(found)
}

fn delete(repo: &Repo, parsed: &args::Parsed, force: bool) -> Result<i32> {
    if parsed.words.is_empty() {
        return fatal("branch name required");
    }
    let remote = parsed.has("remotes");
    let prefix: &[u8] = if remote {
        b"refs/remotes/"
    } else {
        b"refs/heads/"
    };
    let mut status = 0;
    for name in &parsed.words {
        let name = match &name[..] {
            b"-" => revision::previous_branch(repo, 1).unwrap_or_else(|| b"-".to_vec()),
            other => other.to_vec(),
        };
        let full = [prefix, &name[..]].concat();
        if !remote && repo.branch().as_deref() == Some(&name[..]) {
            let place = show(repo.work_tree.as_deref().unwrap_or(&repo.dir));
            out::note(format!(
                "error: cannot delete branch '{}' used by worktree at '{place}'",
                show(&name)
            ));
            status = 1;
            continue;
        }
        let Some(oid) = repo
            .refs
            .resolve(&full)
            .filter(|_| crate::refs::is_valid(&full, false))
        else {
            let word = if remote {
                "remote-tracking branch"
            } else {
                "branch"
            };
            out::note(format!("error: {word} '{}' not found", show(&name)));
            status = 1;
            continue;
        };
        if !remote && !force {
            let base = revision::upstream(repo, &name)
                .and_then(|upstream| repo.refs.resolve(&upstream))
                .or(repo.head());
            let merged = match base {
                Some(base) => walk::is_ancestor(repo, oid, base)?,
                None => false,
            };
            if !merged {
                out::note(format!(
                    "error: the branch '{}' is not fully merged",
                    show(&name)
                ));
                out::hint(&format!(
                    "If you are sure you want to delete it, run 'git branch -D {}'\nDisable this message with \"git config \
                     advice.forceDeleteBranch false\"",
                    show(&name)
                ));
                status = 1;
                continue;
            }
        }
        repo.refs.delete(&full)?;
        if !remote {
            remove_section(&repo.shared("config"), &[b"branch.", &name[..]].concat())?;
        }
        if !parsed.has("quiet") {
            let word = if remote {
                "remote-tracking branch"
            } else {
                "branch"
            };
            out::line(format!(
                "Deleted {word} {} (was {}).",
                show(&name),
                repo.short(&oid)
            ));
        }
    }
    Ok(status)
}

fn rename(repo: &Repo, parsed: &args::Parsed, force: bool, copy: bool) -> Result<i32> {
    let (old, new) = match &parsed.words[..] {
        [new] => match repo.branch() {
            Some(old) => (old, new.clone()),
            None => return fatal("cannot rename the current branch while not on any"),
        },
        [old, new] => (old.clone(), new.clone()),
        [] => return fatal("branch name required"),
        _ => return fatal("too many arguments for a rename operation"),
    };
    check_branch_name(&new)?;
    let (from, to) = (
        [b"refs/heads/", &old[..]].concat(),
        [b"refs/heads/", &new[..]].concat(),
    );
    let current = repo.refs.head_branch().as_ref() == Some(&from);
    let Some(oid) = repo.refs.resolve(&from) else {
        if current && !copy {
            repo.refs.write_symbolic(b"HEAD", &to)?;
            return Ok(0);
        }
        return fatal(format!("no branch named '{}'", show(&old)));
    };
    if repo.refs.resolve(&to).is_some() && !force && from != to {
        return fatal(format!("a branch named '{}' already exists", show(&new)));
    }
    let who = identity(repo, Role::Committer, false)?;
    if copy {
        let message = format!("Branch: copied {} to {}", show(&from), show(&to));
        repo.refs
            .write(&to, oid, Some((&who, message.as_bytes())))?;
        return Ok(0);
    }
    if from != to {
        let message = format!("Branch: renamed {} to {}", show(&from), show(&to));
        if repo.refs.resolve(&to).is_some() {
            repo.refs.delete(&to)?;
        }
        repo.refs.rename(&from, &to, &who, message.as_bytes())?;
        if current {
            repo.refs.write_symbolic(b"HEAD", &to)?;
            repo.refs
                .log(b"HEAD", oid, Oid::NULL, &who, message.as_bytes())?;
            repo.refs
                .log(b"HEAD", Oid::NULL, oid, &who, message.as_bytes())?;
        }
        for what in ["remote", "merge"] {
            let key = |name: &[u8]| [b"branch.", name, b".", what.as_bytes()].concat();
            if let Some(value) = repo.config.get_bytes(&key(&old)).map(<[u8]>::to_vec) {
                set_value(&repo.shared("config"), &key(&new), Some(&value))?;
            }
        }
        remove_section(&repo.shared("config"), &[b"branch.", &old[..]].concat())?;
    }
    Ok(0)
}

fn upstream_to(repo: &Repo, words: &[Vec<u8>], upstream: &[u8]) -> Result<i32> {
    let Some(branch) = words.first().cloned().or_else(|| repo.branch()) else {
        return fatal(format!(
            "could not set upstream of HEAD to {} when it does not point to any branch",
            show(upstream)
        ));
    };
    if repo
        .refs
        .resolve(&[b"refs/heads/", &branch[..]].concat())
        .is_none()
    {
        return fatal(format!("branch '{}' does not exist", show(&branch)));
    }
    let full = revision::full_ref(repo, upstream).filter(|full| full.starts_with(b"refs/"));
    let Some(full) = full else {
        out::note(format!(
            "fatal: the requested upstream branch '{}' does not exist",
            show(upstream)
        ));
        out::hint(
            "\nIf you are planning on basing your work on an upstream\nbranch that already exists at the remote, you may need to\nrun \"git \
             fetch\" to retrieve it.\n\nIf you are planning to push out a new local branch that\nwill track its remote counterpart, you may \
             want to use\n\"git push -u\" to set the upstream config as you push.\nDisable this message with \"git config \
             advice.setUpstreamFailure false\"",
        );
        return Err(Stop::Status(128));
    };
    set_upstream(repo, &branch, &full, false)?;
    Ok(0)
}

fn unset_upstream(repo: &Repo, words: &[Vec<u8>]) -> Result<i32> {
    let Some(branch) = words.first().cloned().or_else(|| repo.branch()) else {
        return fatal("could not unset upstream of HEAD when it does not point to any branch");
    };
    if revision::upstream(repo, &branch).is_none() {
        return fatal(format!(
            "branch '{}' has no upstream information",
            show(&branch)
        ));
    }
    for what in ["remote", "merge"] {
        let key = [b"branch.", &branch[..], b".", what.as_bytes()].concat();
        set_value(&repo.shared("config"), &key, None)?;
    }
    Ok(0)
}

/// The commit of an option such as `--contains`.
fn commit_of(repo: &Repo, value: Option<&[u8]>) -> Result<Oid> {
    let name = value.unwrap_or(b"HEAD");
    match revision::try_resolve(repo, name)? {
        Some(oid) => revision::peel(repo, oid, Some(Kind::Commit)),
        None => error(format!("malformed object name {}", show(name))).map_err(|stop| match stop {
            Stop::Error(text) => Stop::ErrorStatus(text, 129),
            other => other,
        }),
    }
}

fn list(repo: &Repo, parsed: &args::Parsed) -> Result<i32> {
    let (all, remotes) = (parsed.has("all"), parsed.has("remotes"));
    let mut refs = Vec::new();
    if !remotes || all {
        refs.extend(repo.refs.all(b"refs/heads/"));
    }
    if remotes || all {
        refs.extend(repo.refs.all(b"refs/remotes/"));
    }
    let patterns = &parsed.words;
    let wanted = |full: &[u8]| {
        let short = super::short_ref(full);
        patterns.is_empty()
            || patterns.iter().any(|pattern| {
                wildmatch::matches(pattern, short, Slashes::Pass, parsed.has("ignore-case"))
            })
    };
    refs.retain(|(full, _)| wanted(full));
    let filters = [("contains", true), ("no-contains", false)];
    for (name, positive) in filters {
        for value in parsed
            .options
            .iter()
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
        {
            let target = commit_of(repo, value.as_deref())?;
            let mut kept = Vec::new();
            for (full, oid) in refs {
                if walk::is_ancestor(repo, target, oid)? == positive {
                    kept.push((full, oid));
                }
            }
            refs = kept;
        }
    }
    for (name, positive) in [("merged", true), ("no-merged", false)] {
        for value in parsed
            .options
            .iter()
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
        {
            let target = commit_of(repo, value.as_deref())?;
            let mut kept = Vec::new();
            for (full, oid) in refs {
                if walk::is_ancestor(repo, oid, target)? == positive {
                    kept.push((full, oid));
                }
            }
            refs = kept;
        }
    }
    if let Some(name) = parsed.value("points-at") {
        let target = revision::resolve(repo, name)?;
        refs.retain(|(_, oid)| *oid == target);
    }
    let mut keys = parsed.values("sort");
    if keys.is_empty() {
        keys.extend(repo.config.get("branch.sort").map(<[u8]>::to_vec));
    }
    super::ref_fields::sort(repo, &mut refs, &keys)?;
    if let Some(format) = parsed.value("format") {
        if repo.branch().is_none() && !remotes && patterns.is_empty() {
            // The detached HEAD comes first and has no reference.
            let text = detached(repo);
            let line = show(format)
                .replace("%(refname:short)", &text)
                .replace("%(refname)", &text);
            if !line.contains("%(") {
                out::line(line);
            }
        }
        for (full, oid) in &refs {
            out::line(format_ref(repo, full, *oid, format, false)?);
        }
        return Ok(0);
    }
    let verbose = parsed
        .options
        .iter()
        .filter(|(key, _)| key == "verbose")
        .count();
    let current = repo.refs.head_branch();
    let mut rows: Vec<(bool, String, Option<Vec<u8>>, Oid, bool)> = Vec::new();
    if current.is_none()
        && !remotes
        && patterns.is_empty()
        && let Some(head) = repo.head()
    {
        rows.push((true, detached(repo), None, head, false));
    }
    let elsewhere = elsewhere(repo);
    for (full, oid) in refs {
        let name = match (full.strip_prefix(b"refs/remotes/"), all) {
            (Some(rest), true) => format!("remotes/{}", show(rest)),
            _ => show(super::short_ref(&full)),
        };
        let other = elsewhere.contains(&full);
        rows.push((
            current.as_ref() == Some(&full),
            name,
            Some(full),
            oid,
            other,
        ));
    }
    let width = rows
        .iter()
        .map(|(_, name, ..)| name.chars().count())
        .max()
        .unwrap_or(0);
    let color = crate::diff::options::use_color(&repo.config, "color.branch")
        || parsed.value("color") == Some(b"always");
    for (is_current, name, full, oid, other) in rows {
        let mark = if is_current {
            "* "
        } else if other {
            "+ "
        } else {
            "  "
        };
        let paint = |name: String| match (color, is_current) {
            (true, true) => format!("\x1b[32m{name}\x1b[m"),
            (true, false)
                if full
                    .as_ref()
                    .is_some_and(|full| full.starts_with(b"refs/remotes/")) =>
            {
                format!("\x1b[31m{name}\x1b[m")
            }
            _ => name,
        };
        let symbolic = full.as_ref().and_then(|full| match repo.refs.raw(full) {
            Some(crate::refs::Target::Symbolic(target)) => Some(show(super::short_ref(&target))),
            _ => None,
        });
        if verbose == 0 {
            match symbolic {
                Some(target) => out::line(format!("{mark}{} -> {target}", paint(name))),
                None => out::line(format!("{mark}{}", paint(name))),
            }
            continue;
        }
        let padded = format!(
            "{}{}",
            paint(name.clone()),
            " ".repeat(width - name.chars().count())
        );
        if let Some(target) = symbolic {
            out::line(format!("{mark}{padded} -> {target}"));
            continue;
        }
        let commit = Commit::read(&repo.objects, &oid)?;
        let track = match full
            .as_ref()
            .and_then(|full| full.strip_prefix(b"refs/heads/"))
        {
            Some(name) => tracking_note(repo, name, oid, verbose > 1)?,
            None => String::new(),
        };
        out::line(format!(
            "{mark}{padded} {} {track}{}",
            repo.short(&oid),
            show(&commit.subject())
        ));
    }
    Ok(0)
}

/// Branches that other working trees have.
fn elsewhere(repo: &Repo) -> Vec<Vec<u8>> {
    let own = os::real_path(&repo.dir).unwrap_or_default();
    let mut found = Vec::new();
    for (_, dir) in super::worktrees::all(repo) {
        if os::real_path(&dir).unwrap_or_default() != own
            && let Ok(head) = os::read(&[&dir[..], b"/HEAD"].concat())
            && let Some(name) = head.strip_prefix(b"ref: ")
        {
            found.push(name.trim_ascii_end().to_vec());
        }
    }
    found
}

fn detached(repo: &Repo) -> String {
    if let Some((branch, _)) = super::status::rebase_state(repo) {
        return format!("(no branch, rebasing {branch})");
    }
    let text = super::status::detached_at(repo);
    if text.starts_with("HEAD") {
        format!("({text})")
    } else {
        "(no branch)".to_owned()
    }
}

/// `[origin/main: ahead 1] `, or without the name.
fn tracking_note(repo: &Repo, branch: &[u8], oid: Oid, named: bool) -> Result<String> {
    let Some(upstream) = revision::upstream(repo, branch) else {
        return Ok(String::new());
    };
    let name = show(super::short_ref(&upstream));
    let state = match repo.refs.resolve(&upstream) {
        None => "gone".to_owned(),
        Some(theirs) => match super::status::ahead_behind(repo, oid, theirs)? {
            (0, 0) => String::new(),
            (ahead, 0) => format!("ahead {ahead}"),
            (0, behind) => format!("behind {behind}"),
            (ahead, behind) => format!("ahead {ahead}, behind {behind}"),
        },
    };
    Ok(match (named, state.is_empty()) {
        (true, true) => format!("[{name}] "),
        (true, false) => format!("[{name}: {state}] "),
        (false, true) => String::new(),
        (false, false) => format!("[{state}] "),
    })
}
