//! One call of one process, and what the handlers share: descriptors, rights, paths, waiting.
//!
//! A handler checks what the guest gave (descriptor, right, pointer, length, flags), does its work
//! on the [`Kernel`] and writes its results into guest memory. It returns `Result<(), Errno>`, or
//! `Poll<Result<(), Errno>>` if it may wait; then it is called again with the same arguments when
//! something has happened. Result pointers are checked before anything is done that cannot be taken
//! back.

use std::task::{Poll, Waker};

use codepod_abi::table::Call;
use codepod_abi::wire::{CWD_FD, ROOT_FD};
use codepod_abi::{Errno, Signal};
use codepod_vfs::{Caller, NodeRef, Stat, Vfs};

use crate::fd_table::Descriptor;
use crate::ids::{Fd, Pid, WaiterId};
use crate::kernel::Kernel;
use crate::limit_reached::Limit;
use crate::memory::GuestMemory;
use crate::open_file::{Object, OpenFile};
use crate::process::{PathRights, Process, State, Waiting};
use crate::trace::Trace;

/// One call of one process.
pub struct Syscall<'a, M> {
    /// The sandbox.
    pub kernel: &'a mut Kernel,
    /// Who calls.
    pub pid: Pid,
    /// Its memory.
    pub memory: &'a mut M,
    /// Wakes it, if it has to wait.
    pub waker: &'a Waker,
}

/// How a call ended, for the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The guest gets this number.
    Return(u16),
    /// The process ends: it was decided before or during the call.
    End,
}

