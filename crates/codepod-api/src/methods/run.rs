//! Running commands.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, ONE_COMMAND};
use crate::method::method;

method! {
    /// Runs a bash script in the sandbox and waits for its end. Variables, functions and the
    /// working directory stay for the next one.
    Run = "run", sandbox post "/v1/sandboxes/{sandbox}/run", RunParams => RunOutput,
    work Streams,
    tool "run" Changes Run "Run a bash script in the sandbox and return exit_code, stdout and stderr. It is bash 5.2 with GNU coreutils, grep, sed, awk, find, git, jq, sqlite3, tar, make and more; `help` lists the commands. Files, variables and the working directory stay for the next call. There is no network, root, package manager, compiler, perl or editor: `help --absent` says what to use instead. Nothing outside the sandbox can be reached. Long output is cut in the middle: the result says so and names a file in the sandbox that holds all of it. Every call can be taken back with `undo`.";

    /// Starts a bash script in the background and returns at once. It runs in a shell of its own,
    /// which begins as a copy of the one that it is started from. `run.output` gives what it
    /// prints, `run.stdin` gives it input, `run.cancel` ends it.
    RunStart = "run.start", sandbox post "/v1/sandboxes/{sandbox}/runs", StartParams => StartOutput,
    tool "start" Adds Fields "Start a bash script in the background, in a copy of your shell, and return its run_id at once. For servers, watchers and whatever takes long. Go on with `output`, `stdin` and `kill`.",
    not_on [Cli: "`codepod run 'command &'` does it"];

    /// Gives what a background run has printed since the last call, or since a place. An ended run
    /// is kept until 16 others have ended after it.
    RunOutputSince = "run.output", sandbox get "/v1/sandboxes/{sandbox}/runs/output", SinceParams => SinceOutput,
    work Feeds,
    tool "output" Reads Since "Get what a background run printed since the last call; `wait_ms` waits for more or for its end.",
    not_on [Cli: ONE_COMMAND];

    /// Gives a background run, or one that reads interactively, more to read.
    RunStdin = "run.stdin", sandbox post "/v1/sandboxes/{sandbox}/stdin", StdinParams => Done,
    work Feeds,
    tool "stdin" Adds Fields "Give a background run more to read; `end` closes its input.",
    not_on [Cli: "standard input is passed through"];

    /// Ends a run. Its own answer comes as usual, with status 130 and what it printed so far.
    RunCancel = "run.cancel", sandbox post "/v1/sandboxes/{sandbox}/cancel", CancelParams => Done,
    work Cancels,
    tool "kill" Changes Fields "End a background run and all that it started.",
    not_on [Cli: ONE_COMMAND];
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunParams {
    /// The script, as bash reads it.
    pub command: String,
    /// The shell to run it in; the main one if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// The directory that it runs in; afterwards the shell is where it was. If not given, it runs
    /// where the shell is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// What it reads, in base64, where it is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub stdin_base64: Option<String>,
    /// Variables that are exported to this script only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// `$1`, `$2`, … for this script only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// How long it may take, in milliseconds; as the sandbox says if not given, and as long as the
    /// server allows if 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Bytes of each output stream that the result holds; as the sandbox says if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_budget: Option<u64>,
    /// A name for this run, by which it can be cancelled and its output told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Whether output comes while it runs, as notifications; the result's streams are empty then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// Whether more input comes by `run.stdin`; needs `runId` and `stream`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactive: Option<bool>,
    /// A name of this attempt: another call with the same one gets the first's result and runs
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// What a command left behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunOutput {
    /// Its number among the runs of the sandbox, from 1.
    pub run: u64,
    /// Exit status: 128 plus the number for a signal, 124 after the timeout, 130 when it was
    /// cancelled, 126 and 127 as in a shell.
    pub exit_code: i32,
    /// Whether the status is 0.
    pub success: bool,
    /// What it printed; what is not UTF-8 is replaced. Where a part is missing, a line
    /// `[… bytes are not shown; all of it is in …]` stands in its place.
    pub stdout: String,
    /// What it complained about, as `stdout`.
    pub stderr: String,
    /// The bytes of `stdout` in base64, only where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub stdout_base64: Option<String>,
    /// The bytes of `stderr` in base64, only where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub stderr_base64: Option<String>,
    /// What is missing in `stdout`, because it was longer than its budget or reached its limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout_cut: Option<Cut>,
    /// What is missing in `stderr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_cut: Option<Cut>,
    /// Whether the end of the output is lost because a stream reached its limit.
    pub truncated: bool,
    /// Whether it was ended at its timeout.
    pub timed_out: bool,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Whether the shell itself failed: files and variables are as they were before.
    pub crashed: bool,
    /// How long it took, in milliseconds.
    pub execution_time_ms: f64,
    /// What it used.
    pub usage: Usage,
    /// The processes that it started and that have ended, the last few hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<ProcessFacts>,
}

/// What is missing in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// Where it is missing: so many bytes are before it.
    pub head: u64,
    /// Bytes of the line that stands there and says so.
    pub mark: u64,
    /// How many bytes are missing.
    pub omitted: u64,
    /// The file in the sandbox that holds all that was kept.
    pub path: String,
}

