//! Processes: a module with arguments, environment, working directory, descriptors and signals.
//!
//! The type is here; how one starts, ends, is waited for and signalled is in `process/`. The code
//! that runs belongs to an engine, which shares the [`Control`] with the kernel.

mod background;
mod exit;
mod facts;
mod program;
mod session;
mod signal;
pub(crate) mod spawn;
pub(crate) mod turn;
mod wait;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use codepod_abi::Signal;
use codepod_vfs::{Charge, NodeRef, Place};

use crate::fd_table::FdTable;
use crate::ids::{Pid, PipeId};
use crate::limit_reached::Limit;
use crate::strings::Strings;
use crate::wait_set::WaitSet;

pub use background::Family;
pub(crate) use facts::Ended;
pub use facts::{ProcessFacts, Usage};
pub(crate) use session::HostSession;
pub use session::{Answer, RunId};
pub(crate) use signal::Signals;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// By itself, with a status.
    Exited(u8),
    /// By a signal.
    Signaled(Signal),
}

impl ExitStatus {
    /// The status as a shell shows it: 128 plus the number for a signal.
    pub fn code(self) -> i32 {
        match self {
            ExitStatus::Exited(code) => i32::from(code),
            ExitStatus::Signaled(signal) => 128 + signal.raw() as i32,
        }
    }
}

/// What an engine must do with a process's code right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Let it run.
    Run,
    /// Hold it until it is continued.
    Stop,
    /// End it: a signal or the host has decided.
    End,
}

/// The limits that can refuse memory.
const MEMORY_LIMITS: [Limit; 3] = [Limit::Memory, Limit::TotalMemory, Limit::SharedMemory];

/// A further bit: its runtime has said that it ends for want of memory.
const EXHAUSTED: u8 = 1 << 7;

/// What kernel and engine share about a running process without the kernel's lock, so that a loop
/// that makes no calls can be stopped.
#[derive(Debug)]
pub struct Control {
    run: AtomicU32,
    /// When SIGALRM is due, on the host's monotonic clock; `u64::MAX` for never.
    alarm: AtomicU64,
    /// Whether caught signals have arrived that the process has not taken.
    signalled: AtomicBool,
    /// Which limits have refused it memory, as bits of [`MEMORY_LIMITS`].
    refused: AtomicU8,
    /// Whether the kernel knows that it has ended.
    exited: AtomicBool,
    /// How long its code has run, in nanoseconds.
    cpu: AtomicU64,
    /// Linear memory that the process has now.
    memory: AtomicUsize,
    /// What it has used of its stack, the first pages apart.
    stack: AtomicUsize,
    memory_limit: usize,
    /// Linear memory and stacks of all processes of the sandbox.
    total_memory: Arc<AtomicUsize>,
    total_memory_limit: usize,
    /// What the budget was charged for its memory.
    charge: Mutex<Charge>,
}

impl Control {
    /// What to do with the process.
    pub fn state(&self) -> RunState {
        match self.run.load(Ordering::Relaxed) {
            0 => RunState::Run,
            1 => RunState::Stop,
            _ => RunState::End,
        }
    }

    /// Whether the kernel knows that the process has ended: then it need not be told.
    pub fn has_exited(&self) -> bool {
        self.exited.load(Ordering::Relaxed)
    }

    fn set_exited(&self) {
        self.exited.store(true, Ordering::Relaxed);
    }

    fn set_state(&self, state: RunState) {
        self.run.store(state as u32, Ordering::Relaxed);
    }

    /// When SIGALRM is due; the engine calls [`crate::Kernel::fire_alarm`] then.
    pub fn alarm(&self) -> u64 {
        self.alarm.load(Ordering::Relaxed)
    }

    /// Whether caught signals have arrived that the process has not taken. The engine sets the
    /// interrupt word of a process that exports one.
    pub fn is_signalled(&self) -> bool {
        self.signalled.load(Ordering::Relaxed)
    }

    fn set_signalled(&self, signalled: bool) {
        self.signalled.store(signalled, Ordering::Relaxed);
    }

    /// Asks for `to` bytes of linear memory in all. False when a limit or the budget says no.
    pub fn grow_memory(&self, to: usize) -> bool {
        let from = self.memory.load(Ordering::Relaxed);
        if to > self.memory_limit {
            return self.refuse(Limit::Memory);
        }
        if !self.draw(to.saturating_sub(from)) {
            return false;
        }
        self.memory.store(to.max(from), Ordering::Relaxed);
        true
    }

