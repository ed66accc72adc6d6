//! Starting a process: find the program (`program.rs`), make the descriptors, put it into the
//! table.

use std::sync::Arc;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::rights;
use codepod_vfs::{Access, Caller, Charge, FileKind, NodeRef, Place};

use super::program::Search;
use super::{Control, PathRights, Process, RunId, Signals, State, Waiting};
use crate::fd_table::{Descriptor, FdTable};
use crate::host_command::HostProgram;
use crate::ids::{Fd, Pid, PipeId, SinkId, TerminalId};
use crate::kernel::Kernel;
use crate::open_file::{Object, OpenFile};
use crate::pipe::End;
use crate::process_table::ProcessTable;
use crate::strings::Strings;
use crate::wait_set::WaitSet;

/// What a process costs the host beside its memory and arguments: its instance, the first pages of
/// its stack, what the kernel notes of it.
const PROCESS_BYTES: u64 = 128 << 10;

/// Where a descriptor of a new process comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdio {
    /// Nothing to read, and writes vanish.
    Null,
    /// The host collects it.
    Sink(SinkId),
    /// The read end of a pipe.
    PipeRead(PipeId),
    /// The write end of a pipe.
    PipeWrite(PipeId),
    /// A terminal.
    Terminal(TerminalId),
    /// A descriptor of the parent.
    Inherit(Fd),
}

/// The process group of a new process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The parent's; a group and session of its own where the host is the parent.
    Inherit,
    /// A new one.
    New,
    /// This one, which must exist.
    Join(Pid),
}

/// What to start.
#[derive(Debug, Clone)]
pub struct SpawnSpec {
    /// The program's path; it is not searched for.
    pub path: Vec<u8>,
    /// Arguments, the program's name first.
    pub argv: Strings,
    /// Environment.
    pub env: Strings,
    /// Working directory; `None` for the parent's, or `/`.
    pub cwd: Option<Vec<u8>>,
    /// Descriptors.
    pub fds: Vec<(Stdio, Fd)>,
    /// Process group.
    pub group: Group,
}

/// The code of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModuleSource {
    /// A module that the engine knows.
    Named(Arc<str>),
    /// A module that was found in a file.
    Bytes(Arc<[u8]>),
    /// No module: the host's own code.
    Host(HostProgram),
}

/// A process that waits for an engine to run it.
#[derive(Debug)]
pub struct Program {
    /// The process.
    pub pid: Pid,
    /// Its code.
    pub module: ModuleSource,
    /// What kernel and engine share.
    pub control: Arc<Control>,
}

/// Who starts a process, and what the process takes over: from its parent, or from the sandbox
/// where the host starts it.
struct Starter {
    pid: Pid,
    cwd: NodeRef,
    uid: u32,
    gid: u32,
    umask: u16,
    signals: Signals,
    /// When it is started, as files note times.
    now: u64,
}

impl Starter {
    fn caller<'a>(&self, proc: &'a ProcessTable) -> Caller<'a> {
        Caller {
            pid: self.pid.0,
            uid: self.uid,
            gid: self.gid,
            now: self.now,
            umask: self.umask,
            proc,
        }
    }
}

/// What a process takes of the budget; given back when it is dropped.
struct Reserved {
    place: Place,
    charge: Charge,
    of_memory: Charge,
}

/// The processes that a new one belongs to; without a group or session it has its own.
struct Kin {
    group: Option<Pid>,
    session: Option<Pid>,
    run: RunId,
}

impl Kernel {
    /// Starts a process for a parent, or for the host; `Again` at the limit, and when the budget
    /// has no place or memory. The engine must run what is returned, and call [`Kernel::exit`]
    /// when it has ended, however it ended.
    pub fn spawn(&mut self, parent: Option<Pid>, spec: SpawnSpec) -> Result<Program, Errno> {
        self.spawn_from(parent, None, spec)
    }

    /// Starts a process for the host, from a tool of a module that the engine knows: no file of the
    /// sandbox is asked what that is, so none can take its place. The path is only what the process
    /// believes that it was started from.
    pub fn spawn_tool(
        &mut self,
        module: &str,
        tool: &str,
        spec: SpawnSpec,
    ) -> Result<Program, Errno> {
        self.spawn_from(None, Some((module, tool)), spec)
    }

