//! `git cherry-pick` and `git revert`: one commit after the other, with a list of what is left in `sequencer/`.

use super::{Call, edit, head_tree, move_head, write_commit};
use crate::args;
use crate::diff::change;
use crate::history::Query;
use crate::ident::{Role, identity};
use crate::merge::{self, Labels};
use crate::object::Commit;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Pick,
    Revert,
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Action::Pick => "cherry-pick",
            Action::Revert => "revert",
        }
    }

    fn head_file(self) -> &'static str {
        match self {
            Action::Pick => "CHERRY_PICK_HEAD",
            Action::Revert => "REVERT_HEAD",
        }
    }
}

/// `git cherry-pick`.
pub(crate) fn cherry_pick(call: &Call) -> Result<i32> {
    run(call, Action::Pick)
}

/// `git revert`.
pub(crate) fn revert(call: &Call) -> Result<i32> {
    run(call, Action::Revert)
}

/// What both are told.
struct Options {
    no_commit: bool,
    edit: bool,
    origin: bool,
    signoff: bool,
    mainline: Option<usize>,
    allow_empty: bool,
    keep_redundant: bool,
    fast: bool,
    labels: Labels,
}

fn run(call: &Call, action: Action) -> Result<i32> {
    let table = "quit continue abort skip n|no-commit e|edit cleanup= no-edit r| s|signoff m|mainline= rerere-autoupdate strategy= X|strategy-option= \
                 S|gpg-sign? x| ff allow-empty allow-empty-message keep-redundant-commits empty= reference";
    let name: &'static str = action.name();
    let parsed = args::parse(name, table, &call.words)?;
    parsed.refuse(&["gpg-sign", "reference", "empty", "strategy"])?;
    let repo = call.work_tree()?;
    if parsed.has("abort") {
        return abort(&repo, action);
    }
    if parsed.has("quit") {
        forget(&repo, action);
        return Ok(0);
    }
    let mainline = match parsed.text("mainline") {
        Some(text) => match text.parse::<usize>() {
            Ok(number) if number > 0 => Some(number),
            _ => {
                return Err(args::usage(
                    name,
                    "option `mainline' expects a number greater than zero",
                ));
            }
        },
        None => None,
    };
    let mut labels = Labels::default();
    super::merging::strategy_options(&parsed.values("strategy-option"), &mut labels)?;
    let options = Options {
        no_commit: parsed.has("no-commit"),
        edit: parsed.has("edit"),
        origin: parsed.has("x"),
        signoff: parsed.has("signoff"),
        mainline,
        allow_empty: parsed.has("allow-empty") || parsed.has("keep-redundant-commits"),
        keep_redundant: parsed.has("keep-redundant-commits"),
        fast: parsed.has("ff"),
        labels,
    };
    if parsed.has("continue") || parsed.has("skip") {
        return resume(call, &repo, action, &options, parsed.has("skip"));
    }
    if parsed.words.is_empty() {
        return Err(args::usage(name, "a commit is needed"));
    }
    if repo.has_file("sequencer/todo") {
        let running = if repo.has_file("REVERT_HEAD") {
            "revert"
        } else {
            "cherry-pick"
        };
        out::note(format!("error: {running} is already in progress"));
        out::hint(&format!(
            "try \"git {running} (--continue | --skip | --abort | --quit)\""
        ));
        return fatal(format!("{name} failed"));
    }
    let mut query = Query::default();
    for word in &parsed.words {
        if !query.revision(&repo, word)? {
            return fatal(format!("bad revision '{}'", show(word)));
        }
    }
    let ranged = !query.without.is_empty();
    query.no_walk = !ranged;
    query.unsorted = !ranged;
    let mut commits = query.run(&repo)?;
    if ranged && action == Action::Pick {
        commits.reverse();
    }
    if commits.is_empty() {
        return crate::stop::error("empty commit set passed").map_err(|stop| {
            drop(stop);
            out::note("error: empty commit set passed");
            Stop::Fatal(format!("{name} failed").into_bytes())
        });
    }
    check_clean(&repo, &options, name)?;
    let todo: Vec<Oid> = commits.iter().map(|commit| commit.oid).collect();
    if todo.len() > 1 {
        os::mkdir_all(&repo.file("sequencer"))?;
        let head = repo.head().map_or(String::new(), |head| head.hex());
        os::write(&repo.file("sequencer/head"), format!("{head}\n").as_bytes())?;
        if options.no_commit {
            os::write(
                &repo.file("sequencer/opts"),
                b"[options]\n\tno-commit = true\n",
            )?;
        }
    }
    many(&repo, action, &todo, &options)
}

