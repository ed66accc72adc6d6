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
    MountsChanges = "mounts.changes", sandbox get "/v1/sandboxes/{sandbox}/mounts/changes", MountChangesParams => MountChangesOutput,
    not_on [Mcp: HOSTS_DECISION];

    /// Makes changes of an overlay on the host: all of them, or nothing if one is refused. Text
    /// that the host changed since the sandbox saw it is merged. Refused are what cannot be merged,
    /// guarded paths unless they are allowed, and links that lead out of the directory.
    MountsApply = "mounts.apply", sandbox post "/v1/sandboxes/{sandbox}/mounts/apply", MountApplyParams => AppliedOutput,
    not_on [Mcp: HOSTS_DECISION];

    /// Forgets changes of an overlay: the sandbox sees the host's files again.
    MountsDiscard = "mounts.discard", sandbox post "/v1/sandboxes/{sandbox}/mounts/discard", MountPathsParams => DiscardedOutput,
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

/// Which changes of which mount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MountChangesParams {
    /// Where it is in the sandbox.
    pub at: String,
    /// Whether to tell also what `.gitignore` names, and each path in `.git`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Patterns of paths to leave out, written as in `.gitignore`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<String>>,
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
    /// Whether to apply what can be applied even if something else is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// What becomes of files that both the sandbox and the host have changed; `merge` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolve: Option<Resolve>,
    /// Whether to apply also what `.gitignore` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Patterns of paths to leave out, written as in `.gitignore`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<String>>,
    /// Whether only to say what would be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// What becomes of files that both the sandbox and the host have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Resolve {
    /// Texts are merged by lines; where that cannot be done the change is refused.
    Merge,
    /// As `merge`, but in a conflict the host's lines or file stay; the sandbox's are lost.
    Ours,
    /// As `merge`, but in a conflict the sandbox's are taken; the host's are lost.
    Theirs,
    /// The sandbox's files and repositories of git are taken whole; what the host has done to them
    /// since is lost.
    Force,
}

/// Changes of an overlay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MountChangesOutput {
    /// Each of them.
    pub changes: Vec<MountChange>,
    /// How many are left out because `.gitignore` or `exclude` names them.
    #[serde(default)]
    pub ignored: u64,
}

/// Changes of an overlay that are forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscardedOutput {
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
    /// How many changed paths are in it and are not listed: of `.git`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<u64>,
}

/// What became of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppliedOutput {
    /// Whether anything was written: not if something was refused, unless `partial`.
    pub done: bool,
    /// What the host has now, or would have if it were done.
    pub applied: Vec<MountChange>,
    /// Paths among them that hold what both the sandbox and the host have changed.
    #[serde(default)]
    pub merged: Vec<String>,
    /// What was refused.
    pub refused: Vec<RefusedChange>,
    /// What is lost by `resolve`.
    #[serde(default)]
    pub lost: Vec<LostChange>,
    /// How many changes are left out because `.gitignore` or `exclude` names them.
    #[serde(default)]
    pub ignored: u64,
}

/// What the resolution of a conflict loses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostChange {
    /// The path in the sandbox.
    pub path: String,
    /// What of it.
    pub what: String,
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
