//! A merge that is asked for by `merge` or `pull`, and how it is done.

use crate::cmd::merging::{apply, conflict_lines, say, stat};
use crate::cmd::{commit, edit, head_tree, hook, move_head, save_orig_head, write_commit};
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
use crate::stop::{Result, Stop, error, fatal, show};
use crate::walk;
use crate::worktree;

/// Whether a merge may be a fast-forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fast {
    /// Where it can.
    Yes,
    /// Never.
    No,
    /// Nothing else.
    Only,
}

/// A merge that is asked for.
pub(crate) struct Request<'a> {
    /// The commits as they were named.
    pub(crate) words: &'a [Vec<u8>],
    pub(crate) message: Vec<u8>,
    pub(crate) edits: bool,
    pub(crate) fast: Fast,
    pub(crate) squash: bool,
    pub(crate) commits: bool,
    pub(crate) unrelated: bool,
    pub(crate) quiet: bool,
    pub(crate) stat: bool,
    /// Whether the result is our side, whatever theirs is: the strategy `ours`.
    pub(crate) ours: bool,
    pub(crate) labels: Labels,
    /// What the log says in the place of `merge NAME`.
    pub(crate) log: Option<String>,
}

impl Request<'_> {
    fn say(&self, text: &str) {
        if !self.quiet {
            out::line(text);
        }
    }

    fn log_name(&self) -> String {
        self.log.clone().unwrap_or_else(|| {
            let names: Vec<String> = self.words.iter().map(|word| show(word)).collect();
            format!("merge {}", names.join(" "))
        })
    }
}

/// The two sides of a merge.
#[derive(Clone, Copy)]
struct Sides {
    head: Oid,
    target: Oid,
}

/// Merges.
pub(crate) fn run(repo: &Repo, targets: &[Oid], request: &Request<'_>) -> Result<i32> {
    let [target] = *targets else {
        return octopus(repo, targets, request);
    };
    let Some(head) = repo.head() else {
        return begin(repo, target);
    };
    let sides = Sides { head, target };
    if walk::is_ancestor(repo, target, head)? {
        request.say(match request.squash {
            true => "Already up to date. (nothing to squash)",
            false => "Already up to date.",
        });
        return Ok(0);
    }
    let can_forward = walk::is_ancestor(repo, head, target)?;
    if can_forward && (request.fast != Fast::No || request.squash) && !request.ours {
        return forward(repo, sides, request);
    }
    if request.fast == Fast::Only {
        if !can_forward {
            out::hint(
                "Diverging branches can't be fast-forwarded, you need to either:\n\n\tgit merge --no-ff\n\nor:\n\n\tgit rebase\n\nDisable this \
                 message with \"git config advice.diverging false\"",
            );
        }
        return fatal("Not possible to fast-forward, aborting.");
    }
    if walk::merge_bases(repo, head, target)?.is_empty() && !request.unrelated {
        return fatal("refusing to merge unrelated histories");
    }
    join(repo, sides, request)
}

/// A branch without commits takes what is merged.
fn begin(repo: &Repo, target: Oid) -> Result<i32> {
    let mut index = repo.index()?;
    let tree = Commit::read(&repo.objects, &target)?.tree;
    if let Err(obstacles) = worktree::switch(repo, None, tree, &mut index)? {
        return obstacles.report("merge");
    }
    repo.write_index(&index)?;
    move_head(repo, target, b"initial pull")?;
    Ok(0)
}

/// Takes the other side as it is: a fast-forward.
fn forward(repo: &Repo, sides: Sides, request: &Request<'_>) -> Result<i32> {
    let Sides { head, target } = sides;
    let (before, after) = (repo.short(&head), repo.short(&target));
    request.say(&format!("Updating {before}..{after}"));
    let old_tree = head_tree(repo)?;
    let tree = Commit::read(&repo.objects, &target)?.tree;
    let mut index = repo.index()?;
    if let Err(obstacles) = worktree::switch(repo, old_tree, tree, &mut index)? {
        // What was printed comes first.
        let _ = out::flush();
        return obstacles.report("merge");
    }
    repo.write_index(&index)?;
    request.say("Fast-forward");
    if request.squash {
        squash_message(repo, sides)?;
        request.say("Squash commit -- not updating HEAD");
    } else {
        save_orig_head(repo)?;
        let log = format!("{}: Fast-forward", request.log_name());
        move_head(repo, target, log.as_bytes())?;
    }
    if request.stat && !request.quiet {
        stat(repo, old_tree, tree)?;
    }
    hook(repo, "post-merge", &[b"0".to_vec()])?;
    Ok(0)
}

