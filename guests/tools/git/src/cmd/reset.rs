//! `git reset`.

use super::{Call, head_tree, move_head, save_orig_head};
use crate::args::{Rest, options};
use crate::diff::change;
use crate::index::{Entry, Index};
use crate::object::Commit;
use crate::oid::{Kind, Oid, hash};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::wildmatch;
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "reset" {
        quiet: bool = "q|quiet",
        mode: Option<Mode> = [
            "soft" => Mode::Soft,
            "mixed" => Mode::Mixed,
            "hard" => Mode::Hard,
            "keep" => Mode::Keep,
        ],
        intent_to_add: bool = "N|intent-to-add",
        /// Paths come from this file.
        from: Option<Vec<u8>> = "pathspec-from-file=",
        /// NUL ends a path of that file.
        zero: bool = "pathspec-file-nul",
    }
    ignored "refresh no-refresh recurse-submodules?"
    refused "p|patch merge"
}

/// What goes back besides `HEAD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Soft,
    /// The index.
    Mixed,
    /// The index and the working tree.
    Hard,
    /// As hard, where no change of the user is lost.
    Keep,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Soft => "soft",
            Mode::Mixed => "mixed",
            Mode::Hard => "hard",
            Mode::Keep => "keep",
        }
    }
}

/// `git reset`.
pub(crate) fn reset(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let (target, mut words) = target(&repo, rest)?;
    if let Some(file) = &options.from {
        words.extend(os::lines_of(file, options.zero)?);
    }
    let is_unborn = target == b"HEAD" && repo.head().is_none();
    if !words.is_empty() {
        if let Some(mode) = options.mode.filter(|mode| *mode != Mode::Mixed) {
            return fatal(format!("Cannot do {} reset with paths.", mode.name()));
        }
        let tree = match is_unborn {
            true => None,
            false => {
                let oid = revision::resolve(&repo, &target)?;
                Some(revision::peel(&repo, oid, Some(Kind::Tree))?)
            }
        };
        return reset_paths(&repo, tree, &words, &options);
    }
    let mode = options.mode.unwrap_or(Mode::Mixed);
    if matches!(mode, Mode::Hard | Mode::Keep) {
        repo.need_work_tree()?;
    }
    let index = repo.index()?;
    match is_unborn {
        true => empty(&repo, mode, index)?,
        false => reset_all(&repo, mode, index, &target, &options)?,
    }
    Ok(0)
}

/// The revision that is named, or `HEAD`, and the paths.
fn target(repo: &Repo, rest: Rest) -> Result<(Vec<u8>, Vec<Vec<u8>>)> {
    let mut words = rest.words;
    let head = || b"HEAD".to_vec();
    if rest.dashes == Some(0) || words.is_empty() {
        return Ok((head(), words));
    }
    if revision::try_resolve(repo, &words[0])?.is_some() {
        let target = words.remove(0);
        return Ok((target, words));
    }
    let word = &words[0];
    if rest.dashes == Some(1) {
        return fatal(format!(
            "Failed to resolve '{}' as a valid revision.",
            show(word)
        ));
    }
    let is_known = |path: &[u8]| {
        let index = repo.index();
        index.is_ok_and(|index| index.has(path) || index.has_below(path))
    };
    let is_path = repo
        .path_of_user(word)
        .is_some_and(|path| os::exists(&path) || is_known(&path));
    match is_path || wildmatch::has_special(word) {
        true => Ok((head(), words)),
        false => Err(revision::ambiguous(word)),
    }
}

/// Resets where there is no commit yet.
fn empty(repo: &Repo, mode: Mode, mut index: Index) -> Result<()> {
    if mode == Mode::Soft {
        return Ok(());
    }
    if mode == Mode::Hard {
        worktree::reset_hard(repo, Oid::EMPTY_TREE, &mut index)?;
    }
    let index = worktree::reset_index(repo, None, &index)?;
    repo.write_index(&index)
}

