//! What `cherry-pick` and `revert` share: one commit after the other, with a list of what is left
//! in `sequencer/`.

use super::commit::{self, cleanup, sign_off};
use super::merging::{apply, conflict_lines, say, strategy_options};
use super::status::{self, Untracked};
use super::{Call, edit, head, head_tree, move_head, write_commit};
use crate::args::usage;
use crate::diff::change;
use crate::history::Query;
use crate::ident::{Role, identity};
use crate::merge::{self, Labels, Merged};
use crate::object::{Commit, who_parts};
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// `cherry-pick`.
    Pick,
    /// `revert`.
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

/// What is to become of a list that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It goes on after the commit that it stopped at was made.
    Continue,
    /// It goes on without that commit.
    Skip,
    /// It is undone.
    Abort,
    /// It is forgotten.
    Quit,
}

/// How the commits are taken.
pub(crate) struct Settings {
    pub(crate) action: Action,
    pub(crate) no_commit: bool,
    pub(crate) edit: bool,
    /// Whether the message names the commit that was picked.
    pub(crate) origin: bool,
    pub(crate) signoff: bool,
    /// The parent that a merge is compared with, from 1.
    pub(crate) mainline: Option<usize>,
    /// Whether a commit that was empty is kept.
    pub(crate) allow_empty: bool,
    /// Whether a commit that is empty now is kept.
    pub(crate) keep_redundant: bool,
    pub(crate) fast: bool,
    pub(crate) labels: Labels,
}

/// The number of a parent.
pub(crate) fn mainline(action: Action, text: Option<String>) -> Result<Option<usize>> {
    let Some(text) = text else {
        return Ok(None);
    };
    match text.parse() {
        Ok(number) if number > 0 => Ok(Some(number)),
        _ => Err(usage(
            action.name(),
            "option `mainline' expects a number greater than zero",
        )),
    }
}

/// How texts are merged.
pub(crate) fn labels(values: &[Vec<u8>]) -> Result<Labels> {
    let mut labels = Labels::default();
    strategy_options(values, &mut labels)?;
    Ok(labels)
}

/// Does with a list that is under way what is asked for.
pub(crate) fn go_on(call: &Call, repo: &Repo, settings: &Settings, step: Step) -> Result<i32> {
    match step {
        Step::Continue | Step::Skip => resume(call, repo, settings, step),
        Step::Abort => abort(repo, settings.action),
        Step::Quit => {
            forget(repo, settings.action);
            Ok(0)
        }
    }
}

/// Takes the commits that are named.
pub(crate) fn start(repo: &Repo, settings: &Settings, words: &[Vec<u8>]) -> Result<i32> {
    let name = settings.action.name();
    if words.is_empty() {
        return Err(usage(name, "a commit is needed"));
    }
    if repo.has_file("sequencer/todo") {
        let running = match repo.has_file("REVERT_HEAD") {
            true => "revert",
            false => "cherry-pick",
        };
        out::note(format!("error: {running} is already in progress"));
        out::hint(&format!(
            "try \"git {running} (--continue | --skip | --abort | --quit)\""
        ));
        return fatal(format!("{name} failed"));
    }
    let todo = named(repo, settings.action, words)?;
    check_clean(repo, settings)?;
    if todo.len() > 1 {
        os::mkdir_all(&repo.file("sequencer"))?;
        let head = repo.head().map_or(String::new(), |head| head.hex());
        os::write(&repo.file("sequencer/head"), format!("{head}\n").as_bytes())?;
        if settings.no_commit {
            os::write(
                &repo.file("sequencer/opts"),
                b"[options]\n\tno-commit = true\n",
            )?;
        }
    }
    many(repo, &todo, settings)
}

