//! Saved sandboxes.
//!
//! A state is cut into blocks of at most 64 KiB, the same pieces that the file system copies on
//! write, each under the BLAKE3 digest of its content. New blocks go into packs; a manifest names
//! the packs and says how the blocks make a state. A manifest appears under a name of its own in
//! one step and never changes, so whoever is killed while saving leaves the old state or the new
//! one.
//!
//! ```no_run
//! # fn main() -> Result<(), codepod_store::StoreError> {
//! use codepod_store::{Store, StoreOptions};
//! let store = Store::open("/var/lib/agents", "agent-7", StoreOptions::default())?;
//! println!("{:?}", store.newest()?);
//! # Ok(())
//! # }
//! ```
//!
//! The feature `object-store` adds `Store::open_objects`, for S3 and its like through the crate
//! `object_store`.
//!
//! The crate knows trees and bytes. What a sandbox is and when it is saved is the library's affair.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
#![forbid(unsafe_code)]

mod backend;
mod block;
mod compression;
mod directory;
mod error;
mod header;
mod key;
mod manifest;
mod namespace;
mod namespaces;
#[cfg(feature = "object-store")]
mod objects;
mod open_files;
mod pack;
mod record;
mod state;
mod store;
mod stream;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testing;
mod wire;

#[cfg(test)]
mod tests;

pub use backend::{Backend, Blob};
pub use error::StoreError;
pub use header::{FORMAT, SMALLEST_READER};
pub use key::Key;
pub use namespaces::{Namespace, make_namespace, namespaces, remove_namespace};
#[cfg(feature = "object-store")]
pub use object_store;
pub use state::{Bases, Loaded, LoadedMount, MountState, State, Version, image_identity};
pub use store::{Saved, Store, StoreOptions};
pub use stream::{export, import};
