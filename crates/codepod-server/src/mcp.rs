//! MCP: a sandbox as tools and resources for a model, over stdio or HTTP.
//!
//! A session has one sandbox, made when it is first needed and gone with the session; `fork` gives
//! it more. The tools are the lines of the table that have one, with schemas made from the same
//! types as everything else. What a guest prints is data in results only: never in names,
//! descriptions or schemas.
//!
//! - `session`: whose sandbox, and calls of methods in it
//! - `tools`: the list of tools, and what a call of one becomes
//! - `result`: what a model gets back: structured, and as text whose frame cannot be forged
//! - `resources`: files of the sandbox, and the whole output of its last run
//! - `handler`: the protocol's requests, with progress and cancellation
//! - `http`: the way in for several clients, and who is not let in

mod failure;
mod frame;
mod handler;
mod http;
mod lines;
mod plain;
mod resources;
mod result;
mod session;
mod tools;

use std::time::Duration;

use codepod::{Error, ErrorKind, Options};
use codepod_api::Shows;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::server::Server;
use handler::Handler;
pub use http::{HttpOptions, Listening, serve_http};
use plain::Plain;
use session::Session;

/// How sessions and their sandboxes are made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct McpOptions {
    /// How sandboxes are made.
    pub sandbox: Options,
    /// The longest time that a model can give a run.
    pub longest_run: Duration,
    /// Sandboxes of a session: its own and forks.
    pub sandboxes: usize,
    /// Whether results come as structured content as well as text, with schemas: for programs. Some
    /// clients show models the one instead of the other, without the frame around a guest's words.
    pub structured: bool,
}

impl McpOptions {
    /// Sandboxes as these options make them, with a budget for output.
    pub fn new(mut sandbox: Options) -> McpOptions {
        if let Some(bounds) = Shows::Run.bounds() {
            sandbox.output_budget.get_or_insert(bounds.usual as usize);
        }
        McpOptions {
            longest_run: sandbox.timeout.max(Duration::from_secs(600)),
            sandbox,
            sandboxes: 32,
            structured: false,
        }
    }
}

/// Serves one client on standard input and output until it goes away. `ready` is called when both
/// are open and nothing was read yet.
pub fn serve_stdio(
    server: &Server,
    options: McpOptions,
    ready: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed("cannot wait for a client", &error))?;
    let served = runtime.block_on(async {
        let (input, output) = rmcp::transport::io::stdio_pipes();
        ready()?;
        serve(server, options, input, Plain(output)).await
    });
    // What was cancelled ends soon, and a state that is kept is saved.
    runtime.shutdown_timeout(Duration::from_secs(10));
    served
}

/// Serves one client on two streams until it goes away.
pub async fn serve(
    server: &Server,
    options: McpOptions,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), Error> {
    let session = Session::new(server, options);
    let handler = Handler::local(session.clone());
    let passed = lines::pass(input, output);
    let served = match handler.serve((passed.input, passed.output)).await {
        Ok(service) => service
            .waiting()
            .await
            .map(drop)
            .map_err(|error| failed("the session failed", &error)),
        // A client that left before it said who it is.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed("the client does not speak MCP", &error)),
    };
    session.close();
    // It ends with the library's end of the stream; what was said last is written by then.
    let _ = passed.writing.await;
    served
}

fn failed(what: &str, error: &dyn std::fmt::Display) -> Error {
    Error::from(ErrorKind::InvalidArgument(format!("{what}: {error}")))
}
