//! `codepod rpc`: JSON-RPC on standard input and output, for the SDKs and for programs of any language.

use std::fs::File;
use std::os::fd::AsFd;

use clap::Args;
use codepod::{Error, ErrorKind, Runtime, StateDirectory};
use codepod_server::{Quota, Server, ServerOptions, Tenant, rpc};

#[derive(Args)]
pub(crate) struct Rpc {
    /// Where persistent sandboxes are kept
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
        let server = Server::new(Runtime::global()?, options);
        let tenant = Tenant::new("", Quota::default());
        let own = |stream: std::io::Result<std::os::fd::OwnedFd>| {
            let failed =
                |error| ErrorKind::InvalidArgument(format!("standard input and output: {error}"));
            Ok::<File, Error>(File::from(stream.map_err(failed)?))
        };
        let input = own(std::io::stdin().as_fd().try_clone_to_owned())?;
        let output = own(std::io::stdout().as_fd().try_clone_to_owned())?;
        rpc::serve(&server, &tenant, input, output);
        Ok(0)
    }
}
