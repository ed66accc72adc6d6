//! Processes: starting them, waiting for them, sending them signals, grouping them.

use std::path::Path;
use std::time::Duration;

use codepod_abi::wire::{
    GROUP_INHERIT, GROUP_NEW, SpawnRequest, WAIT_CONTINUED, WAIT_NOHANG, WAIT_STOPPED, WaitResult,
};
use codepod_abi::{Errno, Signal};

use crate::descriptor::Fd;
use crate::{address, address_mut, calls, check, raw};

/// A process's number; also a process group's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pid(pub u32);

/// Which group a child starts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Its parent's.
    Inherit,
    /// A new one, led by the child.
    New,
    /// An existing one.
    Join(Pid),
}

/// A program to start: path, arguments, environment, descriptors, directory, group.
///
/// It starts with no arguments, environment or descriptors; the working directory is the caller's,
/// and so is the group.
///
/// ```no_run
/// # use codepod_sys::{Errno, Spawn, process};
/// # fn example() -> Result<(), Errno> {
/// let pid = Spawn::new("/bin/cat").args(["cat", "notes.txt"]).caller_env().stdio().start()?;
/// let (_, status) = process::wait(process::Of::Process(pid))?;
/// # let _ = status; Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Spawn {
    path: Vec<u8>,
    argv: Vec<u8>,
    env: Vec<u8>,
    fds: Vec<[u32; 2]>,
    cwd: Vec<u8>,
    group: Group,
    broken: bool,
}

impl Spawn {
    /// The program at `path`; it is not searched for.
    pub fn new(path: impl AsRef<[u8]>) -> Spawn {
        Spawn {
            path: path.as_ref().to_vec(),
            argv: Vec::new(),
            env: Vec::new(),
            fds: Vec::new(),
            cwd: Vec::new(),
            group: Group::Inherit,
            broken: false,
        }
    }

    /// Adds an argument. The first one is the program's name.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<[u8]>) -> Spawn {
        self.broken |= !push_string(&mut self.argv, &[arg.as_ref()]);
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn args<A: AsRef<[u8]>>(self, args: impl IntoIterator<Item = A>) -> Spawn {
        args.into_iter().fold(self, |spawn, arg| spawn.arg(arg))
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Spawn {
        self.broken |= !push_string(&mut self.env, &[name.as_ref(), b"=", value.as_ref()]);
        self
    }

    /// Adds environment variables that are laid out already: `NAME=value`, each ended by a NUL.
    #[must_use]
    pub fn env_block(mut self, block: &[u8]) -> Spawn {
        self.broken |= block.last().is_some_and(|last| *last != 0);
        self.env.extend_from_slice(block);
        self
    }

    /// Adds the caller's environment.
    #[must_use]
    pub fn caller_env(self) -> Spawn {
        std::env::vars_os().fold(self, |spawn, (name, value)| {
            spawn.env(name.as_encoded_bytes(), value.as_encoded_bytes())
        })
    }

    /// Passes the caller's descriptor `fd` on as `number`.
    #[must_use]
    pub fn fd(mut self, fd: Fd, number: Fd) -> Spawn {
        self.fds.push([fd.0, number.0]);
        self
    }

    /// Passes standard input, output and error on as they are.
    #[must_use]
    pub fn stdio(self) -> Spawn {
        self.fd(Fd::STDIN, Fd::STDIN)
            .fd(Fd::STDOUT, Fd::STDOUT)
            .fd(Fd::STDERR, Fd::STDERR)
    }

    /// Starts it in another directory than the caller's.
    #[must_use]
    pub fn cwd(mut self, directory: impl AsRef<[u8]>) -> Spawn {
        self.cwd = directory.as_ref().to_vec();
        self
    }

    /// Says which process group it starts in.
    #[must_use]
    pub fn group(mut self, group: Group) -> Spawn {
        self.group = group;
        self
    }

    /// Starts it and returns its number.
    ///
    /// Fails with [`Errno::NoEnt`], [`Errno::Access`], [`Errno::IsDir`] or [`Errno::NoExec`] when
    /// the path is no program, [`Errno::Badf`] when a descriptor to pass on is not open,
    /// [`Errno::Inval`] when a string has a NUL, [`Errno::TooBig`] when the strings are too
    /// long, [`Errno::Perm`] when there is no such group and [`Errno::Again`] when there are
    /// too many processes.
    pub fn start(&self) -> Result<Pid, Errno> {
        if self.broken {
            return Err(Errno::Inval);
        }
        let request = SpawnRequest {
            path: address(self.path.as_ptr()),
            path_len: self.path.len() as u32,
            argv: address(self.argv.as_ptr()),
            argv_len: self.argv.len() as u32,
            env: address(self.env.as_ptr()),
            env_len: self.env.len() as u32,
            fds: address(self.fds.as_ptr()),
            fds_len: self.fds.len() as u32,
            cwd: address(self.cwd.as_ptr()),
            cwd_len: self.cwd.len() as u32,
            group: match self.group {
                Group::Inherit => GROUP_INHERIT,
                Group::New => GROUP_NEW,
                Group::Join(group) => group.0,
            },
            flags: 0,
        };
        let mut pid = 0u32;
        // SAFETY: the call reads the request and the vectors it names, all alive, and writes to
        // `pid`.
        let number = unsafe { raw::proc_spawn(address(&raw const request), address_mut(&mut pid)) };
        check(number).map(|()| Pid(pid))
    }
}

/// Appends the parts and a NUL; says whether the parts had none.
fn push_string(strings: &mut Vec<u8>, parts: &[&[u8]]) -> bool {
    let start = strings.len();
    for part in parts {
        strings.extend_from_slice(part);
    }
    let clean = !strings[start..].contains(&0);
    strings.push(0);
    clean
}

/// Which processes a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// That one.
    Process(Pid),
    /// Those of a process group.
    Group(Pid),
    /// Those of the caller's own group.
    OwnGroup,
    /// Any child ([`wait`]); all others ([`kill`]).
    Any,
}

