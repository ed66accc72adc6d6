//! Who asks, at what time, and what `/proc` shows them.
//!
//! The kernel fills these in; this crate has neither a clock nor processes.

use std::sync::Arc;

use crate::limits::Usage;
use crate::node::NodeRef;

/// The process on whose behalf an operation runs.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// Its number: what `/proc/self` means.
    pub pid: u32,
    /// Its user; 0 passes every check but execution of what nobody may execute.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Now, in nanoseconds since 1970.
    pub now: u64,
    /// Permission bits that new nodes do not get.
    pub umask: u16,
    /// Where `/proc` finds the processes.
    pub proc: &'a dyn ProcSource,
}

impl Caller<'static> {
    /// The embedder itself: root, no processes, umask 022.
    pub fn root(now: u64) -> Caller<'static> {
        Caller {
            pid: 0,
            uid: 0,
            gid: 0,
            now,
            umask: 0o022,
            proc: &NoProcesses,
        }
    }
}

impl std::fmt::Debug for Caller<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller")
            .field("pid", &self.pid)
            .field("uid", &self.uid)
            .field("gid", &self.gid)
            .field("now", &self.now)
            .field("umask", &self.umask)
            .finish_non_exhaustive()
    }
}

/// What `/proc` needs to know; the kernel implements it.
///
/// Everything in it is the sandbox's own: never pass a value of the host.
pub trait ProcSource {
    /// The numbers of all processes, in any order.
    fn pids(&self) -> Vec<u32>;
    /// One process, or `None` when it has gone. Every step of a path through `/proc` asks: it must
    /// not cost more for a process with long arguments.
    fn process(&self, pid: u32) -> Option<ProcessInfo>;
    /// Its open descriptors, ordered by number; empty when it has gone.
    fn descriptors(&self, pid: u32) -> Vec<ProcDescriptor>;
    /// One of them. Worth implementing when looking up one is cheaper than listing all.
    fn descriptor(&self, pid: u32, fd: u32) -> Option<ProcDescriptor> {
        self.descriptors(pid).into_iter().find(|d| d.fd == fd)
    }
    /// Nanoseconds since the sandbox started.
    fn uptime_ns(&self) -> u64;
    /// Bytes of memory that the sandbox may use.
    fn memory_total(&self) -> u64;
    /// Bytes of memory in use.
    fn memory_used(&self) -> u64;
    /// How far a process may go; `None` where nobody knows.
    fn limits(&self) -> Option<ProcLimits> {
        None
    }
    /// What the files took when the last process was started, and what they may take.
    fn files(&self) -> (Usage, Usage) {
        (Usage::default(), Usage::default())
    }
    /// Runs whose whole output is kept, ascending.
    fn runs(&self) -> Vec<u32> {
        Vec::new()
    }
    /// What a run printed (0) or complained about (1), if it is kept.
    fn run_output(&self, run: u32, stream: usize) -> Option<Arc<[u8]>> {
        let _ = (run, stream);
        None
    }
    /// Processors that `/proc/cpuinfo` lists.
    fn processors(&self) -> u32 {
        1
    }
    /// Release of the sandbox's system, as `uname -r` prints it.
    fn release(&self) -> String {
        "6.1.0-codepod".to_owned()
    }
    /// Name of the sandbox, as `hostname` prints it.
    fn hostname(&self) -> String {
        "sandbox".to_owned()
    }
}

/// Limits of a process, as `/proc/PID/limits` shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcLimits {
    /// Bytes of linear memory.
    pub memory: u64,
    /// Processes of the sandbox.
    pub processes: u64,
    /// Open descriptors.
    pub descriptors: u64,
    /// Bytes of a file; `u64::MAX` is no limit.
    pub file_bytes: u64,
}

/// A process as `/proc/PID` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessInfo {
    /// Its parent.
    pub ppid: u32,
    /// Its process group.
    pub pgid: u32,
    /// Its session.
    pub sid: u32,
    /// One of Linux's letters: R, S, T, Z.
    pub state: char,
    /// Its user.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Its arguments, the first being the name it was called by, each ended by a NUL.
    pub argv: Arc<[u8]>,
    /// Its environment as it was started: `NAME=value`, each ended by a NUL.
    pub environ: Arc<[u8]>,
    /// Its working directory.
    pub cwd: Arc<[u8]>,
    /// The program it runs.
    pub exe: Arc<[u8]>,
    /// When it was started, in nanoseconds after the sandbox.
    pub start_ns: u64,
    /// Processor time it has used, in nanoseconds.
    pub cpu_ns: u64,
    /// Bytes of memory it has.
    pub memory: u64,
}

/// A descriptor as `/proc/PID/fd/N` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcDescriptor {
    /// Its number.
    pub fd: u32,
    /// What `readlink` prints: a path, `pipe:[7]`, …
    pub target: Vec<u8>,
    /// The node behind it, if it is one, so that `/proc/self/fd/3/name` leads on from a directory.
    pub node: Option<NodeRef>,
}

/// A `/proc` without processes.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProcesses;

impl ProcSource for NoProcesses {
    fn pids(&self) -> Vec<u32> {
        Vec::new()
    }
    fn process(&self, _pid: u32) -> Option<ProcessInfo> {
        None
    }
    fn descriptors(&self, _pid: u32) -> Vec<ProcDescriptor> {
        Vec::new()
    }
    fn uptime_ns(&self) -> u64 {
        0
    }
    fn memory_total(&self) -> u64 {
        0
    }
    fn memory_used(&self) -> u64 {
        0
    }
}
