//! Sandboxes: create, fork, snapshot, restore, and what they use.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use codepod_abi::Errno;
use codepod_kernel::{Kernel, KernelGuard, KernelOptions, Policy};
use codepod_vfs::{Budget, Charge, Memory, Proc, Vfs, VfsSnapshot, dev};

use crate::command::Command;
use crate::engine::{Engine, KernelHandle};
use crate::error::{Error, ErrorKind};
use crate::events::Event;
use crate::host_commands::Registry;
use crate::options::Options;
use crate::persist::Saver;
use crate::result::{RunResult, RunUsage};
use crate::runtime::{Runtime, allowed};
use crate::script::Script;
use crate::sessions::Sessions;
use crate::shell::{Shell, Shells, State, States};
use crate::stopwatch::Stopwatch;
use crate::timeline::Timeline;

/// What a sandbox takes of the host's memory before it does anything: a thousand take less than 50
/// MB.
const SANDBOX_BYTES: u64 = 64 << 10;

/// A sandbox. Clones are handles to the same one; [`Sandbox::fork`] makes another. When the last
/// handle is dropped its processes are killed.
#[derive(Debug, Clone)]
pub struct Sandbox {
    pub(crate) inner: Arc<Inner>,
    /// Whether file operations through this handle act as root.
    pub(crate) root: bool,
    /// Whether file operations through this handle are steps of the history.
    pub(crate) recording: bool,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) runtime: Runtime,
    pub(crate) kernel: KernelHandle,
    pub(crate) options: Arc<Options>,
    pub(crate) shells: Arc<Shells>,
    pub(crate) timeline: Timeline,
    pub(crate) commands: Registry,
    pub(crate) sessions: Sessions,
    #[cfg(feature = "network")]
    pub(crate) network: crate::network::Attached,
    /// Tells it apart from others of this host process.
    pub(crate) id: u64,
    /// Keeps what it holds; set once, where that is wanted.
    pub(crate) saver: OnceLock<Arc<Saver>>,
    /// Which sandbox it is or was forked from: snapshots of others do not fit.
    lineage: u64,
    /// For what a sandbox takes that does nothing.
    _charge: Charge,
    /// The last that goes, when everything else is freed.
    freed: Freed,
}

/// Tells the engine what a sandbox has freed.
#[derive(Debug)]
struct Freed {
    engine: Engine,
    bytes: u64,
}

impl Drop for Freed {
    fn drop(&mut self) {
        self.engine.freed(self.bytes);
    }
}

/// The files of a sandbox and the states of its shells at one moment: variables, functions,
/// options, working directory. Open descriptors and jobs of shells are not in it. Cheap to keep and
/// to clone; it can be restored any number of times.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) files: VfsSnapshot,
    pub(crate) shells: Arc<States>,
    lineage: u64,
}

impl Snapshot {
    /// Whether nothing has changed between the two: no file, no state of a shell.
    pub(crate) fn is_same(&self, other: &Snapshot) -> bool {
        let same_states = |(name, state): (&Arc<str>, &State)| {
            other
                .shells
                .get(name)
                .is_some_and(|other| Arc::ptr_eq(state, other) || state == other)
        };
        self.files.is_same(&other.files)
            && self.shells.len() == other.shells.len()
            && self.shells.iter().all(same_states)
    }

    /// How many bytes it keeps that a later one does not have.
    pub fn held_beside(&self, next: &Snapshot) -> u64 {
        let shared = |(name, state): &(&Arc<str>, &State)| {
            next.shells
                .get(*name)
                .is_some_and(|next| Arc::ptr_eq(state, next))
        };
        let shells = self.shells.iter().filter(|item| !shared(item));
        let states: usize = shells.map(|(_, state)| state.len()).sum();
        self.files.held_beside(&next.files) + states as u64
    }
}

