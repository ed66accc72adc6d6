//! What a run says about the limits that it has reached: one line each, with the limit's value and
//! the option that raises it.

use std::time::Duration;

use codepod_kernel::{Limit, Reached, megabytes};

use crate::options::Options;
use crate::result::RunResult;
use crate::sandbox::Sandbox;

/// By which names lines about limits call the options: those that the reader can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LimitNames {
    /// Fields of [`Options`].
    #[default]
    Library,
    /// Options of the command line.
    CommandLine,
    /// Parameters of JSON-RPC, HTTP and the packages for Python and TypeScript.
    Api,
    /// Options of `codepod mcp`, and arguments of its tools.
    Mcp,
}

impl LimitNames {
    /// What raises a limit.
    fn option(self, limit: Limit) -> Option<&'static str> {
        let names = match limit {
            Limit::Time => ["Options::timeout", "--timeout", "timeout", "timeout_ms"],
            Limit::Memory => [
                "Options::set_memory",
                "--memory",
                "memory_bytes",
                "codepod mcp --memory",
            ],
            Limit::FileBytes => [
                "Options::set_disk",
                "--disk",
                "disk_bytes",
                "codepod mcp --disk",
            ],
            Limit::Processes => [
                "Limits::processes",
                "--processes",
                "processes",
                "codepod mcp --processes",
            ],
            Limit::TotalMemory | Limit::Files | Limit::Output => [
                "Profile::Large",
                "--profile large",
                "profile: large",
                "codepod mcp --profile large",
            ],
            _ => return None,
        };
        Some(names[self as usize])
    }
}

impl Options {
    /// Sets how much memory a process may have. What all of them may have together grows with it.
    pub fn set_memory(&mut self, bytes: usize) {
        let limits = &mut self.limits;
        limits.memory_bytes = bytes;
        // A shell and a tool beside it need some as well.
        let least = bytes.saturating_add(32 << 20);
        limits.total_memory_bytes = limits.total_memory_bytes.max(least);
    }

    /// Sets how much all files together may take, and with that one file.
    pub fn set_disk(&mut self, bytes: u64) {
        self.fs_limits.bytes = bytes;
        self.fs_limits.file_bytes = bytes;
    }

    /// A line about a limit that was reached, without a newline; `None` for one that programs tell
    /// about themselves.
    fn line(&self, limit: Limit, reached: &Reached, timeout: Duration) -> Option<String> {
        let (limits, files) = (&self.limits, &self.fs_limits);
        let limit = match limit {
            Limit::FileBytes if reached.session > 0 => limit,
            Limit::FileBytes if reached.files.nodes >= files.nodes => Limit::Files,
            // A device or a mounted directory had no space, not the sandbox.
            Limit::FileBytes if reached.files.bytes < files.bytes / 16 => return None,
            limit => limit,
        };
        let what = match limit {
            Limit::Time => format!("stopped after {}, its time limit", shown_time(timeout)),
            Limit::Memory => format!(
                "a process reached its memory limit of {}",
                megabytes(limits.memory_bytes as u64)
            ),
            Limit::TotalMemory => format!(
                "all processes together reached their memory limit of {}",
                megabytes(limits.total_memory_bytes as u64)
            ),
            Limit::SharedMemory => {
                "a process was refused memory: there is no more for sandboxes now".to_owned()
            }
            Limit::FileBytes if reached.session > 0 => format!(
                "no space left: a session needs {} of the disk limit of {}",
                megabytes(reached.session),
                megabytes(files.bytes)
            ),
            Limit::FileBytes => format!(
                "no space left: files took {} of the disk limit of {}",
                megabytes(reached.files.bytes),
                megabytes(files.bytes)
            ),
            Limit::Files => format!(
                "no space left: there is a limit of {} files and directories",
                files.nodes
            ),
            Limit::Processes => {
                format!("there is a limit of {} processes", limits.processes)
            }
            Limit::Output => format!(
                "output beyond the limit of {} a stream is lost",
                megabytes(limits.output_bytes as u64)
            ),
            _ => return None,
        };
        Some(match self.limit_names.option(limit) {
            Some(option) => format!("codepod: {what}; `{option}` raises it"),
            None => format!("codepod: {what}"),
        })
    }
}

