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
mod carried;
mod checked_file;
mod clock;
mod compile;
mod config;
#[cfg(target_os = "linux")]
mod dirty_pages;
mod driven;
#[cfg(unix)]
mod embedded_code;
mod engine;
mod error;
mod executor;
mod fair_queue;
mod hash;
mod heap_trim;
mod host_lacks;
mod interrupt;
mod kept;
mod kept_form;
#[cfg(target_os = "linux")]
mod kept_memory;
mod kernel_handle;
mod linker;
mod mapped_file;
mod modules;
mod nameless;
#[cfg(target_os = "linux")]
mod pieces;
mod places;
#[cfg(target_os = "linux")]
mod prepared;
mod pristine;
mod private_directory;
mod process;
#[cfg(target_os = "linux")]
mod resident_pages;
#[cfg(all(test, target_os = "linux"))]
mod reuse;
#[cfg(all(test, target_os = "linux"))]
mod reuse_of_kept;
mod stack;
mod thread_handoff;
#[cfg(target_os = "linux")]
mod unmapped;

pub use cache::ModuleCache;
pub use carried::{Carried, Packed, Unpack};
pub use checked_file::{Content, ContentError, cache_of_user, cache_trouble, preparing};
pub use engine::{Engine, EngineOptions};
pub use error::{EngineError, EngineResult};
pub use fair_queue::Share;
pub use kernel_handle::KernelHandle;
pub use mapped_file::map_for_good;
pub use modules::can_run_carried_code;
pub use modules::{Code, GuestModule, ImageSource};
pub use private_directory::PrivateDirectory;
