//! The kernel of one sandbox, as the library and engines see it.
//!
//! Everything a sandbox has is in this value: files, processes, open files, pipes. It sits behind
//! one lock per sandbox, held for the bookkeeping of a call and its copying, never across a wait.

mod host_pipes;
mod open_files;
mod sinks;
mod terminals;

pub use host_pipes::PipeEnd;

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Poll, Waker};

use codepod_abi::Errno;
use codepod_vfs::{
    Budget, Caller, FsLimits, LoadedTree, MountId, NodeRef, ProcSource as _, ProcessInfo, Vfs,
    VfsSnapshot,
};

use crate::arena::Arena;
use crate::file_lock::FileLocks;
use crate::host::{Host, TimerKey};
use crate::host_command::HostCommands;
use crate::ids::{Fd, Pid, PipeId, WaiterId};
use crate::limit_reached::Reached;
use crate::limits::Limits;
use crate::net::Net;
use crate::open_file::{Object, OpenFile};
use crate::pipe::Pipe;
use crate::policy::Policy;
use crate::process::spawn::Program;
use crate::process::{Ended, State};
use crate::process_table::ProcessTable;
use crate::sink::Sink;
use crate::terminal::Terminal;
use crate::trace::TraceFn;

/// What a kernel is made from.
pub struct KernelOptions {
    /// Tells the kernels of one host apart (timers).
    pub id: u64,
    /// Where time and randomness come from.
    pub host: Arc<dyn Host>,
    /// The files.
    pub vfs: Vfs,
    /// How far things may grow.
    pub limits: Arc<Limits>,
    /// What it draws from together with others; its files are charged by whoever made them.
    pub budget: Budget,
    /// What is allowed.
    pub policy: Policy,
    /// Owner of the processes that the host starts.
    pub uid: u32,
    /// Their group.
    pub gid: u32,
    /// Gets every call.
    pub trace: Option<TraceFn>,
}

/// The kernel of one sandbox.
pub struct Kernel {
    pub(crate) id: u64,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) vfs: Vfs,
    pub(crate) limits: Arc<Limits>,
    pub(crate) budget: Budget,
    pub(crate) policy: Policy,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) processes: ProcessTable,
    pub(crate) files: Arena<OpenFile>,
    pub(crate) locks: FileLocks,
    pub(crate) pipes: Arena<Pipe>,
    pub(crate) net: Net,
    pub(crate) sinks: Arena<Sink>,
    pub(crate) terminals: Arena<Terminal>,
    /// The pipes behind fifos that somebody has open.
    pub(crate) fifos: HashMap<NodeRef, PipeId>,
    /// Processes that guests have started and no engine runs yet.
    pub(crate) started: Vec<Program>,
    /// Limits that were reached since the host asked last.
    pub(crate) reached: Reached,
    /// What the host itself answers, by name.
    pub(crate) commands: HostCommands,
    /// What is known of processes that have ended.
    pub(crate) ended: Ended,
    /// How many runs of sessions there have been.
    pub(crate) runs: u64,
    /// Numbers for the host as a waiter, so that two of its tasks never take each other's place.
    waiters: u32,
    pub(crate) trace: Option<TraceFn>,
}

impl Kernel {
    /// A kernel without processes.
    pub fn new(options: KernelOptions) -> Kernel {
        let booted = options.host.monotonic();
        let tree = options.vfs.root_tree();
        let most_files = tree.map_or(FsLimits::UNLIMITED, |tree| tree.limits());
        Kernel {
            id: options.id,
            vfs: options.vfs,
            processes: ProcessTable::new(options.limits.clone(), most_files, booted),
            limits: options.limits,
            budget: options.budget,
            policy: options.policy,
            uid: options.uid,
            gid: options.gid,
            files: Arena::default(),
            locks: FileLocks::default(),
            pipes: Arena::default(),
            net: Net::default(),
            sinks: Arena::default(),
            terminals: Arena::default(),
            fifos: HashMap::new(),
            started: Vec::new(),
            ended: Ended::default(),
            reached: Reached::default(),
            commands: HostCommands::default(),
            runs: 0,
            waiters: 0,
            trace: options.trace,
            host: options.host,
        }
    }

