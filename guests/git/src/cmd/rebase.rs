//! `git rebase` without a list to edit. Its state is in `rebase-merge/`, as git has it.

use super::{Call, head_tree, switch_head, write_commit};
use crate::args;
use crate::diff::change;
use crate::ident::{Role, identity};
use crate::merge::{self, Labels};
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;
use crate::worktree;

/// `git rebase`.
pub(crate) fn rebase(call: &Call) -> Result<i32> {
    let table = "onto= keep-base no-verify q|quiet v|verbose n|no-stat stat signoff committer-date-is-author-date reset-author-date ignore-date \
                 ignore-whitespace whitespace= f|force-rebase no-ff ff continue skip abort quit edit-todo show-current-patch apply m|merge i|interactive \
                 rerere-autoupdate empty= keep-empty autosquash update-refs S|gpg-sign? autostash x|exec= r|rebase-merges? fork-point s|strategy= \
                 X|strategy-option= root reschedule-failed-exec reapply-cherry-picks";
    let parsed = args::parse("rebase", table, &call.words)?;
    parsed.refuse(&[
        "interactive",
        "exec",
        "rebase-merges",
        "edit-todo",
        "show-current-patch",
        "gpg-sign",
        "autosquash",
        "whitespace",
        "update-refs",
        "keep-base",
        "signoff",
        "strategy",
        "autostash",
        "reset-author-date",
        "ignore-date",
        "committer-date-is-author-date",
    ])?;
    let repo = call.work_tree()?;
    let running = repo.has_file("rebase-merge");
    for option in ["continue", "skip", "abort", "quit"] {
        if parsed.has(option) {
            if !running {
                return fatal("no rebase in progress");
            }
            return match option {
                "continue" => resume(&repo, false),
                "skip" => resume(&repo, true),
                "abort" => abort(&repo),
                _ => {
                    os::remove_tree(&repo.file("rebase-merge"))?;
                    Ok(0)
                }
            };
        }
    }
    if running {
        let place = show(&repo.file("rebase-merge"));
        out::note(format!(
            "fatal: It seems that there is already a rebase-merge directory, and\nI wonder if you are in the middle of another rebase.  If that is \
             the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)\nIf that is not the case, please\n\trm -fr \"{place}\"\nand run me \
             again.  I am stopping in case you still have something\nvaluable there.\n"
        ));
        return Ok(128);
    }
    let mut index = repo.index()?;
    change::refresh(&repo, &mut index)?;
    for path in index.unmerged() {
        out::line(format!("{}: needs merge", show(&path)));
    }
    check_clean(&repo, &index)?;
    let root = parsed.has("root");
    let words = &parsed.words;
    let (upstream_name, branch_name) = match (root, &words[..]) {
        (true, [branch]) => (None, Some(branch.clone())),
        (true, []) => (None, None),
        (false, []) => match repo
            .branch()
            .and_then(|branch| revision::upstream(&repo, &branch))
        {
            Some(upstream) => (Some(super::short_ref(&upstream).to_vec()), None),
            None => return no_upstream(&repo),
        },
        (false, [upstream]) => (Some(upstream.clone()), None),
        (false, [upstream, branch]) => (Some(upstream.clone()), Some(branch.clone())),
        _ => return Err(args::usage("rebase", "too many arguments")),
    };
    let commit_of = |name: &[u8]| -> Result<Option<Oid>> {
        let name: &[u8] = if name == b"-" { b"@{-1}" } else { name };
        match revision::try_resolve(&repo, name)? {
            Some(oid) => Ok(revision::peel(&repo, oid, Some(Kind::Commit)).ok()),
            None => Ok(None),
        }
    };
    let upstream = match &upstream_name {
        None => None,
        Some(name) => match commit_of(name)? {
            Some(oid) => Some(oid),
            None => return fatal(format!("invalid upstream '{}'", show(name))),
        },
    };
    let onto_name = parsed
        .value("onto")
        .map(<[u8]>::to_vec)
        .or(upstream_name.clone());
    let Some(onto_name) = onto_name else {
        return fatal("codepod's git rebase --root needs --onto");
    };
    let onto = match onto_name.windows(3).position(|three| three == b"...") {
        Some(at) => {
            let (a, b) = (
                commit_of(&onto_name[..at])?,
                commit_of(&onto_name[at + 3..])?,
            );
            match a.zip(b) {
                Some((a, b)) => walk::merge_bases(&repo, a, b)?.first().copied(),
                None => None,
            }
        }
        None => commit_of(&onto_name)?,
    };
    let Some(onto) = onto else {
        return fatal(format!(
            "Does not point to a valid commit '{}'",
            show(&onto_name)
        ));
    };
    if let Some(branch) = &branch_name {
        if repo
            .refs
            .resolve(&[b"refs/heads/", &branch[..]].concat())
            .is_none()
            && commit_of(branch)?.is_none()
        {
            return fatal(format!("no such branch/commit '{}'", show(branch)));
        }
        os::chdir(&repo.started_in)?;
        let words = vec![b"-q".to_vec(), branch.clone()];
        let status = super::checkout::checkout(&Call {
            global: call.global.clone(),
            words,
            name: "checkout",
        })?;
        if status != 0 {
            return Ok(status);
        }
        index = repo.index()?;
    }
    let Some(head) = repo.head() else {
        return fatal("no HEAD to rebase");
    };
    let hidden: Vec<Oid> = upstream.into_iter().collect();
    let mut todo = walk::range(&repo, &[head], &hidden, false)?;
    todo = walk::sort(todo, walk::Order::Topological);
    todo.retain(|commit| commit.parents.len() < 2);
    todo.reverse();
    let branch = repo.refs.head_branch();
    let shown = branch
        .as_ref()
        .map_or("HEAD".to_owned(), |branch| show(super::short_ref(branch)));
    // Nothing to do when the commits stand on it already.
    let linear = todo.len() == walk::range(&repo, &[head], &hidden, false)?.len();
    if walk::is_ancestor(&repo, onto, head)?
        && linear
        && upstream == Some(onto)
        && !parsed.has("force-rebase")
        && !parsed.has("no-ff")
    {
        if !parsed.has("quiet") {
            out::line(format!("Current branch {shown} is up to date."));
        }
        return Ok(0);
    }
    if let Some(upstream) = upstream {
        drop_known(&repo, &mut todo, head, upstream)?;
    }
    let quiet = parsed.has("quiet");
    let onto_tree = Commit::read(&repo.objects, &onto)?.tree;
    if let Err(obstacles) = worktree::switch(&repo, head_tree(&repo)?, onto_tree, &mut index)? {
        return obstacles.report("checkout");
    }
    repo.write_index(&index)?;
    repo.refs.write(b"ORIG_HEAD", head, None)?;
    let dir = repo.file("rebase-merge");
    os::mkdir_all(&dir)?;
    let write = |name: &str, text: String| {
        os::write(&repo.file(&format!("rebase-merge/{name}")), text.as_bytes())
    };
    let name = branch
        .as_ref()
        .map_or("detached HEAD".to_owned(), |branch| show(branch));
    write("head-name", format!("{name}\n"))?;
    write("onto", format!("{onto}\n"))?;
    write("orig-head", format!("{head}\n"))?;
    write("interactive", String::new())?;
    write("end", format!("{}\n", todo.len()))?;
    write("msgnum", "0\n".to_owned())?;
    write("done", String::new())?;
    let list: String = todo
        .iter()
        .map(|commit| format!("pick {} {}\n", commit.oid, show(&commit.subject())))
        .collect();
    write("git-rebase-todo", list)?;
    if quiet {
        write("quiet", String::new())?;
    }
    let start = format!("rebase (start): checkout {}", show(&onto_name));
    switch_head(&repo, None, onto, start.as_bytes())?;
    pick_all(&repo, todo)
}

