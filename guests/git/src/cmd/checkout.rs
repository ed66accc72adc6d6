//! `git checkout`, `git switch`, `git restore`.

use super::{Call, head_tree, hook, move_head, short_ref, switch_head};
use crate::args;
use crate::diff::change;
use crate::index::{Entry, Index};
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

/// What a switch is told.
#[derive(Debug, Default)]
struct Plan {
    create: Option<Vec<u8>>,
    force_create: bool,
    detach: bool,
    force: bool,
    quiet: bool,
    orphan: bool,
    track: Option<bool>,
    is_switch: bool,
    ignore_other: bool,
}

/// `git checkout`.
pub(crate) fn checkout(call: &Call) -> Result<i32> {
    let table = "b|= B|= l| guess overlay q|quiet recurse-submodules? progress m|merge conflict= d|detach t|track? f|force orphan= \
                 overwrite-ignore ignore-other-worktrees 2|ours 3|theirs p|patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul";
    let parsed = args::parse("checkout", table, &call.words)?;
    parsed.refuse(&["patch", "conflict", "merge"])?;
    let repo = call.work_tree()?;
    let mut plan = Plan {
        create: parsed
            .value("b")
            .or(parsed.value("B"))
            .or(parsed.value("orphan"))
            .map(<[u8]>::to_vec),
        force_create: parsed.value("B").is_some(),
        orphan: parsed.value("orphan").is_some(),
        detach: parsed.has("detach"),
        force: parsed.has("force"),
        quiet: parsed.has("quiet"),
        track: tracking_option(&parsed),
        is_switch: false,
        ignore_other: parsed.has("ignore-other-worktrees"),
    };
    let mut words = parsed.words.clone();
    if let Some(file) = parsed.value("pathspec-from-file") {
        words.extend(super::add::lines_of(file, parsed.has("pathspec-file-nul"))?);
    }
    // What stands before `--` is a revision, what is behind it are paths.
    let before = parsed.dashes.unwrap_or(words.len());
    let first = words.first().filter(|_| before > 0).cloned();
    let has_paths = parsed.dashes.is_some_and(|_| words.len() > before);
    if plan.create.is_some() || plan.detach {
        if words.len() > 1 && plan.create.is_some() && !has_paths {
            let name = show(plan.create.as_deref().unwrap_or_default());
            return fatal(format!(
                "'{}' is not a commit and a branch '{name}' cannot be created from it",
                show(&words[0])
            ));
        }
        return switch_to(&repo, first, plan);
    }
    let Some(first) = first else {
        if has_paths {
            return checkout_paths(&repo, None, &words, &parsed);
        }
        return switch_to(&repo, None, plan);
    };
    if has_paths {
        if before > 1 {
            return fatal(format!("only one reference expected, {before} given."));
        }
        return checkout_paths(&repo, Some(&first), &words[1..], &parsed);
    }
    let name: Vec<u8> = if first == b"-" {
        b"@{-1}".to_vec()
    } else {
        first.clone()
    };
    let is_revision = first == b"-"
        || revision::try_resolve(&repo, &name)?.is_some()
        || merge_base_name(&repo, &name)?.is_some();
    let as_path = repo
        .path_of_user(&first)
        .is_some_and(|path| os::exists(&path) || repo.index().is_ok_and(|index| index.has(&path)));
    if is_revision && words.len() == 1 {
        if as_path
            && parsed.dashes.is_none()
            && first != b"-"
            && repo
                .refs
                .resolve(&[b"refs/heads/", &first[..]].concat())
                .is_none()
        {
            let name = show(&first);
            return fatal(format!(
                "ambiguous argument '{name}': both revision and filename\nUse '--' to separate paths from revisions, like this:\n'git \
                 <command> [<revision>...] -- [<file>...]'"
            ));
        }
        return switch_to(&repo, Some(first), plan);
    }
    if is_revision && parsed.dashes.is_none() {
        return checkout_paths(&repo, Some(&first), &words[1..], &parsed);
    }
    if words.len() == 1
        && !as_path
        && let Some(remote) = guess(&repo, &first)?
    {
        plan.create = Some(first);
        plan.track = Some(true);
        return switch_to(&repo, Some(remote), plan);
    }
    checkout_paths(&repo, None, &words, &parsed)
}

