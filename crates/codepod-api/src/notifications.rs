//! What travels without an answer, and what the server asks of its client.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name of the notification that carries output while a command runs.
pub const OUTPUT: &str = "run.output";
/// Name of the notification by which a client gives up a request: `{"id": …}`.
pub const CANCEL: &str = "$/cancel";
/// Name of the request by which the server calls a command of its client.
pub const COMMAND_CALL: &str = "command.call";

/// Which stream output is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "OutputStream")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Output of a command that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OutputEvent")]
pub struct Output {
    /// The sandbox.
    pub sandbox_id: String,
    /// The run, as its `run` call named it.
    pub run_id: String,
    /// Which stream.
    pub stream: Stream,
    /// The bytes, if they are UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes in base64, if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub base64: Option<String>,
}

/// A call of a command that the client registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandCall {
    /// The sandbox that calls.
    pub sandbox_id: String,
    /// The command's name, or its alias if it was called by one.
    pub name: String,
    /// Its arguments, without the name.
    pub arguments: Vec<String>,
    /// The working directory.
    pub cwd: String,
    /// The environment.
    pub env: BTreeMap<String, String>,
    /// What it reads, whole, if it is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// What it reads in base64, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub stdin_base64: Option<String>,
}

/// What a client's command answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CommandReply {
    /// Its status; 0 if nothing is said.
    pub exit_code: i32,
    /// What it prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// What it prints, in base64, where that is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub stdout_base64: Option<String>,
    /// What it complains about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}
