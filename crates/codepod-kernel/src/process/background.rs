//! Processes in the background: those that go on after the run that started them.
//!
//! They come in families: what one run left, with all that its processes start later. A process
//! cannot leave its family, so one that ends and starts itself anew grows no younger. How long a
//! family may go on is the library's to say.

use codepod_abi::Signal;

use super::{Process, RunId};
use crate::ids::Pid;
use crate::kernel::Kernel;

/// What a run left in the background, with all that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Family {
    run: RunId,
    session: Pid,
}

impl Process {
    pub(super) fn family(&self) -> Family {
        Family {
            run: self.run,
            session: self.session,
        }
    }
}

impl Kernel {
    /// The families that have a living process in the background.
    pub fn background(&self) -> Vec<Family> {
        let mut families = Vec::new();
        for process in self.processes.iter() {
            let family = process.family();
            if self.is_in_background(process) && !families.contains(&family) {
                families.push(family);
            }
        }
        families
    }

    /// How long code of processes in the background has run, in nanoseconds: of those that are
    /// there now, and of those that ended there since [`Kernel::forget_background_cpu`]. Each
    /// counts from its start.
    pub fn background_cpu_ns(&self) -> u64 {
        let living = self
            .processes
            .iter()
            .filter(|process| self.is_in_background(process));
        let living: u64 = living.map(|process| process.control.cpu_ns()).sum();
        self.ended.background_cpu_ns().saturating_add(living)
    }

    /// Forgets the time of processes that have ended in the background.
    pub fn forget_background_cpu(&mut self) {
        self.ended.forget_background();
    }

    /// Ends what a family has in the background; whether there was something that did not end
    /// already.
    pub fn kill_family(&mut self, family: Family) -> bool {
        let goes_on = |process: &Process| {
            process.family() == family && self.is_in_background(process) && process.ending.is_none()
        };
        let pids = self.processes.alive_where(goes_on);
        for pid in &pids {
            // It was alive a moment ago.
            let _ = self.signal(*pid, Signal::Kill);
        }
        !pids.is_empty()
    }

    /// Whether a process lives and nobody waits for the run that it belongs to.
    pub(super) fn is_in_background(&self, process: &Process) -> bool {
        if !process.is_alive() || process.host_session.is_some() {
            return false;
        }
        let Ok(leader) = self.processes.get(process.session) else {
            return true;
        };
        match &leader.host_session {
            // A shell that serves the host: only what its present run has started is in the
            // foreground.
            Some(session) => !session.running || leader.run != process.run,
            // A command that the host waits for.
            None => !(leader.is_alive() && leader.held_by_host),
        }
    }
}
