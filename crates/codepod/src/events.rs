//! Events: what happens in a sandbox, for an audit. Each is a value, and a line of JSON.

use std::sync::Arc;

use codepod_kernel::{Limit, Reached};
use serde::Serialize;

use crate::moment::Moment;
use crate::result::RunResult;
use crate::sandbox::{Sandbox, Snapshot};

/// Gets every event, on the thread where it happens; it should be quick and must not call the
/// sandbox.
pub type EventFn = Arc<dyn Fn(&Event) + Send + Sync>;

/// So many changed paths an event lists.
const MOST_PATHS: usize = 1000;

/// From this part of a limit on there is a warning.
const WARNED_AT: f64 = 0.8;

/// Something that happened in a sandbox.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(
    tag = "event",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum Event {
    /// A script or a command begins.
    RunStarted {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The run's number in the sandbox.
        run: u64,
        /// What is run; the first 4 KiB of it.
        command: String,
    },
    /// A process of a run has ended. All of them are told when the run ends, up to the newest that
    /// a result lists; those that go on in the background are not.
    ProcessEnded {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The run's number in the sandbox.
        run: u64,
        /// Its number.
        pid: u32,
        /// Its arguments, separated by spaces; the first 256 bytes.
        command: String,
        /// Its status: 128 plus the number for a signal.
        exit_code: i32,
        /// How long its code ran, in microseconds.
        cpu_us: u64,
    },
    /// A run has changed files. Host directories that the sandbox writes to are not in it.
    FilesChanged {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The run's number in the sandbox.
        run: u64,
        /// A letter and a path each, as [`crate::PathChange`] shows them; at most 1,000.
        paths: Vec<String>,
        /// How many more there are.
        more: usize,
    },
    /// It has ended.
    RunEnded {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The run's number in the sandbox.
        run: u64,
        /// Its status.
        exit_code: i32,
        /// Whether it was ended at its timeout.
        timed_out: bool,
        /// How long it took, in microseconds.
        time_us: u64,
        /// How long code of its processes ran, in microseconds.
        cpu_us: u64,
        /// Processes that it started.
        processes: u64,
    },
    /// A limit is nearly reached: four fifths of it are used.
    LimitNear {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The run after which it was noticed.
        run: u64,
        /// Which.
        limit: &'static str,
        /// How much is used.
        used: u64,
        /// How much may be.
        allowed: u64,
    },
    /// A limit was reached: something was refused.
    LimitReached {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The run in which it was.
        run: u64,
        /// Which.
        limit: &'static str,
    },
    /// Processes in the background were ended, because they had gone on for too long or used too
    /// much.
    BackgroundEnded {
        /// The sandbox's number in this host process.
        sandbox: u64,
    },
    /// A command of the host was called.
    HostCommand {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// Its name.
        name: String,
    },
    /// The sandbox went to another state: by a restore, an undo, a commit or an adoption.
    Restored {
        /// The sandbox's number in this host process.
        sandbox: u64,
    },
    /// A fork was made.
    Forked {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The fork's.
        fork: u64,
    },
    /// Changes of an overlay were applied to the host.
    Applied {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// Where it is mounted.
        at: String,
        /// Paths that the host has now.
        applied: usize,
        /// Paths that were refused.
        refused: usize,
    },
    /// A request to the network, or a raw connection, has ended.
    NetworkRequest {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The run's number in the sandbox; 0 for a program that no script has started.
        run: u64,
        /// The process.
        pid: u32,
        /// Its name.
        command: String,
        /// The number of the request in the sandbox.
        id: u64,
        /// The version of the policy that decided.
        policy: u64,
        /// The rule that allowed it.
        rule: Option<String>,
        /// Why it would have been denied, if the policy enforced.
        reported: Option<String>,
        /// The method; none for a raw connection.
        method: Option<String>,
        /// The URL, without a user and with the names of its query only.
        url: String,
        /// The address that was dialled.
        address: Option<String>,
        /// The version of TLS.
        tls: Option<&'static str>,
        /// Whether any certificate of the server was taken, as the rule has it.
        insecure: bool,
        /// The status of the reply.
        status: Option<u16>,
        /// How a reply came that sandboxes share: `fetched`, `joined` to a download under way, or
        /// `kept` from before; `replayed` for one of a recording, none for others.
        came: Option<&'static str>,
        /// Why it failed after it was allowed.
        failure: Option<String>,
        /// Bytes of the reply.
        bytes_in: u64,
        /// Bytes of the request.
        bytes_out: u64,
        /// How long the lookup took, in milliseconds.
        resolve_ms: f64,
        /// How long connecting took.
        connect_ms: f64,
        /// How long the handshake of TLS took.
        tls_ms: f64,
        /// How long it took until the head of the reply.
        first_ms: f64,
        /// How long it took in all.
        total_ms: f64,
        /// The names of the secrets that were put in.
        secrets: Vec<String>,
    },
    /// Something on the network was denied.
    NetworkDenied {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The run's number in the sandbox; 0 for a program that no script has started.
        run: u64,
        /// The process.
        pid: u32,
        /// Its name.
        command: String,
        /// The version of the policy that decided.
        policy: u64,
        /// In a word: `not-allowed`, `blocked`, `budget`, `address`, …
        kind: &'static str,
        /// The rule that denied it.
        rule: Option<String>,
        /// The method, if there was one.
        method: Option<String>,
        /// The URL, or host and port.
        url: String,
        /// Why, in the words that the program is told.
        reason: String,
    },
    /// The placeholder of a secret was on its way to a host that it is not bound to. It was denied.
    SecretLeak {
        /// The sandbox's number in this host process.
        sandbox: u64,
        /// The run's number in the sandbox; 0 for a program that no script has started.
        run: u64,
        /// The process.
        pid: u32,
        /// Its name.
        command: String,
        /// The secret's name.
        secret: String,
        /// Where it was to go.
        host: String,
    },
}

