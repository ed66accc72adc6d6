//! `git diff`.

use super::comparison::{CommandLine, finish};
use super::{Call, head_tree};
use crate::args::usage;
use crate::diff::change::{self, Item};
use crate::diff::{self, Change, Options, combined, patch};
use crate::index::Index;
use crate::object::canonical_mode;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::{Repo, outside_config};
use crate::stop::{Result, Stop, error, fatal, show, why};

/// `git diff`.
pub(crate) fn diff(call: &Call) -> Result<i32> {
    let Some(repo) = Repo::try_discover(&call.global)? else {
        return no_index(call, None);
    };
    let mut before_dashes = call.words.iter().take_while(|word| *word != b"--");
    if before_dashes.any(|word| word == b"--no-index") {
        return no_index(call, Some(repo));
    }
    let mut line = CommandLine::read(Some(&repo), &repo.config, &call.words)?;
    if !line.options.has_format() {
        line.options.patch = true;
    }
    let (trees, paths) = line.trees(&repo)?;
    let old = match trees.first() {
        None if line.cached => head_tree(&repo)?,
        first => first.copied(),
    };
    let changes = match trees[..] {
        [] | [_] if line.cached => change::tree_to_index(&repo, old, &repo.index()?, &paths)?,
        [] => return work_tree(&repo, &line, &paths),
        [_] => {
            repo.need_work_tree()?;
            change::tree_to_files(&repo, old, &repo.index()?, &paths)?
        }
        [_, new] => change::trees(&repo, old, Some(new), &paths)?,
        _ => return fatal("codepod's git diff compares at most two revisions"),
    };
    finish(&repo, changes, &line.options, old)
}

/// Compares the index with the working tree.
fn work_tree(repo: &Repo, line: &CommandLine, paths: &Pathspec) -> Result<i32> {
    repo.need_work_tree()?;
    let mut index = repo.index()?;
    change::refresh(repo, &mut index)?;
    let mut changes = change::index_to_files(repo, &index, paths)?;
    if !line.options.patch || line.one_stage {
        return finish(repo, changes, &line.options, None);
    }
    let mut conflicts = index.unmerged();
    conflicts.retain(|path| paths.matches(path));
    changes.retain(|change| !conflicts.contains(&change.new.path));
    show_with_conflicts(repo, changes, &conflicts, &index, &line.options)
}

fn show_with_conflicts(
    repo: &Repo,
    changes: Vec<Change>,
    conflicts: &[Vec<u8>],
    index: &Index,
    options: &Options,
) -> Result<i32> {
    let mut all = patch::prepare(repo, changes, options, &[])?;
    if conflicts.is_empty() {
        let any = diff::show(repo, &all, options)?;
        return Ok(i32::from(options.exit_code && any));
    }
    all.extend(conflicts.iter().map(|path| Change::unmerged(path)));
    all.sort_by(|a, b| a.path().cmp(b.path()));
    let other = Options {
        patch: false,
        ..options.clone()
    };
    if other.has_format() {
        diff::show(repo, &all, &other)?;
        out::put(b"\n");
    }
    for change in &all {
        if change.status != b'U' {
            patch::Printer::new(repo, options).patch(change)?;
            continue;
        }
        let stages = index.stages(change.path());
        if stages[2].is_some() && stages[3].is_some() {
            combined::conflict(index, change.path()).print(repo, options)?;
        } else {
            patch::Printer::new(repo, options).patch(change)?;
        }
    }
    Ok(i32::from(options.exit_code))
}

/// Compares two files outside of a repository.
fn no_index(call: &Call, repo: Option<Repo>) -> Result<i32> {
    let started = match &repo {
        Some(repo) => repo.started_in.clone(),
        None => os::cwd()?,
    };
    let config = outside_config(&call.global)?;
    let mut line = CommandLine::read(None, &config, &call.words)?;
    if !line.no_index && line.words.len() != 2 {
        out::note(
            "warning: Not a git repository. Use --no-index to compare two paths outside a working tree",
        );
        return Err(Stop::Status(129));
    }
    let [one, two] = &line.words[..] else {
        return Err(usage("diff --no-index", "two paths are needed"));
    };
    if !line.options.has_format() {
        line.options.patch = true;
    }
    os::chdir(&started)?;
    let (a, b) = (item(one)?, item(two)?);
    // A repository of nothing but its settings, for printing.
    let Some(repo) = repo else {
        return fatal("codepod's git diff --no-index needs a repository around it");
    };
    if a.is_some() && b.is_some() && os::read(one)? == os::read(two)? {
        return Ok(0);
    }
    let mut change = Change::new(two, a, b);
    change.old.path.clone_from(one);
    change.new.path.clone_from(two);
    match change.status {
        b'D' => change.new.path.clone_from(one),
        b'A' => change.old.path.clone_from(two),
        _ => {}
    }
    diff::show(&repo, &[change], &line.options)?;
    Ok(1)
}

/// A file outside of a repository; none for `/dev/null`.
fn item(path: &[u8]) -> Result<Option<Item>> {
    if path == b"/dev/null" {
        return Ok(None);
    }
    match os::stat(path) {
        Ok(found) if found.is_dir() => fatal("codepod's git diff --no-index compares files only"),
        Ok(found) => Ok(Some((canonical_mode(found.mode), Oid::NULL))),
        Err(found) => error(format!(
            "Could not access '{}': {}",
            show(path),
            why(&found)
        )),
    }
}
