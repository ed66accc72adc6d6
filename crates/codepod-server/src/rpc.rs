//! JSON-RPC 2.0 over a pair of streams, a line for each message.
//!
//! Requests are answered in parallel, in the order in which they end. The thread that reads a
//! request answers it itself, while another goes on reading: no request waits for a hand-over. What
//! guests print travels inside JSON strings only.
//!
//! Beside requests a client sends `$/cancel {"id": …}` to give one up, and answers to
//! `command.call`, by which a sandbox calls the commands that the client has registered.

mod callbacks;
mod connection;
mod frame;

use std::io::{Read, Write};
use std::sync::Arc;

use crate::server::Server;
use crate::tenant::Tenant;

/// Serves a client until its stream ends; its sandboxes end then, too.
pub fn serve(
    server: &Server,
    tenant: &Arc<Tenant>,
    input: impl Read + Send,
    output: impl Write + Send + 'static,
) {
    connection::serve(server, tenant, input, output);
    server.destroy_all(tenant);
}
