//! `/proc`: generated when it is read, from what the kernel tells about its own processes.
//!
//! Nothing in it is the host's: no version, name, user, time or number that the kernel did not
//! make up. Files keep no content; a read generates the text anew and cuts out its part, so two
//! reads of one file may show two moments, as on Linux.
//!
//! A node's number holds the process (high 32 bits), what it is (8 bits), and a descriptor.

mod text;

use std::sync::Arc;

use codepod_abi::Errno;

use crate::backend::FileSystem;
use crate::caller::{Caller, ProcessInfo};
use crate::listing::Listing;
use crate::node::{DirSink, FileKind, InodeId, Stat};

/// The file system to mount at `/proc`.
#[derive(Debug, Clone, Default)]
pub struct Proc {
    /// The text of `/proc/mounts`; the Vfs changes it.
    mounts: Arc<[u8]>,
}

/// What a node is. The names of files are in [`GLOBAL`] and [`OF_PROCESS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum What {
    Root = 1,
    Uptime,
    Meminfo,
    Cpuinfo,
    Version,
    MountsLink,
    SystemStat,
    Loadavg,
    Filesystems,
    SelfLink,
    Sys,
    SysKernel,
    Hostname,
    Ostype,
    Osrelease,
    Fs,
    FsUsage,
    Runs,
    Run,
    RunStdout,
    RunStderr,
    // Of a process:
    Process,
    Status,
    Stat,
    Statm,
    Cmdline,
    Environ,
    Comm,
    Cwd,
    Exe,
    RootLink,
    Mounts,
    Limits,
    Fds,
    Fd,
}

/// What is in `/proc` besides processes: directory, name, node.
const GLOBAL: &[(What, &str, What)] = &[
    (What::Root, "uptime", What::Uptime),
    (What::Root, "meminfo", What::Meminfo),
    (What::Root, "cpuinfo", What::Cpuinfo),
    (What::Root, "version", What::Version),
    (What::Root, "mounts", What::MountsLink),
    (What::Root, "stat", What::SystemStat),
    (What::Root, "loadavg", What::Loadavg),
    (What::Root, "filesystems", What::Filesystems),
    (What::Root, "self", What::SelfLink),
    (What::Root, "sys", What::Sys),
    (What::Root, "runs", What::Runs),
    (What::Sys, "kernel", What::SysKernel),
    (What::SysKernel, "hostname", What::Hostname),
    (What::SysKernel, "ostype", What::Ostype),
    (What::SysKernel, "osrelease", What::Osrelease),
    (What::Root, "fs", What::Fs),
    (What::Fs, "usage", What::FsUsage),
];

/// What is in the directory of a run.
const OF_RUN: &[(What, &str, What)] = &[
    (What::Run, "stdout", What::RunStdout),
    (What::Run, "stderr", What::RunStderr),
];

/// What is in the directory of a process.
const OF_PROCESS: &[(What, &str, What)] = &[
    (What::Process, "status", What::Status),
    (What::Process, "stat", What::Stat),
    (What::Process, "statm", What::Statm),
    (What::Process, "cmdline", What::Cmdline),
    (What::Process, "environ", What::Environ),
    (What::Process, "comm", What::Comm),
    (What::Process, "cwd", What::Cwd),
    (What::Process, "exe", What::Exe),
    (What::Process, "root", What::RootLink),
    (What::Process, "mounts", What::Mounts),
    (What::Process, "limits", What::Limits),
    (What::Process, "fd", What::Fds),
];

impl What {
    fn kind(self) -> FileKind {
        match self {
            What::Root
            | What::Sys
            | What::SysKernel
            | What::Fs
            | What::Runs
            | What::Run
            | What::Process
            | What::Fds => FileKind::Directory,
            What::MountsLink
            | What::SelfLink
            | What::Cwd
            | What::Exe
            | What::RootLink
            | What::Fd => FileKind::Symlink,
            _ => FileKind::File,
        }
    }

    fn mode(self) -> u16 {
        match self {
            What::Fds | What::Fd => 0o500,
            What::Environ => 0o400,
            _ => match self.kind() {
                FileKind::Directory => 0o555,
                FileKind::Symlink => 0o777,
                _ => 0o444,
            },
        }
    }

    fn from_number(number: u8) -> Option<What> {
        let single = [What::Root, What::Process, What::Run, What::Fd];
        let listed = GLOBAL
            .iter()
            .chain(OF_RUN)
            .chain(OF_PROCESS)
            .map(|(_, _, what)| *what);
        listed.chain(single).find(|what| *what as u8 == number)
    }
}

/// A node's number taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node {
    pid: u32,
    what: What,
    fd: u32,
}