    fn spawn_from(
        &mut self,
        parent: Option<Pid>,
        tool: Option<(&str, &str)>,
        spec: SpawnSpec,
    ) -> Result<Program, Errno> {
        if spec.argv.block().len() + spec.env.block().len() > self.limits.argument_bytes {
            return Err(Errno::TooBig);
        }
        let starter = self.starter(parent)?;
        let cwd = self.child_cwd(&starter, spec.cwd.as_deref())?;
        let search = Search {
            pid: starter.pid,
            uid: starter.uid,
            gid: starter.gid,
            // The host has no working directory of its own: its relative paths start at the
            // process's.
            base: if parent.is_none() { cwd } else { starter.cwd },
            env: &spec.env,
        };
        let found = match tool {
            None => self.find_program(&search, spec.path, spec.argv)?,
            Some((module, tool)) => {
                self.tool(module, Some(tool.as_bytes()), spec.path, spec.argv)?
            }
        };
        let reserved = self.reserve(found.argv.block().len() + spec.env.block().len())?;
        let kin = self.kin(parent, spec.group)?;
        let fds = self.child_descriptors(parent, &spec.fds)?;
        if let Err(errno) = self.vfs.retain(&starter.caller(&self.processes), cwd) {
            self.release_all(fds);
            return Err(errno);
        }
        let cwd_path = self.child_cwd_path(parent, cwd);
        self.processes.files = self.vfs.usage();
        let pid = self.processes.free_pid();
        let control = Arc::new(Control::new(
            self.limits.memory_bytes,
            self.processes.total_memory.clone(),
            self.limits.total_memory_bytes,
            reserved.of_memory,
        ));
        self.processes.insert(Process {
            pid,
            parent: starter.pid,
            group: kin.group.unwrap_or(pid),
            session: kin.session.unwrap_or(pid),
            uid: starter.uid,
            gid: starter.gid,
            umask: starter.umask,
            argv: found.argv,
            env: spec.env,
            exe: found.exe,
            cwd,
            cwd_path,
            fds,
            root: PathRights {
                base: rights::ALL,
                inheriting: rights::ALL,
            },
            signals: starter.signals,
            state: State::Alive,
            ending: None,
            news: None,
            children: Vec::new(),
            waker: None,
            waiting: Waiting::default(),
            child_waiters: WaitSet::default(),
            exit_waiters: WaitSet::default(),
            host_session: None,
            run: kin.run,
            crashed: false,
            held_by_host: parent.is_none(),
            control: control.clone(),
            place: Some(reserved.place),
            _charge: reserved.charge,
            started: self.host.monotonic(),
            read: 0,
            written: 0,
        });
        self.ended.count_start();
        if let Some(parent) = parent {
            self.processes.get_mut(parent)?.children.push(pid);
        }
        Ok(Program {
            pid,
            module: found.module,
            control,
        })
    }

    fn starter(&self, parent: Option<Pid>) -> Result<Starter, Errno> {
        let Some(pid) = parent else {
            return Ok(Starter {
                pid: Pid::INIT,
                cwd: self.vfs.root(),
                uid: self.uid,
                gid: self.gid,
                umask: 0o022,
                signals: Signals::default(),
                now: self.file_time(),
            });
        };
        let process = self.processes.get(pid)?;
        Ok(Starter {
            pid,
            cwd: process.cwd,
            uid: process.uid,
            gid: process.gid,
            umask: process.umask,
            signals: process.signals.inherited(),
            now: self.file_time(),
        })
    }

    /// The working directory of a new process: a directory that it may search.
    fn child_cwd(&mut self, starter: &Starter, path: Option<&[u8]>) -> Result<NodeRef, Errno> {
        let Some(path) = path else {
            return Ok(starter.cwd);
        };
        let caller = starter.caller(&self.processes);
        let node = self.vfs.resolve(&caller, starter.cwd, path, true)?;
        if self.vfs.stat(&caller, node)?.kind != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        self.vfs.access(&caller, node, Access::EXECUTE)?;
        Ok(node)
    }

    /// Takes a place among the processes and memory for one with that much of arguments and
    /// environment; [`Errno::Again`] where there is none.
    fn reserve(&self, argument_bytes: usize) -> Result<Reserved, Errno> {
        if self.processes.len() >= self.limits.processes {
            return Err(Errno::Again);
        }
        let place = self.budget.process().ok_or(Errno::Again)?;
        let own = PROCESS_BYTES + argument_bytes as u64;
        let charge = self.budget.memory(own).ok_or(Errno::Again)?;
        let of_memory = self.budget.memory(0).ok_or(Errno::Again)?;
        Ok(Reserved {
            place,
            charge,
            of_memory,
        })
    }

