//! Sandboxes: create, fork, snapshot, restore, and what they use.

use std::sync::{Arc, Mutex, MutexGuard};

use codepod_kernel::{Kernel, KernelOptions, Policy};
use codepod_vfs::{Memory, Proc, Vfs, VfsSnapshot, dev};
use codepod_wasmtime::KernelHandle;

use crate::command::Command;
use crate::error::{Error, ErrorKind};
use crate::options::Options;
use crate::runtime::Runtime;

/// A sandbox. Clones are handles to the same one; [`Sandbox::fork`] makes another. When the last handle is
/// dropped its processes are killed.
#[derive(Debug, Clone)]
pub struct Sandbox {
    pub(crate) inner: Arc<Inner>,
    /// Whether file operations through this handle act as root.
    pub(crate) root: bool,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) runtime: Runtime,
    pub(crate) kernel: KernelHandle,
    pub(crate) options: Arc<Options>,
}

/// The files of a sandbox at one moment. Cheap to keep and to clone; it can be restored any number of times.
#[derive(Debug, Clone)]
pub struct Snapshot {
    files: VfsSnapshot,
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
}

impl Sandbox {
    /// Makes a sandbox on the runtime of this host process.
    pub fn create(options: Options) -> Result<Sandbox, Error> {
        Sandbox::create_on(&Runtime::global()?, options)
    }

    /// Makes a sandbox on a runtime of its own.
    pub fn create_on(runtime: &Runtime, options: Options) -> Result<Sandbox, Error> {
        let image = runtime
            .image(&options.guest_groups)?
            .with_limits(options.fs_limits);
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
                host.open(options.uid, options.gid, options.fs_limits)?,
            )?;
        }
        let kernel = Kernel::new(KernelOptions {
            id: runtime.next_id(),
            host: runtime.engine().host(),
            vfs,
            limits: options.limits.clone(),
            policy: Policy {
                foreign_modules: options.allow_foreign_modules,
            },
            uid: options.uid,
            gid: options.gid,
            trace: options.trace.clone(),
        });
        Ok(Sandbox::from_kernel(
            runtime.clone(),
            kernel,
            Arc::new(options),
        ))
    }

    fn from_kernel(runtime: Runtime, kernel: Kernel, options: Arc<Options>) -> Sandbox {
        Sandbox {
            inner: Arc::new(Inner {
                runtime,
                kernel: Arc::new(Mutex::new(kernel)),
                options,
            }),
            root: false,
        }
    }

    /// A handle to the same sandbox whose file operations act as root, for what its user must not change.
    pub fn as_root(&self) -> Sandbox {
        Sandbox {
            inner: self.inner.clone(),
            root: true,
        }
    }

    /// A command to run: the program's name or path, and its arguments.
    pub fn command<S: AsRef<[u8]>>(&self, argv: impl IntoIterator<Item = S>) -> Command {
        Command::new(self.clone(), argv)
    }

    /// The files as they are now.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        Ok(Snapshot {
            files: self.kernel()?.snapshot(),
        })
    }

    /// Puts the files back to a snapshot of this sandbox or of one that it was forked from. Busy while
    /// processes run.
    pub fn restore(&self, snapshot: &Snapshot) -> Result<(), Error> {
        let mut kernel = self.kernel()?;
        let processes = kernel.process_count();
        kernel
            .restore(&snapshot.files)
            .map_err(|_| ErrorKind::Busy { processes }.into())
    }

    /// Another sandbox with the same files, options and limits; neither sees what the other does next.
    /// Processes are not taken along.
    pub fn fork(&self) -> Result<Sandbox, Error> {
        let runtime = self.inner.runtime.clone();
        let kernel = self
            .kernel()?
            .fork(runtime.next_id())
            .map_err(|_| ErrorKind::Internal)?;
        Ok(Sandbox::from_kernel(
            runtime,
            kernel,
            self.inner.options.clone(),
        ))
    }

    /// Ends every process.
    pub fn kill_all(&self) -> Result<(), Error> {
        self.kernel()?.kill_all();
        Ok(())
    }

    /// What it uses now.
    pub fn stats(&self) -> Result<Stats, Error> {
        let mut kernel = self.kernel()?;
        let usage = kernel.files().0.usage();
        Ok(Stats {
            bytes: usage.bytes,
            nodes: usage.nodes,
            processes: kernel.process_count(),
            open: kernel.open_count(),
        })
    }

    /// The options it was made with.
    pub fn options(&self) -> &Options {
        &self.inner.options
    }

    pub(crate) fn kernel(&self) -> Result<MutexGuard<'_, Kernel>, Error> {
        self.inner
            .kernel
            .lock()
            .map_err(|_| ErrorKind::Internal.into())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Ok(mut kernel) = self.kernel.lock()
            && kernel.process_count() > 0
        {
            kernel.kill_all();
        }
    }
}