/// Joins two histories, in a commit where that is asked for.
fn join(repo: &Repo, sides: Sides, request: &Request<'_>) -> Result<i32> {
    let mut index = repo.index()?;
    change::refresh(repo, &mut index)?;
    let old_tree = head_tree(repo)?;
    if !is_unstaged(repo, old_tree, &index)? {
        return Ok(2);
    }
    save_orig_head(repo)?;
    let merged = match request.ours {
        true => Merged {
            files: change::flatten(repo, &old_tree.unwrap_or(Oid::EMPTY_TREE))?,
            ..Merged::default()
        },
        false => merge::commits(repo, sides.head, sides.target, &request.labels)?,
    };
    if let Err(obstacles) = apply(repo, &merged, &mut index, old_tree)? {
        let status = obstacles.report::<i32>("merge");
        out::note("Merge with strategy ort failed.");
        return match status {
            Err(Stop::Status(_)) => Ok(2),
            other => other,
        };
    }
    if !request.quiet {
        say(&merged);
    }
    repo.write_index(&index)?;
    if !merged.is_clean() {
        return conflicted(repo, sides, request, &merged);
    }
    if request.squash {
        squash_message(repo, sides)?;
        request.say("Squash commit -- not updating HEAD");
        request.say("Automatic merge went well; stopped before committing as requested");
        return Ok(0);
    }
    if !request.commits {
        start(repo, sides.target, request, &request.message)?;
        request.say("Automatic merge went well; stopped before committing as requested");
        return Ok(0);
    }
    let tree = record(repo, sides, request, &index)?;
    if request.stat && !request.quiet {
        stat(repo, old_tree, tree)?;
    }
    hook(repo, "post-merge", &[b"0".to_vec()])?;
    Ok(0)
}

/// Whether nothing is staged. It would be mixed up with the merge, so that is told.
fn is_unstaged(repo: &Repo, old_tree: Option<Oid>, index: &Index) -> Result<bool> {
    let staged = change::tree_to_index(repo, old_tree, index, &Pathspec::default())?;
    if staged.is_empty() {
        return Ok(true);
    }
    let list: String = staged
        .iter()
        .map(|change| format!("  {}\n", show(change.path())))
        .collect();
    out::note(format!(
        "error: Your local changes to the following files would be overwritten by merge:\n{}",
        list.trim_end()
    ));
    out::note("Merge with strategy ort failed.");
    Ok(false)
}

/// Makes the commit of a merge without conflicts; its tree.
fn record(repo: &Repo, sides: Sides, request: &Request<'_>, index: &Index) -> Result<Oid> {
    let message = match request.edits {
        true => edited(repo, sides, request)?,
        false => request.message.clone(),
    };
    let tree = worktree::write_tree(repo, index)?;
    let strategy = if request.ours { "ours" } else { "ort" };
    let made = Commit {
        oid: Oid::NULL,
        tree,
        parents: vec![sides.head, sides.target],
        author: identity(repo, Role::Author, true)?,
        committer: identity(repo, Role::Committer, true)?,
        encoding: None,
        message: commit::cleanup(&message, false),
    };
    let oid = write_commit(repo, &made)?;
    let done = format!("Merge made by the '{strategy}' strategy.");
    let log = format!("{}: {done}", request.log_name());
    move_head(repo, oid, log.as_bytes())?;
    request.say(&done);
    Ok(tree)
}

