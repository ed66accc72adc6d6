//! Signals: what a process does about them, and how they reach it.
//!
//! Code in WebAssembly cannot be interrupted to run a handler. A caught signal is remembered until
//! the guest takes it (`signal_take`), and makes calls that wait fail with `Intr`; a guest that
//! computes can learn of it from its interrupt word, which the engine sets. A fatal signal ends the
//! process at its next call or at the engine's next look at its [`super::Control`].

use codepod_abi::signal::DefaultAction;
use codepod_abi::wire::{SIGNAL_CATCH, SIGNAL_DEFAULT, SIGNAL_IGNORE};
use codepod_abi::{Errno, Signal};

use super::{ExitStatus, Process, RunState, State};
use crate::ids::Pid;
use crate::kernel::Kernel;

/// What a process does about signals, as sets of bits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Signals {
    ignored: u64,
    caught: u64,
    /// Caught signals that have arrived and not been taken.
    pending: u64,
}

impl Signals {
    /// What a child starts with: ignored signals stay ignored, caught ones fall back to the
    /// default.
    pub(crate) fn inherited(self) -> Signals {
        Signals {
            ignored: self.ignored,
            caught: 0,
            pending: 0,
        }
    }

    /// Sets what a signal does and returns what it did. `Inval` for an unknown action and for
    /// signals that cannot be caught.
    fn set_action(&mut self, signal: Signal, action: u32) -> Result<u32, Errno> {
        let bit = signal.bit();
        let old = if self.ignored & bit != 0 {
            SIGNAL_IGNORE
        } else if self.caught & bit != 0 {
            SIGNAL_CATCH
        } else {
            SIGNAL_DEFAULT
        };
        if action > SIGNAL_CATCH || (!signal.is_catchable() && action != SIGNAL_DEFAULT) {
            return Err(Errno::Inval);
        }
        self.ignored &= !bit;
        self.caught &= !bit;
        match action {
            SIGNAL_IGNORE => self.ignored |= bit,
            SIGNAL_CATCH => self.caught |= bit,
            _ => {}
        }
        if action != SIGNAL_CATCH {
            self.pending &= !bit;
        }
        Ok(old)
    }

    /// Takes the pending signals of a set.
    fn take(&mut self, mask: u64) -> u64 {
        let taken = self.pending & mask;
        self.pending &= !mask;
        taken
    }

    /// Whether a call that waits must fail with `Intr`.
    pub(crate) fn interrupts(&self) -> bool {
        self.pending != 0
    }

    pub(crate) fn catches(&self, signal: Signal) -> bool {
        self.caught & signal.bit() != 0
    }

    pub(crate) fn ignores(&self, signal: Signal) -> bool {
        self.ignored & signal.bit() != 0
    }
}

impl Process {
    /// Sets what a signal does and returns what it did, as [`Signals::set_action`].
    pub(crate) fn set_signal_action(&mut self, signal: Signal, action: u32) -> Result<u32, Errno> {
        let old = self.signals.set_action(signal, action)?;
        self.control.set_signalled(self.signals.pending != 0);
        Ok(old)
    }

    /// Takes the pending signals of a set.
    pub(crate) fn take_signals(&mut self, mask: u64) -> u64 {
        let taken = self.signals.take(mask);
        self.control.set_signalled(self.signals.pending != 0);
        taken
    }

    /// Decides that the process ends so; the engine does it.
    pub(crate) fn end(&mut self, status: ExitStatus) {
        if self.is_alive() && self.ending.is_none() {
            self.ending = Some(status);
            self.control.set_state(RunState::End);
            self.wake();
        }
    }
}

impl Kernel {
    /// Sends a signal to one process. `Srch` when there is none.
    pub fn signal(&mut self, pid: Pid, signal: Signal) -> Result<(), Errno> {
        let process = self.processes.get_mut(pid)?;
        if !process.is_alive() {
            return Ok(());
        }
        if signal == Signal::Kill {
            process.end(ExitStatus::Signaled(signal));
            return Ok(());
        }
        // A process that is to end does not go on: its engine must keep seeing that it ends.
        if signal == Signal::Cont && process.state == State::Stopped && process.ending.is_none() {
            process.state = State::Alive;
            process.control.set_state(RunState::Run);
            process.news = Some(None);
            process.wake();
            self.tell_parent(pid);
        }
        let process = self.processes.get_mut(pid)?;
        if process.signals.ignores(signal) {
            return Ok(());
        }
        if process.signals.caught & signal.bit() != 0 {
            process.signals.pending |= signal.bit();
            process.control.set_signalled(true);
            process.wake();
            return Ok(());
        }
        match signal.default_action() {
            DefaultAction::Terminate => process.end(ExitStatus::Signaled(signal)),
            DefaultAction::Ignore | DefaultAction::Continue => {}
            DefaultAction::Stop => {
                if process.state == State::Alive && process.ending.is_none() {
                    process.state = State::Stopped;
                    process.control.set_state(RunState::Stop);
                    process.news = Some(Some(signal));
                    self.tell_parent(pid);
                }
            }
        }
        Ok(())
    }

    /// Sends a signal to all living processes of a group. `Srch` when there is none.
    pub fn signal_group(&mut self, group: Pid, signal: Signal) -> Result<(), Errno> {
        self.signal_where(Some(signal), |process| process.group == group)
    }

    /// Ends every process at once, as the host.
    pub fn kill_all(&mut self) {
        let _ = self.signal_where(Some(Signal::Kill), |_| true);
    }

    /// Ends every process of a session at once, as the host.
    pub fn kill_session(&mut self, session: Pid) {
        let _ = self.signal_where(Some(Signal::Kill), |process| process.session == session);
    }

    /// Raises SIGALRM if it is due.
    pub fn fire_alarm(&mut self, pid: Pid) {
        let now = self.host.monotonic();
        let Ok(process) = self.processes.get_mut(pid) else {
            return;
        };
        if process.control.alarm() <= now {
            process.control.set_alarm(None);
            let _ = self.signal(pid, Signal::Alrm);
        }
    }

    /// `proc_kill` for all its selectors; `signal` is `None` to ask only.
    pub(crate) fn kill(
        &mut self,
        me: Pid,
        selector: i32,
        signal: Option<Signal>,
    ) -> Result<(), Errno> {
        match selector {
            0 => {
                let group = self.processes.get(me)?.group;
                self.signal_where(signal, |process| process.group == group)
            }
            -1 => self.signal_where(signal, |process| process.pid != me),
            1.. => {
                let pid = Pid(selector as u32);
                self.processes.get(pid)?;
                match signal {
                    Some(signal) => self.signal(pid, signal),
                    None => Ok(()),
                }
            }
            _ => {
                let group = Pid(selector.unsigned_abs());
                self.signal_where(signal, |process| process.group == group)
            }
        }
    }

    fn signal_where(
        &mut self,
        signal: Option<Signal>,
        wanted: impl Fn(&Process) -> bool,
    ) -> Result<(), Errno> {
        let pids = self.processes.alive_where(wanted);
        if pids.is_empty() {
            return Err(Errno::Srch);
        }
        if let Some(signal) = signal {
            for pid in pids {
                let _ = self.signal(pid, signal);
            }
        }
        Ok(())
    }

    /// Lets the parent know that a child has changed.
    pub(crate) fn tell_parent(&mut self, pid: Pid) {
        let Ok(process) = self.processes.get(pid) else {
            return;
        };
        let parent = process.parent;
        if let Ok(parent_process) = self.processes.get_mut(parent) {
            parent_process.child_waiters.wake();
            let _ = self.signal(parent, Signal::Chld);
        }
    }
}