/// The commits that the words name, in the order in which they are taken.
fn named(repo: &Repo, action: Action, words: &[Vec<u8>]) -> Result<Vec<Oid>> {
    let mut query = Query::default();
    for word in words {
        if !query.revision(repo, word)? {
            return fatal(format!("bad revision '{}'", show(word)));
        }
    }
    let is_range = !query.without.is_empty();
    query.no_walk = !is_range;
    query.unsorted = !is_range;
    let mut commits = query.run(repo)?;
    if is_range && action == Action::Pick {
        commits.reverse();
    }
    if commits.is_empty() {
        return Err(failed(action, "empty commit set passed"));
    }
    Ok(commits.iter().map(|commit| commit.oid).collect())
}

/// Refuses to start where changes would be lost.
fn check_clean(repo: &Repo, settings: &Settings) -> Result<()> {
    let name = settings.action.name();
    let index = repo.index()?;
    if !index.unmerged().is_empty() {
        let verb = match settings.action {
            Action::Pick => "Cherry-picking",
            Action::Revert => "Reverting",
        };
        out::note(format!(
            "error: {verb} is not possible because you have unmerged files."
        ));
        out::hint(UNMERGED);
        return fatal(format!("{name} failed"));
    }
    if settings.no_commit {
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

const UNMERGED: &str = "Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.";

fn failed(action: Action, message: impl std::fmt::Display) -> Stop {
    out::note(format!("error: {message}"));
    Stop::Fatal(format!("{} failed", action.name()).into_bytes())
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

fn many(repo: &Repo, todo: &[Oid], settings: &Settings) -> Result<i32> {
    let several = repo.has_file("sequencer/head");
    for (at, oid) in todo.iter().enumerate() {
        if several {
            write_todo(repo, settings.action, &todo[at..])?;
        }
        let commit = Commit::read(&repo.objects, oid)?;
        match one(repo, &commit, settings)? {
            0 => {}
            status => return Ok(status),
        }
    }
    let _ = os::remove_tree(&repo.file("sequencer"));
    Ok(0)
}

/// Does one; its status.
fn one(repo: &Repo, commit: &Commit, settings: &Settings) -> Result<i32> {
    let action = settings.action;
    let parent = parent(commit, settings)?;
    if settings.fast && action == Action::Pick && parent == repo.head() && parent.is_some() {
        head::forward(repo, commit.oid, "cherry-pick: fast-forward", "cherry-pick")?;
        return Ok(0);
    }
    let parent_tree = match parent {
        Some(parent) => Commit::read(&repo.objects, &parent)?.tree,
        None => Oid::EMPTY_TREE,
    };
    let mut index = repo.index()?;
    let own_tree = match settings.no_commit {
        true => worktree::write_tree(repo, &index)?,
        false => head_tree(repo)?.unwrap_or(Oid::EMPTY_TREE),
    };
    let (base, theirs) = match action {
        Action::Pick => (parent_tree, commit.tree),
        Action::Revert => (commit.tree, parent_tree),
    };
    let labels = named_sides(repo, commit, settings);
    let merged = merge::trees(repo, Some(base), own_tree, theirs, &labels, 0)?;
    if let Err(obstacles) = apply(repo, &merged, &mut index, Some(own_tree))? {
        let _ = out::flush();
        let _ = obstacles.report::<()>("merge");
        return fatal(format!("{} failed", action.name()));
    }
    repo.write_index(&index)?;
    say(&merged);
    let message = message(repo, commit, parent, settings)?;
    if !merged.is_clean() {
        return conflicted(repo, commit, &message, &merged, settings);
    }
    if settings.no_commit {
        os::write(&repo.file("MERGE_MSG"), &message)?;
        if action == Action::Revert {
            write_head(repo, action, commit)?;
        }
        return Ok(0);
    }
    let tree = worktree::write_tree(repo, &index)?;
    if Some(tree) == head_tree(repo)? && !settings.keep_redundant {
        let was_empty = parent_tree == commit.tree;
        if !(was_empty && settings.allow_empty) {
            return empty(repo, action, commit, &message);
        }
    }
    let message = match settings.edit {
        true => edited(repo, &message)?,
        false => message,
    };
    finish(repo, action, commit, tree, &message)?;
    Ok(0)
}

/// The commit that another is compared with; none for a root.
fn parent(commit: &Commit, settings: &Settings) -> Result<Option<Oid>> {
    let oid = commit.oid;
    let missing = |number: usize| {
        let message = format!("commit {oid} does not have parent {number}");
        Err(failed(settings.action, message))
    };
    match (&commit.parents[..], settings.mainline) {
        ([], _) => Ok(None),
        ([parent], None | Some(1)) => Ok(Some(*parent)),
        ([_], Some(number)) => missing(number),
        (_, None) => {
            let message = format!("commit {oid} is a merge but no -m option was given.");
            Err(failed(settings.action, message))
        }
        (parents, Some(number)) => match parents.get(number - 1) {
            Some(parent) => Ok(Some(*parent)),
            None => missing(number),
        },
    }
}

/// What the sides are called where they are in conflict.
fn named_sides(repo: &Repo, commit: &Commit, settings: &Settings) -> Labels {
    let own = format!("{} ({})", repo.short(&commit.oid), show(&commit.subject()));
    let parent = format!("parent of {own}");
    let (theirs, base) = match settings.action {
        Action::Pick => (own, parent),
        Action::Revert => (parent, own),
    };
    Labels {
        ours: "HEAD".to_owned(),
        theirs,
        base,
        ..settings.labels.clone()
    }
}

/// The message of the commit that is made.
fn message(
    repo: &Repo,
    commit: &Commit,
    parent: Option<Oid>,
    settings: &Settings,
) -> Result<Vec<u8>> {
    let mut message = match settings.action {
        Action::Pick => commit.message.clone(),
        Action::Revert => revert_message(commit, parent, settings.mainline),
    };
    if settings.origin {
        message = cleanup(&message, false);
        message.extend(format!("\n(cherry picked from commit {})\n", commit.oid).bytes());
    }
    if settings.signoff {
        let who = identity(repo, Role::Committer, true)?;
        let (name, mail) = who_parts(&who);
        message = sign_off(&message, name, mail);
    }
    Ok(message)
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

/// The message as the user leaves it.
fn edited(repo: &Repo, message: &[u8]) -> Result<Vec<u8>> {
    let file = repo.file("MERGE_MSG");
    os::write(&file, message)?;
    edit(repo, &file)?;
    let message = cleanup(&os::read(&file)?, true);
    let _ = os::remove(&file);
    Ok(message)
}

/// Remembers the commit that a list stopped at.
fn write_head(repo: &Repo, action: Action, commit: &Commit) -> Result<()> {
    let text = format!("{}\n", commit.oid);
    Ok(os::write(&repo.file(action.head_file()), text.as_bytes())?)
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
        message: cleanup(message, false),
    };
    let oid = write_commit(repo, &made)?;
    let made = Commit { oid, ..made };
    move_head(
        repo,
        oid,
        &[action.name().as_bytes(), b": ", &made.subject()].concat(),
    )?;
    for file in ["CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_MSG"] {
        repo.remove_file(file);
    }
    commit::summary(repo, &made, head.is_none(), true)
}

/// Leaves a commit in conflict to the user.
fn conflicted(
    repo: &Repo,
    commit: &Commit,
    message: &[u8],
    merged: &Merged,
    settings: &Settings,
) -> Result<i32> {
    let text = [message, conflict_lines(merged).as_bytes()].concat();
    os::write(&repo.file("MERGE_MSG"), &text)?;
    if !settings.no_commit {
        write_head(repo, settings.action, commit)?;
    }
    let name = settings.action.name();
    let verb = match settings.action {
        Action::Pick => "apply",
        Action::Revert => "revert",
    };
    let (short, subject) = (repo.short(&commit.oid), show(&commit.subject()));
    out::note(format!("error: could not {verb} {short}... {subject}"));
    if repo.config.truth("advice.mergeconflict") == Some(false) {
        return Ok(1);
    }
    match settings.no_commit {
        true => out::hint(
            "after resolving the conflicts, mark the corrected paths\nwith 'git add <paths>' or 'git rm <paths>'\nDisable this message with \"git config advice.mergeConflict false\"",
        ),
        false => out::hint(&format!(
            "After resolving the conflicts, mark them with\n\"git add/rm <pathspec>\", then run\n\"git {name} --continue\".\nYou can instead skip this \
             commit with \"git {name} --skip\".\nTo abort and get back to the state before \"git {name}\",\nrun \"git {name} --abort\".\nDisable this \
             message with \"git config advice.mergeConflict false\""
        )),
    }
    Ok(1)
}

/// A commit that changes nothing any more stops the list.
fn empty(repo: &Repo, action: Action, commit: &Commit, message: &[u8]) -> Result<i32> {
    os::write(&repo.file("MERGE_MSG"), message)?;
    write_head(repo, action, commit)?;
    let index = repo.index()?;
    let state = status::collect(
        repo,
        &index,
        Untracked::Normal,
        None,
        &Pathspec::default(),
        true,
    )?;
    status::long(repo, &index, &state, Untracked::Normal, false, false)?;
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
            && let Some(oid) = revision::try_resolve(repo, word.as_bytes())?
        {
            list.push(oid);
        }
    }
    Ok(list)
}

fn resume(call: &Call, repo: &Repo, settings: &Settings, step: Step) -> Result<i32> {
    let action = settings.action;
    let running = repo
        .read_file(action.head_file())
        .and_then(|text| Oid::parse(&text));
    if running.is_none() && !repo.has_file("sequencer/todo") {
        let what = match step {
            Step::Skip => action.name(),
            _ => "cherry-pick or revert",
        };
        return Err(failed(action, format!("no {what} in progress")));
    }
    if step == Step::Skip {
        let mut index = repo.index()?;
        let tree = head_tree(repo)?.unwrap_or(Oid::EMPTY_TREE);
        worktree::reset_hard(repo, tree, &mut index)?;
        repo.write_index(&index)?;
    } else if running.is_some() {
        match conclude(call, repo)? {
            0 => {}
            status => return Ok(status),
        }
    }
    for file in ["CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_MSG"] {
        repo.remove_file(file);
    }
    let todo = left(repo)?;
    if let [_, todo @ ..] = &todo[..]
        && !todo.is_empty()
    {
        return many(repo, todo, settings);
    }
    let _ = os::remove_tree(&repo.file("sequencer"));
    Ok(0)
}

/// Makes the commit that a list stopped at; its status.
fn conclude(call: &Call, repo: &Repo) -> Result<i32> {
    if !repo.index()?.unmerged().is_empty() {
        out::note("error: Committing is not possible because you have unmerged files.");
        out::hint(UNMERGED);
        return fatal("Exiting because of an unresolved conflict.");
    }
    // `commit` ends what is under way, and the list with it.
    let todo = repo.read_file("sequencer/todo");
    os::chdir(&repo.started_in)?;
    let mut words = Vec::new();
    if os::variable("GIT_EDITOR").is_none() && repo.config.get("core.editor").is_none() {
        words.push(b"--no-edit".to_vec());
    }
    words.push(b"--cleanup=strip".to_vec());
    let status = commit::commit(&Call {
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
    Ok(0)
}

fn forget(repo: &Repo, action: Action) {
    repo.remove_file(action.head_file());
    let _ = os::remove_tree(&repo.file("sequencer"));
}

fn abort(repo: &Repo, action: Action) -> Result<i32> {
    if !repo.has_file(action.head_file()) && !repo.has_file("sequencer/head") {
        return Err(failed(action, "no cherry-pick or revert in progress"));
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
