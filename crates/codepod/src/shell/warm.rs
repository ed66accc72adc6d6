//! A shell's process, kept between runs: only its memory and its descriptors, no thread.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use codepod_abi::{Errno, Signal};
use codepod_kernel::{ExitStatus, Fd, Group, Pid, SpawnSpec, Stdio, Strings};
use codepod_vfs::Budget;

use crate::command::check_directory;
use crate::engine::KernelHandle;
use crate::error::{Error, ErrorKind};
use crate::runtime::module_of;
use crate::sandbox::Sandbox;

/// The shell, by the name of its tool. It is started from its module: a state may have any file in
/// the place of the tool's.
const TOOL: &str = "bash";
/// Where it believes to be.
const PATH: &str = "/bin/bash";
/// Tells it to serve the host.
const ARGUMENTS: [&str; 2] = [TOOL, "--codepod-session"];

/// A process that serves the host. Dropped, it is ended and forgotten; what it started in the
/// background goes on.
pub(crate) struct Warm {
    kernel: KernelHandle,
    pub(crate) pid: Pid,
    /// What its sandbox draws from; known here, so that nobody waits for the kernel of another.
    budget: Budget,
    /// Runs while it is polled; `None` when the process has ended.
    process: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// Whether the kernel has forgotten it.
    is_forgotten: bool,
}

impl Warm {
    /// Puts a new shell into the kernel's table. It runs when it is polled.
    pub(crate) fn start(sandbox: &Sandbox) -> Result<Warm, Error> {
        let options = sandbox.options();
        let module = module_of(TOOL, &options.guest_groups).ok_or(ErrorKind::NoGuests)?;
        let nul = || ErrorKind::InvalidArgument("a variable holds a NUL byte".into());
        let env = options.environment(&options.cwd);
        let env = env.iter().map(|(name, value)| format!("{name}={value}"));
        let spec = SpawnSpec {
            path: PATH.into(),
            argv: Strings::new(ARGUMENTS).ok_or_else(nul)?,
            env: Strings::new(env).ok_or_else(nul)?,
            cwd: Some(options.cwd.clone().into_bytes()),
            fds: (0..3).map(|fd| (Stdio::Null, Fd(fd))).collect(),
            group: Group::Inherit,
        };
        let mut kernel = sandbox.kernel()?;
        let program = match kernel.spawn_tool(module, TOOL, spec) {
            Ok(program) => program,
            Err(errno) => {
                check_directory(&mut kernel, &options.cwd)?;
                return Err(Warm::failed(errno));
            }
        };
        let pid = program.pid;
        kernel.serve(pid).map_err(Warm::failed)?;
        drop(kernel);
        let handle = sandbox.inner.kernel.clone();
        let process = sandbox.inner.runtime.engine().run(handle.clone(), program);
        Ok(Warm {
            kernel: handle,
            pid,
            budget: sandbox.budget().clone(),
            process: Some(Box::pin(process)),
            is_forgotten: false,
        })
    }

    /// Why a shell cannot run.
    pub(crate) fn failed(errno: Errno) -> Error {
        ErrorKind::Spawn {
            name: PATH.into(),
            errno,
        }
        .into()
    }

    /// Lets it run until it waits, or ends.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(process) = &mut self.process else {
            return Poll::Ready(());
        };
        let polled = process.as_mut().poll(cx);
        if polled.is_ready() {
            self.process = None;
        }
        polled
    }

    /// Whether its sandbox draws from this budget.
    pub(crate) fn draws_from(&self, budget: &Budget) -> bool {
        self.budget.is_same(budget)
    }

    /// Ends the process, unless it has children or open descriptors that its state does not hold,
    /// or somebody has its kernel. Then it is given back: the sandbox may be another's than the
    /// caller's, and its kernel be had for as long as a slow disk takes.
    pub(crate) fn try_end(mut self) -> Result<(), Warm> {
        let kernel = self.kernel.clone();
        match kernel.try_lock() {
            None => return Err(self),
            Some(Ok(kernel)) if kernel.has_belongings(self.pid) => return Err(self),
            Some(Ok(mut kernel)) => {
                kernel.exit(self.pid, ExitStatus::Signaled(Signal::Kill));
                kernel.reap(self.pid);
            }
            // The sandbox is over, and its processes with it.
            Some(Err(_)) => {}
        }
        self.is_forgotten = true;
        Ok(())
    }

    /// Forgets the process and returns how it ended; killed, if it had not.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.finish()
    }

    fn finish(&mut self) -> ExitStatus {
        self.process = None;
        let killed = ExitStatus::Signaled(Signal::Kill);
        if self.is_forgotten {
            return killed;
        }
        self.kernel
            .lock()
            .map_or(killed, |mut kernel| kernel.reap(self.pid).unwrap_or(killed))
    }
}

impl Drop for Warm {
    fn drop(&mut self) {
        self.finish();
    }
}

impl std::fmt::Debug for Warm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Warm")
            .field("pid", &self.pid)
            .finish_non_exhaustive()
    }
}