impl Of {
    fn raw(self) -> i32 {
        match self {
            Of::Process(pid) => pid.0.cast_signed(),
            Of::Group(group) => group.0.cast_signed().wrapping_neg(),
            Of::OwnGroup => 0,
            Of::Any => -1,
        }
    }
}

/// What became of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It ended with this status.
    Exited(u32),
    /// A signal ended it.
    Signaled(Signal),
    /// A signal stopped it.
    Stopped(Signal),
    /// It goes on.
    Continued,
}

impl Status {
    /// The number a shell shows as `$?`: the status, or 128 and the signal.
    pub fn code(self) -> u32 {
        match self {
            Status::Exited(status) => status,
            Status::Signaled(signal) | Status::Stopped(signal) => 128 + signal.raw(),
            Status::Continued => 0,
        }
    }
}

/// How [`wait_with`] waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitOptions {
    /// Answer at once when no child has changed.
    pub nohang: bool,
    /// Also report children that were stopped.
    pub stopped: bool,
    /// Also report children that go on.
    pub continued: bool,
}

/// Waits until a child has ended.
///
/// Fails with [`Errno::Child`] when there is none to wait for and with [`Errno::Intr`] when a
/// caught signal came first.
pub fn wait(of: Of) -> Result<(Pid, Status), Errno> {
    loop {
        if let Some(found) = wait_with(of, WaitOptions::default())? {
            return Ok(found);
        }
    }
}

/// Waits as `options` say; `None` when no child has changed. Fails as [`wait`] does.
pub fn wait_with(of: Of, options: WaitOptions) -> Result<Option<(Pid, Status)>, Errno> {
    let flag = |set: bool, bit: u32| if set { bit } else { 0 };
    let flags = flag(options.nohang, WAIT_NOHANG)
        | flag(options.stopped, WAIT_STOPPED)
        | flag(options.continued, WAIT_CONTINUED);
    let mut result = WaitResult::default();
    // SAFETY: the call writes a `WaitResult` to `result` only.
    check(unsafe { raw::proc_wait(of.raw(), flags, address_mut(&raw mut result)) })?;
    if result.pid == 0 {
        return Ok(None);
    }
    let signal = || Signal::from_raw(result.code).ok_or(Errno::NoSys);
    let status = match result.kind {
        WaitResult::EXITED => Status::Exited(result.code),
        WaitResult::SIGNALED => Status::Signaled(signal()?),
        WaitResult::STOPPED => Status::Stopped(signal()?),
        WaitResult::CONTINUED => Status::Continued,
        _ => return Err(Errno::NoSys),
    };
    Ok(Some((Pid(result.pid), status)))
}

/// Sends a signal. Fails with [`Errno::Srch`] when there is nobody to get it.
pub fn kill(of: Of, signal: Signal) -> Result<(), Errno> {
    calls::proc_kill(of.raw(), signal.raw())
}

/// Whether there is such a process.
pub fn exists(of: Of) -> bool {
    calls::proc_kill(of.raw(), 0).is_ok()
}

/// Puts a process (`None`: the caller) into a process group (`None`: one of its own).
///
/// Fails with [`Errno::Srch`] when it is neither the caller nor a child, and with [`Errno::Perm`]
/// when there is no such group.
pub fn set_group(process: Option<Pid>, group: Option<Pid>) -> Result<(), Errno> {
    let number = |pid: Option<Pid>| pid.map_or(0, |pid| pid.0);
    calls::proc_group_set(number(process), number(group))
}

/// Asks for SIGALRM after a time (zero: no more) and returns what was left of the last request.
pub fn alarm(after: Duration) -> Result<Duration, Errno> {
    let after = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
    let mut left = 0u64;
    // SAFETY: the call writes to `left` only.
    let number = unsafe { raw::proc_alarm(after, address_mut(&mut left)) };
    check(number).map(|()| Duration::from_nanos(left))
}

/// A process's ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ids {
    /// Its own number.
    pub pid: Pid,
    /// Its parent's.
    pub parent: Pid,
    /// Its process group.
    pub group: Pid,
    /// Its session.
    pub session: Pid,
    /// Its user.
    pub uid: u32,
    /// Its user's group.
    pub gid: u32,
}

/// The caller's ids.
pub fn ids() -> Result<Ids, Errno> {
    let mut ids = [0u32; 6];
    // SAFETY: the call writes six `u32` to `ids`.
    check(unsafe { raw::proc_ids(address_mut(&mut ids)) })?;
    let [pid, parent, group, session, uid, gid] = ids;
    Ok(Ids {
        pid: Pid(pid),
        parent: Pid(parent),
        group: Pid(group),
        session: Pid(session),
        uid,
        gid,
    })
}

/// Lets other processes run.
pub fn yield_now() {
    // It cannot fail.
    let _ = calls::sched_yield();
}

/// Ends the process without running destructors or flushing std's buffers.
pub fn exit(status: u32) -> ! {
    // SAFETY: no address is passed.
    unsafe { raw::proc_exit(status) }
}

/// A path as [`Spawn`] takes it.
pub fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}
