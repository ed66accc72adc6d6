//! `codepod changes NAME`: what a saved state has changed.

use std::io::Write;

use clap::Args;
use codepod::{
    ChangeKind, Changes, Mount, Options, PathChange, SavedState, Selection, StateDirectory,
};

use crate::failure::Failure;
use crate::listing::{Line, tell_ignored};
use crate::options::runtime;
use crate::streams::show;

const EXAMPLES: &str = "\
Examples:
  codepod changes play             everything that a new sandbox has not
  codepod changes --last play      what the last run that changed files did
  codepod changes --diff play      the texts, as `patch` takes them
  codepod changes --all play       also what .gitignore names, and every path in .git

A added, M modified, D removed, T of another kind, P other permissions. In a directory that is
mounted as an overlay it is what the host does not have; a `!` marks what `codepod apply` leaves
alone unless it is allowed, because programs of the host run or obey it. What .gitignore names is
left out and counted; .git is one line, and so is a new directory with much in it.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ChangesOf {
    /// Only the changes of the last run that changed files
    #[arg(long)]
    last: bool,
    /// Show diffs of text files
    #[arg(long)]
    diff: bool,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
    /// Also what .gitignore names, and every path
    #[arg(long)]
    all: bool,
    /// Leave out what a pattern names, written as in .gitignore; may be repeated
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// The state
    name: String,
}

impl ChangesOf {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let states = StateDirectory::of_user()?;
        let state = states.look(&self.name)?;
        let to = newest(&state)?;
        let before = state.versions.iter().rev().nth(1);
        let from = before
            .filter(|_| self.last)
            .map(|version| (&*self.name, version.sequence));
        let runtime = runtime(&Options::default())?;
        let mut changes = states.compare(&runtime, from, (&self.name, to))?;
        let selection = Selection::new(self.all, self.exclude);
        print(
            &mut changes,
            &state.mounts,
            &selection,
            self.diff,
            self.json,
        )
    }
}

/// The number of a state's newest version.
pub(crate) fn newest(state: &SavedState) -> Result<u64, Failure> {
    let newest = state.versions.last().map(|version| version.sequence);
    newest.ok_or_else(|| {
        Failure::new(
            format!("nothing was saved in the state `{}` yet", state.name),
            "its first run has not ended: `codepod run --state NAME SCRIPT`",
        )
    })
}

/// Prints changes as the options say.
pub(crate) fn print(
    changes: &mut Changes,
    mounts: &[Mount],
    selection: &Selection,
    diff: bool,
    json: bool,
) -> Result<u8, Failure> {
    changes.select(selection)?;
    if json {
        let paths = changes.iter().map(|change| {
            let mut path = serde_json::json!({
                "kind": change.letter().to_string(),
                "path": change.path_text(),
                "guarded": is_guarded(mounts, change),
            });
            if change.inside > 0 {
                path["inside"] = change.inside.into();
            }
            path
        });
        let mut text = serde_json::json!({
            "changes": paths.collect::<Vec<_>>(),
            "ignored": changes.ignored(),
        });
        if diff {
            text["diff"] = String::from_utf8_lossy(&changes.unified_diff()).into();
        }
        let _ = writeln!(std::io::stdout(), "{text}");
    } else if diff {
        show(std::io::stdout(), &changes.unified_diff());
        tell_ignored(changes.ignored());
    } else {
        let _ = list(
            changes,
            mounts,
            selection.all,
            &mut std::io::stdout().lock(),
        );
        tell_ignored(changes.ignored());
    }
    Ok(0)
}

/// A line for each change; a `!` marks those that applying would have to be allowed for.
pub(crate) fn list(
    changes: &Changes,
    mounts: &[Mount],
    all: bool,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let lines = changes.iter().map(|change| Line {
        letter: change.letter(),
        guarded: is_guarded(mounts, change),
        path: &change.path,
        target: None,
        inside: change.inside,
    });
    crate::listing::write(&lines.collect::<Vec<_>>(), all, out)
}

/// Whether a change is at a guarded path of a mounted directory. A `.git` that stands for what is
/// in it is none: guarded paths in it are told by themselves.
fn is_guarded(mounts: &[Mount], change: &PathChange) -> bool {
    if change.inside > 0 && change.kind == ChangeKind::Modified {
        return false;
    }
    mounts.iter().any(|mount| {
        let rest = (change.path).strip_prefix(mount.at.trim_end_matches('/').as_bytes());
        rest.is_some_and(|rest| rest.starts_with(b"/") && mount.guard.covers(rest))
    })
}
