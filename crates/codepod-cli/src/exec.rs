//! `codepod exec -- TOOL ARGUMENTS…`: one tool, with the terminal's or pipe's own streams.

use std::time::Duration;

use clap::Args;
use codepod::{Error, Running, Sandbox};

use crate::options::{SandboxOptions, create};
use crate::streams::{pass_in, pass_out};

/// Exit status at the timeout, as `timeout(1)` has it.
const TIMED_OUT: u8 = 124;

#[derive(Args)]
pub(crate) struct Exec {
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// The tool and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "TOOL"
    )]
    argv: Vec<std::ffi::OsString>,
}

impl Exec {
    pub(crate) fn run(self) -> Result<u8, Error> {
        let options = self.sandbox.options()?;
        let timeout = options.timeout;
        let sandbox = create(options)?;
        let argv: Vec<&[u8]> = self
            .argv
            .iter()
            .map(|word| word.as_encoded_bytes())
            .collect();
        let mut running = sandbox.command(argv).start()?;
        if let Some(stdin) = running.stdin.take() {
            // Not joined: a read of a terminal that never ends must not keep the program alive.
            std::thread::spawn(move || pass_in(stdin));
        }
        let out = running
            .stdout
            .take()
            .map(|stream| std::thread::spawn(move || pass_out(stream, std::io::stdout())));
        let err = running
            .stderr
            .take()
            .map(|stream| std::thread::spawn(move || pass_out(stream, std::io::stderr())));
        let status = wait(&mut running, timeout, &sandbox);
        drop(running);
        for thread in [out, err].into_iter().flatten() {
            let _ = thread.join();
        }
        status
    }
}

fn wait(running: &mut Running, timeout: Duration, sandbox: &Sandbox) -> Result<u8, Error> {
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let killer = sandbox.clone();
    let watch = std::thread::spawn(move || {
        let late = ended.recv_timeout(timeout) == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
        if late {
            let _ = killer.kill_all();
        }
        late
    });
    let status = running.wait_blocking()?;
    drop(done);
    if watch.join().unwrap_or(false) {
        return Ok(TIMED_OUT);
    }
    Ok(status.code() as u8)
}
