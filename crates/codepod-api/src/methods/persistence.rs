//! States that outlive their sandbox.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Empty, HOSTS_DECISION, ONE_COMMAND};
use crate::method::method;

method! {
    /// Saves a persistent sandbox now, instead of within its autosave time.
    PersistenceSave = "persistence.save", sandbox post "/v1/sandboxes/{sandbox}/save", Empty => SavedOutput,
    not_on [Mcp: HOSTS_DECISION, Cli: "`--state` saves by itself"];

    /// Puts a persistent sandbox back to what was saved last.
    PersistenceLoad = "persistence.load", sandbox post "/v1/sandboxes/{sandbox}/load", Empty => VersionOutput,
    not_on [Mcp: HOSTS_DECISION, Cli: "`--state` loads by itself"];

    /// Gives the whole state as bytes that `persistence.import` takes, here or elsewhere.
    PersistenceExport = "persistence.export", sandbox post "/v1/sandboxes/{sandbox}/export", ExportParams => ExportOutput,
    work Exports,
    not_on [Mcp: HOSTS_DECISION];

    /// Makes the sandbox what an exported state says. What is broken, too large or hostile is
    /// refused without effect.
    PersistenceImport = "persistence.import", sandbox post "/v1/sandboxes/{sandbox}/import", ImportParams => VersionOutput,
    work Imports,
    not_on [Mcp: HOSTS_DECISION];

    /// Gives a number of the state: equal for equal files and shells.
    PersistenceHash = "persistence.hash", sandbox get "/v1/sandboxes/{sandbox}/hash", Empty => HashOutput,
    not_on [Mcp: HOSTS_DECISION, Cli: ONE_COMMAND];
}

/// A version of a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionOutput {
    /// Its number, from 1; it grows with each save.
    pub sequence: u64,
}

/// A save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedOutput {
    /// The version's number, from 1.
    pub sequence: u64,
    /// Bytes that were written.
    pub written: u64,
}

/// How to export.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportParams {
    /// A key of 32 bytes in base64, to encrypt it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub key: Option<String>,
}

/// A state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportOutput {
    /// The state, in base64.
    #[schemars(extend("contentEncoding" = "base64"))]
    pub base64: String,
}

/// What to import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportParams {
    /// The state, in base64.
    #[schemars(extend("contentEncoding" = "base64"))]
    pub base64: String,
    /// The key that it was encrypted with, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub key: Option<String>,
}

/// A number of a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HashOutput {
    /// BLAKE3, in hexadecimal.
    pub hash: String,
}