/// Refuses to start where changes would be lost.
fn check_clean(repo: &Repo, options: &Options, name: &str) -> Result<()> {
    let index = repo.index()?;
    if !index.unmerged().is_empty() {
        let verb = if name == "revert" {
            "Reverting"
        } else {
            "Cherry-picking"
        };
        out::note(format!(
            "error: {verb} is not possible because you have unmerged files."
        ));
        out::hint(
            "Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.",
        );
        return fatal(format!("{name} failed"));
    }
    if options.no_commit {
        return Ok(());
    }
    let staged = change::tree_to_index(repo, head_tree(repo)?, &index, &Pathspec::default())?;
    if staged.is_empty() {
        return Ok(());
    }
    out::note(format!(
        "error: your local changes would be overwritten by {name}."
    ));
    out::hint("commit your changes or stash them to proceed.");
    fatal(format!("{name} failed"))
}

fn write_todo(repo: &Repo, action: Action, left: &[Oid]) -> Result<()> {
    let verb = if action == Action::Pick {
        "pick"
    } else {
        "revert"
    };
    let mut text = String::new();
    for oid in left {
        let commit = Commit::read(&repo.objects, oid)?;
        text += &format!("{verb} {} {}\n", repo.short(oid), show(&commit.subject()));
    }
    Ok(os::write(&repo.file("sequencer/todo"), text.as_bytes())?)
}

fn many(repo: &Repo, action: Action, todo: &[Oid], options: &Options) -> Result<i32> {
    let several = repo.has_file("sequencer/head");
    for (at, oid) in todo.iter().enumerate() {
        if several {
            write_todo(repo, action, &todo[at..])?;
        }
        let commit = Commit::read(&repo.objects, oid)?;
        match one(repo, action, &commit, options)? {
            0 => {}
            status => return Ok(status),
        }
    }
    let _ = os::remove_tree(&repo.file("sequencer"));
    Ok(0)
}

/// Does one; its status.
fn one(repo: &Repo, action: Action, commit: &Commit, options: &Options) -> Result<i32> {
    let short = repo.short(&commit.oid);
    let subject = show(&commit.subject());
    let parent = match (commit.parents.len(), options.mainline) {
        (0, _) => None,
        (1, None | Some(1)) => Some(commit.parents[0]),
        (1, Some(_)) => {
            return Err(picked_error(
                action,
                format!(
                    "commit {} does not have parent {}",
                    commit.oid,
                    options.mainline.unwrap_or(0)
                ),
            ));
        }
        (_, None) => {
            return Err(picked_error(
                action,
                format!(
                    "commit {} is a merge but no -m option was given.",
                    commit.oid
                ),
            ));
        }
        (_, Some(number)) => match commit.parents.get(number - 1) {
            Some(parent) => Some(*parent),
            None => {
                return Err(picked_error(
                    action,
                    format!("commit {} does not have parent {number}", commit.oid),
                ));
            }
        },
    };
    let head = repo.head();
    if options.fast && action == Action::Pick && parent == head && parent.is_some() {
        super::checkout::forward(repo, commit.oid, "cherry-pick: fast-forward", "cherry-pick")?;
        return Ok(0);
    }
    let parent_tree = match parent {
        Some(parent) => Commit::read(&repo.objects, &parent)?.tree,
        None => Oid::EMPTY_TREE,
    };
    let mut index = repo.index()?;
    let own_tree = if options.no_commit {
        worktree::write_tree(repo, &index)?
    } else {
        head_tree(repo)?.unwrap_or(Oid::EMPTY_TREE)
    };
    let (base, theirs, labels) = match action {
        Action::Pick => {
            let labels = Labels {
                theirs: format!("{short} ({subject})"),
                base: format!("parent of {short} ({subject})"),
                ..options.labels.clone()
            };
            (parent_tree, commit.tree, labels)
        }
        Action::Revert => {
            let labels = Labels {
                theirs: format!("parent of {short} ({subject})"),
                base: format!("{short} ({subject})"),
                ..options.labels.clone()
            };
            (commit.tree, parent_tree, labels)
        }
    };
    let labels = Labels {
        ours: "HEAD".to_owned(),
        ..labels
    };
    let merged = merge::trees(repo, Some(base), own_tree, theirs, &labels, 0)?;
    if let Err(obstacles) = super::merging::apply(repo, &merged, &mut index, Some(own_tree))? {
        let _ = out::flush();
        let _ = obstacles.report::<()>("merge");
        return fatal(format!("{} failed", action.name()));
    }
    repo.write_index(&index)?;
    super::merging::say(&merged);
    let mut message = match action {
        Action::Pick => commit.message.clone(),
        Action::Revert => revert_message(commit, parent, options.mainline),
    };
    if options.origin {
        message = super::commit::cleanup(&message, false);
        message.extend(format!("\n(cherry picked from commit {})\n", commit.oid).bytes());
    }
    if options.signoff {
        let who = identity(repo, Role::Committer, true)?;
        let (name, mail) = crate::object::who_parts(&who);
        message = super::commit::sign_off(&message, name, mail);
    }
    if !merged.is_clean() {
        let text = [
            &message[..],
            super::merging::conflict_lines(&merged).as_bytes(),
        ]
        .concat();
        os::write(&repo.file("MERGE_MSG"), &text)?;
        if !options.no_commit {
            os::write(
                &repo.file(action.head_file()),
                format!("{}\n", commit.oid).as_bytes(),
            )?;
        }
        conflict_advice(repo, action, &short, &subject, options.no_commit);
        return Ok(1);
    }
    if options.no_commit {
        os::write(&repo.file("MERGE_MSG"), &message)?;
        if action == Action::Revert {
            os::write(
                &repo.file("REVERT_HEAD"),
                format!("{}\n", commit.oid).as_bytes(),
            )?;
        }
        return Ok(0);
    }
    let tree = worktree::write_tree(repo, &index)?;
    if Some(tree) == head_tree(repo)? && !options.keep_redundant {
        let was_empty = parent_tree == commit.tree;
        if !(was_empty && options.allow_empty) {
            return empty(repo, action, commit, &message);
        }
    }
    if options.edit {
        let file = repo.file("MERGE_MSG");
        os::write(&file, &message)?;
        edit(repo, &file)?;
        message = super::commit::cleanup(&os::read(&file)?, true);
        let _ = os::remove(&file);
    }
    finish(repo, action, commit, tree, &message)?;
    Ok(0)
}

