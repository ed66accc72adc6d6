//! What a command leaves behind.

use std::borrow::Cow;
use std::time::Duration;

/// The result of a command. Bytes are bytes; text is a view of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunResult {
    /// The command, as words.
    pub command: String,
    /// Exit status: 128 plus the number for a signal, 124 after the timeout, 126 and 127 as in a shell.
    pub exit_code: i32,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: Vec<u8>,
    /// Whether output is missing because a stream reached its limit.
    pub truncated: bool,
    /// Whether it was ended at its timeout.
    pub timed_out: bool,
    /// How long it took.
    pub execution_time: Duration,
}

impl RunResult {
    /// Whether the status is 0.
    pub fn success(&self) -> bool {
        self.exit_code == 0
    }

    /// Standard output as text; what is not UTF-8 is replaced.
    pub fn stdout_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.stdout)
    }

    /// Standard error as text; what is not UTF-8 is replaced.
    pub fn stderr_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.stderr)
    }
}
