//! `git status`, and what `git commit` shows in its place.

mod long;
mod porcelain;
mod progress;
mod short;
mod tracking;
mod untracked;

use std::collections::BTreeMap;

use super::Call;
use crate::args::{self, Parsed};
use crate::diff::change::{self, Change};
use crate::diff::{Options, rename};
use crate::index::Index;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

pub(crate) use long::{long, long_text};
use porcelain::porcelain_v2;
pub(crate) use progress::{detached_at, rebase_state};
use short::short;
pub(crate) use tracking::{ahead_behind, tracking};
pub(crate) use untracked::{Untracked, unknown};

/// What is known of the working tree.
pub(crate) struct State {
    pub(crate) staged: Vec<Change>,
    pub(crate) unstaged: Vec<Change>,
    /// Paths in conflict and which stages they have, as bits 1, 2, 4.
    pub(crate) unmerged: BTreeMap<Vec<u8>, u8>,
    pub(crate) untracked: Vec<Vec<u8>>,
    pub(crate) ignored: Vec<Vec<u8>>,
}

/// Looks at everything.
pub(crate) fn collect(
    repo: &Repo,
    index: &Index,
    untracked: Untracked,
    ignored: Option<Untracked>,
    paths: &Pathspec,
    renames: bool,
) -> Result<State> {
    let tree = super::head_tree(repo)?;
    let mut options = Options::new(&repo.config);
    options.renames = renames
        && repo
            .config
            .truth("status.renames")
            .unwrap_or(options.renames);
    let mut staged = change::tree_to_index(repo, tree, index, paths)?;
    let mut unstaged = change::index_to_files(repo, index, paths)?;
    let mut unmerged = BTreeMap::new();
    for path in index
        .unmerged()
        .into_iter()
        .filter(|path| paths.matches(path))
    {
        let stages = index.stages(&path);
        let bits = (1..=3)
            .filter(|at| stages[*at].is_some())
            .map(|at| 1u8 << (at - 1))
            .sum();
        unmerged.insert(path, bits);
    }
    staged.retain(|change| !unmerged.contains_key(change.path()));
    unstaged.retain(|change| !unmerged.contains_key(change.path()));
    if options.renames {
        staged = rename::detect(repo, staged, &options, &[])?;
        unstaged = rename::detect(repo, unstaged, &options, &[])?;
    }
    let (untracked, ignored) = match (untracked, ignored) {
        (Untracked::No, None) => (Vec::new(), Vec::new()),
        _ => unknown(repo, index, untracked, ignored, paths)?,
    };
    Ok(State {
        staged,
        unstaged,
        unmerged,
        untracked,
        ignored,
    })
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Long,
    Short,
    Porcelain,
    PorcelainV2,
}

/// `git status`.
pub(crate) fn status(call: &Call) -> Result<i32> {
    let table = "s|short long porcelain? b|branch show-stash z|null u|untracked-files? ignored? v|verbose column? no-column ignore-submodules? \
                 ahead-behind find-renames? renames M|find-renames-score?";
    let parsed = args::parse("status", table, &call.words)?;
    parsed.refuse(&["verbose"])?;
    let repo = call.work_tree()?;
    let mut form = match repo.config.truth("status.short") {
        Some(true) => Form::Short,
        _ => Form::Long,
    };
    if parsed.has("null") {
        form = Form::Porcelain;
    }
    for (name, value) in &parsed.options {
        match (name.as_str(), value.as_deref()) {
            ("short", _) => form = Form::Short,
            ("long", _) => form = Form::Long,
            ("porcelain", None | Some(b"v1" | b"1")) => form = Form::Porcelain,
            ("porcelain", Some(b"v2" | b"2")) => form = Form::PorcelainV2,
            ("porcelain", Some(other)) => {
                return fatal(format!("unsupported porcelain version '{}'", show(other)));
            }
            _ => {}
        }
    }
    let untracked = untracked_mode(&repo, &parsed)?;
    let ignored = match parsed.has("ignored") {
        true => match parsed.value("ignored") {
            None | Some(b"traditional") => Some(untracked),
            Some(b"matching") => Some(Untracked::No),
            Some(b"no") => None,
            Some(other) => return fatal(format!("Invalid ignored mode '{}'", show(other))),
        },
        false => None,
    };
    let paths = Pathspec::new(&repo, &parsed.words)?;
    let mut index = repo.index()?;
    if change::refresh(&repo, &mut index)? {
        // What was learnt saves time later; where it cannot be written it is no loss.
        let _ = repo.write_index(&index);
    }
    let state = collect(
        &repo,
        &index,
        untracked,
        ignored,
        &paths,
        !parsed.has("no-renames"),
    )?;
    let branch = match form {
        Form::Short => {
            parsed.has("branch")
                || (repo.config.truth("status.branch") == Some(true) && !parsed.has("no-branch"))
        }
        _ => parsed.has("branch"),
    };
    match form {
        Form::Long => long(
            &repo,
            &index,
            &state,
            untracked,
            false,
            parsed.has("show-stash"),
        )?,
        Form::Short | Form::Porcelain => short(
            &repo,
            &state,
            parsed.has("null"),
            branch,
            form == Form::Short,
        )?,
        Form::PorcelainV2 => porcelain_v2(
            &repo,
            &index,
            &state,
            parsed.has("null"),
            branch,
            parsed.has("show-stash"),
        )?,
    }
    Ok(0)
}

/// The value of `-u`.
pub(crate) fn untracked_mode(repo: &Repo, parsed: &Parsed) -> Result<Untracked> {
    let default = match repo.config.get("status.showuntrackedfiles") {
        Some(b"no" | b"false") => Untracked::No,
        Some(b"all") => Untracked::All,
        _ => Untracked::Normal,
    };
    if parsed.has("no-untracked-files") {
        return Ok(Untracked::No);
    }
    if !parsed.has("untracked-files") {
        return Ok(default);
    }
    match parsed.value("untracked-files") {
        None | Some(b"all") => Ok(Untracked::All),
        Some(b"normal") => Ok(Untracked::Normal),
        Some(b"no" | b"false") => Ok(Untracked::No),
        Some(other) => fatal(format!("Invalid untracked files mode '{}'", show(other))),
    }
}
