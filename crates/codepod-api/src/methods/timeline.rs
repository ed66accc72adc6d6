//! Undo, redo and what changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::files::Stat;
use super::shell::PastRun;
use super::{FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Takes back the last steps: files, variables and working directory are as before them. A step
    /// is a run, or a method that changed files, such as `files.write`.
    Undo = "undo", sandbox post "/v1/sandboxes/{sandbox}/undo", UndoParams => UndoOutput,
    tool "undo" Changes Undone "Take back the last step, or the last `count`: a `run`, `python`, `write` or `edit`. Files, variables and working directory are as before it. Says what was taken back, with its files.";

    /// Does again the steps that were undone.
    Redo = "redo", sandbox post "/v1/sandboxes/{sandbox}/redo", UndoParams => UndoOutput,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Lists what differs between two moments: files added, modified, removed, with a unified diff
    /// on request.
    Changes = "changes", sandbox get "/v1/sandboxes/{sandbox}/changes", ChangesParams => ChangesOutput,
    tool "changes" Reads Changes "List the files that differ between two moments of the sandbox: added, modified, removed. Without parameters: what the last step changed. `diff` adds a unified diff.";
}

/// How many steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoParams {
    /// How many; one if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// Which steps it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoOutput {
    /// The steps, in the order in which they were undone or done again, with the files that each
    /// had changed.
    pub runs: Vec<PastRun>,
}

/// Between which moments.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangesParams {
    /// The earlier moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`; before the
    /// last step if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The later moment, as `from`, or `now`; now if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Whether to add a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<bool>,
    /// Whether to tell also what `.gitignore` names, and each path in `.git`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Patterns of paths to leave out, written as in `.gitignore`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<String>>,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangesOutput {
    /// The paths that differ, sorted.
    pub changes: Vec<PathChange>,
    /// A unified diff, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// How many paths are left out because `.gitignore` or `exclude` names them.
    #[serde(default)]
    pub ignored: u64,
}

/// A path that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathChange {
    /// The path; what is not UTF-8 in it is replaced.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// What it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Stat>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Stat>,
    /// How many changed paths are in it and are not listed: of `.git`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<u64>,
}

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It holds something else, or is something else.
    Modified,
    /// Only its mode or its owner changed.
    Mode,
    /// It is gone.
    Removed,
}
