//! `codepod rpc`: JSON-RPC on standard input and output, for the SDKs and for programs of any
//! language.

use std::fs::File;
use std::io;

use clap::Args;
use codepod::jail::{self, Connects, Needs};
use codepod::{Error, ErrorKind, Runtime, RuntimeOptions, StateDirectory};
use codepod_server::{Quota, Reach, Server, ServerOptions, Tenant, rpc};

use crate::failure::Failure;
use crate::lookup;

#[derive(Args)]
pub(crate) struct Rpc {
    /// Directory of persistent sandboxes
    #[arg(long, value_name = "DIRECTORY")]
    states: Option<std::path::PathBuf>,
    /// Let the client give sandboxes a network; without this none can have one
    #[arg(long)]
    network: bool,
}

impl Rpc {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let mut options = ServerOptions::default();
        // Somebody without a home keeps nothing.
        let own = || Some(StateDirectory::of_user().ok()?.path().to_owned());
        options.states = self.states.or_else(own);
        // Whoever started this program can read those directories anyway.
        options.host_mounts = true;
        let mut needs = needs();
        let mut setup = RuntimeOptions::default();
        if self.network {
            options.reach = Reach::Anything;
            needs.connects = Connects::Anywhere;
            setup.resolver = lookup::beside_wall()?;
        }
        let wall = jail::begin(needs)?;
        let runtime = Runtime::new(setup)?;
        let server = Server::new(runtime.clone(), options);
        let tenant = Tenant::new("", Quota::alone());
        let (input, output) = standard_streams().map_err(|error| {
            Error::from(ErrorKind::InvalidArgument(format!(
                "standard input and output: {error}"
            )))
        })?;
        wall.close(&runtime)?;
        rpc::serve(&server, &tenant, input, output);
        Ok(0)
    }
}

/// Standard input and output, past the standard library's buffers.
fn standard_streams() -> io::Result<(File, File)> {
    #[cfg(unix)]
    let (input, output) = {
        use std::os::fd::AsFd as _;
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        (input, io::stdout().as_fd().try_clone_to_owned()?)
    };
    #[cfg(windows)]
    let (input, output) = {
        use std::os::windows::io::AsHandle as _;
        let input = io::stdin().as_handle().try_clone_to_owned()?;
        (input, io::stdout().as_handle().try_clone_to_owned()?)
    };
    Ok((input.into(), output.into()))
}

/// What this program needs of the host. Which directories its client mounts nobody knows
/// beforehand: files are as open as they are to its user.
fn needs() -> Needs {
    let mut needs = Needs::default();
    needs.writes.push("/".into());
    needs.keeps = true;
    needs
}
