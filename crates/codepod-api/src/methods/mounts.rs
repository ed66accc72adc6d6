//! Host directories: what was changed in an overlay, and what becomes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::timeline::ChangeKind;
use super::{Empty, HOSTS_DECISION, ONE_COMMAND};
use crate::method::method;
use crate::methods::sandbox::Access;

method! {
    /// Lists the host directories of a sandbox. The host's own paths are not told.
    MountsList = "mounts.list", sandbox get "/v1/sandboxes/{sandbox}/mounts", Empty => MountsOutput,
    not_on [Mcp: HOSTS_DECISION, Cli: ONE_COMMAND];

    /// Lists what was changed in an overlay and is not on the host.
    MountsChanges = "mounts.changes", sandbox get "/v1/sandboxes/{sandbox}/mounts/changes", MountParams => MountChangesOutput,
    not_on [Mcp: HOSTS_DECISION];

    /// Makes changes of an overlay on the host. A file that the host changed since the sandbox saw
    /// it is refused, and so are guarded paths unless they are allowed, and links that lead out of
    /// the directory.
    MountsApply = "mounts.apply", sandbox post "/v1/sandboxes/{sandbox}/mounts/apply", MountApplyParams => AppliedOutput,
    not_on [Mcp: HOSTS_DECISION];

    /// Forgets changes of an overlay: the sandbox sees the host's files again.
    MountsDiscard = "mounts.discard", sandbox post "/v1/sandboxes/{sandbox}/mounts/discard", MountPathsParams => MountChangesOutput,
    not_on [Mcp: HOSTS_DECISION];
}

/// The host directories of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MountsOutput {
    /// Each of them.
    pub mounts: Vec<MountInfo>,
}

/// A host directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MountInfo {
    /// Where it is in the sandbox.
    pub at: String,
    /// What the sandbox may do with it.
    pub access: Access,
}

/// Which mount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MountParams {
    /// Where it is in the sandbox.
    pub at: String,
}

/// Which paths of which mount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MountPathsParams {
    /// Where it is in the sandbox.
    pub at: String,
    /// Paths of the sandbox below it, absolute; all changes if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
}

/// Which paths of which mount are to be made on the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MountApplyParams {
    /// Where it is in the sandbox.
    pub at: String,
    /// Paths of the sandbox below it, absolute; all changes if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// Whether guarded paths go along: files that programs of the host run or obey, such as
    /// `.git/hooks` and `.envrc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_guarded: Option<bool>,
}

/// Changes of an overlay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MountChangesOutput {
    /// Each of them.
    pub changes: Vec<MountChange>,
}

/// A change of an overlay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MountChange {
    /// The path in the sandbox.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Whether applying it has to be allowed: programs of the host run or obey such a file.
    pub guarded: bool,
    /// Where it leads, if it is a symbolic link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// What became of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppliedOutput {
    /// What the host has now.
    pub applied: Vec<MountChange>,
    /// What was refused.
    pub refused: Vec<RefusedChange>,
}

/// A change that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedChange {
    /// The path in the sandbox.
    pub path: String,
    /// What was to happen to it.
    pub kind: ChangeKind,
    /// Why not.
    pub why: String,
    /// Whether it would be applied with `allowGuarded`.
    pub guarded: bool,
    /// Where it leads, if it is a symbolic link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}
