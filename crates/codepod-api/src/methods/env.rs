//! The environment: exported variables of a shell.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Lists the exported variables of a shell.
    EnvGet = "env.get", sandbox get "/v1/sandboxes/{sandbox}/env", EnvGetParams => EnvGetOutput,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Exports variables in a shell, for all that it runs from now on.
    EnvSet = "env.set", sandbox put "/v1/sandboxes/{sandbox}/env", EnvSetParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];
}

/// Whose environment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnvGetParams {
    /// The shell; the main one if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
}

/// An environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvGetOutput {
    /// Values by name; what is not UTF-8 is replaced.
    pub env: BTreeMap<String, String>,
}

/// What to export.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnvSetParams {
    /// Values by name.
    pub env: BTreeMap<String, String>,
    /// The shell; the main one if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
}
