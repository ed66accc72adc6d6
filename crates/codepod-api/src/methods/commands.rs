//! Commands: what a sandbox has, and what its client adds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, Empty, FEW_TOOLS, LOCAL_ONLY};
use crate::method::method;

method! {
    /// Lists the commands of a sandbox.
    CommandsList = "commands.list", sandbox get "/v1/sandboxes/{sandbox}/commands", Empty => CommandsOutput,
    not_on [Mcp: FEW_TOOLS];

    /// Adds a command that the client answers: calls of it come as requests `command.call` on the
    /// same connection.
    CommandsRegister = "commands.register", sandbox post "/v1/sandboxes/{sandbox}/commands", RegisterParams => Done,
    not_on [
        Http: "a request cannot be called back; `codepod rpc` can",
        Mcp: LOCAL_ONLY,
        Cli: "a command line has nothing that could answer",
    ];
}

/// The commands of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandsOutput {
    /// Their names, sorted.
    pub commands: Vec<String>,
}

/// A command that the client answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisterParams {
    /// Its name.
    pub name: String,
    /// Further names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<String>>,
    /// What it does, for `help`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How it is called, for `help`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
}
