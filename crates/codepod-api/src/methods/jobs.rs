//! Processes of a sandbox.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, Empty, FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Lists the processes of a sandbox.
    JobsList = "jobs.list", sandbox get "/v1/sandboxes/{sandbox}/jobs", Empty => JobsOutput,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Sends a signal to a process.
    JobsSignal = "jobs.signal", sandbox post "/v1/sandboxes/{sandbox}/jobs/signal", SignalParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];
}

/// The processes of a sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobsOutput {
    /// Each of them.
    pub jobs: Vec<Job>,
}

/// A process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Its number.
    pub pid: u32,
    /// Its group.
    pub group: u32,
    /// Its parent.
    pub parent: u32,
    /// Its command line.
    pub command: String,
    /// What it is doing.
    pub state: JobState,
    /// How long it has been there, in milliseconds.
    pub age_ms: f64,
    /// How long its code has run, in milliseconds.
    pub cpu_ms: f64,
    /// Its memory in bytes.
    pub memory: u64,
}

/// What a process is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// It runs or could.
    Running,
    /// It waits for something.
    Waiting,
    /// It was stopped.
    Stopped,
    /// It has ended, and its status has not been collected.
    Ended,
}

/// Which signal goes where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignalParams {
    /// The process.
    pub pid: u32,
    /// The signal's name, with or without SIG; TERM if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}
