//! States that a server keeps for persistent sandboxes, by namespace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, Empty, HOSTS_DECISION};
use crate::method::method;

method! {
    /// Lists the states that are kept for persistent sandboxes, by namespace.
    StatesList = "states.list", server get "/v1/states", Empty => StatesListOutput,
    not_on [Mcp: HOSTS_DECISION];

    /// Removes the states of a namespace for good. Refused while a sandbox has it.
    StatesRemove = "states.remove", server delete "/v1/states", NamespaceParams => Done,
    not_on [Mcp: HOSTS_DECISION];
}

/// The states that are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatesListOutput {
    /// One for each namespace, by name.
    pub states: Vec<SavedState>,
}

/// What is kept in a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedState {
    /// The namespace.
    pub namespace: String,
    /// Bytes that it takes, older versions included.
    pub bytes: u64,
    /// When it was saved last, in milliseconds since 1970.
    pub changed_ms: u64,
}

/// Which namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamespaceParams {
    /// The namespace.
    pub namespace: String,
}
