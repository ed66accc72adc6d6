//! `git rebase` without a list to edit. Its state is in `rebase-merge/`, as git has it.

mod steps;

use super::{Call, checkout, head_tree, short_ref, switch_head};
use crate::args::{options, usage};
use crate::diff::{change, lines};
use crate::index::Index;
use crate::object::Commit;
use crate::oid::{Kind, Oid, sha1};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;
use crate::worktree;
use std::collections::HashSet;

options! {
    /// What the command line says.
    struct Options for "rebase" {
        onto: Option<Vec<u8>> = "onto=",
        quiet: bool = "q|quiet",
        force: bool = "f|force-rebase",
        no_ff: bool = "no-ff",
        step: Option<Step> = [
            "continue" => Step::Continue,
            "skip" => Step::Skip,
            "abort" => Step::Abort,
            "quit" => Step::Quit,
        ],
        root: bool = "root",
    }
    ignored "no-verify v|verbose n|no-stat stat ignore-whitespace ff apply m|merge \
        rerere-autoupdate empty= keep-empty fork-point reschedule-failed-exec \
        reapply-cherry-picks"
    refused "i|interactive x|exec= r|rebase-merges? edit-todo show-current-patch S|gpg-sign? \
        autosquash whitespace= update-refs keep-base signoff s|strategy= X|strategy-option= autostash \
        reset-author-date ignore-date committer-date-is-author-date"
}

/// What is to become of a rebase that is under way.
enum Step {
    /// It goes on after the commit that it stopped at.
    Continue,
    /// It goes on without that commit.
    Skip,
    /// It is undone.
    Abort,
    /// It is forgotten.
    Quit,
}

/// The names on the command line.
struct Names {
    upstream: Option<Vec<u8>>,
    branch: Option<Vec<u8>>,
}

/// Where the commits go.
struct Base {
    /// Commits that this leads to stay where they are; none for the whole history.
    upstream: Option<Oid>,
    onto: Oid,
    /// `onto` as it was named.
    name: Vec<u8>,
}

/// `git rebase`.
pub(crate) fn rebase(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let is_running = repo.has_file("rebase-merge");
    match options.step {
        Some(_) if !is_running => return fatal("no rebase in progress"),
        Some(Step::Continue) => return steps::resume(&repo),
        Some(Step::Skip) => return steps::skip(&repo),
        Some(Step::Abort) => return steps::abort(&repo),
        Some(Step::Quit) => {
            os::remove_tree(&repo.file("rebase-merge"))?;
            return Ok(0);
        }
        None if is_running => return Ok(running(&repo)),
        None => {}
    }
    let mut index = repo.index()?;
    change::refresh(&repo, &mut index)?;
    for path in index.unmerged() {
        out::line(format!("{}: needs merge", show(&path)));
    }
    check_clean(&repo, &index)?;
    let Some(names) = names(&repo, rest.words, &options)? else {
        return no_upstream(&repo);
    };
    let base = base(&repo, names.upstream, &options)?;
    if let Some(branch) = &names.branch {
        match check_out(call, &repo, branch)? {
            0 => index = repo.index()?,
            status => return Ok(status),
        }
    }
    let Some(head) = repo.head() else {
        return fatal("no HEAD to rebase");
    };
    let Some(todo) = plan(&repo, head, &base, &options)? else {
        if !options.quiet {
            let branch = repo.refs.head_branch();
            let shown = branch.map_or("HEAD".to_owned(), |branch| show(short_ref(&branch)));
            out::line(format!("Current branch {shown} is up to date."));
        }
        return Ok(0);
    };
    start(&repo, index, head, &base, &todo, &options)?;
    steps::pick_all(&repo, todo)
}

