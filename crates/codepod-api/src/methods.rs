//! The methods, a file for each thing that they act on.

pub mod commands;
pub mod env;
pub mod files;
pub mod javascript;
pub mod jobs;
pub mod mounts;
pub mod network;
pub mod persistence;
pub mod preview;
pub mod python;
pub mod run;
pub mod sandbox;
pub mod server;
pub mod session;
pub mod shell;
pub mod snapshot;
pub mod states;
pub mod timeline;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Empty {}

/// It is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// Always true: what could not be done is an error.
    pub ok: bool,
}

impl Done {
    /// It is done.
    pub const OK: Done = Done { ok: true };
}

/// Why a server that others reach does not take orders about its own disk and its own programs.
pub(crate) const LOCAL_ONLY: &str = "it acts on the host of the server; only a local client may";
/// Why models have few tools.
pub(crate) const FEW_TOOLS: &str = "models do better with few tools; `run` covers it";
/// Why it is nothing for a model to decide.
pub(crate) const HOSTS_DECISION: &str = "the host decides it, not the model";
/// Why the command line does without.
pub(crate) const ONE_COMMAND: &str =
    "a command line lives for one command: there is nothing to name afterwards";
