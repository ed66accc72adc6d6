//! The network for tools: connections by name, TLS of the gateway's on them, HTTP/1.1.
//!
//! A connection goes to a name; the address that the kernel makes up for it is seen nowhere. TLS is
//! the gateway's: a hello is sent on the connection, and plain text in records after it. What the
//! gateway refuses comes with a reason, which is in the text of the error.
//!
//! [`Client`] sends one request and returns its reply as it is. Redirects are for the caller, who
//! knows what may follow them; [`redirect::next`] makes the next request as curl does. There are no
//! proxies, no cookies and no authentication here.
//!
//! Servers are hostile: heads, fields, chunks and everything else that is not streamed has a limit.

mod base64;
mod body;
mod channel;
mod client;
mod error;
mod head;
pub mod pem;
pub mod redirect;
mod socket;
mod url;

pub use base64::encode as base64;
pub use body::Body;
#[cfg(feature = "gzip")]
pub use body::Unpacked;
pub use client::{Client, Request, Response};
pub use error::Error;
pub use head::Fields;
pub use socket::resolve;
pub use url::{BadUrl, Scheme, Url, percent_decode};