/// Tells that another one is under way; the status.
fn running(repo: &Repo) -> i32 {
    let place = show(&repo.file("rebase-merge"));
    out::note(format!(
        "fatal: It seems that there is already a rebase-merge directory, and\nI wonder if you are in the middle of another rebase.  If that is \
         the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)\nIf that is not the case, please\n\trm -fr \"{place}\"\nand run me \
         again.  I am stopping in case you still have something\nvaluable there.\n"
    ));
    128
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

/// The names, with the upstream of the current branch where none is given; none if it has none.
fn names(repo: &Repo, words: Vec<Vec<u8>>, options: &Options) -> Result<Option<Names>> {
    let mut words = words.into_iter();
    let upstream = match options.root {
        true => None,
        false => words.next(),
    };
    let branch = words.next();
    if words.next().is_some() {
        return Err(usage("rebase", "too many arguments"));
    }
    if upstream.is_some() || options.root {
        return Ok(Some(Names { upstream, branch }));
    }
    let current = repo.branch();
    let upstream = current.and_then(|current| revision::upstream(repo, &current));
    Ok(upstream.map(|full| Names {
        upstream: Some(short_ref(&full).to_vec()),
        branch,
    }))
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

/// Finds the commits of the names.
fn base(repo: &Repo, upstream: Option<Vec<u8>>, options: &Options) -> Result<Base> {
    let commit = match &upstream {
        None => None,
        Some(name) => match commit_of(repo, name)? {
            Some(oid) => Some(oid),
            None => return fatal(format!("invalid upstream '{}'", show(name))),
        },
    };
    let Some(name) = options.onto.clone().or(upstream) else {
        return fatal("codepod's git rebase --root needs --onto");
    };
    let onto = match name.windows(3).position(|three| three == b"...") {
        Some(at) => {
            let (a, b) = (
                commit_of(repo, &name[..at])?,
                commit_of(repo, &name[at + 3..])?,
            );
            match a.zip(b) {
                Some((a, b)) => walk::merge_bases(repo, a, b)?.first().copied(),
                None => None,
            }
        }
        None => commit_of(repo, &name)?,
    };
    match onto {
        Some(onto) => Ok(Base {
            upstream: commit,
            onto,
            name,
        }),
        None => fatal(format!(
            "Does not point to a valid commit '{}'",
            show(&name)
        )),
    }
}

fn commit_of(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    let name: &[u8] = if name == b"-" { b"@{-1}" } else { name };
    match revision::try_resolve(repo, name)? {
        Some(oid) => Ok(revision::peel(repo, oid, Some(Kind::Commit)).ok()),
        None => Ok(None),
    }
}

/// Goes to the branch that is to be rebased; the status.
fn check_out(call: &Call, repo: &Repo, branch: &[u8]) -> Result<i32> {
    let is_branch = repo
        .refs
        .resolve(&[b"refs/heads/", branch].concat())
        .is_some();
    if !is_branch && commit_of(repo, branch)?.is_none() {
        return fatal(format!("no such branch/commit '{}'", show(branch)));
    }
    os::chdir(&repo.started_in)?;
    checkout::checkout(&Call {
        global: call.global.clone(),
        words: vec![b"-q".to_vec(), branch.to_vec()],
        name: "checkout",
    })
}

/// The commits that are to be picked, the oldest first; none when they stand on it already.
fn plan(repo: &Repo, head: Oid, base: &Base, options: &Options) -> Result<Option<Vec<Commit>>> {
    let hidden: Vec<Oid> = base.upstream.into_iter().collect();
    let commits = walk::range(repo, &[head], &hidden, false)?;
    let total = commits.len();
    let mut todo = walk::sort(commits, walk::Order::Topological);
    todo.retain(|commit| commit.parents.len() < 2);
    todo.reverse();
    let is_linear = todo.len() == total;
    if walk::is_ancestor(repo, base.onto, head)?
        && is_linear
        && base.upstream == Some(base.onto)
        && !options.force
        && !options.no_ff
    {
        return Ok(None);
    }
    if let Some(upstream) = base.upstream {
        drop_known(repo, &mut todo, head, upstream)?;
    }
    Ok(Some(todo))
}

/// Leaves out commits whose change the upstream has already.
fn drop_known(repo: &Repo, todo: &mut Vec<Commit>, head: Oid, upstream: Oid) -> Result<()> {
    let others = walk::range(repo, &[upstream], &[head], false)?;
    let mut known = HashSet::new();
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
    *todo = kept;
    Ok(())
}

/// What a commit changes, without where.
fn patch_id(repo: &Repo, commit: &Commit) -> Result<Vec<u8>> {
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
    Ok(sha1(&id).0.to_vec())
}

/// Goes to the new base, and writes down what is to be done there.
fn start(
    repo: &Repo,
    mut index: Index,
    head: Oid,
    base: &Base,
    todo: &[Commit],
    options: &Options,
) -> Result<()> {
    let tree = Commit::read(&repo.objects, &base.onto)?.tree;
    if let Err(obstacles) = worktree::switch(repo, head_tree(repo)?, tree, &mut index)? {
        return obstacles.report("checkout");
    }
    repo.write_index(&index)?;
    repo.refs.write(b"ORIG_HEAD", head, None)?;
    os::mkdir_all(&repo.file("rebase-merge"))?;
    let write = |name: &str, text: String| {
        os::write(&repo.file(&format!("rebase-merge/{name}")), text.as_bytes())
    };
    let branch = repo.refs.head_branch();
    let name = branch.map_or("detached HEAD".to_owned(), |branch| show(&branch));
    write("head-name", format!("{name}\n"))?;
    write("onto", format!("{}\n", base.onto))?;
    write("orig-head", format!("{head}\n"))?;
    write("interactive", String::new())?;
    write("end", format!("{}\n", todo.len()))?;
    write("msgnum", "0\n".to_owned())?;
    write("done", String::new())?;
    write("git-rebase-todo", steps::list(todo))?;
    if options.quiet {
        write("quiet", String::new())?;
    }
    let log = format!("rebase (start): checkout {}", show(&base.name));
    switch_head(repo, None, base.onto, log.as_bytes())
}
