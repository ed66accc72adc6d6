//! The contract between codepod's kernel and its guests: the table of calls, error numbers, wire
//! types.
//!
//! Everything that both sides must agree on is here and nowhere else. Host linking, guest bindings
//! (`guests/libraries/sys`), trace names and the reference page are made from [`for_each_call!`].
//! The crate is `no_std` and has no dependencies, so that guests, the browser and the host can
//! share it.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
#![no_std]
#![forbid(unsafe_code)]

pub mod errno;
pub mod session;
pub mod signal;
pub mod table;
pub mod wire;

pub use errno::{Errno, SUCCESS};
pub use signal::Signal;
pub use table::{CALLS, CallInfo, Grant, Waiting};

/// The version that [`for_each_call!`] describes. A guest names the one it was built for in
/// `abi_version`; the kernel refuses what it cannot serve.
pub const ABI_VERSION: u32 = 1;
