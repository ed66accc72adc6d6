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
mod denials;
mod exchange;
mod frames;
mod head;
mod replies;
mod report;
mod service;
mod spelling;
mod tape;
mod tunnel;

pub use body::{Body, BodyError, ReplyBody};
#[cfg(feature = "net")]
pub(crate) use denials::{RECORD_AGAIN, recording_denial};
#[cfg(feature = "net")]
pub(crate) use head::has_other_coding;
pub use service::{Asker, Connection, Failure, Requests, Upstream, serve};
#[cfg(feature = "net")]
pub(crate) use service::{Came, Shareable};
pub use tape::{Asked, Content, End, ReplyHead, Take, Tape, Taping};
