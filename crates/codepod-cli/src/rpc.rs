//! `codepod rpc`: JSON-RPC on standard input and output, for the SDKs and for programs of any
//! language.

use std::fs::File;
use std::os::fd::AsFd;

use clap::Args;
use codepod::jail::{self, Needs};
use codepod::{Error, ErrorKind, Runtime, StateDirectory};
use codepod_server::{Quota, Server, ServerOptions, Tenant, rpc};

#[derive(Args)]
pub(crate) struct Rpc {
    /// Directory of persistent sandboxes
    #[arg(long, value_name = "DIRECTORY")]
    states: Option<std::path::PathBuf>,
}

impl Rpc {
    pub(crate) fn run(self) -> Result<u8, Error> {
        let mut options = ServerOptions::default();
        // Somebody without a home keeps nothing.
        let own = || Some(StateDirectory::of_user().ok()?.path().to_owned());
        options.states = self.states.or_else(own);
        // Whoever started this program can read those directories anyway.
        options.host_mounts = true;
        let wall = jail::begin(needs())?;
        let runtime = Runtime::global()?;
        let server = Server::new(runtime.clone(), options);
        let tenant = Tenant::new("", Quota::alone());
        let own = |stream: std::io::Result<std::os::fd::OwnedFd>| {
            let failed =
                |error| ErrorKind::InvalidArgument(format!("standard input and output: {error}"));
            Ok::<File, Error>(File::from(stream.map_err(failed)?))
        };
        let input = own(std::io::stdin().as_fd().try_clone_to_owned())?;
        let output = own(std::io::stdout().as_fd().try_clone_to_owned())?;
        wall.close(&runtime)?;
        rpc::serve(&server, &tenant, input, output);
        Ok(0)
    }
}

/// What this program needs of the host. Which directories its client mounts nobody knows
/// beforehand: files are as open as they are to its user.
fn needs() -> Needs {
    let mut needs = Needs::default();
    needs.writes.push("/".into());
    needs.keeps = true;
    needs
}
