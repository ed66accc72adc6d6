//! `git status`, and what `git commit` shows in its place.

mod lines;
mod long;
mod porcelain;
mod progress;
mod short;
mod tracking;
mod untracked;

use std::collections::BTreeMap;

use super::Call;
use crate::args::{Optional, options};
use crate::diff::change::{self, Change};
use crate::diff::{self, rename};
use crate::index::Index;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

pub(crate) use long::{long, long_text};
use porcelain::Porcelain;
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
    let mut options = diff::Options::new(&repo.config);
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

options! {
    /// What the command line says.
    struct Options for "status" {
        form: Option<Form> = [
            "s|short" => Form::Short,
            "long" => Form::Long,
            "porcelain?" => Form::Porcelain,
        ],
        /// The version of the form.
        porcelain: Optional = "porcelain?",
        branch: Option<bool> = "b|branch",
        show_stash: bool = "show-stash",
        zero: bool = "z|null",
        untracked: Optional = "u|untracked-files?",
        ignored: Optional = "ignored?",
        renames: Option<bool> = "renames",
    }
    ignored "column? no-column ignore-submodules? ahead-behind find-renames? M|find-renames-score?"
    refused "v|verbose"
}

/// `git status`.
pub(crate) fn status(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let form = form(&repo, &options)?;
    let untracked = untracked_mode(&repo, &options.untracked)?;
    let ignored = ignored_mode(&options.ignored, untracked)?;
    let paths = Pathspec::new(&repo, &rest.words)?;
    let mut index = repo.index()?;
    if change::refresh_to_look(&repo, &mut index)? {
        // What was learnt saves time later; where it cannot be written it is no loss.
        let _ = repo.write_index(&index);
    }
    let renames = options.renames != Some(false);
    let state = collect(&repo, &index, untracked, ignored, &paths, renames)?;
    let is_short = form == Form::Short;
    let configured = is_short && repo.config.truth("status.branch") == Some(true);
    let branch = options.branch.unwrap_or(configured);
    let (zero, stash) = (options.zero, options.show_stash);
    match form {
        Form::Long => long(&repo, &index, &state, untracked, false, stash)?,
        Form::Short | Form::Porcelain => short(&repo, &state, zero, branch, is_short)?,
        Form::PorcelainV2 => {
            let (repo, index) = (&repo, &index);
            Porcelain { repo, index, zero }.print(&state, branch, stash)?;
        }
    }
    Ok(0)
}

fn form(repo: &Repo, options: &Options) -> Result<Form> {
    let is_v2 = match &options.porcelain {
        Optional::With(version) => match &version[..] {
            b"v1" | b"1" => false,
            b"v2" | b"2" => true,
            other => return fatal(format!("unsupported porcelain version '{}'", show(other))),
        },
        _ => false,
    };
    Ok(match options.form {
        Some(Form::Porcelain) if is_v2 => Form::PorcelainV2,
        Some(form) => form,
        None if options.zero => Form::Porcelain,
        None if repo.config.truth("status.short") == Some(true) => Form::Short,
        None => Form::Long,
    })
}

/// The value of `-u`.
pub(crate) fn untracked_mode(repo: &Repo, given: &Optional) -> Result<Untracked> {
    match given {
        Optional::No => Ok(match repo.config.get("status.showuntrackedfiles") {
            Some(b"no" | b"false") => Untracked::No,
            Some(b"all") => Untracked::All,
            _ => Untracked::Normal,
        }),
        Optional::Plain => Ok(Untracked::All),
        Optional::With(mode) => match &mode[..] {
            b"all" => Ok(Untracked::All),
            b"normal" => Ok(Untracked::Normal),
            b"no" | b"false" => Ok(Untracked::No),
            other => fatal(format!("Invalid untracked files mode '{}'", show(other))),
        },
    }
}

/// The value of `--ignored`; none when ignored files are not shown.
fn ignored_mode(given: &Optional, untracked: Untracked) -> Result<Option<Untracked>> {
    match given {
        Optional::No => Ok(None),
        Optional::Plain => Ok(Some(untracked)),
        Optional::With(mode) => match &mode[..] {
            b"traditional" => Ok(Some(untracked)),
            b"matching" => Ok(Some(Untracked::No)),
            b"no" => Ok(None),
            other => fatal(format!("Invalid ignored mode '{}'", show(other))),
        },
    }
}