/// Leaves out commits whose change the upstream has already.
fn drop_known(repo: &Repo, todo: &mut Vec<Commit>, head: Oid, upstream: Oid) -> Result<()> {
    let others = walk::range(repo, &[upstream], &[head], false)?;
    let mut known = std::collections::HashSet::new();
    for commit in others.iter().filter(|commit| commit.parents.len() == 1) {
        known.insert(patch_id(repo, commit)?);
    }
    if known.is_empty() {
        return Ok(());
    }
    let mut kept = Vec::new();
    for commit in std::mem::take(todo) {
        if commit.parents.len() == 1 && known.contains(&patch_id(repo, &commit)?) {
            out::warn(format!(
                "skipped previously applied commit {}",
                repo.short(&commit.oid)
            ));
            continue;
        }
        kept.push(commit);
    }
    if kept.len() < kept.capacity().max(kept.len()) {
        kept.shrink_to_fit();
    }
    *todo = kept;
    Ok(())
}

/// What a commit changes, without where.
fn patch_id(repo: &Repo, commit: &Commit) -> Result<Vec<u8>> {
    use crate::diff::lines;
    let old = match commit.parents.first() {
        Some(parent) => Some(Commit::read(&repo.objects, parent)?.tree),
        None => None,
    };
    let mut id = Vec::new();
    for found in change::trees(repo, old, Some(commit.tree), &Pathspec::default())? {
        id.extend_from_slice(found.path());
        id.extend([0, found.status]);
        id.extend(found.new.mode.to_be_bytes());
        let (a, b) = (
            change::content(repo, &found.old)?,
            change::content(repo, &found.new)?,
        );
        let (a, b) = (lines::split(&a), lines::split(&b));
        for hunk in lines::compare(&a, &b, lines::Space::Exact, imara_diff::Algorithm::Myers) {
            let context = 3.min(hunk.old);
            a[hunk.old - context..hunk.old]
                .iter()
                .for_each(|line| id.extend_from_slice(line));
            a[hunk.old..hunk.old + hunk.old_len]
                .iter()
                .for_each(|line| id.extend([b"-", *line].concat()));
            b[hunk.new..hunk.new + hunk.new_len]
                .iter()
                .for_each(|line| id.extend([b"+", *line].concat()));
        }
    }
    Ok(crate::oid::sha1(&id).0.to_vec())
}