    /// Asks for so much of its stack in all. False when a limit or the budget says no.
    pub fn grow_stack(&self, to: usize) -> bool {
        let from = self.stack.load(Ordering::Relaxed);
        if !self.draw(to.saturating_sub(from)) {
            return false;
        }
        self.stack.store(to.max(from), Ordering::Relaxed);
        true
    }

    /// Draws from the sandbox's memory and from the budget; from both or from neither.
    fn draw(&self, more: usize) -> bool {
        let within = |used: usize| {
            used.checked_add(more)
                .filter(|total| *total <= self.total_memory_limit)
        };
        if self
            .total_memory
            .try_update(Ordering::Relaxed, Ordering::Relaxed, within)
            .is_err()
        {
            return self.refuse(Limit::TotalMemory);
        }
        if !self.charge().add(more as u64) {
            self.total_memory.fetch_sub(more, Ordering::Relaxed);
            return self.refuse(Limit::SharedMemory);
        }
        true
    }

    fn charge(&self) -> MutexGuard<'_, Charge> {
        self.charge.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a limit has refused memory; false, as the answer to who asked.
    fn refuse(&self, limit: Limit) -> bool {
        let at = MEMORY_LIMITS.iter().position(|known| *known == limit);
        self.refused
            .fetch_or(1 << at.unwrap_or(0), Ordering::Relaxed);
        false
    }

    /// Whether a limit has refused it memory.
    pub(crate) fn was_refused_memory(&self) -> bool {
        self.refused.load(Ordering::Relaxed) != 0
    }

    /// Notes that it is about to end for want of memory; whether that was known.
    pub(crate) fn is_exhausted(&self, now: bool) -> bool {
        let bit = if now { EXHAUSTED } else { 0 };
        self.refused.fetch_or(bit, Ordering::Relaxed) & EXHAUSTED != 0
    }

    /// The limits that have refused it memory.
    pub(crate) fn refused_memory(&self) -> impl Iterator<Item = Limit> + use<> {
        let refused = self.refused.load(Ordering::Relaxed);
        let limits = MEMORY_LIMITS.into_iter().enumerate();
        limits.filter_map(move |(at, limit)| (refused >> at & 1 != 0).then_some(limit))
    }

    /// The most linear memory that it may have.
    pub fn memory_limit(&self) -> usize {
        self.memory_limit
    }

    /// Adds to the time that its code has run.
    pub fn add_cpu(&self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.cpu.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// How long its code has run, in nanoseconds.
    pub fn cpu_ns(&self) -> u64 {
        self.cpu.load(Ordering::Relaxed)
    }

    /// Linear memory that the process has now, in bytes.
    pub fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let stack = self.stack.load(Ordering::Relaxed);
        self.total_memory
            .fetch_sub(self.memory() + stack, Ordering::Relaxed);
    }
}

/// Where a process is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Alive, and running unless stopped.
    Alive,
    /// Held by a signal.
    Stopped,
    /// Ended, and not yet waited for.
    Zombie(ExitStatus),
}

/// What a call that waits remembers from one poll to the next.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// When the call was polled first, on the monotonic clock; relative times count from there.
    pub(crate) began: Option<u64>,
    /// Bytes already received by a call that wants its buffers full.
    pub(crate) read: u64,
    /// Bytes already written by an `fd_write` that does not fit at once.
    pub(crate) written: usize,
    /// Whether the call has been polled before.
    pub(crate) polled: bool,
    /// A fifo end that `path_open` holds while it waits for the other side.
    pub(crate) fifo: Option<WaitingFifo>,
}

/// A fifo end held by an open that waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitingFifo {
    pub(crate) pipe: PipeId,
    pub(crate) node: NodeRef,
    pub(crate) end: crate::pipe::End,
    /// How often the other side had been opened when the wait began.
    pub(crate) other_opens: u64,
}

/// What paths may be used for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathRights {
    /// The rights that calls need.
    pub(crate) base: u64,
    /// The most that what is opened may have.
    pub(crate) inheriting: u64,
}

