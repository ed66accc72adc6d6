//! Previews: a run in a throw-away copy, to be looked at, then kept or dropped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::run::{RunOutput, RunParams};
use super::timeline::PathChange;
use super::{Done, HOSTS_DECISION, ONE_COMMAND};
use crate::method::method;

method! {
    /// Runs a script in a fork and says what it would change. The sandbox and the host stay as they
    /// are until it is committed.
    PreviewRun = "preview.run", sandbox post "/v1/sandboxes/{sandbox}/previews", RunParams => PreviewOutput,
    work Runs,
    not_on [Mcp: HOSTS_DECISION];

    /// Makes a preview happen, in constant time, if the sandbox has not changed since.
    PreviewCommit = "preview.commit", sandbox post "/v1/sandboxes/{sandbox}/previews/commit", PreviewParams => RunOutput,
    not_on [Mcp: HOSTS_DECISION, Cli: ONE_COMMAND];

    /// Drops a preview: nothing of it has happened.
    PreviewDrop = "preview.drop", sandbox delete "/v1/sandboxes/{sandbox}/previews", PreviewParams => Done,
    not_on [Mcp: HOSTS_DECISION, Cli: ONE_COMMAND];
}

/// What a script would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewOutput {
    /// The preview's id.
    pub preview_id: String,
    /// The script's result.
    pub result: RunOutput,
    /// What it changed.
    pub changes: Vec<PathChange>,
    /// A unified diff of it.
    pub diff: String,
    /// How many paths are left out because `.gitignore` names them.
    #[serde(default)]
    pub ignored: u64,
}

/// Which preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreviewParams {
    /// Its id.
    pub preview_id: String,
}
