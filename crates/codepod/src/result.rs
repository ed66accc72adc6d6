//! What a command leaves behind.

use std::borrow::Cow;
use std::time::Duration;

use codepod_kernel::ProcessFacts;

/// Exit status of a command that was ended at its timeout, as `timeout(1)` has it.
pub(crate) const TIMED_OUT: i32 = 124;
/// Exit status of a script that the host has cancelled: as after an interrupt.
pub(crate) const CANCELLED: i32 = 130;

/// What is missing in a stream, because it was longer than its budget or reached its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// Where in the result's stream the missing part was: so many bytes are before it.
    pub head: usize,
    /// How many bytes of the file at `path` are missing here.
    pub omitted: u64,
    /// The file in the sandbox that holds all that was kept, as long as it is among the last.
    pub path: String,
    /// Whether the end of the output is lost as well: the stream reached its limit, and its writer
    /// was ended by SIGPIPE.
    pub lost: bool,
}

impl Cut {
    /// The line that says what is missing, in the words of every surface.
    pub fn note(&self) -> String {
        let Cut { omitted, path, .. } = self;
        match (omitted, self.lost) {
            (_, false) => format!("{omitted} bytes are not shown; all of it is in {path}"),
            (0, true) => {
                format!("the output was longer than its limit and ends here; {path} has as much")
            }
            (_, true) => format!(
                "{omitted} bytes are not shown; the output was longer than its limit, \
                 and all that was kept is in {path}"
            ),
        }
    }

    /// The bytes of a stream that was cut here, with the line that says so in its place, and how
    /// many bytes that line has.
    pub fn marked(&self, bytes: &[u8]) -> (Vec<u8>, usize) {
        let (head, tail) = bytes.split_at(self.head.min(bytes.len()));
        let newline = match head {
            [] | [.., b'\n'] => "",
            _ => "\n",
        };
        let mark = format!("{newline}[{}]\n", self.note());
        ([head, mark.as_bytes(), tail].concat(), mark.len())
    }
}

/// What a run used: its own processes and those that they started. What other shells used
/// meanwhile is in it, and what forks used of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RunUsage {
    /// Processes that were started.
    pub processes: u64,
    /// How long their code ran.
    pub cpu: Duration,
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

impl RunUsage {
    /// What was used since an earlier moment, when this much was.
    pub(crate) fn since(self, before: RunUsage) -> RunUsage {
        RunUsage {
            processes: self.processes.saturating_sub(before.processes),
            cpu: self.cpu.saturating_sub(before.cpu),
            read: self.read.saturating_sub(before.read),
            written: self.written.saturating_sub(before.written),
            requests: self.requests.saturating_sub(before.requests),
            bytes_in: self.bytes_in.saturating_sub(before.bytes_in),
            bytes_out: self.bytes_out.saturating_sub(before.bytes_out),
        }
    }
}

/// The result of a command. Bytes are bytes; text is a view of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RunResult {
    /// Its number among the runs of the sandbox, from 1; see
    /// [`Sandbox::undo`](crate::Sandbox::undo).
    pub run: u64,
    /// The command, as words.
    pub command: String,
    /// Exit status: 128 plus the number for a signal, 124 after the timeout, 130 when it was
    /// cancelled, 126 and 127 as in a shell.
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
    /// Whether the shell that ran it failed: files and shell state are as they were before.
    /// Standard error says more.
    pub crashed: bool,
    /// How long it took.
    pub execution_time: Duration,
    /// What is missing in `stdout`, which holds its beginning and its end, because it was longer
    /// than the budget.
    pub stdout_cut: Option<Cut>,
    /// What is missing in `stderr`.
    pub stderr_cut: Option<Cut>,
    /// The processes that it started and that have ended, in the order of their ends: the last few
    /// hundred. A shell's own work is in `usage` only.
    pub processes: Vec<ProcessFacts>,
    /// What it used.
    pub usage: RunUsage,
}

impl RunResult {
    /// Whether the status is 0.
    pub fn success(&self) -> bool {
        self.exit_code == 0
    }

    /// Standard output as text; what is not UTF-8 is replaced, and where a part is missing a line
    /// says so.
    pub fn stdout_text(&self) -> Cow<'_, str> {
        text(&self.stdout, self.stdout_cut.as_ref())
    }

    /// Standard error as text; what is not UTF-8 is replaced, and where a part is missing a line
    /// says so.
    pub fn stderr_text(&self) -> Cow<'_, str> {
        text(&self.stderr, self.stderr_cut.as_ref())
    }
}

fn text<'a>(bytes: &'a [u8], cut: Option<&Cut>) -> Cow<'a, str> {
    match cut {
        None => String::from_utf8_lossy(bytes),
        Some(cut) => {
            let (marked, _) = cut.marked(bytes);
            Cow::Owned(String::from_utf8_lossy(&marked).into_owned())
        }
    }
}