fn tracking_option(parsed: &args::Parsed) -> Option<bool> {
    match (parsed.has("track"), parsed.has("no-track")) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// `git switch`.
pub(crate) fn switch(call: &Call) -> Result<i32> {
    let table = "c|create= C|force-create= guess discard-changes q|quiet recurse-submodules? progress m|merge conflict= d|detach t|track? f|force \
                 orphan= overwrite-ignore ignore-other-worktrees";
    let parsed = args::parse("switch", table, &call.words)?;
    parsed.refuse(&["conflict", "merge"])?;
    let repo = call.work_tree()?;
    let mut plan = Plan {
        create: parsed
            .value("create")
            .or(parsed.value("force-create"))
            .or(parsed.value("orphan"))
            .map(<[u8]>::to_vec),
        force_create: parsed.value("force-create").is_some(),
        orphan: parsed.value("orphan").is_some(),
        detach: parsed.has("detach"),
        force: parsed.has("force") || parsed.has("discard-changes"),
        quiet: parsed.has("quiet"),
        track: tracking_option(&parsed),
        is_switch: true,
        ignore_other: parsed.has("ignore-other-worktrees"),
    };
    if parsed.words.len() > 1 {
        return fatal("only one reference expected");
    }
    let word = parsed.words.first().cloned();
    if plan.create.is_some() || plan.detach {
        return switch_to(&repo, word, plan);
    }
    let Some(word) = word else {
        return fatal("missing branch or commit argument");
    };
    let name: Vec<u8> = if word == b"-" {
        b"@{-1}".to_vec()
    } else {
        word.clone()
    };
    if word != b"-"
        && repo
            .refs
            .resolve(&[b"refs/heads/", &word[..]].concat())
            .is_none()
        && previous(&repo, &word).is_none()
    {
        if revision::try_resolve(&repo, &name)?.is_none() {
            if let Some(remote) = guess(&repo, &word)?.filter(|_| !parsed.has("no-guess")) {
                plan.create = Some(word);
                plan.track = Some(true);
                return switch_to(&repo, Some(remote), plan);
            }
            return fatal(format!("invalid reference: {}", show(&word)));
        }
        let kind = match revision::full_ref(&repo, &word) {
            Some(full) if full.starts_with(b"refs/tags/") => "tag",
            Some(full) if full.starts_with(b"refs/remotes/") => "remote branch",
            _ => "commit",
        };
        let shown = show(&word);
        out::note(format!("fatal: a branch is expected, got {kind} '{shown}'"));
        out::hint("If you want to detach HEAD at the commit, try again with the --detach option.");
        return Err(Stop::Status(128));
    }
    switch_to(&repo, Some(word), plan)
}

/// The branch of a remote that a name may stand for.
fn guess(repo: &Repo, name: &[u8]) -> Result<Option<Vec<u8>>> {
    let suffix = [b"/", name].concat();
    let found: Vec<Vec<u8>> = repo
        .refs
        .all(b"refs/remotes/")
        .into_iter()
        .map(|(full, _)| full)
        .filter(|full| {
            let rest = &full[b"refs/remotes/".len()..];
            rest.strip_suffix(&suffix[..])
                .is_some_and(|remote| !remote.contains(&b'/'))
        })
        .collect();
    match &found[..] {
        [one] => Ok(Some(
            one.strip_prefix(b"refs/remotes/").unwrap_or(one).to_vec(),
        )),
        _ => Ok(None),
    }
}

fn previous(repo: &Repo, word: &[u8]) -> Option<Vec<u8>> {
    let text = show(word);
    let number = text.strip_prefix("@{-")?.strip_suffix('}')?.parse().ok()?;
    revision::previous_branch(repo, number)
}

/// `a...b` stands for the base of both.
fn merge_base_name(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    let Some(at) = name.windows(3).position(|three| three == b"...") else {
        return Ok(None);
    };
    let part =
        |name: &[u8]| revision::resolve_commit(repo, if name.is_empty() { b"HEAD" } else { name });
    let (Ok(a), Ok(b)) = (part(&name[..at]), part(&name[at + 3..])) else {
        return Ok(None);
    };
    Ok(crate::walk::merge_bases(repo, a, b)?.first().copied())
}

/// Goes to a branch or a commit.
fn switch_to(repo: &Repo, word: Option<Vec<u8>>, plan: Plan) -> Result<i32> {
    let given = word.clone().unwrap_or_else(|| b"HEAD".to_vec());
    let name: Vec<u8> = match &given[..] {
        b"-" => match revision::previous_branch(repo, 1) {
            Some(name) => name,
            None => return fatal("invalid reference: @{-1}"),
        },
        other => previous(repo, other).unwrap_or_else(|| other.to_vec()),
    };
    let branch = [b"refs/heads/", &name[..]].concat();
    let old = repo.head();
    let is_branch = name != b"HEAD"
        && crate::refs::is_valid(&branch, false)
        && repo.refs.resolve(&branch).is_some();
    if let Some(create) = &plan.create {
        super::check_branch_name(create)?;
        let full = [b"refs/heads/", &create[..]].concat();
        if repo.refs.resolve(&full).is_some() && !plan.force_create {
            return fatal(format!("a branch named '{}' already exists", show(create)));
        }
        if plan.force_create {
            super::branch::check_not_elsewhere(repo, create, true)?;
        }
    }
    if repo.has_file("MERGE_HEAD") && !plan.force && plan.is_switch {
        out::note(
            "fatal: cannot switch branch while merging\nConsider \"git merge --quit\" or \"git worktree add\".",
        );
        return Err(Stop::Status(128));
    }
    let target = match merge_base_name(repo, &name)? {
        Some(oid) => Some(oid),
        None => match revision::try_resolve(repo, &name)? {
            Some(oid) => Some(oid),
            None if name == b"HEAD" => None,
            None if plan.create.is_some() && word.is_some() => {
                let create = show(plan.create.as_deref().unwrap_or_default());
                return fatal(format!(
                    "'{}' is not a commit and a branch '{create}' cannot be created from it",
                    show(&name)
                ));
            }
            None if plan.is_switch || plan.detach => {
                return fatal(format!("invalid reference: {}", show(&name)));
            }
            None => {
                return Err(Stop::Error(
                    format!(
                        "pathspec '{}' did not match any file(s) known to git",
                        show(&name)
                    )
                    .into_bytes(),
                ));
            }
        },
    };
    let target = match target {
        Some(oid) => match revision::peel(repo, oid, Some(Kind::Commit)) {
            Ok(oid) => Some(oid),
            Err(_) => {
                return fatal(format!(
                    "Cannot switch branch to a non-commit '{}'",
                    show(&name)
                ));
            }
        },
        None => None,
    };
    let mut index = repo.index()?;
    if plan.orphan {
        return orphan(repo, plan, word.is_some(), target, &mut index);
    }
    let Some(target) = target else {
        // A repository without commits: only the name of the branch changes.
        let Some(create) = plan.create else {
            if word.is_none() || given == b"HEAD" {
                return fatal("You are on a branch yet to be born");
            }
            return fatal(format!("invalid reference: {}", show(&given)));
        };
        repo.refs
            .write_symbolic(b"HEAD", &[b"refs/heads/", &create[..]].concat())?;
        if !plan.quiet {
            out::note(format!("Switched to a new branch '{}'", show(&create)));
        }
        return Ok(0);
    };
    if is_branch && plan.create.is_none() && !plan.detach && !plan.ignore_other {
        super::branch::check_not_elsewhere(repo, &name, false)?;
    }
    let commit = Commit::read(&repo.objects, &target)?;
    if !index.unmerged().is_empty() && !plan.force {
        for path in index.unmerged() {
            out::line(format!("{}: needs merge", show(&path)));
        }
        out::note("error: you need to resolve your current index first");
        return Err(Stop::Status(1));
    }
    let old_tree = head_tree(repo)?;
    if plan.force {
        worktree::reset_hard(repo, commit.tree, &mut index)?;
        for file in ["MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD"] {
            repo.remove_file(file);
        }
    } else if let Err(obstacles) = worktree::switch(repo, old_tree, commit.tree, &mut index)? {
        return obstacles.report("checkout");
    }
    change::refresh(repo, &mut index)?;
    repo.write_index(&index)?;
    if !plan.quiet {
        show_changes(repo, commit.tree, &index)?;
    }
    finish(repo, &plan, &name, is_branch, word.is_some(), old, &commit)?;
    let arguments = [
        old.unwrap_or(Oid::NULL).hex().into_bytes(),
        target.hex().into_bytes(),
        b"1".to_vec(),
    ];
    hook(repo, "post-checkout", &arguments)
}

/// Lists what stays changed.
fn show_changes(repo: &Repo, tree: Oid, index: &Index) -> Result<()> {
    let changes = change::tree_to_files(repo, Some(tree), index, &Pathspec::default())?;
    for found in changes {
        out::put(&[found.status, b'\t']);
        out::line(repo.quote(found.path()));
    }
    Ok(())
}

fn orphan(
    repo: &Repo,
    plan: Plan,
    named: bool,
    target: Option<Oid>,
    index: &mut Index,
) -> Result<i32> {
    let create = plan.create.clone().unwrap_or_default();
    if plan.is_switch {
        // The new branch starts with nothing.
        if let Err(obstacles) = worktree::switch(repo, head_tree(repo)?, Oid::EMPTY_TREE, index)? {
            return obstacles.report("checkout");
        }
        repo.write_index(index)?;
    } else if let (true, Some(target)) = (named, target) {
        let tree = Commit::read(&repo.objects, &target)?.tree;
        if let Err(obstacles) = worktree::switch(repo, head_tree(repo)?, tree, index)? {
            return obstacles.report("checkout");
        }
        repo.write_index(index)?;
    }
    repo.refs
        .write_symbolic(b"HEAD", &[b"refs/heads/", &create[..]].concat())?;
    if !plan.quiet {
        out::note(format!("Switched to a new branch '{}'", show(&create)));
    }
    Ok(0)
}

fn finish(
    repo: &Repo,
    plan: &Plan,
    name: &[u8],
    is_branch: bool,
    named: bool,
    old: Option<Oid>,
    commit: &Commit,
) -> Result<()> {
    let old_branch = repo.branch();
    let from = match (&old_branch, old) {
        (Some(branch), _) => show(branch),
        (None, Some(oid)) => oid.hex(),
        (None, None) => String::new(),
    };
    let say = |text: String| {
        if !plan.quiet {
            out::note(text);
        }
    };
    let leave = || -> Result<()> {
        if let (None, Some(old), false) = (&old_branch, old, plan.quiet)
            && old != commit.oid
        {
            let reachable = {
                let mut tips: Vec<Oid> = repo
                    .refs
                    .all(b"refs/")
                    .into_iter()
                    .map(|(_, oid)| oid)
                    .collect();
                tips.push(commit.oid);
                let tips: Vec<Oid> = tips
                    .into_iter()
                    .filter_map(|oid| revision::peel(repo, oid, Some(Kind::Commit)).ok())
                    .collect();
                crate::walk::ancestors(repo, &tips)?.contains(&old)
            };
            if !reachable {
                orphaned(repo, old, &commit.oid)?;
                return Ok(());
            }
            let subject = Commit::read(&repo.objects, &old)?.subject();
            out::note(format!(
                "Previous HEAD position was {} {}",
                repo.short(&old),
                show(&subject)
            ));
        }
        Ok(())
    };
    if let Some(create) = &plan.create {
        let full = [b"refs/heads/", &create[..]].concat();
        let existed = repo.refs.resolve(&full).is_some();
        let who = crate::ident::identity(repo, crate::ident::Role::Committer, false)?;
        let message = match existed {
            true => format!("branch: Reset to {}", show(name)),
            false => format!("branch: Created from {}", show(name)),
        };
        leave()?;
        repo.refs
            .write(&full, commit.oid, Some((&who, message.as_bytes())))?;
        let log = format!("checkout: moving from {from} to {}", show(create));
        let same = old_branch.as_deref() == Some(create);
        switch_head(repo, Some(&full), commit.oid, log.as_bytes())?;
        let from_remote =
            revision::full_ref(repo, name).filter(|full| full.starts_with(b"refs/remotes/"));
        let from_branch =
            revision::full_ref(repo, name).filter(|full| full.starts_with(b"refs/heads/"));
        let automatic = repo.config.get("branch.autosetupmerge") != Some(b"false");
        match (from_remote, from_branch) {
            (Some(remote), _)
                if named
                    && plan.track != Some(false)
                    && (automatic || plan.track == Some(true)) =>
            {
                super::branch::set_upstream(repo, create, &remote, plan.quiet)?;
            }
            (_, Some(local)) if plan.track == Some(true) => {
                super::branch::set_upstream(repo, create, &local, plan.quiet)?;
            }
            _ => {}
        }
        say(match (existed, same) {
            (true, true) => format!("Reset branch '{}'", show(create)),
            (true, false) => format!("Switched to and reset branch '{}'", show(create)),
            _ => format!("Switched to a new branch '{}'", show(create)),
        });
        return Ok(());
    }
    if is_branch && !plan.detach {
        let full = [b"refs/heads/", name].concat();
        if old_branch.as_deref() == Some(name) {
            say(format!("Already on '{}'", show(name)));
        } else {
            leave()?;
            let log = format!("checkout: moving from {from} to {}", show(name));
            switch_head(repo, Some(&full), commit.oid, log.as_bytes())?;
            say(format!("Switched to branch '{}'", show(name)));
        }
        if !plan.quiet
            && let Some(upstream) = revision::upstream(repo, name)
        {
            let text = super::status::tracking(repo, &upstream, true)?;
            out::put(text.trim_end_matches('\n').as_bytes());
            out::put(b"\n");
        }
        return Ok(());
    }
    if !named && !plan.detach {
        return Ok(());
    }
    let was_detached = old_branch.is_none();
    let shown = short_ref(name);
    if !was_detached
        && !plan.quiet
        && !plan.detach
        && repo.config.truth("advice.detachedhead") != Some(false)
    {
        out::note(format!(
            "Note: switching to '{}'.\n\nYou are in 'detached HEAD' state. You can look around, make experimental\nchanges and commit them, \
             and you can discard any commits you make in this\nstate without impacting any branches by switching back to a \
             branch.\n\nIf you want to create a new branch to retain commits you create, you may\ndo so (now or later) by using -c with the \
             switch command. Example:\n\n  git switch -c <new-branch-name>\n\nOr undo this operation with:\n\n  git switch -\n\nTurn off \
             this advice by setting config variable advice.detachedHead to false\n",
            show(shown)
        ));
    }
    leave()?;
    let log = format!("checkout: moving from {from} to {}", show(name));
    switch_head(repo, None, commit.oid, log.as_bytes())?;
    say(format!(
        "HEAD is now at {} {}",
        repo.short(&commit.oid),
        show(&commit.subject())
    ));
    Ok(())
}

/// Warns of commits that nothing leads to any more.
fn orphaned(repo: &Repo, old: Oid, new: &Oid) -> Result<()> {
    let mut tips: Vec<Oid> = repo
        .refs
        .all(b"refs/")
        .into_iter()
        .map(|(_, oid)| oid)
        .collect();
    tips.push(*new);
    let tips: Vec<Oid> = tips
        .into_iter()
        .filter_map(|oid| revision::peel(repo, oid, Some(Kind::Commit)).ok())
        .collect();
    let lost = crate::walk::range(repo, &[old], &tips, false)?;
    let count = lost.len();
    let plural = if count == 1 { "commit" } else { "commits" };
    let mut list = String::new();
    for commit in lost.iter().take(4) {
        list += &format!(
            "  {} {}\n",
            repo.short(&commit.oid),
            show(&commit.subject())
        );
    }
    if count > 4 {
        list += &format!(" ... and {} more.\n", count - 4);
    }
    let them = if count == 1 { "it" } else { "them" };
    let short = repo.short(&old);
    out::note(format!(
        "Warning: you are leaving {count} {plural} behind, not connected to\nany of your branches:\n\n{list}\nIf you want to keep {them} by \
         creating a new branch, this may be a good time\nto do so with:\n\n git branch <new-branch-name> {short}\n"
    ));
    Ok(())
}

/// `git checkout [TREE] -- PATHS`.
fn checkout_paths(
    repo: &Repo,
    tree: Option<&[u8]>,
    words: &[Vec<u8>],
    parsed: &args::Parsed,
) -> Result<i32> {
    let paths = Pathspec::new(repo, words)?;
    let mut index = repo.index()?;
    let mut count = 0;
    let side = match (parsed.has("ours"), parsed.has("theirs")) {
        (true, _) => Some(2u8),
        (_, true) => Some(3),
        _ => None,
    };
    if let Some(name) = tree {
        let oid = revision::resolve(repo, if name == b"-" { b"@{-1}" } else { name })?;
        let oid = revision::peel(repo, oid, Some(Kind::Tree))?;
        let files = change::flatten(repo, &oid)?;
        unmatched(&paths, files.keys().map(Vec::as_slice))?;
        for (path, item) in files.into_iter().filter(|(path, _)| paths.matches(path)) {
            let clean = match index.get(&path) {
                Some(entry) => {
                    (entry.mode, entry.oid) == item
                        && change::compare(repo, entry)?.0 == change::Found::Same
                }
                None => false,
            };
            if clean {
                continue;
            }
            let entry = worktree::write_file(repo, &path, item)?;
            index.put(entry);
            count += 1;
        }
        repo.write_index(&index)?;
        if !parsed.has("quiet") && parsed.dashes.is_none() {
            let plural = if count == 1 { "path" } else { "paths" };
            let short = match revision::resolve(repo, name)
                .and_then(|oid| revision::peel(repo, oid, None))
            {
                Ok(oid) => repo.short(&oid),
                Err(_) => show(name),
            };
            out::note(format!("Updated {count} {plural} from {short}"));
        }
        return Ok(0);
    }
    unmatched(&paths, index.entries.values().map(|entry| &entry.path[..]))?;
    let unmerged: Vec<Vec<u8>> = index
        .unmerged()
        .into_iter()
        .filter(|path| paths.matches(path))
        .collect();
    if !unmerged.is_empty() && side.is_none() && !parsed.has("force") {
        for path in unmerged {
            out::note(format!("error: path '{}' is unmerged", show(&path)));
        }
        return Err(Stop::Status(1));
    }
    for path in unmerged {
        let Some(stage) = side else {
            continue;
        };
        let stages = index.stages(&path);
        match stages[usize::from(stage)] {
            Some(entry) => {
                worktree::write_file(repo, &path, (entry.mode, entry.oid))?;
                count += 1;
            }
            None => {
                let word = if stage == 2 { "our" } else { "their" };
                return Err(Stop::Error(
                    format!("path '{}' does not have {word} version", show(&path)).into_bytes(),
                ));
            }
        }
    }
    count += restore_files(repo, &mut index, &paths)?;
    repo.write_index(&index)?;
    if !parsed.has("quiet") && (parsed.dashes.is_none() || side.is_some()) {
        let plural = if count == 1 { "path" } else { "paths" };
        out::note(format!("Updated {count} {plural} from the index"));
    }
    Ok(0)
}

fn unmatched<'a>(paths: &Pathspec, known: impl Iterator<Item = &'a [u8]>) -> Result<()> {
    let unmatched = paths.unmatched(known);
    for word in &unmatched {
        out::note(format!(
            "error: pathspec '{}' did not match any file(s) known to git",
            show(word)
        ));
    }
    if unmatched.is_empty() {
        Ok(())
    } else {
        Err(Stop::Status(1))
    }
}

