//! `git branch`.

mod list;

use super::reach::Reach;
use super::{Call, check_branch_name, short_ref, worktrees};
use crate::args::{self, options};
use crate::config::{remove_section, set_value};
use crate::ident::{Role, identity};
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::refs;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;

options! {
    /// What the command line says.
    struct Options for "branch" {
        verbose: usize = "v|verbose",
        quiet: bool = "q|quiet",
        track: bool = "t|track?",
        set_upstream_to: Option<Vec<u8>> = "u|set-upstream-to=",
        unset_upstream: bool = "unset-upstream",
        color: Option<Vec<u8>> = "color?",
        remotes: bool = "r|remotes",
        all: bool = "a|all",
        contains: Vec<Option<Vec<u8>>> = "contains?",
        no_contains: Vec<Option<Vec<u8>>> = "no-contains?",
        merged: Vec<Option<Vec<u8>>> = "merged?",
        no_merged: Vec<Option<Vec<u8>>> = "no-merged?",
        delete: bool = "d|delete",
        force_delete: bool = "D|",
        rename: bool = "m|move",
        force_rename: bool = "M|",
        copy: bool = "c|copy",
        force_copy: bool = "C|",
        list: bool = "l|list",
        show_current: bool = "show-current",
        force: bool = "f|force",
        sort: Vec<Vec<u8>> = "sort=",
        points_at: Option<Vec<u8>> = "points-at=",
        ignore_case: bool = "i|ignore-case",
        format: Option<Vec<u8>> = "format=",
    }
    ignored "abbrev= omit-empty create-reflog recurse-submodules"
    refused "edit-description column?"
}

impl Options {
    /// Whether branches are listed, even where words are given.
    fn lists(&self) -> bool {
        self.list
            || self.remotes
            || self.all
            || self.points_at.is_some()
            || self.format.is_some()
            || !self.sort.is_empty()
            || !self.reach().is_empty()
    }

    fn reach(&self) -> Reach<'_> {
        Reach {
            contains: &self.contains,
            no_contains: &self.no_contains,
            merged: &self.merged,
            no_merged: &self.no_merged,
        }
    }
}

/// `git branch`.
pub(crate) fn branch(call: &Call) -> Result<i32> {
    let with_commit = [
        "--contains",
        "--no-contains",
        "--merged",
        "--no-merged",
        "--with",
    ];
    let (options, rest) = Options::read(&args::attach(&call.words, &with_commit))?;
    let repo = call.repo()?;
    let words = &rest.words[..];
    if options.show_current {
        if let Some(branch) = repo.branch() {
            out::line(branch);
        }
        return Ok(0);
    }
    if options.delete || options.force_delete {
        return delete(&repo, words, &options);
    }
    let copies = options.copy || options.force_copy;
    if copies || options.rename || options.force_rename {
        let force = options.force || options.force_rename || options.force_copy;
        return rename(&repo, words, force, copies);
    }
    if let Some(upstream) = &options.set_upstream_to {
        return upstream_to(&repo, words, upstream);
    }
    if options.unset_upstream {
        return unset_upstream(&repo, words);
    }
    if options.lists() {
        return list::list(&repo, words, &options);
    }
    let (name, start) = match words {
        [] => return list::list(&repo, words, &options),
        [name] => (name, None),
        [name, start] => (name, Some(&start[..])),
        _ => return Err(args::usage("branch", "too many arguments")),
    };
    create(
        &repo,
        name,
        start,
        options.force,
        options.track,
        options.quiet,
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
            show(&start.map_or_else(|| current(repo), <[u8]>::to_vec))
        ));
    };
    let Ok(oid) = revision::peel(repo, oid, Some(Kind::Commit)) else {
        return fatal(format!("not a valid branch point: '{}'", show(word)));
    };
    let who = identity(repo, Role::Committer, false)?;
    let shown = match start {
        Some(word) => show(word),
        None => show(&current(repo)),
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

fn current(repo: &Repo) -> Vec<u8> {
    repo.branch().unwrap_or_else(|| b"HEAD".to_vec())
}

/// Fails when another working tree has the branch.
pub(crate) fn check_not_elsewhere(repo: &Repo, name: &[u8], forcing: bool) -> Result<()> {
    let Some(place) = checked_out_elsewhere(repo, name) else {
        return Ok(());
    };
    let (name, place) = (show(name), show(&place));
    match forcing {
        true => fatal(format!(
            "cannot force update the branch '{name}' used by worktree at '{place}'"
        )),
        false => fatal(format!("'{name}' is already used by worktree at '{place}'")),
    }
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
            show(short_ref(upstream))
        ));
    }
    Ok(())
}

