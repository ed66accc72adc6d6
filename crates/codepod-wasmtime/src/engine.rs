//! The engine: wasmtime, its modules, its threads and its clock.

use std::future::Future;
use std::sync::Arc;

use codepod_kernel::{Host, Program};

use crate::cache::ModuleCache;
use crate::clock::Clock;
use crate::config;
use crate::driven::Driven;
use crate::error::{EngineError, EngineResult};
use crate::executor::{Executor, in_host};
use crate::fair_queue::Lane;
use crate::heap_trim::{self, Freed};
use crate::host_lacks;
use crate::kernel_handle::KernelHandle;
use crate::modules::{GuestModule, Modules};
use crate::places::Places;
use crate::process;

/// How an engine is set up.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// Processes that exist at once, over all sandboxes; more wait for a place, by turns of their
    /// shares. Each reserves address space, and no memory before it is used.
    pub slots: u32,
    /// Threads for processes beside those that callers drive; 0 for one per core.
    pub threads: usize,
    /// Where compiled modules are kept; `None` compiles anew in every host process.
    pub cache: Option<ModuleCache>,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            slots: 2048,
            threads: 0,
            cache: None,
        }
    }
}

/// The engine. Clones share it.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) wasmtime: wasmtime::Engine,
    pub(crate) modules: Modules,
    pub(crate) clock: Arc<Clock>,
    pub(crate) places: Places,
    #[cfg(target_os = "linux")]
    pub(crate) room: crate::resident_pages::Room,
    #[cfg(target_os = "linux")]
    arena: std::sync::OnceLock<Option<Arc<crate::arena::Arena>>>,
    freed: Freed,
    executor: Executor,
}

impl Engine {
    /// Sets up an engine.
    ///
    /// Fails with [`EngineError::Setup`] where the host limits or forbids what it needs: address
    /// space, threads, `memfd_create`.
    pub fn new(options: EngineOptions) -> EngineResult<Engine> {
        host_lacks::check()?;
        let config = config::config(options.slots, false, None)?;
        let wasmtime =
            wasmtime::Engine::new(&config).map_err(|error| host_lacks::engine(&error))?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if options.threads == 0 {
            cores
        } else {
            options.threads
        };
        let clock = Clock::start(wasmtime.weak()).map_err(|error| host_lacks::threads(&error))?;
        let executor = Executor::start(threads, &clock);
        let executor = executor.map_err(|error| host_lacks::threads(&error))?;
        Ok(Engine {
            inner: Arc::new(Inner {
                modules: Modules::new(wasmtime.clone(), options.cache),
                places: Places::new(options.slots as usize),
                #[cfg(target_os = "linux")]
                room: crate::resident_pages::Room::default(),
                #[cfg(target_os = "linux")]
                arena: std::sync::OnceLock::new(),
                freed: Freed::default(),
                executor,
                clock,
                wasmtime,
            }),
        })
    }

    /// Makes a module known by its name. It is loaded when it is used first.
    pub fn register(&self, guest: GuestModule) {
        self.inner.modules.register(guest);
    }

    /// Whether a guest can start without being compiled first: it is loaded, carried, or in the
    /// cache.
    pub fn is_ready(&self, name: &str) -> bool {
        self.inner.modules.is_ready(name)
    }

    /// The guest that is being compiled now, or read from the cache: what a first start waits for.
    pub fn compiling(&self) -> Option<String> {
        self.inner.modules.busy_with()
    }

    /// Loads a module now, so that the first command does not have to.
    pub fn preload(&self, name: &str) -> EngineResult<()> {
        self.inner.modules.load_named(name).map(drop)
    }

    /// Does now what would open files of the host or make memory executable later, for a program
    /// that locks itself in: all code that the program carries becomes executable where it
    /// lies, and is loaded when it is used; that of the guest `first` now. Whether that is all:
    /// no guest that is registered has to be compiled or read from a file.
    pub fn settle(&self, first: &str) -> bool {
        #[cfg(target_os = "linux")]
        {
            let _ = crate::dirty_pages::pagemap();
            let _ = self.inner.arena();
            // Asked of the system once.
            let _ = rustix::param::page_size();
        }
        self.inner.modules.make_executable(first)
    }

    /// Whether processes can keep their memory for sessions here. Linux needs `memfd_create` for
    /// that, which container runtimes may forbid.
    pub fn keeps_sessions(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.inner.arena().is_some();
        #[cfg(not(target_os = "linux"))]
        true
    }

    /// Where kernels get time and randomness from.
    pub fn host(&self) -> Arc<dyn Host> {
        self.inner.clock.clone()
    }

    /// Runs a process as long as the future is polled: on the caller's own thread, or, where it
    /// takes more than a time slice, on the engine's by turns with all others. Dropping the
    /// future kills the process. Processes that it starts run on the engine's threads.
    ///
    /// Each time the process begins to wait, a poll returns; if it was on the engine's threads
    /// then, they wake whoever polled last. So a caller that looks at the kernel after each poll
    /// sees what the process did before it waited.
    pub fn run(
        &self,
        kernel: KernelHandle,
        program: Program,
    ) -> impl Future<Output = ()> + Send + 'static {
        let lane = kernel.lane.clone();
        let process = process::run(self.inner.clone(), kernel, program);
        Driven::new(self.inner.clone(), lane, process)
    }

    /// Runs a process on the engine's threads.
    pub fn spawn(&self, kernel: KernelHandle, program: Program) {
        self.inner.spawn(kernel, program);
    }

    /// Runs a future of the host's own on the engine's threads.
    pub fn spawn_task(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.inner.executor.spawn_of_host(future);
    }

    /// Hears that a sandbox has freed about this many bytes of the host's memory. When much has
    /// come together, it is given back to the system.
    pub fn freed(&self, bytes: u64) {
        if self.inner.freed.count(bytes) {
            self.spawn_task(async { in_host(heap_trim::give_back) });
        }
    }

    /// Compiles a module with all cores, as a build step: into the cache, and as bytes to ship.
    ///
    /// `triple` names another platform than this one, as Rust's targets are named; that needs the
    /// feature `cross`.
    pub fn precompile(
        cache: &ModuleCache,
        wasm: &[u8],
        triple: Option<&str>,
    ) -> EngineResult<Vec<u8>> {
        let config = config::config(1, true, triple)?;
        let engine = wasmtime::Engine::new(&config)
            .map_err(|error| EngineError::Setup(format!("{error:#}")))?;
        cache.code(&engine, wasm)
    }
}

impl Inner {
    /// Where memory of sessions is kept; made when it is first asked for.
    #[cfg(target_os = "linux")]
    pub(crate) fn arena(&self) -> Option<&Arc<crate::arena::Arena>> {
        self.arena.get_or_init(crate::arena::Arena::new).as_ref()
    }

    pub(crate) fn spawn(self: &Arc<Self>, kernel: KernelHandle, program: Program) {
        let lane = kernel.lane.clone();
        self.spawn_on(&lane, process::run(self.clone(), kernel, program));
    }

    /// Runs a future on a sandbox's turns.
    pub(crate) fn spawn_on(&self, lane: &Lane, future: impl Future<Output = ()> + Send + 'static) {
        self.executor.spawn(lane, future);
    }

    /// Runs a future as [`Self::spawn_on`] does, but begins on the current thread: that is the
    /// caller's, or one of the engine's that has a turn of this sandbox.
    pub(crate) fn begin_here(
        &self,
        lane: &Lane,
        future: impl Future<Output = ()> + Send + 'static,
    ) {
        self.executor.begin_here(lane, future);
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}
