//! The methods of [`codepod_api`] on real sandboxes, and the ways in which they travel.
//!
//! A surface (JSON-RPC, HTTP, MCP) turns what comes over the wire into a [`Call`] and hands it to
//! [`dispatch()`]; the handlers in `handlers/` know nothing of the wire. [`Server`] holds the
//! sandboxes and says whose they are.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
#![forbid(unsafe_code)]

mod background;
mod call;
mod convert;
mod dispatch;
mod failure;
mod handlers;
mod hibernation;
pub mod http;
mod ids;
mod json;
mod live_sandbox;
mod lock;
pub mod mcp;
mod names;
mod quota;
pub mod rpc;
mod runs;
mod saved;
mod server;
mod signals;
mod tenant;

pub use call::{Answering, Answers, Call, Client};
pub use codepod_api::{ApiError, Kind};
pub use dispatch::dispatch;
pub use quota::Quota;
pub use server::{Ceiling, Reach, Server, ServerOptions};
pub use tenant::{Place, Tenant};
