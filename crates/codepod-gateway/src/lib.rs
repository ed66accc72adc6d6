//! The network of sandboxes.
//!
//! A sandbox has no network until a [`Policy`] grants one. The policy decides by name, before
//! anything is looked up; the addresses of an allowed name are vetted, and one of those is dialled.
//! Requests of HTTP are parsed, decided one by one and rebuilt. Secrets are put in on the way out
//! and taken out of replies, so they are never inside.
//!
//! Without the feature `net` the crate does no input and output, and builds for the browser. With
//! it, it is the only crate that opens sockets of the host.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
#![forbid(unsafe_code)]

pub mod budget;
#[cfg(feature = "net")]
pub mod cassette;
pub mod event;
#[cfg(feature = "net")]
mod hash;
pub mod http;
#[cfg(feature = "net")]
pub mod net;
pub mod network;
#[cfg(feature = "net")]
mod own_directory;
#[cfg(feature = "net")]
pub mod packages;
#[cfg(feature = "net")]
mod pins;
pub mod policy;
pub mod secrets;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testing;
pub mod vet;

pub use codepod_cptls as cptls;
pub use policy::{Policy, PolicySpec, RuleSpec};