fn picked_error(action: Action, message: String) -> Stop {
    out::note(format!("error: {message}"));
    Stop::Fatal(format!("{} failed", action.name()).into_bytes())
}

fn revert_message(commit: &Commit, parent: Option<Oid>, mainline: Option<usize>) -> Vec<u8> {
    let subject = show(&commit.subject());
    let title = match subject
        .strip_prefix("Revert \"")
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(inner) if !inner.starts_with("Revert \"") => format!("Reapply \"{inner}\""),
        _ => format!("Revert \"{subject}\""),
    };
    let merge = match (mainline, parent) {
        (Some(_), Some(parent)) => format!(", reversing\nchanges made to {parent}"),
        _ => String::new(),
    };
    format!("{title}\n\nThis reverts commit {}{merge}.\n", commit.oid).into_bytes()
}

/// Makes the commit.
fn finish(repo: &Repo, action: Action, from: &Commit, tree: Oid, message: &[u8]) -> Result<()> {
    let head = repo.head();
    let author = match action {
        Action::Pick => from.author.clone(),
        Action::Revert => identity(repo, Role::Author, true)?,
    };
    let made = Commit {
        oid: Oid::NULL,
        tree,
        parents: head.into_iter().collect(),
        author,
        committer: identity(repo, Role::Committer, true)?,
        encoding: None,
        message: super::commit::cleanup(message, false),
    };
    let oid = write_commit(repo, &made)?;
    let commit = Commit { oid, ..made };
    move_head(
        repo,
        oid,
        &[action.name().as_bytes(), b": ", &commit.subject()].concat(),
    )?;
    for file in ["CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_MSG"] {
        repo.remove_file(file);
    }
    super::commit::summary(repo, &commit, head.is_none(), true)
}

fn conflict_advice(repo: &Repo, action: Action, short: &str, subject: &str, no_commit: bool) {
    let name = action.name();
    let verb = if action == Action::Pick {
        "apply"
    } else {
        "revert"
    };
    out::note(format!("error: could not {verb} {short}... {subject}"));
    if repo.config.truth("advice.mergeconflict") == Some(false) {
        return;
    }
    if no_commit {
        out::hint(
            "after resolving the conflicts, mark the corrected paths\nwith 'git add <paths>' or 'git rm <paths>'\nDisable this message with \"git config advice.mergeConflict false\"",
        );
        return;
    }
    let what = if action == Action::Pick {
        "cherry-pick"
    } else {
        "revert"
    };
    out::hint(&format!(
        "After resolving the conflicts, mark them with\n\"git add/rm <pathspec>\", then run\n\"git {name} --continue\".\nYou can instead skip this \
         commit with \"git {name} --skip\".\nTo abort and get back to the state before \"git {name}\",\nrun \"git {name} --abort\".\nDisable this \
         message with \"git config advice.mergeConflict false\""
    ));
    let _ = what;
}