fn no_upstream(repo: &Repo) -> Result<i32> {
    let branch = repo
        .branch()
        .map_or("<branch>".to_owned(), |branch| show(&branch));
    if repo.branch().is_none() {
        out::note(
            "You are not currently on a branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n",
        );
        return Ok(1);
    }
    out::note(format!(
        "There is no tracking information for the current branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for \
         details.\n\n    git rebase '<branch>'\n\nIf you wish to set tracking information for this branch you can do so with:\n\n    git branch \
         --set-upstream-to=<remote>/<branch> {branch}\n"
    ));
    Ok(1)
}

fn check_clean(repo: &Repo, index: &crate::index::Index) -> Result<()> {
    let unstaged = !change::index_to_files(repo, index, &Pathspec::default())?.is_empty();
    let staged =
        !change::tree_to_index(repo, head_tree(repo)?, index, &Pathspec::default())?.is_empty();
    if unstaged {
        out::note("error: cannot rebase: You have unstaged changes.");
    }
    if staged {
        out::note(match unstaged {
            true => "error: additionally, your index contains uncommitted changes.",
            false => "error: cannot rebase: Your index contains uncommitted changes.",
        });
    }
    if unstaged || staged {
        out::note("error: Please commit or stash them.");
        return Err(Stop::Status(1));
    }
    Ok(())
}

/// Takes the commits of a list, one after the other.
fn pick_all(repo: &Repo, todo: Vec<Commit>) -> Result<i32> {
    let total: usize = repo
        .read_file("rebase-merge/end")
        .and_then(|text| show(&text).parse().ok())
        .unwrap_or(todo.len());
    let quiet = repo.has_file("rebase-merge/quiet");
    for (at, commit) in todo.iter().enumerate() {
        let number = total - todo.len() + at + 1;
        if !quiet {
            progress(&format!("Rebasing ({number}/{total})\r"));
        }
        let line = format!("pick {} {}\n", commit.oid, show(&commit.subject()));
        os::append(&repo.file("rebase-merge/done"), line.as_bytes())?;
        let left: String = todo[at + 1..]
            .iter()
            .map(|commit| format!("pick {} {}\n", commit.oid, show(&commit.subject())))
            .collect();
        os::write(&repo.file("rebase-merge/git-rebase-todo"), left.as_bytes())?;
        os::write(
            &repo.file("rebase-merge/msgnum"),
            format!("{number}\n").as_bytes(),
        )?;
        if !pick(repo, commit)? {
            return Ok(1);
        }
    }
    finish(repo)
}