    /// A kernel with the same files, limits and policy and no processes: copy-on-write, whatever it
    /// holds.
    pub fn fork(&self, id: u64) -> Result<Kernel, Errno> {
        Ok(self.fork_with(id, self.vfs.fork()?))
    }

    /// Forks the kernel so that what changes there never reaches the host: a host directory that is
    /// written to is an overlay there.
    pub fn fork_apart(&self, id: u64) -> Result<Kernel, Errno> {
        Ok(self.fork_with(id, self.vfs.fork_apart()?))
    }

    fn fork_with(&self, id: u64, vfs: Vfs) -> Kernel {
        Kernel::new(KernelOptions {
            id,
            host: self.host.clone(),
            vfs,
            limits: self.limits.clone(),
            budget: self.budget.clone(),
            policy: self.policy.clone(),
            uid: self.uid,
            gid: self.gid,
            trace: self.trace.clone(),
        })
    }

    /// The files as they are, as a value.
    pub fn snapshot(&self) -> VfsSnapshot {
        self.vfs.snapshot()
    }

    /// Puts the files back. `Busy` while a process is there, since it may have files open.
    pub fn restore(&mut self, snapshot: &VfsSnapshot) -> Result<(), Errno> {
        if self.processes.len() > 0 || self.files.len() > 0 {
            return Err(Errno::Busy);
        }
        self.vfs.restore(snapshot)
    }

    /// Goes to files that were saved. `Busy` while a process is there; otherwise as [`Vfs::load`].
    pub fn load(&mut self, trees: Vec<(MountId, LoadedTree)>) -> Result<(), Errno> {
        if self.processes.len() > 0 || self.files.len() > 0 {
            return Err(Errno::Busy);
        }
        self.vfs.load(trees)
    }

    /// The files and a caller to use them with, as the sandbox's user.
    pub fn files(&mut self) -> (&mut Vfs, Caller<'_>) {
        self.processes.now = self.host.monotonic();
        let caller = Caller {
            pid: Pid::INIT.0,
            uid: self.uid,
            gid: self.gid,
            now: self.file_time(),
            umask: 0o022,
            proc: &self.processes,
        };
        (&mut self.vfs, caller)
    }

    /// Keeps the whole output of a run for `/proc/runs`, as far as the limits let it.
    pub fn keep_output(&mut self, run: u64, stdout: Vec<u8>, stderr: Vec<u8>) {
        if let Ok(run) = u32::try_from(run) {
            let streams = [stdout.into(), stderr.into()];
            let most = self.limits.kept_output_bytes;
            self.processes
                .outputs
                .keep(run, streams, most, &self.budget);
        }
    }

    /// The processes that are there, without those that serve the host and have nothing to do.
    pub fn live_processes(&self) -> Vec<(Pid, ProcessInfo)> {
        self.processes
            .iter()
            .filter(|process| {
                let session = process.host_session.as_ref();
                session.is_none_or(|session| session.running || session.request.is_some())
            })
            .filter_map(|process| Some((process.pid, self.processes.process(process.pid.0)?)))
            .collect()
    }

    /// Linear memory of all processes, in bytes.
    pub fn memory_used(&self) -> u64 {
        self.processes.memory_used()
    }

    /// Nanoseconds since the sandbox started.
    pub fn uptime_ns(&self) -> u64 {
        self.host.monotonic().saturating_sub(self.processes.booted)
    }

    /// The time that files get: no finer than the clock that guests see, and never later than it.
    pub(crate) fn file_time(&self) -> u64 {
        let now = self.host.realtime();
        now - now % self.limits.clock_resolution.max(1)
    }

    /// Which limits were reached since this was asked last.
    pub fn take_reached(&mut self) -> Reached {
        self.reached.take()
    }

