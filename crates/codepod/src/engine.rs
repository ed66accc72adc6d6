//! The engine that this build runs guests on: the platform decides, here and nowhere else.
//!
//! An engine is a file beside this one, with these names. The compiler holds each to what the rest
//! of the library uses; no trait is needed, because a build has one engine.
//!
//! | name | what it is |
//! |---|---|
//! | `Engine` | runs processes; clones share it |
//! | `KernelHandle` | a sandbox's kernel and its share; derefs to `SharedKernel` |
//! | `Share` | whose processor time it is |
//! | `EngineError` | why an engine or a module cannot be used |
//! | `default_places` | how many processes exist at once, on how many threads, where none says |
//! | `set_up`, `register`, `hint` | an engine; a guest for it; what to do about an error |
//! | `cache_directory`, `cache_trouble` | where compiled code is kept, and why nowhere |
//!
//! What `codepod` relies on, beyond the types of [`Engine::run`], `spawn`, `host` and the others
//! (`codepod-wasmtime/tests/contract.rs` tests it, and any engine has to pass):
//!
//! - The future of `run` runs its process while it is polled, and dropping it kills the process.
//! - Each time the process begins to wait, a poll returns, and whoever polls is woken if the
//!   process began to wait outside of a poll. The caller looks at the kernel then: a shell's answer
//!   is there when the shell waits for its next request.
//! - `spawn` runs a process without anybody who polls.
//! - The clock of `host` is that of all processes.

#[cfg(target_family = "wasm")]
mod none;
#[cfg(not(target_family = "wasm"))]
mod wasmtime;

#[cfg(target_family = "wasm")]
pub use none::*;
#[cfg(not(target_family = "wasm"))]
pub use wasmtime::*;