impl Sandbox {
    /// A line for each limit that was reached since this was asked last, as a run's standard error
    /// has them: for who starts commands with streams. `timed_out` says that the time limit of
    /// `timeout` was reached as well.
    pub fn take_limit_lines(&self, timeout: Duration, timed_out: bool) -> Vec<String> {
        let result = RunResult {
            timed_out,
            ..RunResult::default()
        };
        self.limit_lines(&self.limits_reached(&result), timeout)
    }

    fn limit_lines(&self, reached: &Reached, timeout: Duration) -> Vec<String> {
        let line = |limit: &Limit| self.options().line(*limit, reached, timeout);
        reached.limits.iter().filter_map(line).collect()
    }

    /// Adds the lines to the end of a run's standard error.
    pub(crate) fn add_limit_lines(
        &self,
        result: &mut RunResult,
        reached: &Reached,
        timeout: Duration,
    ) {
        for line in self.limit_lines(reached, timeout) {
            if result.stderr.last().is_some_and(|byte| *byte != b'\n') {
                result.stderr.push(b'\n');
            }
            result.stderr.extend_from_slice(line.as_bytes());
            result.stderr.push(b'\n');
        }
    }

    /// Which limits a run has reached.
    pub(crate) fn limits_reached(&self, result: &RunResult) -> Reached {
        let mut reached = match self.kernel() {
            Ok(mut kernel) => kernel.take_reached(),
            Err(_) => Reached::default(),
        };
        if result.truncated {
            reached.limits.push(Limit::Output);
        }
        if result.timed_out {
            reached.limits.push(Limit::Time);
        }
        reached
    }
}

fn shown_time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (number, unit) = match time.as_secs() {
        0..120 => (seconds, "s"),
        120..7200 => (seconds / 60.0, "minutes"),
        _ => (seconds / 3600.0, "hours"),
    };
    let number = (number * 1000.0).round() / 1000.0;
    format!("{number} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_names_the_limit_its_value_and_what_raises_it() {
        let mut options = Options::default();
        let reached = Reached {
            limits: Vec::new(),
            files: codepod_vfs::Usage {
                bytes: 255 << 20,
                nodes: 0,
            },
            session: 0,
        };
        let cases = [
            (
                Limit::Time,
                "stopped after 0.5 s, its time limit; `--timeout` raises it",
            ),
            (
                Limit::Memory,
                "a process reached its memory limit of 256 MB; `--memory` raises it",
            ),
            (
                Limit::FileBytes,
                "no space left: files took 255 MB of the disk limit of 256 MB; `--disk` raises it",
            ),
            (
                Limit::Processes,
                "there is a limit of 64 processes; `--processes` raises it",
            ),
            (
                Limit::Output,
                "output beyond the limit of 10 MB a stream is lost; `--profile large` raises it",
            ),
        ];
        options.limit_names = LimitNames::CommandLine;
        for (limit, expected) in cases {
            let line = options.line(limit, &reached, Duration::from_millis(500));
            assert_eq!(line, Some(format!("codepod: {expected}")));
        }
        options.limit_names = LimitNames::Api;
        let line = options
            .line(Limit::Memory, &reached, Duration::ZERO)
            .unwrap();
        assert!(line.ends_with("`memory_bytes` raises it"), "{line}");
        let session = Reached {
            session: 300 << 20,
            ..Reached::default()
        };
        let line = options.line(Limit::FileBytes, &session, Duration::ZERO);
        let expected = "codepod: no space left: a session needs 300 MB of the disk limit of 256 MB; `disk_bytes` raises it";
        assert_eq!(line.as_deref(), Some(expected));
        // `/dev/full` is full, the sandbox is not.
        let line = options.line(Limit::FileBytes, &Reached::default(), Duration::ZERO);
        assert_eq!(line, None);
    }

    #[test]
    fn times_are_shown_as_people_say_them() {
        for (ms, shown) in [
            (200, "0.2 s"),
            (30_000, "30 s"),
            (90_000, "90 s"),
            (600_000, "10 minutes"),
            (5_400_000, "90 minutes"),
            (86_400_000, "24 hours"),
        ] {
            assert_eq!(shown_time(Duration::from_millis(ms)), shown);
        }
    }
}
