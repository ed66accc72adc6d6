//! Sessions of Python: interpreters that keep their variables from call to call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::run::RunOutput;
use super::{Done, FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Runs Python code in a session and waits for its end. Variables, functions and modules stay
    /// for the next call, and what the last line gives is printed. The session is forked,
    /// snapshotted, undone and saved with the sandbox.
    PythonRun = "python.run", sandbox post "/v1/sandboxes/{sandbox}/python", PythonRunParams => RunOutput,
    work Streams,
    tool "python" Changes Run "Run Python code in the sandbox and return exit_code, stdout and stderr. It is CPython 3.14 with numpy, pandas, matplotlib, sqlite3, requests, pyyaml, openpyxl and pytest. Variables, functions and imported modules stay for the next call; the value of the last line is printed, as in an interactive interpreter. It has the same files as `run` and can start its commands with subprocess. After an exception or a timeout the session goes on. Threads take turns: they overlap while they sleep or wait, but a thread must not loop until another stops it. Every call can be taken back with `undo`.";

    /// Resets a session: its next call starts a new interpreter.
    PythonReset = "python.reset", sandbox delete "/v1/sandboxes/{sandbox}/python", PythonResetParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];
}

/// What to run, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PythonRunParams {
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
pub struct PythonResetParams {
    /// Its name; `main` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}
