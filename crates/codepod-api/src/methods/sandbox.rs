//! Sandboxes: make, list, fork, merge, destroy.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, Empty, FEW_TOOLS, HOSTS_DECISION, ONE_COMMAND};
use crate::method::method;
use crate::methods::network::{NetworkParams, NetworkUsage};
use crate::methods::timeline::PathChange;

method! {
    /// Makes a sandbox. Every option has a default; without any it has no network, no host
    /// directory and 256 MB.
    SandboxCreate = "sandbox.create", server post "/v1/sandboxes", CreateParams => SandboxInfo,
    not_on [Mcp: "an MCP session has its sandbox from the start"];

    /// Lists the sandboxes that are alive, in the order in which they were made.
    SandboxList = "sandbox.list", server get "/v1/sandboxes", Empty => SandboxListOutput,
    not_on [Mcp: HOSTS_DECISION];

    /// Says what a sandbox is.
    SandboxGet = "sandbox.get", sandbox get "/v1/sandboxes/{sandbox}", Empty => SandboxInfo,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Makes another sandbox with the same files, shells and limits, in microseconds. Neither sees
    /// what the other does next.
    SandboxFork = "sandbox.fork", sandbox post "/v1/sandboxes/{sandbox}/fork", Empty => SandboxInfo,
    tool "fork" Adds Fields "Make an independent copy of the sandbox in microseconds: same files, variables and working directory. Use it to try an approach without risk: pass the returned `sandbox_id` to other tools to act in the copy. The original is not touched. Copies end with the session.";

    /// Ends a sandbox: its processes are killed, its files are gone unless they are kept.
    SandboxDestroy = "sandbox.destroy", sandbox delete "/v1/sandboxes/{sandbox}", Empty => Done,
    not_on [Mcp: "the sandbox ends with its session"];

    /// Makes a sandbox what a fork of it is, in constant time. It can be undone as a run can.
    SandboxAdopt = "sandbox.adopt", sandbox post "/v1/sandboxes/{sandbox}/adopt", AdoptParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Takes what a fork changed since a snapshot, file by file. Where both changed a file
    /// differently, ours stays and the file is reported.
    SandboxMerge = "sandbox.merge", sandbox post "/v1/sandboxes/{sandbox}/merge", MergeParams => MergeOutput,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Kills every process of a sandbox. Its shells go on from their last states.
    SandboxKill = "sandbox.kill", sandbox post "/v1/sandboxes/{sandbox}/kill", Empty => Done,
    not_on [Mcp: HOSTS_DECISION, Cli: ONE_COMMAND];

    /// Says what a sandbox uses now and has used so far.
    SandboxStats = "sandbox.stats", sandbox get "/v1/sandboxes/{sandbox}/stats", Empty => StatsOutput,
    not_on [Mcp: FEW_TOOLS, Cli: "processes live for one command; `codepod states show` says how large a state is"];
}

/// How a sandbox is made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CreateParams {
    /// Limits that go together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Working directory of commands; `/home/user` if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment beside the usual; a name given here replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// How long a command may take, in milliseconds; 30 s if not given, and as long as the server
    /// allows if 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Memory of one process in bytes, at most 4 GiB. What all processes may have together grows
    /// with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Bytes that its files may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
    /// Processes at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// Bytes of each output stream that a result holds, its beginning and its end; the whole stays
    /// in `/proc/runs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_budget: Option<u64>,
    /// The only commands that may be started; all if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_commands: Option<Vec<String>>,
    /// Host directories. A server that others reach refuses those that it was not told to allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mounts: Option<Vec<MountParams>>,
    /// What it may reach beyond itself; nothing if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkParams>,
    /// How many runs can be undone; 100 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo_runs: Option<u64>,
    /// Whether shells add a line `codepod: hint: …` where bash's own message leaves a model
    /// without help, and standard error ends with a line for each limit that was reached; they do
    /// if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<bool>,
    /// Whether its state can leave it, and whether it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistence: Option<PersistenceParams>,
}

/// Limits that go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// 100 MB of files, 10,000 of them.
    Small,
    /// 256 MB of files, 100,000 of them.
    Default,
    /// For builds and data.
    Large,
}

/// A host directory in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Mount")]
pub struct MountParams {
    /// The directory of the host.
    pub host: String,
    /// Where it is in the sandbox; absolute.
    pub at: String,
    /// What the sandbox may do with it; read-only if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Which of its paths are guarded; the usual ones if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
}

/// Which paths of a host directory a sandbox may not change, because programs of the host run or
/// obey them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Guard {
    /// Git's hooks and settings, what editors, agents and shells read when they start, links that
    /// lead out.
    Usual,
    /// None.
    None,
}

/// What a sandbox may do with a host directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Only read.
    Ro,
    /// Read and write, on the host itself.
    Rw,
    /// Read, and write inside only, until the changes are applied.
    Overlay,
}

/// Whether a state can leave its sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PersistenceParams {
    /// How.
    pub mode: PersistenceMode,
    /// Name of the state, if it is persistent; one sandbox at a time has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// How long a change may wait until it is saved, in milliseconds, at least 250; 1,000 if not
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autosave_ms: Option<u64>,
}

/// How a state is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PersistenceMode {
    /// It ends with the sandbox and cannot be saved.
    Ephemeral,
    /// It ends with the sandbox, unless it is exported.
    Exportable,
    /// It is loaded when the sandbox is made, and saved by itself.
    Persistent,
}

/// A sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxInfo {
    /// Its id, which cannot be guessed.
    pub sandbox_id: String,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: u64,
    /// The sandbox that it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Name of its state, if it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// The sandboxes that are alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxListOutput {
    /// Each of them.
    pub sandboxes: Vec<SandboxInfo>,
}

/// Which fork to become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdoptParams {
    /// The fork's id.
    pub fork: String,
}

/// Which fork to take from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeParams {
    /// The fork's id.
    pub fork: String,
    /// A snapshot of what both began with.
    pub base: String,
}

/// What was merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeOutput {
    /// What was taken from the fork.
    pub taken: Vec<PathChange>,
    /// Paths that both changed to the same.
    pub same: Vec<String>,
    /// Paths that both changed differently: ours stayed.
    pub conflicts: Vec<Conflict>,
}

/// A path that two sandboxes changed differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// The path.
    pub path: String,
    /// What we did to it.
    pub ours: crate::methods::timeline::ChangeKind,
    /// What the fork did.
    pub theirs: crate::methods::timeline::ChangeKind,
}

/// What a sandbox uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsOutput {
    /// Bytes of files beyond the base image.
    pub bytes: u64,
    /// Files and directories beyond the base image.
    pub nodes: u64,
    /// Processes alive or not yet waited for.
    pub processes: u64,
    /// Open files and pipes.
    pub open: u64,
    /// Memory of its processes, in bytes.
    pub memory: u64,
    /// Runs that were begun.
    pub runs: u64,
    /// What its processes have used so far.
    pub usage: crate::methods::run::Usage,
    /// What it and its forks have used of the network, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkUsage>,
}