/// The message as the user leaves it.
fn edited(repo: &Repo, sides: Sides, request: &Request<'_>) -> Result<Vec<u8>> {
    start(repo, sides.target, request, &request.message)?;
    let file = repo.file("MERGE_MSG");
    edit(repo, &file)?;
    let message = commit::cleanup(&os::read(&file)?, true);
    forget(repo);
    match message.is_empty() {
        true => error("Empty commit message."),
        false => Ok(message),
    }
}

/// Merges of more than two: all of them without conflicts, or none.
fn octopus(repo: &Repo, targets: &[Oid], request: &Request<'_>) -> Result<i32> {
    let Some(head) = repo.head() else {
        return fatal("Can merge only exactly one commit into empty head");
    };
    let old_tree = head_tree(repo)?;
    let mut tree = old_tree.unwrap_or(Oid::EMPTY_TREE);
    for (at, target) in targets.iter().enumerate() {
        out::line(format!(
            "Trying simple merge with {}",
            show(&request.words[at])
        ));
        let base = walk::merge_bases(repo, head, *target)?.first().copied();
        let base = match base {
            Some(base) => Some(Commit::read(&repo.objects, &base)?.tree),
            None => None,
        };
        let theirs = Commit::read(&repo.objects, target)?.tree;
        let merged = merge::trees(repo, base, tree, theirs, &request.labels, 0)?;
        if !merged.is_clean() {
            say(&merged);
            out::line("Automated merge did not work.\nShould not be doing an octopus.");
            out::note("Merge with strategy octopus failed.");
            return Ok(2);
        }
        tree = worktree::write_files(repo, &merged.files)?;
    }
    let mut index = repo.index()?;
    if let Err(obstacles) = worktree::switch(repo, old_tree, tree, &mut index)? {
        return obstacles.report("merge");
    }
    repo.write_index(&index)?;
    let commit = Commit {
        oid: Oid::NULL,
        tree,
        parents: std::iter::once(head)
            .chain(targets.iter().copied())
            .collect(),
        author: identity(repo, Role::Author, true)?,
        committer: identity(repo, Role::Committer, true)?,
        encoding: None,
        message: request.message.clone(),
    };
    let oid = write_commit(repo, &commit)?;
    move_head(
        repo,
        oid,
        format!(
            "{}: Merge made by the 'octopus' strategy.",
            request.log_name()
        )
        .as_bytes(),
    )?;
    out::line("Merge made by the 'octopus' strategy.");
    if request.stat {
        stat(repo, old_tree, tree)?;
    }
    Ok(0)
}

/// Leaves a merge to the user, to be ended by a commit.
fn start(repo: &Repo, target: Oid, request: &Request<'_>, message: &[u8]) -> Result<()> {
    let mode: &[u8] = match request.fast {
        Fast::No => b"no-ff",
        _ => b"",
    };
    os::write(&repo.file("MERGE_HEAD"), format!("{target}\n").as_bytes())?;
    os::write(&repo.file("MERGE_MSG"), message)?;
    os::write(&repo.file("MERGE_MODE"), mode)?;
    Ok(())
}

fn conflicted(repo: &Repo, sides: Sides, request: &Request<'_>, merged: &Merged) -> Result<i32> {
    let message = [&request.message[..], conflict_lines(merged).as_bytes()].concat();
    match request.squash {
        true => squash_message(repo, sides)?,
        false => start(repo, sides.target, request, &message)?,
    }
    os::write(&repo.file("MERGE_MSG"), &message)?;
    out::line("Automatic merge failed; fix conflicts and then commit the result.");
    Ok(1)
}

fn squash_message(repo: &Repo, sides: Sides) -> Result<()> {
    let mut text = b"Squashed commit of the following:\n".to_vec();
    for commit in walk::range(repo, &[sides.target], &[sides.head], false)? {
        text.push(b'\n');
        text.extend(crate::pretty::show_commit(
            repo,
            &commit,
            &crate::pretty::Format::Medium,
            &Default::default(),
        ));
    }
    Ok(os::write(&repo.file("SQUASH_MSG"), &text)?)
}

/// Forgets the merge that is under way.
pub(crate) fn forget(repo: &Repo) {
    for file in ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"] {
        repo.remove_file(file);
    }
}
