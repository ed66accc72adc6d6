//! `git reset`.

use super::{Call, head_tree, move_head, save_orig_head};
use crate::args;
use crate::diff::change;
use crate::index::Entry;
use crate::object::Commit;
use crate::oid::Kind;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree;

/// `git reset`.
pub(crate) fn reset(call: &Call) -> Result<i32> {
    let table = "q|quiet mixed soft hard merge keep p|patch N|intent-to-add refresh no-refresh pathspec-from-file= pathspec-file-nul \
                 recurse-submodules?";
    let parsed = args::parse("reset", table, &call.words)?;
    parsed.refuse(&["patch", "merge"])?;
    let repo = call.repo()?;
    let mut words = parsed.words.clone();
    let mut target = b"HEAD".to_vec();
    let before_dashes = parsed.dashes.unwrap_or(words.len());
    if before_dashes > 0
        && let Some(word) = words.first().cloned()
    {
        let is_revision = revision::try_resolve(&repo, &word)?.is_some();
        if is_revision {
            target = word;
            words.remove(0);
        } else if parsed.dashes == Some(1) {
            return fatal(format!(
                "Failed to resolve '{}' as a valid revision.",
                show(&word)
            ));
        } else if !repo.path_of_user(&word).is_some_and(|path| {
            os::exists(&path)
                || repo
                    .index()
                    .is_ok_and(|index| index.has(&path) || index.has_below(&path))
        }) && !crate::wildmatch::has_special(&word)
        {
            return Err(revision::ambiguous(&word));
        }
    }
    if let Some(file) = parsed.value("pathspec-from-file") {
        words.extend(super::add::lines_of(file, parsed.has("pathspec-file-nul"))?);
    }
    let unborn = target == b"HEAD" && repo.head().is_none();
    let mode = ["soft", "mixed", "hard", "keep"]
        .into_iter()
        .rfind(|mode| parsed.has(mode));
    if !words.is_empty() {
        if let Some(mode) = mode.filter(|mode| *mode != "mixed") {
            return fatal(format!("Cannot do {mode} reset with paths."));
        }
        let tree = match unborn {
            true => None,
            false => Some(revision::peel(
                &repo,
                revision::resolve(&repo, &target)?,
                Some(Kind::Tree),
            )?),
        };
        return reset_paths(
            &repo,
            tree,
            &words,
            parsed.has("quiet"),
            parsed.has("intent-to-add"),
        );
    }
    let mode = mode.unwrap_or("mixed");
    if mode != "soft" && mode != "mixed" {
        repo.need_work_tree()?;
    }
    let mut index = repo.index()?;
    if unborn {
        if mode != "soft" {
            let tree = None;
            if mode == "hard" {
                worktree::reset_hard(&repo, crate::oid::Oid::EMPTY_TREE, &mut index)?;
            }
            let index = worktree::reset_index(&repo, tree, &index)?;
            repo.write_index(&index)?;
        }
        return Ok(0);
    }
    let oid = match revision::try_resolve(&repo, &target)? {
        Some(oid) => revision::peel(&repo, oid, Some(Kind::Commit)),
        None => return Err(revision::ambiguous(&target)),
    };
    let Ok(oid) = oid else {
        return fatal(format!("Could not parse object '{}'.", show(&target)));
    };
    let commit = Commit::read(&repo.objects, &oid)?;
    if mode == "soft" && (repo.has_file("MERGE_HEAD") || !index.unmerged().is_empty()) {
        return fatal("Cannot do a soft reset in the middle of a merge.");
    }
    match mode {
        "hard" => {
            worktree::reset_hard(&repo, commit.tree, &mut index)?;
            repo.write_index(&index)?;
        }
        "keep" => {
            let old = head_tree(&repo)?;
            match worktree::switch(&repo, old, commit.tree, &mut index)? {
                Ok(()) => repo.write_index(&index)?,
                Err(obstacles) => {
                    for path in obstacles.changed {
                        out::note(format!(
                            "error: Entry '{}' not uptodate. Cannot merge.",
                            show(&path)
                        ));
                    }
                    return fatal(format!(
                        "Could not reset index file to revision '{}'.",
                        show(&target)
                    ));
                }
            }
        }
        "mixed" => {
            let mut fresh = worktree::reset_index(&repo, Some(commit.tree), &index)?;
            if parsed.has("intent-to-add") {
                for entry in index
                    .merged()
                    .filter(|entry| fresh.get(&entry.path).is_none())
                    .cloned()
                    .collect::<Vec<_>>()
                {
                    let mut entry =
                        Entry::new(entry.path, entry.mode, crate::oid::hash(Kind::Blob, b""), 0);
                    entry.intent_to_add = true;
                    fresh.put(entry);
                }
            }
            if repo.work_tree.is_some() {
                change::refresh(&repo, &mut fresh)?;
            }
            repo.write_index(&fresh)?;
            if !parsed.has("quiet") && repo.work_tree.is_some() {
                unstaged(&repo, &fresh)?;
            }
        }
        _ => {}
    }
    save_orig_head(&repo)?;
    move_head(&repo, oid, &[b"reset: moving to ", &target[..]].concat())?;
    if mode != "soft" {
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
    if mode == "hard" && !parsed.has("quiet") {
        out::put(format!("HEAD is now at {} ", repo.short(&oid)).as_bytes());
        out::line(commit.subject());
    }
    Ok(0)
}

/// Says what the index and the working tree differ in.
fn unstaged(repo: &crate::repo::Repo, index: &crate::index::Index) -> Result<()> {
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

fn reset_paths(
    repo: &crate::repo::Repo,
    tree: Option<crate::oid::Oid>,
    words: &[Vec<u8>],
    quiet: bool,
    intent: bool,
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
            if intent && os::exists(&path) {
                let mut entry = Entry::new(path, 0o100_644, crate::oid::hash(Kind::Blob, b""), 0);
                entry.intent_to_add = true;
                index.put(entry);
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
    if !quiet && repo.work_tree.is_some() {
        unstaged(repo, &index)?;
    }
    Ok(0)
}
