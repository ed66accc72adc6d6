//! The engine of platforms with processes and files: wasmtime.

use std::path::PathBuf;

use codepod_guests::Guest;
use codepod_wasmtime::EngineOptions;
pub use codepod_wasmtime::Share;
#[cfg(feature = "jail")]
pub(crate) use codepod_wasmtime::{Code, can_run_carried_code};
pub(crate) use codepod_wasmtime::{Engine, EngineError, KernelHandle, ModuleCache};

/// How many processes exist at once and on how many threads, unless the caller says.
pub(crate) fn default_places() -> (u32, usize) {
    let EngineOptions { slots, threads, .. } = EngineOptions::default();
    (slots, threads)
}

/// Sets up an engine whose compiled code is in the user's cache, if there can be one.
///
/// Fails with [`EngineError::Setup`] where the host forbids what it needs.
pub(crate) fn set_up(slots: u32, threads: usize) -> Result<Engine, EngineError> {
    Engine::new(EngineOptions {
        slots,
        threads,
        cache: ModuleCache::of_user().ok().flatten(),
    })
}

/// Makes a guest known to an engine.
pub(crate) fn register(engine: &Engine, guest: &Guest) {
    engine.register(guest.module());
}

/// What to do about an error.
pub(crate) fn hint(error: &EngineError) -> &'static str {
    match error {
        EngineError::Setup(_) => {
            "the engine reserves address space: raise `ulimit -v`, or lower `RuntimeOptions::slots`"
        }
        EngineError::UnknownModule(_) => "register it with the engine, or name another",
        EngineError::InvalidModule(_) => {
            "build it for wasm32-wasip1, within the limits for modules from files"
        }
        EngineError::NotGranted(_) => {
            "import only what the reference of calls lists and its manifest grants"
        }
        _ => "make the cache directory yours alone, or name another by `CODEPOD_CACHE_DIR`",
    }
}

/// Where compiled code is kept; `None` where no directory is this user's.
pub(crate) fn cache_directory() -> Option<PathBuf> {
    ModuleCache::directory_of_user()
}

/// Why nothing can be kept there; `None` where something can.
pub(crate) fn cache_trouble() -> Option<String> {
    let opened = || ModuleCache::of_user().err().map(|error| error.why());
    let met = codepod_wasmtime::cache_trouble().map(str::to_owned);
    met.or_else(opened)
}