impl<M: GuestMemory> Syscall<'_, M> {
    /// Runs a handler that never waits.
    pub fn ready(
        &mut self,
        call: Call,
        handler: impl FnOnce(&mut Self) -> Result<(), Errno>,
    ) -> Outcome {
        if self.kernel.is_ending(self.pid) {
            return Outcome::End;
        }
        let result = handler(self);
        self.finish(call, result)
    }

    /// Runs a handler that may wait, once more each time its process is woken.
    pub fn poll(
        &mut self,
        call: Call,
        handler: impl FnOnce(&mut Self) -> Poll<Result<(), Errno>>,
    ) -> Poll<Outcome> {
        self.kernel.fire_alarm(self.pid);
        if self.kernel.is_ending(self.pid) {
            return Poll::Ready(Outcome::End);
        }
        let Ok(process) = self.kernel.processes.get_mut(self.pid) else {
            return Poll::Ready(Outcome::End);
        };
        if process.state == State::Stopped {
            process.waker = Some(self.waker.clone());
            return Poll::Pending;
        }
        process.waker = None;
        let Poll::Ready(result) = handler(self) else {
            // A handler may end its own process while it waits: a signal to itself, a broken pipe.
            return if self.kernel.is_ending(self.pid) {
                Poll::Ready(Outcome::End)
            } else {
                Poll::Pending
            };
        };
        self.kernel.abandon_fifo(self.pid);
        if let Ok(process) = self.kernel.processes.get_mut(self.pid) {
            process.waiting = Waiting::default();
        }
        Poll::Ready(self.finish(call, result))
    }

    fn finish(&mut self, call: Call, result: Result<(), Errno>) -> Outcome {
        if let Some(trace) = &self.kernel.trace {
            trace(Trace {
                pid: self.pid,
                call,
                result,
            });
        }
        if let Err(errno) = result
            && let Some(limit) = Limit::behind(call, errno)
        {
            match limit {
                Limit::FileBytes => self.kernel.reached.note_files(self.kernel.vfs.fullest()),
                limit => self.kernel.reached.note(limit),
            }
        }
        if self.kernel.is_ending(self.pid) {
            return Outcome::End;
        }
        Outcome::Return(match result {
            Ok(()) => codepod_abi::SUCCESS,
            Err(errno) => errno.raw(),
        })
    }

    /// Gives up for now: `register` leaves the waker where the event will happen. With a `deadline`
    /// the clock wakes it too. A caught signal makes it `Intr` instead.
    pub(super) fn wait(
        &mut self,
        deadline: Option<u64>,
        register: impl FnOnce(&mut Kernel, WaiterId, &Waker),
    ) -> Poll<Result<(), Errno>> {
        let waker = self.waker;
        let process = match self.process_mut() {
            Ok(process) => process,
            Err(errno) => return Poll::Ready(Err(errno)),
        };
        if process.signals.interrupts() {
            return Poll::Ready(Err(Errno::Intr));
        }
        process.waker = Some(waker.clone());
        let alarm = process.control.alarm();
        let deadline = deadline.unwrap_or(u64::MAX).min(alarm);
        if deadline != u64::MAX {
            let key = self.kernel.timer_key(self.pid.into());
            self.kernel.host.wake_at(key, deadline, waker);
        }
        register(self.kernel, self.pid.into(), waker);
        Poll::Pending
    }

    pub(super) fn process(&self) -> Result<&Process, Errno> {
        self.kernel.processes.get(self.pid)
    }

    pub(super) fn process_mut(&mut self) -> Result<&mut Process, Errno> {
        self.kernel.processes.get_mut(self.pid)
    }

    /// The files, and the process as their caller.
    pub(super) fn vfs(&mut self) -> Result<(&mut Vfs, Caller<'_>), Errno> {
        files_of(self.kernel, self.pid)
    }

    /// A descriptor that has all of `rights`. `Badf`, `NotCapable`.
    pub(super) fn descriptor(&self, fd: u32, rights: u64) -> Result<Descriptor, Errno> {
        let descriptor = self.process()?.fds.get(Fd(fd))?;
        if descriptor.rights & rights != rights {
            return Err(Errno::NotCapable);
        }
        Ok(descriptor)
    }

    pub(super) fn open_file(&self, descriptor: Descriptor) -> Result<&OpenFile, Errno> {
        self.kernel.file(descriptor.file)
    }

    /// What a path call may do below the directory that it starts from, which must have `rights`.
    /// The root and the working directory need no descriptor. `Badf`, `NotCapable`.
    pub(super) fn path_rights(&self, fd: u32, rights: u64) -> Result<PathRights, Errno> {
        let allowed = match fd {
            ROOT_FD | CWD_FD => self.process()?.root,
            _ => {
                let descriptor = self.descriptor(fd, 0)?;
                PathRights {
                    base: descriptor.rights,
                    inheriting: descriptor.inheriting,
                }
            }
        };
        if allowed.base & rights != rights {
            return Err(Errno::NotCapable);
        }
        Ok(allowed)
    }

    /// The directory that a path call starts from, which must have `rights`. `Badf`, `NotDir`,
    /// `NotCapable`.
    pub(super) fn directory(&self, fd: u32, rights: u64) -> Result<NodeRef, Errno> {
        self.path_rights(fd, rights)?;
        match fd {
            ROOT_FD => return Ok(self.kernel.vfs.root()),
            CWD_FD => return Ok(self.process()?.cwd),
            _ => {}
        }
        match self.open_file(self.descriptor(fd, 0)?)?.object {
            Object::Directory(node, _) => Ok(node),
            _ => Err(Errno::NotDir),
        }
    }

    /// A path out of guest memory. `Fault`, `NameTooLong`.
    pub(super) fn path(&self, at: u32, len: u32) -> Result<Vec<u8>, Errno> {
        const PATH_BYTES: usize = 4096;
        self.memory
            .read_vec(at, len, PATH_BYTES, Errno::NameTooLong)
    }

    /// A node by path. `flags` are WASI's lookup flags.
    pub(super) fn lookup(
        &mut self,
        fd: u32,
        rights: u64,
        flags: u32,
        at: u32,
        len: u32,
    ) -> Result<NodeRef, Errno> {
        Ok(self.lookup_and_stat(fd, rights, flags, at, len)?.0)
    }

    /// A node by path, and what it is.
    pub(super) fn lookup_and_stat(
        &mut self,
        fd: u32,
        rights: u64,
        flags: u32,
        at: u32,
        len: u32,
    ) -> Result<(NodeRef, Stat), Errno> {
        let follow = follow(flags)?;
        let base = self.directory(fd, rights)?;
        let path = self.path(at, len)?;
        let (vfs, caller) = self.vfs()?;
        vfs.resolve_and_stat(&caller, base, &path, follow)
    }

    /// A write found no reader: SIGPIPE, and `Pipe` for those who ignore or catch it.
    pub(super) fn broken_pipe(&mut self) -> Errno {
        let _ = self.kernel.signal(self.pid, Signal::Pipe);
        Errno::Pipe
    }
}

/// The files, and a process as their caller.
pub(crate) fn files_of(kernel: &mut Kernel, pid: Pid) -> Result<(&mut Vfs, Caller<'_>), Errno> {
    let now = kernel.file_time();
    kernel.processes.now = kernel.host.monotonic();
    let process = kernel.processes.get(pid)?;
    let caller = Caller {
        pid: pid.0,
        uid: process.uid,
        gid: process.gid,
        now,
        umask: process.umask,
        proc: &kernel.processes,
    };
    Ok((&mut kernel.vfs, caller))
}

/// Whether lookup flags ask to follow a link at the end. `Inval` for unknown flags.
pub(super) fn follow(flags: u32) -> Result<bool, Errno> {
    use codepod_abi::wire::wasi::LOOKUP_SYMLINK_FOLLOW;
    match flags {
        0 => Ok(false),
        LOOKUP_SYMLINK_FOLLOW => Ok(true),
        _ => Err(Errno::Inval),
    }
}