/// Progress goes to standard error without a newline.
fn progress(text: &str) {
    use std::io::Write as _;
    let _ = out::flush();
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Puts one commit on `HEAD`; whether it went.
fn pick(repo: &Repo, commit: &Commit) -> Result<bool> {
    let head = repo.head();
    // A commit that stands here already is taken as it is.
    if commit.parents.first().copied() == head && head.is_some() {
        let mut index = repo.index()?;
        if worktree::switch(repo, head_tree(repo)?, commit.tree, &mut index)?.is_ok() {
            repo.write_index(&index)?;
            let log = [b"rebase (pick): ", &commit.subject()[..]].concat();
            super::move_head(repo, commit.oid, &log)?;
            return Ok(true);
        }
    }
    let short = repo.short(&commit.oid);
    let subject = show(&commit.subject());
    let base = match commit.parents.first() {
        Some(parent) => Commit::read(&repo.objects, parent)?.tree,
        None => Oid::EMPTY_TREE,
    };
    let own = head_tree(repo)?.unwrap_or(Oid::EMPTY_TREE);
    let labels = Labels {
        ours: "HEAD".to_owned(),
        theirs: format!("{short} ({subject})"),
        base: format!("parent of {short} ({subject})"),
        ..Labels::default()
    };
    let merged = merge::trees(repo, Some(base), own, commit.tree, &labels, 0)?;
    let mut index = repo.index()?;
    if let Err(obstacles) = super::merging::apply(repo, &merged, &mut index, Some(own))? {
        return obstacles.report("merge");
    }
    repo.write_index(&index)?;
    if !merged.is_clean() {
        super::merging::say(&merged);
        let _ = out::flush();
        write_stopped(repo, commit, Some(&merged))?;
        out::note(format!("error: could not apply {short}... {subject}"));
        out::hint(
            "Resolve all conflicts manually, mark them as resolved with\n\"git add/rm <conflicted_files>\", then run \"git rebase \
             --continue\".\nYou can instead skip this commit: run \"git rebase --skip\".\nTo abort and get back to the state before \"git rebase\", \
             run \"git rebase --abort\".\nDisable this message with \"git config advice.mergeConflict false\"",
        );
        out::note(format!("Could not apply {short}... {subject}"));
        return Ok(false);
    }
    super::merging::say(&merged);
    let tree = worktree::write_tree(repo, &index)?;
    if tree == own && base != commit.tree {
        out::note(format!(
            "dropping {} {subject} -- patch contents already upstream",
            commit.oid
        ));
        return Ok(true);
    }
    let made = Commit {
        oid: Oid::NULL,
        tree,
        parents: head.into_iter().collect(),
        author: commit.author.clone(),
        committer: identity(repo, Role::Committer, true)?,
        encoding: commit.encoding.clone(),
        message: commit.message.clone(),
    };
    let oid = write_commit(repo, &made)?;
    super::move_head(
        repo,
        oid,
        &[b"rebase (pick): ", &commit.subject()[..]].concat(),
    )?;
    Ok(true)
}

fn write_stopped(repo: &Repo, commit: &Commit, merged: Option<&merge::Merged>) -> Result<()> {
    let conflicts = merged
        .map(super::merging::conflict_lines)
        .unwrap_or_default();
    os::write(
        &repo.file("MERGE_MSG"),
        &[&commit.message[..], conflicts.as_bytes()].concat(),
    )?;
    os::write(&repo.file("rebase-merge/message"), &commit.message)?;
    os::write(
        &repo.file("rebase-merge/stopped-sha"),
        format!("{}\n", commit.oid).as_bytes(),
    )?;
    os::write(
        &repo.file("REBASE_HEAD"),
        format!("{}\n", commit.oid).as_bytes(),
    )?;
    Ok(())
}

/// Moves the branch to where the commits are now.
fn finish(repo: &Repo) -> Result<i32> {
    let name = repo.read_file("rebase-merge/head-name").unwrap_or_default();
    let onto = repo.read_file("rebase-merge/onto").unwrap_or_default();
    let orig = repo
        .read_file("rebase-merge/orig-head")
        .and_then(|text| Oid::parse(&text))
        .unwrap_or(Oid::NULL);
    let quiet = repo.has_file("rebase-merge/quiet");
    let Some(head) = repo.head() else {
        return fatal("no HEAD");
    };
    let _ = orig;
    if name.starts_with(b"refs/") {
        let who = identity(repo, Role::Committer, false)?;
        let message = [b"rebase (finish): ", &name[..], b" onto ", &onto].concat();
        repo.refs.write(&name, head, Some((&who, &message)))?;
        switch_head(
            repo,
            Some(&name),
            head,
            &[b"rebase (finish): returning to ", &name[..]].concat(),
        )?;
    }
    os::remove_tree(&repo.file("rebase-merge"))?;
    for file in ["REBASE_HEAD", "MERGE_MSG", "AUTO_MERGE"] {
        repo.remove_file(file);
    }
    if !quiet {
        let shown = if name.starts_with(b"refs/") {
            show(&name)
        } else {
            "HEAD".to_owned()
        };
        out::note(format!(
            "Successfully rebased and updated {}.",
            if name.starts_with(b"refs/") {
                shown
            } else {
                "detached HEAD".to_owned()
            }
        ));
    }
    Ok(0)
}

fn left(repo: &Repo) -> Result<Vec<Commit>> {
    let text = repo
        .read_file("rebase-merge/git-rebase-todo")
        .unwrap_or_default();
    let mut list = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let line = show(line);
        let mut words = line.split(' ');
        if words.next() != Some("pick") {
            continue;
        }
        if let Some(word) = words.next()
            && let Some(oid) = revision::try_resolve(repo, word.as_bytes())?
        {
            list.push(Commit::read(&repo.objects, &oid)?);
        }
    }
    Ok(list)
}