impl Event {
    /// The event as one line of JSON, without the newline.
    pub fn to_json(&self) -> String {
        // Strings, numbers and booleans can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Sandbox {
    /// Its number among the sandboxes of this host process.
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// Tells an event to who asked for events.
    pub(crate) fn tell(&self, event: impl FnOnce(u64) -> Event) {
        if let Some(tell) = &self.options().events {
            tell(&event(self.inner.id));
        }
    }

    /// Tells which programs a run has started and which files it has changed since `before`.
    pub(crate) fn tell_effects(&self, result: &RunResult, before: &Snapshot) {
        if self.options().events.is_none() {
            return;
        }
        let run = result.run;
        for facts in &result.processes {
            self.tell(|sandbox| Event::ProcessEnded {
                sandbox,
                run,
                pid: facts.pid,
                command: String::from_utf8_lossy(&facts.command).into_owned(),
                exit_code: facts.status.code(),
                cpu_us: facts.cpu_ns / 1000,
            });
        }
        let Ok(changes) = self.changes(before, Moment::Now) else {
            return;
        };
        if !changes.is_empty() {
            let paths = changes.iter().take(MOST_PATHS).map(ToString::to_string);
            self.tell(|sandbox| Event::FilesChanged {
                sandbox,
                run,
                paths: paths.collect(),
                more: changes.len().saturating_sub(MOST_PATHS),
            });
        }
    }

    /// Tells how a run ended and which limits are near or were reached.
    pub(crate) fn tell_end(
        &self,
        result: &RunResult,
        reached: &Reached,
        timeout: std::time::Duration,
    ) {
        if self.options().events.is_none() {
            return;
        }
        let run = result.run;
        for limit in &reached.limits {
            let limit = limit.name();
            self.tell(|sandbox| Event::LimitReached {
                sandbox,
                run,
                limit,
            });
        }
        for (limit, used, allowed) in self.limits_used(result, timeout) {
            if used as f64 >= allowed as f64 * WARNED_AT {
                let limit = limit.name();
                self.tell(|sandbox| Event::LimitNear {
                    sandbox,
                    run,
                    limit,
                    used,
                    allowed,
                });
            }
        }
        self.tell(|sandbox| Event::RunEnded {
            sandbox,
            run,
            exit_code: result.exit_code,
            timed_out: result.timed_out,
            time_us: microseconds(result.execution_time),
            cpu_us: microseconds(result.usage.cpu),
            processes: result.usage.processes,
        });
    }

    /// How much of each limit is used: by the files now, by the processes of the run at their most.
    fn limits_used(
        &self,
        result: &RunResult,
        timeout: std::time::Duration,
    ) -> Vec<(Limit, u64, u64)> {
        let options = self.options();
        let Ok(mut kernel) = self.kernel() else {
            return Vec::new();
        };
        let files = kernel.files().0.usage();
        let processes = kernel.take_most_processes() as u64;
        let memory = result.processes.iter().map(|facts| facts.memory).max();
        let output = result.stdout.len().max(result.stderr.len()) as u64;
        let limits = &options.limits;
        vec![
            (Limit::FileBytes, files.bytes, options.fs_limits.bytes),
            (Limit::Files, files.nodes, options.fs_limits.nodes),
            (Limit::Processes, processes, limits.processes as u64),
            (
                Limit::Memory,
                memory.unwrap_or(0),
                limits.memory_bytes as u64,
            ),
            (Limit::Output, output, limits.output_bytes as u64),
            (
                Limit::Time,
                microseconds(result.execution_time),
                microseconds(timeout),
            ),
        ]
    }
}

fn microseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
