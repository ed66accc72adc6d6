//! Waiting for children (`proc_wait`), and the host waiting for a process it started.

use std::task::{Poll, Waker};

use codepod_abi::Errno;
use codepod_abi::wire::{WAIT_CONTINUED, WAIT_STOPPED, WaitResult};

use super::{ExitStatus, Process, State};
use crate::ids::{Pid, WaiterId};
use crate::kernel::Kernel;

impl ExitStatus {
    fn to_wire(self, pid: Pid) -> WaitResult {
        let (kind, code) = match self {
            ExitStatus::Exited(code) => (WaitResult::EXITED, u32::from(code)),
            ExitStatus::Signaled(signal) => (WaitResult::SIGNALED, signal.raw()),
        };
        WaitResult {
            pid: pid.0,
            kind,
            code,
        }
    }
}

/// Whether `selector` of a `proc_wait` by `waiter` means `child`.
fn selects(selector: i32, waiter: &Process, child: &Process) -> bool {
    match selector {
        -1 => true,
        0 => child.group == waiter.group,
        1.. => child.pid.0 == selector as u32,
        _ => child.group.0 == selector.unsigned_abs(),
    }
}

impl Kernel {
    /// Takes the next change of a child. `Ok(None)` when none has changed; `Child` when there is no
    /// child that `selector` means.
    pub(crate) fn take_child(
        &mut self,
        me: Pid,
        selector: i32,
        flags: u32,
    ) -> Result<Option<WaitResult>, Errno> {
        let waiter = self.processes.get(me)?;
        let mut any = false;
        let mut found = None;
        for pid in &waiter.children {
            let Ok(child) = self.processes.get(*pid) else {
                continue;
            };
            if !selects(selector, waiter, child) {
                continue;
            }
            any = true;
            let news = match (child.state, child.news) {
                (State::Zombie(status), _) => Some(status.to_wire(*pid)),
                (_, Some(Some(signal))) if flags & WAIT_STOPPED != 0 => Some(WaitResult {
                    pid: pid.0,
                    kind: WaitResult::STOPPED,
                    code: signal.raw(),
                }),
                (_, Some(None)) if flags & WAIT_CONTINUED != 0 => Some(WaitResult {
                    pid: pid.0,
                    kind: WaitResult::CONTINUED,
                    code: 0,
                }),
                _ => None,
            };
            if news.is_some() {
                found = news;
                break;
            }
        }
        let Some(result) = found else {
            return if any { Ok(None) } else { Err(Errno::Child) };
        };
        let pid = Pid(result.pid);
        match result.kind {
            WaitResult::EXITED | WaitResult::SIGNALED => self.forget(pid),
            _ => self.processes.get_mut(pid)?.news = None,
        }
        Ok(Some(result))
    }

    /// Waits, as the host, for the end of a process that the host started.
    pub fn poll_exit(
        &mut self,
        pid: Pid,
        waiter: WaiterId,
        waker: &Waker,
    ) -> Poll<Option<ExitStatus>> {
        let Ok(process) = self.processes.get_mut(pid) else {
            return Poll::Ready(None);
        };
        match process.state {
            State::Zombie(status) => Poll::Ready(Some(status)),
            _ => {
                process.exit_waiters.add(waiter, waker);
                Poll::Pending
            }
        }
    }

    /// Lets go of a process that the host started: its status is returned and forgotten if it has
    /// ended, and goes to nobody if it ends later.
    pub fn reap(&mut self, pid: Pid) -> Option<ExitStatus> {
        let process = self.processes.get_mut(pid).ok()?;
        process.held_by_host = false;
        let State::Zombie(status) = process.state else {
            return None;
        };
        self.forget(pid);
        Some(status)
    }
}