fn resume(repo: &Repo, skip: bool) -> Result<i32> {
    let mut index = repo.index()?;
    let stopped = repo
        .read_file("rebase-merge/stopped-sha")
        .and_then(|text| Oid::parse(&text));
    if skip {
        worktree::reset_hard(
            repo,
            head_tree(repo)?.unwrap_or(Oid::EMPTY_TREE),
            &mut index,
        )?;
        repo.write_index(&index)?;
    } else if let Some(stopped) = stopped {
        if !index.unmerged().is_empty() {
            for path in index.unmerged() {
                out::line(format!("{}: needs merge", show(&path)));
            }
            out::line(
                "You must edit all merge conflicts and then\nmark them as resolved using git add",
            );
            return Ok(1);
        }
        if !change::index_to_files(repo, &index, &Pathspec::default())?.is_empty() {
            out::note(
                "error: cannot rebase: You have unstaged changes.\nerror: Please commit or stash them.",
            );
            return Ok(1);
        }
        let commit = Commit::read(&repo.objects, &stopped)?;
        let tree = worktree::write_tree(repo, &index)?;
        if Some(tree) != head_tree(repo)? {
            let file = repo.file("MERGE_MSG");
            let mut message = commit.message.clone();
            if os::exists(&file) {
                super::edit(repo, &file)?;
                message = super::commit::cleanup(&os::read(&file)?, true);
            }
            let head = repo.head();
            let made = Commit {
                oid: Oid::NULL,
                tree,
                parents: head.into_iter().collect(),
                author: commit.author.clone(),
                committer: identity(repo, Role::Committer, true)?,
                encoding: None,
                message,
            };
            let oid = write_commit(repo, &made)?;
            super::move_head(
                repo,
                oid,
                &[b"rebase (continue): ", &commit.subject()[..]].concat(),
            )?;
            super::commit::summary(repo, &Commit { oid, ..made }, false, false)?;
        }
    }
    let _ = os::remove(&repo.file("rebase-merge/stopped-sha"));
    for file in ["MERGE_MSG", "REBASE_HEAD"] {
        repo.remove_file(file);
    }
    let todo = left(repo)?;
    pick_all(repo, todo)
}

fn abort(repo: &Repo) -> Result<i32> {
    let name = repo.read_file("rebase-merge/head-name").unwrap_or_default();
    let Some(orig) = repo
        .read_file("rebase-merge/orig-head")
        .and_then(|text| Oid::parse(&text))
    else {
        return fatal("could not read orig-head");
    };
    let mut index = repo.index()?;
    let tree = Commit::read(&repo.objects, &orig)?.tree;
    worktree::reset_hard(repo, tree, &mut index)?;
    repo.write_index(&index)?;
    let branch = name.starts_with(b"refs/").then_some(&name[..]);
    let shown = if branch.is_some() {
        show(&name)
    } else {
        orig.hex()
    };
    switch_head(
        repo,
        branch,
        orig,
        format!("rebase (abort): returning to {shown}").as_bytes(),
    )?;
    os::remove_tree(&repo.file("rebase-merge"))?;
    for file in ["REBASE_HEAD", "MERGE_MSG", "AUTO_MERGE"] {
        repo.remove_file(file);
    }
    Ok(0)
}