/// Descriptors have 24 bits in a node's number.
const FD_BITS: u32 = 24;

impl Node {
    fn new(pid: u32, what: What, fd: u32) -> Node {
        Node { pid, what, fd }
    }

    fn id(self) -> InodeId {
        InodeId(
            u64::from(self.pid) << 32 | u64::from(self.what as u8) << FD_BITS | u64::from(self.fd),
        )
    }

    fn from_id(id: InodeId) -> Result<Node, Errno> {
        let what = What::from_number((id.0 >> FD_BITS) as u8).ok_or(Errno::Stale)?;
        Ok(Node {
            pid: (id.0 >> 32) as u32,
            what,
            fd: id.0 as u32 & ((1 << FD_BITS) - 1),
        })
    }
}

impl Proc {
    /// A `/proc`; who asks brings the processes along.
    pub fn new() -> Proc {
        Proc::default()
    }

    /// The target of one of the links.
    fn target(&self, caller: &Caller<'_>, node: Node) -> Result<Arc<[u8]>, Errno> {
        match node.what {
            What::SelfLink => Ok(caller.pid.to_string().into_bytes().into()),
            What::MountsLink => Ok(b"self/mounts"[..].into()),
            What::RootLink => Ok(b"/"[..].into()),
            What::Cwd => Ok(process(caller, node.pid)?.cwd),
            What::Exe => Ok(process(caller, node.pid)?.exe),
            What::Fd => {
                let descriptor = caller.proc.descriptor(node.pid, node.fd);
                Ok(descriptor.ok_or(Errno::NoEnt)?.target.into())
            }
            _ => Err(Errno::Inval),
        }
    }
}

/// A process that is still there.
fn process(caller: &Caller<'_>, pid: u32) -> Result<ProcessInfo, Errno> {
    caller.proc.process(pid).ok_or(Errno::NoEnt)
}

/// What a file of a run holds; `None` for anything else.
fn output(caller: &Caller<'_>, node: Node) -> Result<Option<Arc<[u8]>>, Errno> {
    let stream = match node.what {
        What::RunStdout => 0,
        What::RunStderr => 1,
        _ => return Ok(None),
    };
    let output = caller.proc.run_output(node.pid, stream);
    output.map(Some).ok_or(Errno::NoEnt)
}