/// Writes files of the index that differ in the working tree; how many.
fn restore_files(repo: &Repo, index: &mut Index, paths: &Pathspec) -> Result<usize> {
    let mut fresh: Vec<Entry> = Vec::new();
    for entry in index.merged().filter(|entry| paths.matches(&entry.path)) {
        let same = change::compare(repo, entry)?.0 == change::Found::Same
            && !change::is_behind_link(&entry.path);
        if !same {
            fresh.push(worktree::write_file(
                repo,
                &entry.path,
                (entry.mode, entry.oid),
            )?);
        }
    }
    let count = fresh.len();
    fresh.into_iter().for_each(|entry| index.put(entry));
    Ok(count)
}

/// `git restore`.
pub(crate) fn restore(call: &Call) -> Result<i32> {
    let table = "s|source= S|staged W|worktree ignore-unmerged overlay q|quiet recurse-submodules? progress m|merge conflict= 2|ours 3|theirs \
                 p|patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul";
    let parsed = args::parse("restore", table, &call.words)?;
    parsed.refuse(&["patch", "merge", "conflict"])?;
    let repo = call.work_tree()?;
    let mut words = parsed.words.clone();
    if let Some(file) = parsed.value("pathspec-from-file") {
        words.extend(super::add::lines_of(file, parsed.has("pathspec-file-nul"))?);
    }
    if words.is_empty() {
        return fatal("you must specify path(s) to restore");
    }
    let staged = parsed.has("staged");
    let in_tree = parsed.has("worktree") || !staged;
    let paths = Pathspec::new(&repo, &words)?;
    let mut index = repo.index()?;
    let source = match parsed.value("source") {
        Some(name) => match merge_base_name(&repo, name)?.or(revision::try_resolve(&repo, name)?) {
            Some(oid) => Some(revision::peel(&repo, oid, Some(Kind::Tree))?),
            None => return fatal(format!("could not resolve {}", show(name))),
        },
        None if staged => match head_tree(&repo)? {
            Some(tree) => Some(tree),
            None => return fatal("could not resolve HEAD"),
        },
        None => None,
    };
    let Some(tree) = source else {
        let parsed_paths = &words;
        unmatched(&paths, index.entries.values().map(|entry| &entry.path[..]))?;
        let unmerged: Vec<Vec<u8>> = index
            .unmerged()
            .into_iter()
            .filter(|path| paths.matches(path))
            .collect();
        if !unmerged.is_empty() && !parsed.has("ignore-unmerged") {
            return checkout_paths(&repo, None, parsed_paths, &parsed).map(|_| 0);
        }
        restore_files(&repo, &mut index, &paths)?;
        repo.write_index(&index)?;
        return Ok(0);
    };
    let files = change::flatten(&repo, &tree)?;
    let known = index
        .entries
        .values()
        .map(|entry| &entry.path[..])
        .chain(files.keys().map(Vec::as_slice));
    unmatched(&paths, known.collect::<Vec<_>>().into_iter())?;
    let mut old: Vec<Vec<u8>> = index
        .entries
        .values()
        .map(|entry| entry.path.clone())
        .filter(|path| paths.matches(path) && !files.contains_key(path))
        .collect();
    old.dedup();
    for path in old {
        if parsed.has("overlay") {
            continue;
        }
        if in_tree {
            worktree::remove_file(&repo, &path);
        }
        if staged {
            index.remove(&path);
        }
    }
    for (path, item) in files.into_iter().filter(|(path, _)| paths.matches(path)) {
        let mut entry = match index.get(&path) {
            Some(entry) if (entry.mode, entry.oid) == item => entry.clone(),
            _ => Entry::new(path.clone(), item.0, item.1, 0),
        };
        if in_tree {
            let same = change::compare(&repo, &entry)?.0 == change::Found::Same;
            if !same {
                entry = worktree::write_file(&repo, &path, item)?;
            }
        }
        if staged {
            index.put(entry);
        }
    }
    change::refresh(&repo, &mut index)?;
    repo.write_index(&index)?;
    Ok(0)
}

/// Moves a branch that is checked out to a commit: a fast-forward.
pub(crate) fn forward(repo: &Repo, target: Oid, log: &str, command: &str) -> Result<()> {
    let mut index = repo.index()?;
    let tree = Commit::read(&repo.objects, &target)?.tree;
    if let Err(obstacles) = worktree::switch(repo, head_tree(repo)?, tree, &mut index)? {
        return obstacles.report(command);
    }
    repo.write_index(&index)?;
    move_head(repo, target, log.as_bytes())
}