fn delete(repo: &Repo, words: &[Vec<u8>], options: &Options) -> Result<i32> {
    if words.is_empty() {
        return fatal("branch name required");
    }
    let mut status = 0;
    for word in words {
        let name = match &word[..] {
            b"-" => revision::previous_branch(repo, 1).unwrap_or_else(|| b"-".to_vec()),
            other => other.to_vec(),
        };
        if !delete_one(repo, &name, options)? {
            status = 1;
        }
    }
    Ok(status)
}

/// Another working tree that has a branch checked out.
fn checked_out_elsewhere(repo: &Repo, name: &[u8]) -> Option<Vec<u8>> {
    let full = [b"ref: refs/heads/", name].concat();
    let own = os::real_path(&repo.absolute_dir()).ok();
    let mut all = worktrees::all(repo).into_iter();
    let found = all.find(|(_, dir)| {
        let head = os::read(&[&dir[..], b"/HEAD"].concat()).unwrap_or_default();
        os::real_path(dir).ok() != own && head.trim_ascii_end() == full
    });
    found.map(|(place, _)| place)
}

/// Deletes a branch, or says why not; whether it was deleted.
fn delete_one(repo: &Repo, name: &[u8], options: &Options) -> Result<bool> {
    let (prefix, word): (&[u8], _) = match options.remotes {
        true => (b"refs/remotes/", "remote-tracking branch"),
        false => (b"refs/heads/", "branch"),
    };
    let is_local = !options.remotes;
    let full = [prefix, name].concat();
    let shown = show(name);
    let used = match is_local {
        true if repo.branch().as_deref() == Some(name) => {
            Some(repo.work_tree.as_ref().unwrap_or(&repo.dir).clone())
        }
        true => checked_out_elsewhere(repo, name),
        false => None,
    };
    if let Some(place) = used {
        let place = show(&place);
        out::note(format!(
            "error: cannot delete branch '{shown}' used by worktree at '{place}'"
        ));
        return Ok(false);
    }
    let found = repo.refs.resolve(&full);
    let Some(oid) = found.filter(|_| refs::is_valid(&full, false)) else {
        out::note(format!("error: {word} '{shown}' not found"));
        return Ok(false);
    };
    if is_local && !options.force && !options.force_delete && !is_merged(repo, name, oid)? {
        out::note(format!("error: the branch '{shown}' is not fully merged"));
        out::hint(&format!(
            "If you are sure you want to delete it, run 'git branch -D {shown}'\nDisable this message with \"git config \
             advice.forceDeleteBranch false\""
        ));
        return Ok(false);
    }
    repo.refs.delete(&full)?;
    if is_local {
        remove_section(&repo.shared("config"), &[b"branch.", name].concat())?;
    }
    if !options.quiet {
        let oid = repo.short(&oid);
        out::line(format!("Deleted {word} {shown} (was {oid})."));
    }
    Ok(true)
}

/// Whether the branch that another follows, or `HEAD`, has all its commits.
fn is_merged(repo: &Repo, name: &[u8], oid: Oid) -> Result<bool> {
    let upstream = revision::upstream(repo, name);
    let base = upstream.and_then(|upstream| repo.refs.resolve(&upstream));
    match base.or(repo.head()) {
        Some(base) => walk::is_ancestor(repo, oid, base),
        None => Ok(false),
    }
}

fn rename(repo: &Repo, words: &[Vec<u8>], force: bool, copy: bool) -> Result<i32> {
    let (old, new) = match words {
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
