//! The end of a process: descriptors are closed, children are adopted, the status waits for the
//! parent.

use codepod_abi::Signal;

use super::{ExitStatus, State};
use crate::ids::Pid;
use crate::kernel::Kernel;

impl Kernel {
    /// Ends a process. The engine calls it once the code no longer runs, with how it ended by
    /// itself; a signal that was decided on before wins. A pid that has gone already is
    /// ignored.
    pub fn exit(&mut self, pid: Pid, status: ExitStatus) {
        if let Ok(process) = self.processes.get(pid)
            && self.is_in_background(process)
        {
            self.ended.count_background(process.control.cpu_ns());
        }
        let Ok(process) = self.processes.get_mut(pid) else {
            return;
        };
        if !process.is_alive() {
            return;
        }
        process.crashed = process.ending.is_none() && matches!(status, ExitStatus::Signaled(_));
        let status = process.ending.unwrap_or(status);
        process.state = State::Zombie(status);
        process.control.set_exited();
        self.ended.push(process, status, self.host.monotonic());
        // Who goes on without the memory that it was refused has nothing to tell.
        if status != ExitStatus::Exited(0) {
            for limit in process.control.refused_memory() {
                self.reached.note(limit);
            }
        }
        process.waker = None;
        process.host_session = None;
        let descriptors = process.fds.take_all();
        let children = std::mem::take(&mut process.children);
        let cwd = process.cwd;
        process.exit_waiters.wake();
        self.abandon_fifo(pid);
        for descriptor in descriptors {
            self.release(descriptor.file);
        }
        self.vfs.close(cwd);
        self.host.forget(self.timer_key(pid.into()));
        for child in children {
            self.adopt(child);
        }
        self.settle(pid);
    }

    /// Gives a process whose parent has gone to the kernel, which waits for it at once.
    fn adopt(&mut self, pid: Pid) {
        let Ok(process) = self.processes.get_mut(pid) else {
            return;
        };
        process.parent = Pid::INIT;
        if !process.is_alive() {
            self.settle(pid);
        }
    }

    /// Decides who gets a zombie's status: the host, the parent, or nobody.
    fn settle(&mut self, pid: Pid) {
        let Ok(process) = self.processes.get(pid) else {
            return;
        };
        if process.held_by_host {
            return;
        }
        let parent = process.parent;
        match self.processes.get(parent) {
            // A parent that ignores SIGCHLD never waits.
            Ok(process) if !process.signals.ignores(Signal::Chld) => self.tell_parent(pid),
            _ => self.forget(pid),
        }
    }

    /// Removes a zombie from the table and from its parent.
    pub(crate) fn forget(&mut self, pid: Pid) {
        let Some(process) = self.processes.remove(pid) else {
            return;
        };
        if let Ok(parent) = self.processes.get_mut(process.parent) {
            parent.children.retain(|child| *child != pid);
            // A parent that waits for the last of its children must learn that there is none.
            parent.child_waiters.wake();
        }
    }
}