    /// The most processes that there were at a time since this was asked last.
    pub fn take_most_processes(&mut self) -> usize {
        let now = self.processes.len();
        std::mem::replace(&mut self.processes.most, now)
    }

    /// What it draws from together with others.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Processes alive or not yet waited for.
    pub fn process_count(&self) -> usize {
        self.processes.len()
    }

    /// Open files, pipes, sockets and sinks: 0 in an idle sandbox.
    pub fn open_count(&self) -> usize {
        let streams = self.pipes.len() + self.net.sockets.len();
        self.files.len() + streams + self.sinks.len() + self.terminals.len()
    }

    /// The processes that guests have started since the last time: the engine must run them.
    pub fn take_started(&mut self) -> Vec<Program> {
        std::mem::take(&mut self.started)
    }

    /// Wakes all who wait for something here, to hear that there is nothing more to wait for.
    pub(crate) fn wake_everybody(&mut self) {
        for process in self.processes.iter_mut() {
            process.wake();
            process.child_waiters.wake();
            process.exit_waiters.wake();
        }
        for pipe in self.pipes.iter_mut() {
            pipe.read_waiters.wake();
            pipe.write_waiters.wake();
        }
        self.net.wake_everybody();
    }

    /// Waits until a stopped process goes on or is to end.
    pub fn poll_running(&mut self, pid: Pid, waker: &Waker) -> Poll<()> {
        let Ok(process) = self.processes.get_mut(pid) else {
            return Poll::Ready(());
        };
        if process.state == State::Stopped && process.ending.is_none() {
            process.waker = Some(waker.clone());
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Waits until it is decided that a process ends, for as long as none of its code runs.
    pub fn poll_ending(&mut self, pid: Pid, waker: &Waker) -> Poll<()> {
        match self.processes.get_mut(pid) {
            Ok(process) if process.ending.is_none() => {
                process.waker = Some(waker.clone());
                Poll::Pending
            }
            _ => Poll::Ready(()),
        }
    }

    /// Prints a line on a process's standard error on behalf of the system, as far as it goes in at
    /// once. A process that has not come to the host's request gets its streams for that.
    pub fn complain(&mut self, pid: Pid, message: &str) {
        self.give_streams_of_request(pid);
        let Ok(descriptor) = self
            .processes
            .get(pid)
            .and_then(|process| process.fds.get(Fd(2)))
        else {
            return;
        };
        let Ok(object) = self.file(descriptor.file).map(|file| file.object) else {
            return;
        };
        let line = format!("codepod: {message}\n");
        match object {
            Object::Sink(sink) => {
                let _ = self
                    .sinks
                    .get_mut(sink.0)
                    .map(|sink| sink.write(line.as_bytes()));
            }
            Object::Pipe(pipe, ..) => {
                let _ = self.pipe_mut(pipe).map(|pipe| pipe.write(line.as_bytes()));
            }
            Object::File(node) => {
                let (vfs, caller) = self.files();
                let _ = vfs.append(&caller, node, line.as_bytes());
            }
            _ => {}
        }
    }

    /// Sets who gets every call from now on.
    pub fn set_trace(&mut self, trace: Option<TraceFn>) {
        self.trace = trace;
    }

    /// Whether it has been decided that a process ends.
    pub fn is_ending(&self, pid: Pid) -> bool {
        self.processes
            .get(pid)
            .map_or(true, |process| process.ending.is_some())
    }

    /// A waiter for one task of the host.
    pub fn new_waiter(&mut self) -> WaiterId {
        self.waiters = self.waiters.wrapping_add(1);
        WaiterId::host(self.waiters)
    }

    /// The timer of a waiter.
    pub fn timer_key(&self, waiter: WaiterId) -> TimerKey {
        TimerKey {
            kernel: self.id,
            waiter,
        }
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("id", &self.id)
            .field("processes", &self.processes.len())
            .field("open files", &self.files.len())
            .finish_non_exhaustive()
    }
}
