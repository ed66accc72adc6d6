//! No engine: the place of one on platforms that nobody has written one for.
//!
//! [`set_up`] refuses, and there is no other way to an [`Engine`]: the type has no values. So
//! nothing here pretends to run anything, and all of the library that needs an engine compiles
//! against the names that one has to have.

use std::convert::Infallible;
use std::fmt;
use std::future::Pending;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use codepod_guests::Guest;
use codepod_kernel::{Host, Kernel, Program, SharedKernel};

/// An engine, of which there is none.
#[derive(Debug, Clone)]
pub struct Engine {
    never: Infallible,
}

impl Engine {
    /// Whether a guest can start at once.
    pub fn is_ready(&self, _name: &str) -> bool {
        match self.never {}
    }

    /// Loads a guest now.
    pub fn preload(&self, _name: &str) -> Result<(), EngineError> {
        match self.never {}
    }

    /// Where kernels get time and randomness from.
    pub fn host(&self) -> Arc<dyn Host> {
        match self.never {}
    }

    /// Runs a process as long as the future is polled.
    pub fn run(&self, _kernel: KernelHandle, _program: Program) -> Pending<()> {
        match self.never {}
    }

    /// Runs a process without anybody who polls.
    pub fn spawn(&self, _kernel: KernelHandle, _program: Program) {
        match self.never {}
    }

    /// Hears that a sandbox has freed so many bytes.
    pub fn freed(&self, _bytes: u64) {
        match self.never {}
    }
}

/// Why an engine cannot be used: there is none.
#[derive(Debug)]
pub struct EngineError(());

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no engine for this platform")
    }
}

impl std::error::Error for EngineError {}

/// Whose processor time processes use.
#[derive(Debug, Clone, Default)]
pub struct Share(());

/// A sandbox's kernel.
#[derive(Debug, Clone)]
pub struct KernelHandle {
    kernel: Arc<SharedKernel>,
}

impl KernelHandle {
    /// A kernel whose processes use this share.
    pub fn new(kernel: Kernel, _share: &Share) -> KernelHandle {
        let kernel = Arc::new(SharedKernel::new(kernel));
        KernelHandle { kernel }
    }

    /// The kernel alone.
    pub fn shared(&self) -> &Arc<SharedKernel> {
        &self.kernel
    }
}

impl Deref for KernelHandle {
    type Target = SharedKernel;

    fn deref(&self) -> &SharedKernel {
        &self.kernel
    }
}

/// How many processes exist at once and on how many threads, unless the caller says.
pub(crate) fn default_places() -> (u32, usize) {
    (0, 0)
}

/// Refuses.
pub(crate) fn set_up(_slots: u32, _threads: usize) -> Result<Engine, EngineError> {
    Err(EngineError(()))
}

/// Makes a guest known to an engine.
pub(crate) fn register(engine: &Engine, _guest: &Guest) {
    match engine.never {}
}

/// What to do about an error.
pub(crate) fn hint(_error: &EngineError) -> &'static str {
    "docs/reference/platforms.md lists those with an engine"
}

/// Where compiled code is kept: nowhere.
pub(crate) fn cache_directory() -> Option<PathBuf> {
    None
}

/// Why nothing can be kept: nothing is compiled here, so nothing has to be.
pub(crate) fn cache_trouble() -> Option<String> {
    None
}
