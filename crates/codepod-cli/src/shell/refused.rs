//! `codepod shell` where there is no terminal of Unix: refused, with what works.

use clap::Args;

use crate::failure::Failure;

#[derive(Args)]
pub(crate) struct Shell {
    /// What it takes elsewhere
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _options: Vec<std::ffi::OsString>,
}

impl Shell {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        Err(Failure::new(
            "`codepod shell` needs a terminal of Linux or macOS",
            "`codepod run --state NAME SCRIPT` keeps files and variables from one call to the next",
        ))
    }
}