/// What processes used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Processes that were started.
    pub processes: u64,
    /// How long their code ran, in milliseconds.
    pub cpu_ms: f64,
    /// Bytes that they read.
    pub read: u64,
    /// Bytes that they wrote.
    pub written: u64,
    /// Requests to hosts beyond the sandbox, and raw connections.
    pub requests: u64,
    /// Bytes that came from there.
    pub bytes_in: u64,
    /// Bytes that went there.
    pub bytes_out: u64,
}

/// A process that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessFacts {
    /// Its number.
    pub pid: u32,
    /// Its command line, the first 256 bytes.
    pub command: String,
    /// Its status.
    pub exit_code: i32,
    /// How long it was there, in milliseconds.
    pub time_ms: f64,
    /// How long its code ran, in milliseconds.
    pub cpu_ms: f64,
    /// Bytes that it read.
    pub read: u64,
    /// Bytes that it wrote.
    pub written: u64,
    /// The most memory that it had, in bytes.
    pub memory: u64,
}

/// What to start.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartParams {
    /// The script, as bash reads it.
    pub command: String,
    /// The shell whose variables and working directory it begins with; the main one if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// The directory that it runs in; where the shell is if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables that are exported to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// `$1`, `$2`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// How long it may take, in milliseconds; an hour if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// A name for it that no other run has; one is made up if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// What was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartOutput {
    /// The run's name.
    pub run_id: String,
}

/// Which output.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SinceParams {
    /// The run, as the call that started it named it.
    pub run_id: String,
    /// The first byte, of both streams together; where the last call ended if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// How long to wait for output or its end, in milliseconds, 60000 at most; not at all if not
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// How many bytes at most; all that is kept if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

/// What a background run printed, and whether it still runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SinceOutput {
    /// Whether it still runs.
    pub running: bool,
    /// Its status, once it has ended; see `run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What it printed; what is not UTF-8 is replaced.
    pub stdout: String,
    /// What it complained about, as `stdout`.
    pub stderr: String,
    /// The bytes of `stdout` in base64, only where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub stdout_base64: Option<String>,
    /// The bytes of `stderr` in base64, only where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub stderr_base64: Option<String>,
    /// Where to go on: the next call's `since`.
    pub next: u64,
    /// Bytes that follow and did not fit.
    pub more: u64,
    /// Bytes before these that are not kept any more: the last MiB is.
    pub missed: u64,
    /// Whether it was ended at its timeout.
    pub timed_out: bool,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

/// More input for a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StdinParams {
    /// The run, as the call that started it named it.
    pub run_id: String,
    /// What it reads next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it reads next, in base64, where that is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub base64: Option<String>,
    /// Whether that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<bool>,
}

/// Which run to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelParams {
    /// The run, as the call that started it named it.
    pub run_id: String,
}