    /// The processes that a new one belongs to; [`Errno::Perm`] for a group that is not in the
    /// parent's session.
    fn kin(&self, parent: Option<Pid>, group: Group) -> Result<Kin, Errno> {
        let parent = parent.map(|pid| self.processes.get(pid)).transpose()?;
        let session = parent.map(|parent| parent.session);
        let group = match group {
            Group::Join(group) => {
                let joins = |p: &Process| p.group == group && Some(p.session) == session;
                if self.processes.alive_where(joins).is_empty() {
                    return Err(Errno::Perm);
                }
                Some(group)
            }
            Group::New => None,
            Group::Inherit => parent.map(|parent| parent.group),
        };
        Ok(Kin {
            group,
            session,
            run: parent.map_or_else(RunId::default, |parent| parent.run),
        })
    }

    /// The path of a new process's working directory; the parent's own is known.
    fn child_cwd_path(&mut self, parent: Option<Pid>, cwd: NodeRef) -> Arc<[u8]> {
        match parent.and_then(|pid| self.processes.get(pid).ok()) {
            Some(process) if process.cwd == cwd => process.cwd_path.clone(),
            _ => self
                .vfs
                .path_of(cwd)
                .unwrap_or_else(|_| b"/".to_vec())
                .into(),
        }
    }

    fn child_descriptors(
        &mut self,
        parent: Option<Pid>,
        wanted: &[(Stdio, Fd)],
    ) -> Result<FdTable, Errno> {
        let mut fds = FdTable::default();
        for (from, to) in wanted {
            if let Err(errno) = self.put_child_descriptor(&mut fds, parent, *from, *to) {
                self.release_all(fds);
                return Err(errno);
            }
        }
        if fds.get(Fd::ROOT).is_err()
            && let Err(errno) = self.put_root(&mut fds)
        {
            self.release_all(fds);
            return Err(errno);
        }
        Ok(fds)
    }

    fn put_root(&mut self, fds: &mut FdTable) -> Result<(), Errno> {
        let node = self.vfs.root();
        self.vfs.retain(&Caller::root(0), node)?;
        let end = self.vfs.dir_end_cookie(node).unwrap_or(u64::MAX);
        let mut descriptor = self.stream(Object::Directory(node, end), true, false)?;
        descriptor.preopen = true;
        let placed = fds.put(Fd::ROOT, descriptor, self.limits.descriptors);
        if placed.is_err() {
            self.release(descriptor.file);
        }
        placed.map(drop)
    }

    pub(super) fn put_child_descriptor(
        &mut self,
        fds: &mut FdTable,
        parent: Option<Pid>,
        from: Stdio,
        to: Fd,
    ) -> Result<(), Errno> {
        let descriptor = match from {
            Stdio::Inherit(fd) => {
                let parent = self.processes.get(parent.ok_or(Errno::Badf)?)?;
                let mut descriptor = parent.fds.get(fd)?;
                self.file_mut(descriptor.file)?.references += 1;
                descriptor.preopen = false;
                descriptor
            }
            Stdio::Null => self.stream(Object::Null, true, true)?,
            Stdio::Sink(sink) => {
                self.sinks.get_mut(sink.0).ok_or(Errno::Badf)?.writers += 1;
                self.stream(Object::Sink(sink), false, true)?
            }
            Stdio::PipeRead(pipe) => {
                self.pipe_mut(pipe)?.open(End::Read);
                self.stream(Object::Pipe(pipe, End::Read, None), true, false)?
            }
            Stdio::PipeWrite(pipe) => {
                self.pipe_mut(pipe)?.open(End::Write);
                self.stream(Object::Pipe(pipe, End::Write, None), false, true)?
            }
            Stdio::Terminal(terminal) => self.open_terminal(terminal)?,
        };
        match fds.put(to, descriptor, self.limits.descriptors) {
            Ok(None) => Ok(()),
            Ok(Some(old)) => {
                self.release(old.file);
                Ok(())
            }
            Err(errno) => {
                self.release(descriptor.file);
                Err(errno)
            }
        }
    }

    /// A descriptor with all rights for a new open file.
    pub(crate) fn stream(
        &mut self,
        object: Object,
        readable: bool,
        writable: bool,
    ) -> Result<Descriptor, Errno> {
        let file = self.insert_file(OpenFile::new(object, 0, readable, writable));
        Ok(Descriptor {
            file,
            target: object.target(),
            rights: rights::ALL,
            inheriting: rights::ALL,
            preopen: false,
        })
    }

    pub(crate) fn release_all(&mut self, mut fds: FdTable) {
        for descriptor in fds.take_all() {
            self.release(descriptor.file);
        }
    }
}
