//! git's protocol over HTTP: the client's side.
//!
//! `session` sends requests, with credentials; `packet` reads and writes lines with their length;
//! `advertised` is what a server has; `fetch` asks for objects, `receive` checks the pack that
//! comes and keeps it, `send` makes the pack of a push.

pub(crate) mod advertised;
pub(crate) mod check;
mod credential;
pub(crate) mod fetch;
mod negotiate;
mod packet;
mod receive;
pub(crate) mod send;
pub(crate) mod session;
mod settings;
