//! The process table: processes by pid, and what `/proc` shows of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codepod_abi::Errno;
use codepod_vfs::{FsLimits, NodeRef, ProcDescriptor, ProcLimits, ProcSource, ProcessInfo, Usage};

use crate::fd_table::Target;
use crate::ids::{Fd, Pid};
use crate::limits::Limits;
use crate::process::{Process, State};
use crate::run_outputs::RunOutputs;

/// All processes of a sandbox.
#[derive(Debug)]
pub(crate) struct ProcessTable {
    by_pid: BTreeMap<Pid, Process>,
    next: u32,
    /// Linear memory of all processes; shared with their controls.
    pub(crate) total_memory: Arc<AtomicUsize>,
    /// How far things may grow; `/proc` shows some of it.
    limits: Arc<Limits>,
    /// What the files took when the last process was started.
    pub(crate) files: Usage,
    /// What they may take.
    pub(crate) most_files: FsLimits,
    /// When the sandbox started and what the time is now, for `/proc/uptime`.
    pub(crate) booted: u64,
    pub(crate) now: u64,
    /// The most processes at a time since the host asked last.
    pub(crate) most: usize,
    /// Outputs that `/proc/runs` shows.
    pub(crate) outputs: RunOutputs,
}

impl ProcessTable {
    /// Pids go up to Linux's default and start again.
    const LAST_PID: u32 = 32_767;

    pub(crate) fn new(limits: Arc<Limits>, most_files: FsLimits, booted: u64) -> ProcessTable {
        ProcessTable {
            by_pid: BTreeMap::new(),
            next: Pid::INIT.0 + 1,
            total_memory: Arc::default(),
            limits,
            files: Usage::default(),
            most_files,
            booted,
            now: booted,
            most: 0,
            outputs: RunOutputs::default(),
        }
    }

    /// Processes alive or not yet waited for.
    pub(crate) fn len(&self) -> usize {
        self.by_pid.len()
    }

    /// The next pid that is free. The caller has checked that the table is not full.
    pub(crate) fn free_pid(&mut self) -> Pid {
        loop {
            let pid = Pid(self.next);
            self.next = if self.next >= Self::LAST_PID {
                Pid::INIT.0 + 1
            } else {
                self.next + 1
            };
            // A number that is still the name of a group is not free either.
            if !self.by_pid.contains_key(&pid) && !self.has_group(pid) {
                return pid;
            }
        }
    }

    pub(crate) fn insert(&mut self, process: Process) {
        self.by_pid.insert(process.pid, process);
        self.most = self.most.max(self.by_pid.len());
    }

    pub(crate) fn remove(&mut self, pid: Pid) -> Option<Process> {
        self.by_pid.remove(&pid)
    }

    /// `Srch` when there is none.
    pub(crate) fn get(&self, pid: Pid) -> Result<&Process, Errno> {
        self.by_pid.get(&pid).ok_or(Errno::Srch)
    }

