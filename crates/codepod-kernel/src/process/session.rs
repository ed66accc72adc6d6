//! Sessions: a process that serves the host, one request after the other.
//!
//! A shell stays alive between the scripts that it is given. The host marks its process
//! ([`Kernel::serve`]) and hands it requests; the guest takes one with `session_next`, which also
//! gives it the standard streams of that run, and answers with `session_done`. What a request says
//! is between the two; the kernel passes bytes.
//!
//! Everything that is started during a run carries the run's number, so that a run can be ended
//! with all that it started while what earlier runs left in the background goes on.

use codepod_abi::{Errno, Signal};
use codepod_vfs::Charged;

use super::State;
use super::spawn::Stdio;
use crate::fd_table::FdTable;
use crate::ids::{Fd, Pid};
use crate::kernel::Kernel;

/// A process's side of its session with the host.
#[derive(Debug, Default)]
pub(crate) struct HostSession {
    /// What the host wants next, until the guest takes it.
    pub(crate) request: Option<Request>,
    /// Whether the guest has taken a request and not answered it.
    pub(crate) running: bool,
    /// What the guest said, until the host takes it.
    pub(crate) answer: Option<Answer>,
}

/// What the host wants from a process.
#[derive(Debug)]
pub(crate) struct Request {
    /// The host's number for its run.
    number: u64,
    pub(crate) bytes: Vec<u8>,
    /// Standard input, output and error while it is served.
    pub(crate) stdio: [Stdio; 3],
}

/// What a process answered.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The exit status of what was asked for.
    pub status: u8,
    /// What the process can go on from, here or in another process; `None` when that has not
    /// changed.
    pub state: Option<Charged<Vec<u8>>>,
}

/// Tells the runs of a sandbox apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RunId {
    /// 0 belongs to no run.
    id: u64,
    number: u64,
}

impl Kernel {
    /// Lets a process serve the host. `Srch` when there is none.
    pub fn serve(&mut self, pid: Pid) -> Result<(), Errno> {
        self.processes.get_mut(pid)?.host_session = Some(Box::default());
        Ok(())
    }

    /// Hands a request to a process, with the standard streams of its run and the host's number for
    /// it; a process that was stopped goes on. `Srch` when it has ended or does not serve, `Busy`
    /// while it has a request, `Again` when the budget has no place for it.
    pub fn request(
        &mut self,
        pid: Pid,
        number: u64,
        bytes: Vec<u8>,
        stdio: [Stdio; 3],
    ) -> Result<(), Errno> {
        let process = self.processes.get_mut(pid)?;
        if !process.is_alive() || process.ending.is_some() {
            return Err(Errno::Srch);
        }
        let session = process.host_session.as_mut().ok_or(Errno::Srch)?;
        if session.running || session.request.is_some() || session.answer.is_some() {
            return Err(Errno::Busy);
        }
        if process.place.is_none() {
            process.place = Some(self.budget.process().ok_or(Errno::Again)?);
        }
        session.request = Some(Request {
            number,
            bytes,
            stdio,
        });
        process.wake();
        if process.state == State::Stopped {
            self.signal(pid, Signal::Cont)?;
        }
        Ok(())
    }

    /// Takes the answer to the last request, if there is one already.
    pub fn take_answer(&mut self, pid: Pid) -> Option<Answer> {
        let process = self.processes.get_mut(pid).ok()?;
        process.host_session.as_mut()?.answer.take()
    }

    /// Ends a process that serves the host, and everything that its present run has started, which
    /// is returned. What earlier runs have started goes on.
    pub fn kill_run(&mut self, pid: Pid) -> Vec<Pid> {
        let Ok(process) = self.processes.get(pid) else {
            return Vec::new();
        };
        let run = process.run;
        let _ = self.signal(pid, Signal::Kill);
        let others = self
            .processes
            .alive_where(|other| other.pid != pid && other.run == run && run.is_some());
        for other in &others {
            let _ = self.signal(*other, Signal::Kill);
        }
        others
    }

    /// The run that a process is in, or was in last.
    pub fn run_of(&self, pid: Pid) -> RunId {
        self.processes
            .get(pid)
            .map_or(RunId::default(), |process| process.run)
    }

    /// Whether a process has children, or descriptors beside the standard ones and the root's.
    pub fn has_belongings(&self, pid: Pid) -> bool {
        self.processes.get(pid).is_ok_and(|process| {
            !process.children.is_empty() || process.fds.iter().any(|(fd, _)| fd.0 > Fd::ROOT.0)
        })
    }

    /// Whether a process ended by a fault of its own, with nobody having decided that it should.
    pub fn has_crashed(&self, pid: Pid) -> bool {
        self.processes.get(pid).is_ok_and(|process| process.crashed)
    }

    /// Gives a process the streams of its next run and takes the request out.
    pub(crate) fn begin_run(&mut self, pid: Pid) -> Result<Vec<u8>, Errno> {
        let process = self.processes.get_mut(pid)?;
        let session = process.host_session.as_mut().ok_or(Errno::Perm)?;
        let request = session.request.take().ok_or(Errno::Inval)?;
        session.running = true;
        self.runs += 1;
        process.run = RunId {
            id: self.runs,
            number: request.number,
        };
        self.put_standard(pid, request.stdio)?;
        Ok(request.bytes)
    }

    /// Keeps an answer for the host and lets go of the run's streams.
    pub(crate) fn end_run(&mut self, pid: Pid, answer: Answer) -> Result<(), Errno> {
        let process = self.processes.get_mut(pid)?;
        let session = process.host_session.as_mut().ok_or(Errno::Perm)?;
        session.running = false;
        session.answer = Some(answer);
        self.put_standard(pid, [Stdio::Null; 3])?;
        // It waits for the host, who may end it at any time, unless something would be lost.
        if !self.has_belongings(pid) {
            self.processes.get_mut(pid)?.place = None;
        }
        Ok(())
    }

    /// Gives a process the streams of a request that it has not taken: it may never come to that.
    pub(crate) fn give_streams_of_request(&mut self, pid: Pid) {
        let process = self.processes.get(pid).ok();
        let session = process.and_then(|process| process.host_session.as_ref());
        let stdio = session.and_then(|session| Some(session.request.as_ref()?.stdio));
        if let Some(stdio) = stdio {
            // Where there is no room for them, it goes without.
            let _ = self.put_standard(pid, stdio);
        }
    }

    fn put_standard(&mut self, pid: Pid, stdio: [Stdio; 3]) -> Result<(), Errno> {
        let process = self.processes.get_mut(pid)?;
        let mut fds: FdTable = std::mem::take(&mut process.fds);
        for (number, stream) in stdio.into_iter().enumerate() {
            let to = Fd(number as u32);
            // A stream that the host has taken away meanwhile is as good as none.
            if self
                .put_child_descriptor(&mut fds, None, stream, to)
                .is_err()
            {
                self.put_child_descriptor(&mut fds, None, Stdio::Null, to)?;
            }
        }
        self.processes.get_mut(pid)?.fds = fds;
        Ok(())
    }
}

impl RunId {
    fn is_some(self) -> bool {
        self.id != 0
    }

    /// The host's number for it; 0 where the host has none.
    pub fn number(self) -> u64 {
        self.number
    }
}
