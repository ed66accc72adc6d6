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

/// Name of the request by which the server asks its client about a request of a sandbox.
pub const NETWORK_REQUEST: &str = "network.request";

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

/// A request to the network that the client decides about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkRequest {
    /// The word that the client has given with the network.
    pub ask: String,
    /// The sandbox.
    pub sandbox_id: String,
    /// The run that it belongs to; 0 for a program that no script has started.
    pub run: u64,
    /// The program.
    pub command: String,
    /// The number of the request in the sandbox.
    pub id: u64,
    /// The method; none for a connection that is no HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The whole URL, with placeholders for secrets.
    pub url: String,
    /// The host.
    pub host: String,
    /// The port.
    pub port: u64,
    /// The header fields, with placeholders for secrets.
    pub headers: Vec<HeaderField>,
    /// The length of the body, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_bytes: Option<u64>,
}

/// A field of a head.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeaderField {
    /// Its name.
    pub name: String,
    /// Its value; what is not UTF-8 is replaced.
    pub value: String,
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It goes on.
    Allow,
    /// It is denied.
    Deny,
    /// It is answered by the client.
    Respond,
}

/// What the client decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkReply {
    /// What becomes of it.
    pub decision: Decision,
    /// Why it is denied, for the program inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The status of an answer, from 200 to 599; 200 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u64>,
    /// The header fields of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<HeaderField>>,
    /// The body of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The body in base64, where it is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub body_base64: Option<String>,
}
