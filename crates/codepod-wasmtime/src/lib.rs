//! The wasmtime engine: starts modules and hands every import to the kernel.
//!
//! It knows WebAssembly, threads and the clock, and nothing of processes and files: what a call means is
//! the kernel's. One [`Engine`] serves any number of sandboxes in a host process.

mod cache;
#[cfg(unix)]
mod carried;
mod clock;
mod compile;
mod config;
mod engine;
mod error;
mod executor;
mod freed;
mod handoff;
mod hash;
mod linker;
mod modules;
mod process;
#[cfg(target_os = "linux")]
mod resident;
#[cfg(target_os = "linux")]
mod touched;

pub use cache::ModuleCache;
pub use engine::{Engine, EngineOptions, KernelHandle};
pub use error::{EngineError, EngineResult};
pub use modules::{Code, GuestModule};
