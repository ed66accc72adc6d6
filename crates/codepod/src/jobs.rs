//! Jobs: processes that go on after the run that started them, and what to do with them.

use std::time::Duration;

use codepod_abi::{Errno, Signal};
use codepod_kernel::Pid;

use crate::error::{Error, ErrorKind};
use crate::sandbox::Sandbox;

/// A process that lives.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Job {
    /// Its number.
    pub pid: u32,
    /// Its process group: what `kill -- -NUMBER` means.
    pub group: u32,
    /// Its parent.
    pub parent: u32,
    /// Its arguments, separated by spaces.
    pub command: String,
    /// What it does.
    pub state: JobState,
    /// How long it has been there.
    pub age: Duration,
    /// How long its code ran.
    pub cpu: Duration,
    /// Its linear memory, in bytes.
    pub memory: u64,
}

/// What a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobState {
    /// It runs or could.
    Running,
    /// It waits for something.
    Waiting,
    /// It is stopped.
    Stopped,
    /// It has ended and nobody has asked how.
    Ended,
}

impl Sandbox {
    /// The processes that live, by number: those of runs that go on, and what was left in the
    /// background. Shells that wait for their next script are not among them.
    pub fn jobs(&self) -> Result<Vec<Job>, Error> {
        let kernel = self.kernel()?;
        let now = kernel.uptime_ns();
        let jobs = kernel.live_processes().into_iter().map(|(pid, info)| Job {
            pid: pid.0,
            group: info.pgid,
            parent: info.ppid,
            command: String::from_utf8_lossy(info.argv.strip_suffix(b"\0").unwrap_or(&info.argv))
                .replace('\0', " "),
            state: match info.state {
                'R' => JobState::Running,
                'T' => JobState::Stopped,
                'Z' => JobState::Ended,
                _ => JobState::Waiting,
            },
            age: Duration::from_nanos(now.saturating_sub(info.start_ns)),
            cpu: Duration::from_nanos(info.cpu_ns),
            memory: info.memory,
        });
        Ok(jobs.collect())
    }

    /// Sends a signal to a process.
    pub fn signal(&self, pid: u32, signal: Signal) -> Result<(), Error> {
        let mut kernel = self.kernel()?;
        let known = kernel
            .live_processes()
            .iter()
            .any(|(known, _)| known.0 == pid);
        let sent = match known {
            true => kernel.signal(Pid(pid), signal),
            false => Err(Errno::Srch),
        };
        sent.map_err(|errno| ErrorKind::Process { pid, errno }.into())
    }
}
