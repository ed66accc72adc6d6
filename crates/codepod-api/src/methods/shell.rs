//! Named shells, their history and completion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::timeline::ChangeKind;
use super::{Done, Empty, FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Makes a shell with variables and a working directory of its own; it starts with its first
    /// run.
    ShellCreate = "shell.create", sandbox post "/v1/sandboxes/{sandbox}/shells", ShellCreateParams => ShellCreateOutput,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Lists the shells that have run something.
    ShellList = "shell.list", sandbox get "/v1/sandboxes/{sandbox}/shells", Empty => ShellListOutput,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Ends a shell: its EXIT trap runs, its variables are gone.
    ShellClose = "shell.close", sandbox delete "/v1/sandboxes/{sandbox}/shells", ShellCloseParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Lists the steps that are kept, the oldest first: runs, and changes of files by methods.
    HistoryList = "shell.history.list", sandbox get "/v1/sandboxes/{sandbox}/history", Empty => HistoryOutput,
    not_on [Mcp: FEW_TOOLS, Cli: "`codepod states show` lists the versions of a state"];

    /// Forgets the steps that are kept; they cannot be undone any more.
    HistoryClear = "shell.history.clear", sandbox delete "/v1/sandboxes/{sandbox}/history", Empty => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Says what could stand at a place in a command line: commands, paths, variables.
    ShellComplete = "shell.complete", sandbox get "/v1/sandboxes/{sandbox}/complete", CompleteParams => CompleteOutput,
    not_on [Mcp: FEW_TOOLS, Cli: "it is the Tab key of `codepod shell`"];
}

/// How to name it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShellCreateParams {
    /// A name that is not taken; one is made up if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
}

/// The shell's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellCreateOutput {
    /// Its name.
    pub shell: String,
}

/// The shells of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellListOutput {
    /// Their names, sorted; the main shell's is empty.
    pub shells: Vec<String>,
}

/// Which shell to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShellCloseParams {
    /// Its name; the main shell restarts with its next run.
    pub shell: String,
}

/// The steps of a sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryOutput {
    /// The steps, the oldest first.
    pub runs: Vec<PastRun>,
}

/// A step that has ended: a run, mostly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastRun {
    /// Its number in the sandbox, from 1.
    pub run: u64,
    /// What it was.
    pub kind: StepKind,
    /// What was run, or done to which path (`write notes.txt`); the first 4 KiB of it.
    pub command: String,
    /// How it ended.
    pub exit_code: i32,
    /// How long it took, in milliseconds.
    pub execution_time_ms: f64,
    /// The files that it changed, the first 100: of every step in `undo` and `redo`, of those that
    /// are `files` in a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedFile>,
    /// How many files more it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_omitted: Option<u64>,
}

/// What a step was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// A script, a command or Python code.
    Run,
    /// A method that changed files.
    Files,
    /// A fork that was adopted or merged.
    State,
}

/// A file that a step changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The path; what is not UTF-8 in it is replaced.
    pub path: String,
    /// What the step did to it.
    pub kind: ChangeKind,
}

/// Where to look for words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompleteParams {
    /// The line so far.
    pub line: String,
    /// Where the cursor is, in bytes; at the end if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<u64>,
    /// The shell; the main one if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
}

/// What could stand there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompleteOutput {
    /// Where the word starts that is to be replaced, in bytes.
    pub start: u64,
    /// What it could be replaced by, sorted.
    pub words: Vec<String>,
}