/// A number as a name: without sign or leading zeros.
fn number(name: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(name).ok()?;
    let number: u32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

impl FileSystem for Proc {
    fn type_name(&self) -> &'static str {
        "proc"
    }

    fn root(&self) -> InodeId {
        Node::new(0, What::Root, 0).id()
    }

    fn lookup(&mut self, caller: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<InodeId, Errno> {
        let dir = Node::from_id(dir)?;
        let listed = |table: &[(What, &str, What)]| {
            table
                .iter()
                .find(|(parent, n, _)| *parent == dir.what && n.as_bytes() == name)
                .map(|(_, _, what)| Node::new(dir.pid, *what, 0).id())
        };
        match dir.what {
            What::Root => listed(GLOBAL).or_else(|| {
                let pid = number(name)?;
                caller
                    .proc
                    .process(pid)
                    .map(|_| Node::new(pid, What::Process, 0).id())
            }),
            What::Sys | What::SysKernel | What::Fs => listed(GLOBAL),
            What::Runs => number(name)
                .filter(|run| caller.proc.run_output(*run, 0).is_some())
                .map(|run| Node::new(run, What::Run, 0).id()),
            What::Run => listed(OF_RUN),
            What::Process => {
                process(caller, dir.pid)?;
                listed(OF_PROCESS)
            }
            What::Fds => number(name)
                .filter(|fd| fd >> FD_BITS == 0)
                .filter(|fd| caller.proc.descriptor(dir.pid, *fd).is_some())
                .map(|fd| Node::new(dir.pid, What::Fd, fd).id()),
            _ => return Err(Errno::NotDir),
        }
        .ok_or(Errno::NoEnt)
    }

    fn parent(&mut self, dir: InodeId) -> Result<InodeId, Errno> {
        let node = Node::from_id(dir)?;
        let what = match node.what {
            What::Root | What::Process => return Ok(self.root()),
            What::Fd => What::Fds,
            What::Run => return Ok(Node::new(0, What::Runs, 0).id()),
            what => {
                let listed = GLOBAL.iter().chain(OF_RUN).chain(OF_PROCESS);
                listed
                    .clone()
                    .find(|(_, _, child)| *child == what)
                    .ok_or(Errno::NoEnt)?
                    .0
            }
        };
        Ok(Node::new(node.pid, what, 0).id())
    }

    fn path_of(&mut self, inode: InodeId) -> Result<Vec<u8>, Errno> {
        let mut parts: Vec<String> = Vec::new();
        let mut at = inode;
        while at != self.root() {
            let node = Node::from_id(at)?;
            parts.push(match node.what {
                What::Process | What::Run => node.pid.to_string(),
                What::Fd => node.fd.to_string(),
                what => {
                    let mut listed = GLOBAL.iter().chain(OF_RUN).chain(OF_PROCESS);
                    let found = listed.find(|(_, _, child)| *child == what);
                    found.ok_or(Errno::NoEnt)?.1.to_owned()
                }
            });
            at = self.parent(at)?;
        }
        parts.reverse();
        Ok(parts.join("/").into_bytes())
    }

    fn stat(&mut self, caller: &Caller<'_>, inode: InodeId) -> Result<Stat, Errno> {
        let node = Node::from_id(inode)?;
        let (uid, gid) = if node.what as u8 >= What::Process as u8 {
            let process = process(caller, node.pid)?;
            (process.uid, process.gid)
        } else {
            (0, 0)
        };
        let size = match node.what.kind() {
            FileKind::Symlink => self.target(caller, node)?.len() as u64,
            _ => output(caller, node)?.map_or(0, |output| output.len() as u64),
        };
        let kind = node.what.kind();
        let nlink = if kind == FileKind::Directory { 2 } else { 1 };
        let now = caller.now;
        Ok(Stat {
            inode: inode.0,
            device: 0,
            kind,
            mode: node.what.mode(),
            uid,
            gid,
            nlink,
            size,
            blocks: 0,
            atime: now,
            mtime: now,
            ctime: now,
            rdev: 0,
        })
    }

    fn readlink(&mut self, caller: &Caller<'_>, inode: InodeId) -> Result<Arc<[u8]>, Errno> {
        self.target(caller, Node::from_id(inode)?)
    }

    fn read_at(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        buf: &mut [u8],
    ) -> Result<usize, Errno> {
        let text = self.text(caller, Node::from_id(inode)?)?;
        let start = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(text.len());
        let length = buf.len().min(text.len() - start);
        buf[..length].copy_from_slice(&text[start..start + length]);
        Ok(length)
    }

    fn list(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        cookie: u64,
        until: u64,
        sink: DirSink<'_>,
    ) -> Result<(), Errno> {
        let dir = Node::from_id(dir)?;
        let mut entries: Vec<(Vec<u8>, InodeId, FileKind)> = Vec::new();
        let table = match dir.what {
            What::Run => OF_RUN,
            _ if dir.pid == 0 => GLOBAL,
            _ => OF_PROCESS,
        };
        for (parent, name, what) in table {
            if *parent == dir.what {
                let id = Node::new(dir.pid, *what, 0).id();
                entries.push((name.as_bytes().to_vec(), id, what.kind()));
            }
        }
        let mut numbers: Vec<(u32, Node)> = Vec::new();
        match dir.what {
            What::Root => {
                let node = |pid| (pid, Node::new(pid, What::Process, 0));
                numbers.extend(caller.proc.pids().into_iter().map(node));
            }
            What::Runs => {
                let node = |run| (run, Node::new(run, What::Run, 0));
                numbers.extend(caller.proc.runs().into_iter().map(node));
            }
            What::Process => {
                process(caller, dir.pid)?;
            }
            What::Fds => {
                process(caller, dir.pid)?;
                let node = |fd| (fd, Node::new(dir.pid, What::Fd, fd));
                let fds = caller.proc.descriptors(dir.pid).into_iter().map(|d| d.fd);
                numbers.extend(fds.filter(|fd| fd >> FD_BITS == 0).map(node));
            }
            what if what.kind() != FileKind::Directory => return Err(Errno::NotDir),
            _ => {}
        }
        for (number, node) in numbers {
            entries.push((number.to_string().into_bytes(), node.id(), node.what.kind()));
        }
        Listing::new(entries).send(cookie, until, sink);
        Ok(())
    }

    fn open(&mut self, caller: &Caller<'_>, inode: InodeId, _write: bool) -> Result<(), Errno> {
        self.stat(caller, inode).map(|_| ())
    }

    fn close(&mut self, _inode: InodeId) {}

    fn fork(&self) -> Result<Box<dyn FileSystem>, Errno> {
        Ok(Box::new(self.clone()))
    }

    fn magic_link(&self, inode: InodeId) -> Option<(u32, u32)> {
        let node = Node::from_id(inode).ok()?;
        (node.what == What::Fd).then_some((node.pid, node.fd))
    }

    fn mounts_changed(&mut self, mounts: &Arc<[u8]>) {
        self.mounts = mounts.clone();
    }
}