/// What a sandbox uses now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Bytes of files beyond the base image.
    pub bytes: u64,
    /// Files and directories beyond the base image.
    pub nodes: u64,
    /// Processes alive or not yet waited for.
    pub processes: usize,
    /// Open files, pipes and sinks.
    pub open: usize,
    /// Linear memory of its processes, in bytes.
    pub memory: u64,
    /// Runs that were begun.
    pub runs: u64,
    /// What its processes have used so far, all together.
    pub usage: RunUsage,
}

impl Sandbox {
    /// Makes a sandbox on the runtime of this host process.
    pub fn create(options: Options) -> Result<Sandbox, Error> {
        Sandbox::create_on(&Runtime::global()?, options)
    }

    /// Makes a sandbox on a runtime of its own.
    pub fn create_on(runtime: &Runtime, options: Options) -> Result<Sandbox, Error> {
        let budget = options.budget.as_ref().unwrap_or(runtime.budget());
        if !budget.is_within(runtime.budget()) {
            let message = "the budget is not a part of this runtime's";
            return Err(ErrorKind::InvalidArgument(message.into()).into());
        }
        let charge = sandbox_charge(budget)?;
        let image = runtime
            .image(&options.guest_groups)?
            .with_limits(options.fs_limits)
            .with_budget(budget);
        let mut vfs = Vfs::new(Box::new(Memory::new(image)));
        let mount = |vfs: &mut Vfs, at: &str, files| {
            vfs.mount(at.as_bytes(), files)
                .map(drop)
                .map_err(|errno| ErrorKind::Mount {
                    at: at.to_owned(),
                    why: errno.to_string(),
                })
        };
        mount(&mut vfs, "/proc", Box::new(Proc::new()))?;
        mount(&mut vfs, "/dev", Box::new(dev()))?;
        for host in &options.mounts {
            mount(
                &mut vfs,
                &host.at,
                host.open(options.uid, options.gid, options.fs_limits, budget)?,
            )?;
        }
        let id = runtime.next_id();
        let kernel = Kernel::new(KernelOptions {
            id,
            host: runtime.engine().host(),
            vfs,
            limits: Arc::new(options.limits.clone()),
            budget: budget.clone(),
            policy: Policy {
                foreign_modules: options.allow_foreign_modules,
                allowed: options
                    .allowed_commands
                    .as_ref()
                    .map(|names| Arc::new(allowed(names, &options.guest_groups))),
            },
            uid: options.uid,
            gid: options.gid,
            trace: options.trace.clone(),
        });
        let shells = Shells::new(&States::default());
        let sandbox = Sandbox::from_kernel(
            runtime.clone(),
            kernel,
            Arc::new(options),
            shells,
            (id, id),
            Registry::default(),
            charge,
        );
        #[cfg(feature = "network")]
        if let Some(network) = &sandbox.options().network {
            sandbox.give_network(network)?;
        }
        sandbox.begin_saving()?;
        Ok(sandbox)
    }

    fn from_kernel(
        runtime: Runtime,
        kernel: Kernel,
        options: Arc<Options>,
        shells: Shells,
        (id, lineage): (u64, u64),
        commands: Registry,
        charge: Charge,
    ) -> Sandbox {
        let freed = Freed {
            engine: runtime.engine().clone(),
            bytes: 0,
        };
        Sandbox::of(Arc::new(Inner {
            runtime,
            kernel: KernelHandle::new(kernel, &options.share.clone().unwrap_or_default()),
            options,
            shells: Arc::new(shells),
            timeline: Timeline::default(),
            commands,
            sessions: Sessions::default(),
            #[cfg(feature = "network")]
            network: Default::default(),
            id,
            saver: OnceLock::new(),
            lineage,
            _charge: charge,
            freed,
        }))
    }

    /// A handle.
    pub(crate) fn of(inner: Arc<Inner>) -> Sandbox {
        Sandbox {
            inner,
            root: false,
            recording: false,
        }
    }