    /// `Srch` when there is none.
    pub(crate) fn get_mut(&mut self, pid: Pid) -> Result<&mut Process, Errno> {
        self.by_pid.get_mut(&pid).ok_or(Errno::Srch)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Process> {
        self.by_pid.values()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Process> {
        self.by_pid.values_mut()
    }

    /// Whether a living process is in the group.
    pub(crate) fn has_group(&self, group: Pid) -> bool {
        self.iter()
            .any(|process| process.group == group && process.is_alive())
    }

    /// The living processes for which `wanted` holds.
    pub(crate) fn alive_where(&self, wanted: impl Fn(&Process) -> bool) -> Vec<Pid> {
        self.iter()
            .filter(|p| p.is_alive() && wanted(p))
            .map(|p| p.pid)
            .collect()
    }
}

/// The paths of open nodes need the file system: `path_readlink` puts them in place of the empty
/// texts here.
impl ProcSource for ProcessTable {
    fn pids(&self) -> Vec<u32> {
        std::iter::once(Pid::INIT.0)
            .chain(self.by_pid.keys().map(|pid| pid.0))
            .collect()
    }

    fn process(&self, pid: u32) -> Option<ProcessInfo> {
        if pid == Pid::INIT.0 {
            return Some(ProcessInfo {
                ppid: 0,
                pgid: 1,
                sid: 1,
                state: 'S',
                uid: 0,
                gid: 0,
                argv: b"init\0"[..].into(),
                environ: Arc::default(),
                cwd: b"/"[..].into(),
                exe: b"/init"[..].into(),
                start_ns: 0,
                cpu_ns: 0,
                memory: 0,
            });
        }
        let process = self.by_pid.get(&Pid(pid))?;
        Some(ProcessInfo {
            ppid: process.parent.0,
            pgid: process.group.0,
            sid: process.session.0,
            state: match process.state {
                State::Zombie(_) => 'Z',
                State::Stopped => 'T',
                State::Alive if process.waker.is_some() => 'S',
                State::Alive => 'R',
            },
            uid: process.uid,
            gid: process.gid,
            argv: process.argv.shared_block(),
            environ: process.env.shared_block(),
            cwd: process.cwd_path.clone(),
            exe: process.exe.clone(),
            start_ns: process.started.saturating_sub(self.booted),
            cpu_ns: process.control.cpu_ns(),
            memory: process.control.memory() as u64,
        })
    }

    fn descriptors(&self, pid: u32) -> Vec<ProcDescriptor> {
        let Some(process) = self.by_pid.get(&Pid(pid)) else {
            return Vec::new();
        };
        process
            .fds
            .iter()
            .map(|(fd, descriptor)| {
                let (target, node) = describe(descriptor.file.0, descriptor.target);
                ProcDescriptor {
                    fd: fd.0,
                    target,
                    node,
                }
            })
            .collect()
    }

    fn descriptor(&self, pid: u32, fd: u32) -> Option<ProcDescriptor> {
        let process = self.by_pid.get(&Pid(pid))?;
        let descriptor = process.fds.get(Fd(fd)).ok()?;
        let (target, node) = describe(descriptor.file.0, descriptor.target);
        Some(ProcDescriptor { fd, target, node })
    }

    fn runs(&self) -> Vec<u32> {
        self.outputs.runs().collect()
    }

    fn run_output(&self, run: u32, stream: usize) -> Option<Arc<[u8]>> {
        self.outputs.get(run, stream)
    }

    fn uptime_ns(&self) -> u64 {
        self.now.saturating_sub(self.booted)
    }

    fn memory_total(&self) -> u64 {
        self.limits.total_memory_bytes as u64
    }

    fn limits(&self) -> Option<ProcLimits> {
        // A file that may take all the space there is has no limit of its own, as on a real disk.
        let files = self.most_files;
        let one_file = (files.file_bytes < files.bytes).then_some(files.file_bytes);
        Some(ProcLimits {
            memory: self.limits.memory_bytes as u64,
            processes: self.limits.processes as u64,
            descriptors: self.limits.descriptors as u64,
            file_bytes: one_file.unwrap_or(u64::MAX),
        })
    }

    fn files(&self) -> (Usage, Usage) {
        let (bytes, nodes) = (self.most_files.bytes, self.most_files.nodes);
        (self.files, Usage { bytes, nodes })
    }

    fn memory_used(&self) -> u64 {
        self.total_memory.load(Ordering::Relaxed) as u64
    }
}

pub(crate) fn describe(number: u32, target: Target) -> (Vec<u8>, Option<NodeRef>) {
    match target {
        Target::Node(node) => (Vec::new(), Some(node)),
        Target::Pipe => (format!("pipe:[{number}]").into_bytes(), None),
        Target::Socket => (format!("socket:[{number}]").into_bytes(), None),
        Target::Terminal => (b"/dev/tty".to_vec(), None),
        Target::Null => (b"/dev/null".to_vec(), None),
    }
}
