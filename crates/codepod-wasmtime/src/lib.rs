//! The wasmtime engine: starts modules and hands every import to the kernel.
//!
//! It knows WebAssembly, threads and the clock, and nothing of processes and files: what a call
//! means is the kernel's. One [`Engine`] serves any number of sandboxes in a host process.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

#[cfg(target_os = "linux")]
mod arena;
mod cache;
#[cfg(unix)]
mod carried;
mod clock;
mod compile;
mod config;
mod driven;
mod engine;
mod error;
mod executor;
mod freed;
mod handoff;
mod hash;
mod kept;
#[cfg(target_os = "linux")]
mod kept_memory;
mod kernel_handle;
mod linker;
mod modules;
#[cfg(target_os = "linux")]
mod pieces;
mod places;
#[cfg(target_os = "linux")]
mod prepared;
mod pristine;
mod process;
#[cfg(target_os = "linux")]
mod resident;
#[cfg(all(test, target_os = "linux"))]
mod reuse;
mod stack;
#[cfg(target_os = "linux")]
mod touched;
mod turns;
#[cfg(target_os = "linux")]
mod unmapped;

pub use cache::ModuleCache;
pub use engine::{Engine, EngineOptions};
pub use error::{EngineError, EngineResult};
pub use kernel_handle::KernelHandle;
pub use modules::can_run_carried_code;
pub use modules::{Code, GuestModule, ImageSource};
pub use turns::Share;
