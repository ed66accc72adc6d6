//! Snapshots: states of a sandbox by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, Empty, FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Keeps the files and shells as they are now, in microseconds.
    SnapshotCreate = "snapshot.create", sandbox post "/v1/sandboxes/{sandbox}/snapshots", Empty => SnapshotInfo,
    tool "snapshot" Adds Fields "Keep the sandbox as it is now, in microseconds: files, variables, working directory. Returns an id for `restore`. Use it before something risky that takes several steps; for one step, `undo` is enough.",
    not_on [Cli: ONE_COMMAND];

    /// Puts files and shells back to a snapshot; it can be used again.
    SnapshotRestore = "snapshot.restore", sandbox post "/v1/sandboxes/{sandbox}/snapshots/restore", SnapshotParams => Done,
    tool "restore" Replaces Fields "Put the sandbox back to a snapshot by its id. What was done since is gone; the snapshot can be restored again.",
    not_on [Cli: ONE_COMMAND];

    /// Lists the snapshots of a sandbox, the oldest first.
    SnapshotList = "snapshot.list", sandbox get "/v1/sandboxes/{sandbox}/snapshots", Empty => SnapshotListOutput,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Forgets a snapshot.
    SnapshotRemove = "snapshot.remove", sandbox delete "/v1/sandboxes/{sandbox}/snapshots", SnapshotParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];
}

/// A snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotInfo {
    /// Its id.
    pub id: String,
}

/// Which snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotParams {
    /// Its id.
    pub id: String,
}

/// The snapshots of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotListOutput {
    /// Each of them.
    pub snapshots: Vec<SnapshotInfo>,
}
