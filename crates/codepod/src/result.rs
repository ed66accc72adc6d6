//! What a command leaves behind.

use std::borrow::Cow;
use std::time::Duration;

/// Exit status of a command that was ended at its timeout, as `timeout(1)` has it.
pub(crate) const TIMED_OUT: i32 = 124;
/// Exit status of a script that the host has cancelled: as after an interrupt.
pub(crate) const CANCELLED: i32 = 130;

/// The result of a command. Bytes are bytes; text is a view of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RunResult {
    /// Its number among the runs of the sandbox, from 1; see [`Sandbox::undo`](crate::Sandbox::undo).
    pub run: u64,
    /// The command, as words.
    pub command: String,
    /// Exit status: 128 plus the number for a signal, 124 after the timeout, 130 when it was cancelled, 126 and
    /// 127 as in a shell.
    pub exit_code: i32,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: Vec<u8>,
    /// Whether output is missing because a stream reached its limit.
    pub truncated: bool,
    /// Whether it was ended at its timeout.
    pub timed_out: bool,
    /// Whether the host cancelled it.
    pub cancelled: bool,
    /// Whether the shell that ran it failed: files and shell state are as they were before. Standard error says
    /// more.
    pub crashed: bool,
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
