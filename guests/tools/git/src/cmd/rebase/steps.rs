//! The steps of a rebase: commits are picked until one is in conflict, and go on from there.

use crate::cmd::commit::{cleanup, summary};
use crate::cmd::merging::{apply, conflict_lines, say};
use crate::cmd::{edit, head_tree, move_head, switch_head, write_commit};
use crate::diff::change;
use crate::ident::{Role, identity};
use crate::index::Index;
use crate::merge::{self, Labels, Merged};
use crate::object::Commit;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree;

/// Commits as the list of what is to be done has them.
pub(super) fn list(commits: &[Commit]) -> String {
    commits
        .iter()
        .map(|commit| format!("pick {} {}\n", commit.oid, show(&commit.subject())))
        .collect()
}

/// Takes the commits of a list, one after the other.
pub(super) fn pick_all(repo: &Repo, todo: Vec<Commit>) -> Result<i32> {
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
        let (done, left) = (list(&todo[at..=at]), list(&todo[at + 1..]));
        os::append(&repo.file("rebase-merge/done"), done.as_bytes())?;
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
            move_head(repo, commit.oid, &log)?;
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
    if let Err(obstacles) = apply(repo, &merged, &mut index, Some(own))? {
        return obstacles.report("merge");
    }
    repo.write_index(&index)?;
    if !merged.is_clean() {
        stop(repo, commit, &merged)?;
        return Ok(false);
    }
    say(&merged);
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
    move_head(
        repo,
        oid,
        &[b"rebase (pick): ", &commit.subject()[..]].concat(),
    )?;
    Ok(true)
}

/// Leaves a commit in conflict to the user.
fn stop(repo: &Repo, commit: &Commit, merged: &Merged) -> Result<()> {
    say(merged);
    let _ = out::flush();
    let text = [&commit.message[..], conflict_lines(merged).as_bytes()].concat();
    let oid = format!("{}\n", commit.oid);
    os::write(&repo.file("MERGE_MSG"), &text)?;
    os::write(&repo.file("rebase-merge/message"), &commit.message)?;
    os::write(&repo.file("rebase-merge/stopped-sha"), oid.as_bytes())?;
    os::write(&repo.file("REBASE_HEAD"), oid.as_bytes())?;
    let (short, subject) = (repo.short(&commit.oid), show(&commit.subject()));
    out::note(format!("error: could not apply {short}... {subject}"));
    out::hint(
        "Resolve all conflicts manually, mark them as resolved with\n\"git add/rm <conflicted_files>\", then run \"git rebase \
         --continue\".\nYou can instead skip this commit: run \"git rebase --skip\".\nTo abort and get back to the state before \"git rebase\", \
         run \"git rebase --abort\".\nDisable this message with \"git config advice.mergeConflict false\"",
    );
    out::note(format!("Could not apply {short}... {subject}"));
    Ok(())
}

/// Moves the branch to where the commits are now.
fn finish(repo: &Repo) -> Result<i32> {
    let name = repo.read_file("rebase-merge/head-name").unwrap_or_default();
    let onto = repo.read_file("rebase-merge/onto").unwrap_or_default();
    let quiet = repo.has_file("rebase-merge/quiet");
    let Some(head) = repo.head() else {
        return fatal("no HEAD");
    };
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
    forget(repo)?;
    if !quiet {
        let shown = match name.starts_with(b"refs/") {
            true => show(&name),
            false => "detached HEAD".to_owned(),
        };
        out::note(format!("Successfully rebased and updated {shown}."));
    }
    Ok(0)
}

/// What is left of the list.
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

/// Goes on without the commit that it stopped at.
pub(super) fn skip(repo: &Repo) -> Result<i32> {
    let mut index = repo.index()?;
    let tree = head_tree(repo)?.unwrap_or(Oid::EMPTY_TREE);
    worktree::reset_hard(repo, tree, &mut index)?;
    repo.write_index(&index)?;
    pick_left(repo)
}

/// Makes the commit that it stopped at, and goes on.
pub(super) fn resume(repo: &Repo) -> Result<i32> {
    let index = repo.index()?;
    let stopped = repo
        .read_file("rebase-merge/stopped-sha")
        .and_then(|text| Oid::parse(&text));
    if let Some(stopped) = stopped {
        let unmerged = index.unmerged();
        if !unmerged.is_empty() {
            for path in unmerged {
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
        conclude(repo, &Commit::read(&repo.objects, &stopped)?, &index)?;
    }
    pick_left(repo)
}

/// Makes the commit that it stopped at, unless nothing is left of it.
fn conclude(repo: &Repo, commit: &Commit, index: &Index) -> Result<()> {
    let tree = worktree::write_tree(repo, index)?;
    if Some(tree) == head_tree(repo)? {
        return Ok(());
    }
    let file = repo.file("MERGE_MSG");
    let message = match os::exists(&file) {
        true => {
            edit(repo, &file)?;
            cleanup(&os::read(&file)?, true)
        }
        false => commit.message.clone(),
    };
    let made = Commit {
        oid: Oid::NULL,
        tree,
        parents: repo.head().into_iter().collect(),
        author: commit.author.clone(),
        committer: identity(repo, Role::Committer, true)?,
        encoding: None,
        message,
    };
    let oid = write_commit(repo, &made)?;
    let log = [b"rebase (continue): ", &commit.subject()[..]].concat();
    move_head(repo, oid, &log)?;
    summary(repo, &Commit { oid, ..made }, false, false)
}

fn pick_left(repo: &Repo) -> Result<i32> {
    repo.remove_file("rebase-merge/stopped-sha");
    for file in ["MERGE_MSG", "REBASE_HEAD"] {
        repo.remove_file(file);
    }
    pick_all(repo, left(repo)?)
}

/// Forgets the rebase.
fn forget(repo: &Repo) -> Result<()> {
    os::remove_tree(&repo.file("rebase-merge"))?;
    for file in ["REBASE_HEAD", "MERGE_MSG", "AUTO_MERGE"] {
        repo.remove_file(file);
    }
    Ok(())
}

/// Goes back to where it began.
pub(super) fn abort(repo: &Repo) -> Result<i32> {
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
    forget(repo)?;
    Ok(0)
}
