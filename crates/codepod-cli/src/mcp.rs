//! `codepod mcp`: a sandbox as tools for a model, in any program that speaks the Model Context
//! Protocol.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use codepod::{Error, ErrorKind, LimitNames, Runtime, RuntimeOptions, jail};
use codepod_server::http::new_key;
use codepod_server::mcp::{self, HttpOptions, McpOptions};
use codepod_server::{Server, ServerOptions};

use crate::failure::{Failure, cannot_serve};
use crate::lookup;
use crate::options::SandboxOptions;
use crate::wall;

/// Where the token is, or several with commas between them.
const TOKEN: &str = "CODEPOD_MCP_TOKEN";

#[derive(Args)]
pub(crate) struct Mcp {
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// Do not add lines `codepod: hint: …` to bash's error messages
    #[arg(long)]
    no_hints: bool,
    /// Send results as structured content as well as text, with their schemas: for clients that are
    /// programs. Models read the text
    #[arg(long)]
    structured: bool,
    /// Serve streamable HTTP for several clients, instead of one on standard input and output
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,
    /// Serve without authentication: any program on this machine can connect. Only for loopback
    /// addresses
    #[arg(long, requires = "http")]
    no_token: bool,
    /// A host name that clients use for the server; can be repeated
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    hosts: Vec<String>,
    /// A web origin that may call the server; can be repeated
    #[arg(long = "origin", value_name = "URL", requires = "http")]
    origins: Vec<String>,
    /// Maximum number of concurrent sessions, each with its own sandbox
    #[arg(long, value_name = "NUMBER", requires = "http", default_value_t = 64)]
    sessions: usize,
    /// End a session after this much idle time
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "http",
        default_value_t = 1800
    )]
    idle_seconds: u64,
}

impl Mcp {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let timeout = self.sandbox.timeout();
        let mut sandbox = self.sandbox.options()?;
        sandbox.hints = !self.no_hints;
        sandbox.limit_names = LimitNames::Mcp;
        let mut options = McpOptions::new(sandbox);
        options.structured = self.structured;
        // Who gives a limit means it.
        if let Some(timeout) = timeout {
            options.longest_run = timeout;
        }
        let Some(address) = self.http else {
            let mut needs = wall::needs(&options.sandbox, None)?;
            needs.event_loop = true;
            let lookups = lookup::beside(&options.sandbox)?;
            let wall = jail::begin(needs)?;
            let mut setup = RuntimeOptions::default();
            setup.resolver = lookups;
            let runtime = Runtime::new(setup)?;
            let server = Server::new(runtime.clone(), ServerOptions::default());
            mcp::serve_stdio(&server, options, || wall.close(&runtime).map(drop))?;
            return Ok(0);
        };
        let server = Server::new(Runtime::global()?, ServerOptions::default());
        let (tokens, made) = tokens(self.no_token)?;
        let mut http = HttpOptions::new(address, tokens);
        (http.hosts, http.origins) = (self.hosts, self.origins);
        (http.sessions, http.idle) = (self.sessions, Duration::from_secs(self.idle_seconds));
        let open = self.no_token;
        mcp::serve_http(&server, options, http, |address| {
            eprintln!("codepod: MCP on http://{address}/mcp");
            if let Some(token) = made {
                eprintln!("codepod: the token of this run: {token}");
            }
            if open {
                eprintln!("codepod: there is no token: every program on this machine can use these sandboxes");
            }
        })
        .map_err(|error| cannot_serve(&error, "--http"))?;
        Ok(0)
    }
}

/// The tokens that clients must have, and the one that was made because none is given.
fn tokens(none: bool) -> Result<(Vec<String>, Option<String>), Error> {
    if none {
        return Ok((Vec::new(), None));
    }
    if let Some(given) = std::env::var_os(TOKEN) {
        let given = given.to_string_lossy();
        return Ok((
            given
                .split(',')
                .map(|token| token.trim().to_owned())
                .collect(),
            None,
        ));
    }
    let made = new_key().map_err(|error| wrong(error.to_string()))?;
    Ok((vec![made.clone()], Some(made)))
}

fn wrong(why: String) -> Error {
    ErrorKind::InvalidArgument(why).into()
}