/// A commit that changes nothing any more stops the list.
fn empty(repo: &Repo, action: Action, commit: &Commit, message: &[u8]) -> Result<i32> {
    os::write(&repo.file("MERGE_MSG"), message)?;
    os::write(
        &repo.file(action.head_file()),
        format!("{}\n", commit.oid).as_bytes(),
    )?;
    let index = repo.index()?;
    let state = super::status::collect(
        repo,
        &index,
        super::status::Untracked::Normal,
        None,
        &Pathspec::default(),
        true,
    )?;
    super::status::long(
        repo,
        &index,
        &state,
        super::status::Untracked::Normal,
        false,
        false,
    )?;
    let _ = out::flush();
    let name = action.name();
    out::note(format!(
        "The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit \
         --allow-empty\n\nOtherwise, please use 'git {name} --skip'"
    ));
    Ok(1)
}

/// What is left of a list.
fn left(repo: &Repo) -> Result<Vec<Oid>> {
    let text = repo.read_file("sequencer/todo").unwrap_or_default();
    let mut list = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let line = show(line);
        if let Some(word) = line.split(' ').nth(1)
            && let Some(oid) = crate::revision::try_resolve(repo, word.as_bytes())?
        {
            list.push(oid);
        }
    }
    Ok(list)
}

fn resume(call: &Call, repo: &Repo, action: Action, options: &Options, skip: bool) -> Result<i32> {
    let name = action.name();
    let running = repo
        .read_file(action.head_file())
        .and_then(|text| Oid::parse(&text));
    if running.is_none() && !repo.has_file("sequencer/todo") {
        out::note(format!("error: no {name} in progress"));
        return fatal(format!("{name} failed"));
    }
    if skip {
        let mut index = repo.index()?;
        worktree::reset_hard(
            repo,
            head_tree(repo)?.unwrap_or(Oid::EMPTY_TREE),
            &mut index,
        )?;
        repo.write_index(&index)?;
    } else if running.is_some() {
        let index = repo.index()?;
        if !index.unmerged().is_empty() {
            out::note("error: Committing is not possible because you have unmerged files.");
            out::hint(
                "Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.",
            );
            return fatal("Exiting because of an unresolved conflict.");
        }
        let todo = repo.read_file("sequencer/todo");
        os::chdir(&repo.started_in)?;
        let mut words = Vec::new();
        if os::variable("GIT_EDITOR").is_none() && repo.config.get("core.editor").is_none() {
            words.push(b"--no-edit".to_vec());
        }
        words.push(b"--cleanup=strip".to_vec());
        let status = super::commit::commit(&Call {
            global: call.global.clone(),
            words,
            name: "commit",
        })?;
        if status != 0 {
            return Ok(status);
        }
        if let Some(tree) = &repo.work_tree {
            os::chdir(tree)?;
        }
        if let Some(todo) = todo {
            os::mkdir_all(&repo.file("sequencer"))?;
            os::write(&repo.file("sequencer/todo"), &todo)?;
        }
    }
    for file in ["CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_MSG"] {
        repo.remove_file(file);
    }
    let mut todo = left(repo)?;
    if !todo.is_empty() {
        todo.remove(0);
    }
    if !todo.is_empty() {
        return many(repo, action, &todo, options);
    }
    let _ = os::remove_tree(&repo.file("sequencer"));
    Ok(0)
}

fn forget(repo: &Repo, action: Action) {
    repo.remove_file(action.head_file());
    let _ = os::remove_tree(&repo.file("sequencer"));
}

fn abort(repo: &Repo, action: Action) -> Result<i32> {
    let name = action.name();
    if !repo.has_file(action.head_file()) && !repo.has_file("sequencer/head") {
        out::note(format!("error: no {name} in progress"));
        return fatal(format!("{name} failed"));
    }
    let start = repo
        .read_file("sequencer/head")
        .and_then(|text| Oid::parse(&text))
        .or(repo.head());
    let mut index = repo.index()?;
    if let Some(start) = start {
        let tree = Commit::read(&repo.objects, &start)?.tree;
        worktree::reset_hard(repo, tree, &mut index)?;
        repo.write_index(&index)?;
        if repo.head() != Some(start) {
            move_head(repo, start, format!("reset: moving to {start}").as_bytes())?;
        }
    }
    repo.remove_file("MERGE_MSG");
    forget(repo, action);
    Ok(0)
}
