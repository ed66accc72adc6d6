//! The server itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Empty;
use crate::method::method;

method! {
    /// Says which version this is and which methods there are.
    ServerInfo = "server.info", server get "/v1/info", Empty => ServerInfoOutput,
    not_on [Mcp: "MCP's own `initialize` says it"];
}

/// What a server is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfoOutput {
    /// Version of codepod.
    pub version: String,
    /// Version of these methods: a number that grows when one changes incompatibly.
    pub protocol: u32,
    /// The names of all methods of this surface.
    pub methods: Vec<String>,
    /// What stands between the server's process and its host, beside the sandboxes themselves:
    /// `seccomp`, `no-new-code` and `landlock`, as far as they hold. Nothing where it has not
    /// locked itself in.
    pub layers: Vec<String>,
}