    /// A handle to the same sandbox whose file operations act as root, for what its user must not
    /// change.
    pub fn as_root(&self) -> Sandbox {
        Sandbox {
            root: true,
            ..self.clone()
        }
    }

    /// A handle to the same sandbox whose file operations are steps of the history, each by itself:
    /// [`Sandbox::undo`] takes them back one by one, as it does runs. What other handles do to
    /// files goes with the step before it.
    pub fn recording(&self) -> Sandbox {
        Sandbox {
            recording: true,
            ..self.clone()
        }
    }

    /// Starts to measure how long something takes, by the clock of the sandbox's processes.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        Stopwatch::start(self.inner.runtime.engine().host())
    }

    /// A command to run: the program's name or path, and its arguments.
    pub fn command<S: AsRef<[u8]>>(&self, argv: impl IntoIterator<Item = S>) -> Command {
        Command::new(self.clone(), argv)
    }

    /// Runs a script in the main shell and waits for its end: bash, with what the scripts before it
    /// left. See [`Script::run`].
    pub async fn run(&self, script: impl AsRef<[u8]>) -> Result<RunResult, Error> {
        self.script(script).run().await
    }

    /// Blocking form of [`Self::run`], for callers without an async runtime.
    pub fn run_blocking(&self, script: impl AsRef<[u8]>) -> Result<RunResult, Error> {
        self.script(script).run_blocking()
    }

    /// A script to run in the main shell: with input, variables, a time limit of its own, or
    /// streams.
    pub fn script(&self, text: impl AsRef<[u8]>) -> Script {
        Shell::new(self, "").script(text)
    }

    /// A shell by its name; it starts with its first script. The main shell's name is empty.
    pub fn shell(&self, name: &str) -> Shell {
        Shell::new(self, name)
    }

    /// The files and the shells' states as they are now; those of a script that runs are the ones
    /// from before it.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        // The kernel is let go of first: whoever has the shells may want it.
        let files = self.kernel()?.snapshot();
        Ok(Snapshot {
            files,
            shells: Arc::new(self.inner.shells.states()),
            lineage: self.inner.lineage,
        })
    }

    /// The snapshot, if it is of this sandbox or of a relative.
    pub(crate) fn own(&self, snapshot: Snapshot) -> Result<Snapshot, Error> {
        if snapshot.lineage == self.inner.lineage {
            Ok(snapshot)
        } else {
            Err(ErrorKind::Foreign.into())
        }
    }

    /// Where host directories are mounted whose changes go straight to the host.
    pub(crate) fn writable_host_mounts(&self) -> impl Iterator<Item = &str> {
        let mounts = self.options().mounts.iter();
        mounts
            .filter(|mount| mount.is_written_to())
            .map(|mount| &*mount.at)
    }

    /// Puts files and shells back to a snapshot of this sandbox, of one that it was forked from or
    /// of a fork of it. Busy while processes run; shells that wait for a script do not count,
    /// and lose their open descriptors.
    pub fn restore(&self, snapshot: &Snapshot) -> Result<(), Error> {
        if snapshot.lineage != self.inner.lineage {
            return Err(ErrorKind::Foreign.into());
        }
        self.inner.shells.cool();
        let mut kernel = self.kernel()?;
        let processes = kernel.process_count();
        kernel
            .restore(&snapshot.files)
            .map_err(|_| ErrorKind::Busy { processes })?;
        self.inner.shells.set_states(&snapshot.shells);
        drop(kernel);
        self.tell(|sandbox| Event::Restored { sandbox });
        Ok(())
    }

    /// Another sandbox with the same files, shell states, options and limits; neither sees what the
    /// other does next. Processes are not taken along, so neither are open descriptors and jobs
    /// of shells. What it uses of the network counts as the parent's.
    pub fn fork(&self) -> Result<Sandbox, Error> {
        let fork = self.fork_by(Kernel::fork)?;
        #[cfg(feature = "network")]
        self.share_network(&fork)?;
        Ok(fork)
    }

    /// Forks it so that what the fork does never reaches the host: a host directory that is written
    /// to is an overlay there, and there is no network.
    pub(crate) fn fork_apart(&self) -> Result<Sandbox, Error> {
        let fork = self.fork_by(Kernel::fork_apart)?;
        #[cfg(feature = "network")]
        self.close_network(&fork)?;
        Ok(fork)
    }

    fn fork_by(
        &self,
        fork: impl FnOnce(&Kernel, u64) -> Result<Kernel, Errno>,
    ) -> Result<Sandbox, Error> {
        let charge = sandbox_charge(self.budget())?;
        let runtime = self.inner.runtime.clone();
        let id = runtime.next_id();
        let kernel = fork(&*self.kernel()?, id).map_err(|_| ErrorKind::Internal)?;
        let fork = Sandbox::from_kernel(
            runtime,
            kernel,
            self.inner.options.clone(),
            Shells::new(&self.inner.shells.states()),
            (id, self.inner.lineage),
            self.inner.commands.clone_all(),
            charge,
        );
        fork.install_commands()?;
        self.tell(|sandbox| Event::Forked { sandbox, fork: id });
        Ok(fork)
    }

    /// Ends every process, shells included; their next scripts go on from their last states.
    pub fn kill_all(&self) -> Result<(), Error> {
        self.kernel()?.kill_all();
        self.inner.shells.cool();
        Ok(())
    }

    /// What it uses now.
    pub fn stats(&self) -> Result<Stats, Error> {
        let used = self.used()?;
        let mut kernel = self.kernel()?;
        let usage = kernel.files().0.usage();
        Ok(Stats {
            bytes: usage.bytes,
            nodes: usage.nodes,
            processes: kernel.process_count(),
            open: kernel.open_count(),
            memory: kernel.memory_used(),
            runs: self.inner.timeline.begun(),
            usage: used,
        })
    }

    /// What its processes have used so far, all together.
    pub(crate) fn used(&self) -> Result<RunUsage, Error> {
        let usage = self.kernel()?.usage();
        let used = RunUsage {
            processes: usage.processes,
            cpu: Duration::from_nanos(usage.cpu_ns),
            read: usage.read,
            written: usage.written,
            ..RunUsage::default()
        };
        #[cfg(feature = "network")]
        if let Some(network) = self.network_usage() {
            return Ok(RunUsage {
                requests: network.requests,
                bytes_in: network.bytes_in,
                bytes_out: network.bytes_out,
                ..used
            });
        }
        Ok(used)
    }

    /// The runtime that it is on.
    pub fn runtime(&self) -> &Runtime {
        &self.inner.runtime
    }

    /// What it draws from.
    pub fn budget(&self) -> &Budget {
        let own = self.inner.options.budget.as_ref();
        own.unwrap_or(self.inner.runtime.budget())
    }

    /// The options it was made with.
    pub fn options(&self) -> &Options {
        &self.inner.options
    }

    pub(crate) fn kernel(&self) -> Result<KernelGuard<'_>, Error> {
        self.inner
            .kernel
            .lock()
            .map_err(|_| ErrorKind::Internal.into())
    }
}

/// What a sandbox takes that does nothing.
fn sandbox_charge(budget: &Budget) -> Result<Charge, ErrorKind> {
    let charge = budget.memory(SANDBOX_BYTES);
    charge.ok_or(ErrorKind::Memory {
        what: "another sandbox",
    })
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Ok(mut kernel) = self.kernel.lock() {
            // What lies in files, or what was written and deleted again.
            let files = kernel.files().0.usage().bytes;
            self.freed.bytes = files.max(kernel.usage().written);
            if kernel.process_count() > 0 {
                kernel.kill_all();
            }
        }
        if let Some(saver) = self.saver.get() {
            saver.finish();
        }
    }
}