/// A process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    pub(crate) parent: Pid,
    pub(crate) group: Pid,
    pub(crate) session: Pid,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) umask: u16,
    pub(crate) argv: Strings,
    pub(crate) env: Strings,
    /// Path of the program as it was found.
    pub(crate) exe: Arc<[u8]>,
    /// The open count of this node is ours.
    pub(crate) cwd: NodeRef,
    /// Its path when it became the working directory.
    pub(crate) cwd_path: Arc<[u8]>,
    pub(crate) fds: FdTable,
    /// What paths that start at the root may be used for; number 3 in path calls, whatever it is
    /// otherwise.
    pub(crate) root: PathRights,
    pub(crate) signals: Signals,
    pub(crate) state: State,
    /// Decided, but the engine has not ended it yet.
    pub(crate) ending: Option<ExitStatus>,
    /// A stop (`Some(Some(signal))`) or continuation (`Some(None)`) that the parent has not seen.
    pub(crate) news: Option<Option<Signal>>,
    pub(crate) children: Vec<Pid>,
    /// Wakes the process's own blocked call.
    pub(crate) waker: Option<Waker>,
    pub(crate) waiting: Waiting,
    /// Waits for a change of this process's children.
    pub(crate) child_waiters: WaitSet,
    /// The host, waiting for the end.
    pub(crate) exit_waiters: WaitSet,
    /// What it serves the host with, if it does.
    pub(crate) host_session: Option<Box<HostSession>>,
    /// The run of a session that it belongs to.
    pub(crate) run: RunId,
    /// Whether it ended by a fault of its own.
    pub(crate) crashed: bool,
    /// The host keeps the status until it has reaped it.
    pub(crate) held_by_host: bool,
    pub(crate) control: Arc<Control>,
    /// Its place in the budget; `None` while it only waits for the host's next request.
    pub(crate) place: Option<Place>,
    /// What the budget was charged for its arguments and for itself.
    pub(crate) _charge: Charge,
    /// When it started, on the monotonic clock.
    pub(crate) started: u64,
    /// Bytes that it has read and written.
    pub(crate) read: u64,
    pub(crate) written: u64,
}

impl Process {
    /// Whether it can run or be signalled.
    pub(crate) fn is_alive(&self) -> bool {
        !matches!(self.state, State::Zombie(_))
    }

    pub(crate) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Control {
    pub(crate) fn new(
        memory_limit: usize,
        total_memory: Arc<AtomicUsize>,
        total_memory_limit: usize,
        charge: Charge,
    ) -> Control {
        Control {
            run: AtomicU32::new(RunState::Run as u32),
            alarm: AtomicU64::new(u64::MAX),
            signalled: AtomicBool::new(false),
            refused: AtomicU8::new(0),
            exited: AtomicBool::new(false),
            cpu: AtomicU64::new(0),
            memory: AtomicUsize::new(0),
            stack: AtomicUsize::new(0),
            memory_limit,
            total_memory,
            total_memory_limit,
            charge: Mutex::new(charge),
        }
    }

    pub(crate) fn set_alarm(&self, deadline: Option<u64>) {
        self.alarm
            .store(deadline.unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use codepod_vfs::{Budget, BudgetLimits};

    use super::*;

    #[test]
    fn memory_is_limited_for_a_process_and_for_all() {
        let total = Arc::new(AtomicUsize::new(0));
        let a = Control::new(100, total.clone(), 150, Charge::default());
        let b = Control::new(100, total.clone(), 150, Charge::default());
        assert!(a.grow_memory(100));
        assert!(!a.grow_memory(101));
        assert!(b.grow_memory(50));
        assert!(!b.grow_memory(51));
        drop(a);
        assert!(b.grow_memory(100));
        drop(b);
        assert_eq!(total.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn memory_is_limited_for_all_that_share_a_budget() {
        let budget = Budget::new(BudgetLimits::new(0, 150));
        let total = Arc::new(AtomicUsize::new(0));
        let control = || {
            let charge = budget.memory(0).unwrap();
            Control::new(100, total.clone(), usize::MAX, charge)
        };
        let (a, b) = (control(), control());
        assert!(a.grow_memory(100) && !b.grow_memory(51) && b.grow_memory(40));
        assert!(b.grow_stack(10) && b.grow_stack(5) && !b.grow_stack(11));
        assert_eq!(
            total.load(Ordering::Relaxed),
            150,
            "nothing of what was refused"
        );
        drop(a);
        assert_eq!(budget.used().memory_bytes, 50);
        drop(b);
        assert_eq!(budget.used().memory_bytes, 0);
        assert_eq!(total.load(Ordering::Relaxed), 0);
    }
}
