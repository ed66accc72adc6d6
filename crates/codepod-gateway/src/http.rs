//! HTTP/1.1 between a guest and a server.
//!
//! The guest's bytes are parsed by hyper's server, the server's by hyper's client, and what goes on
//! is written anew from the parsed form: no byte of a head passes through. Each request of a
//! connection is decided, with the policy of that moment. Redirects are answers like others;
//! cookies are the guest's; nothing is kept from one connection to the next.
//!
//! The module does no I/O of its own: the streams are hyper's traits, and the way to the server is
//! an [`Upstream`], which in a browser is `fetch`.

mod body;
mod head;
mod service;
mod tunnel;

pub use body::{Body, BodyError, ReplyBody};
pub use service::{Asker, Connection, Failure, Upstream, serve};
#[cfg(feature = "net")]
pub(crate) use service::{Came, Shareable};