/// Goes back to a commit.
fn reset_all(
    repo: &Repo,
    mode: Mode,
    mut index: Index,
    target: &[u8],
    options: &Options,
) -> Result<()> {
    let Some(oid) = revision::try_resolve(repo, target)? else {
        return Err(revision::ambiguous(target));
    };
    let Ok(oid) = revision::peel(repo, oid, Some(Kind::Commit)) else {
        return fatal(format!("Could not parse object '{}'.", show(target)));
    };
    let commit = Commit::read(&repo.objects, &oid)?;
    match mode {
        Mode::Soft if repo.has_file("MERGE_HEAD") || !index.unmerged().is_empty() => {
            return fatal("Cannot do a soft reset in the middle of a merge.");
        }
        Mode::Soft => {}
        Mode::Mixed => reset_index(repo, &commit, &index, options)?,
        Mode::Hard => {
            worktree::reset_hard(repo, commit.tree, &mut index)?;
            repo.write_index(&index)?;
        }
        Mode::Keep => keep(repo, &commit, index, target)?,
    }
    save_orig_head(repo)?;
    move_head(repo, oid, &[b"reset: moving to ", target].concat())?;
    if mode != Mode::Soft {
        forget(repo);
    }
    if mode == Mode::Hard && !options.quiet {
        out::put(format!("HEAD is now at {} ", repo.short(&oid)).as_bytes());
        out::line(commit.subject());
    }
    Ok(())
}

/// The index goes back; the working tree stays.
fn reset_index(repo: &Repo, commit: &Commit, index: &Index, options: &Options) -> Result<()> {
    let mut fresh = worktree::reset_index(repo, Some(commit.tree), index)?;
    if options.intent_to_add {
        for entry in index.merged() {
            if fresh.get(&entry.path).is_none() {
                fresh.put(intended(entry.path.clone(), entry.mode));
            }
        }
    }
    if repo.work_tree.is_some() {
        change::refresh(repo, &mut fresh)?;
    }
    repo.write_index(&fresh)?;
    if !options.quiet && repo.work_tree.is_some() {
        unstaged(repo, &fresh)?;
    }
    Ok(())
}

/// The entry of a file that is to be added later.
fn intended(path: Vec<u8>, mode: u32) -> Entry {
    let mut entry = Entry::new(path, mode, hash(Kind::Blob, b""), 0);
    entry.intent_to_add = true;
    entry
}

/// The index and the working tree go back; changes of the user stay.
fn keep(repo: &Repo, commit: &Commit, mut index: Index, target: &[u8]) -> Result<()> {
    let old = head_tree(repo)?;
    let Err(obstacles) = worktree::switch(repo, old, commit.tree, &mut index)? else {
        return repo.write_index(&index);
    };
    for path in obstacles.changed {
        out::note(format!(
            "error: Entry '{}' not uptodate. Cannot merge.",
            show(&path)
        ));
    }
    fatal(format!(
        "Could not reset index file to revision '{}'.",
        show(target)
    ))
}

/// Forgets a merge or a pick that is under way.
fn forget(repo: &Repo) {
    for file in [
        "MERGE_HEAD",
        "MERGE_MSG",
        "MERGE_MODE",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "SQUASH_MSG",
        "AUTO_MERGE",
    ] {
        repo.remove_file(file);
    }
}

/// Says what the index and the working tree differ in.
fn unstaged(repo: &Repo, index: &Index) -> Result<()> {
    let changes = change::index_to_files(repo, index, &Pathspec::default())?;
    if changes.is_empty() {
        return Ok(());
    }
    out::line("Unstaged changes after reset:");
    let mut last: Vec<u8> = Vec::new();
    for found in changes {
        if found.path() == last {
            continue;
        }
        last = found.path().to_vec();
        out::put(&[found.status, b'\t']);
        out::line(repo.quote(&repo.relative(found.path())));
    }
    Ok(())
}

/// Takes paths from a tree into the index.
fn reset_paths(
    repo: &Repo,
    tree: Option<Oid>,
    words: &[Vec<u8>],
    options: &Options,
) -> Result<i32> {
    let paths = Pathspec::new(repo, words)?;
    let mut index = repo.index()?;
    let files = match tree {
        Some(tree) => change::flatten(repo, &tree)?,
        None => Default::default(),
    };
    let known: Vec<Vec<u8>> = index
        .entries
        .values()
        .map(|entry| entry.path.clone())
        .filter(|path| paths.matches(path))
        .collect();
    for path in known {
        if !files.contains_key(&path) {
            index.remove(&path);
            if options.intent_to_add && os::exists(&path) {
                index.put(intended(path, 0o100_644));
            }
        }
    }
    for (path, (mode, oid)) in files.into_iter().filter(|(path, _)| paths.matches(path)) {
        if index
            .get(&path)
            .is_some_and(|entry| (entry.mode, entry.oid) == (mode, oid))
        {
            continue;
        }
        index.put(Entry::new(path, mode, oid, 0));
    }
    if repo.work_tree.is_some() {
        change::refresh(repo, &mut index)?;
    }
    repo.write_index(&index)?;
    if !options.quiet && repo.work_tree.is_some() {
        unstaged(repo, &index)?;
    }
    Ok(0)
}
