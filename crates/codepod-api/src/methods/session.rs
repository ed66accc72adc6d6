//! What calls of a session have in common, whatever its language.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to run, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionRunParams {
    /// The code.
    pub code: String,
    /// The session to run it in, which begins with its first call; `main` if not given. Letters,
    /// digits, `_` and `-`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// What it reads, in base64, where it is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub stdin_base64: Option<String>,
    /// How long it may take, in milliseconds; as the sandbox says if not given, and as long as the
    /// server allows if 0. Code that takes longer leaves the session as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Bytes of each output stream that the result holds; as the sandbox says if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_budget: Option<u64>,
    /// A name for this call, by which it can be cancelled and its output told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Whether output comes while it runs, as notifications; the result's streams are empty then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// Whether more input comes by `run.stdin`; needs `runId` and `stream`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactive: Option<bool>,
}

/// Which session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionResetParams {
    /// Its name; `main` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}
