//! `codepod exec -- TOOL ARGUMENTS…`: one tool, with the terminal's or pipe's own streams.

use std::time::Duration;

use clap::Args;
use codepod::{Running, Sandbox};

use crate::failure::Failure;
use crate::options::{SandboxOptions, compiling};
use crate::streams::{has_input, pass_in, pass_out};
use crate::wall::create;

/// Exit status at the timeout, as `timeout(1)` has it.
const TIMED_OUT: u8 = 124;

const EXAMPLES: &str = "\
Examples:
  codepod exec -- wc -c /etc/hostname
  codepod exec -- sort -k 2 < table.txt
  codepod exec --mount .:/work -- rg TODO /work";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
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
    pub(crate) fn run(self) -> Result<u8, Failure> {
        // An option that is none of ours begins the tool's words.
        let tool = self.argv[0].to_string_lossy();
        if tool.starts_with('-') {
            let message = format!("unexpected option `{tool}`");
            return Err(Failure::new(
                message,
                "`codepod exec --help` lists the options",
            ));
        }
        let options = self.sandbox.options()?;
        let (timeout, hints) = (options.timeout, options.hints);
        let reads = has_input();
        let sandbox = create(options)?;
        let argv: Vec<&[u8]> = self
            .argv
            .iter()
            .map(|word| word.as_encoded_bytes())
            .collect();
        let command = sandbox.command(argv);
        let mut running = match reads {
            true => command.start()?,
            false => command.start_without_input()?,
        };
        pass_in(running.stdin.take());
        let out = pass_out(running.stdout.take(), std::io::stdout());
        let err = pass_out(running.stderr.take(), std::io::stderr());
        let progress = compiling(&sandbox);
        let status = wait(&mut running, timeout, &sandbox);
        drop((running, progress));
        for thread in [out, err].into_iter().flatten() {
            let _ = thread.join();
        }
        let status = status?;
        if hints {
            for line in sandbox.take_limit_lines(timeout, status.is_none()) {
                eprintln!("{line}");
            }
        }
        Ok(status.unwrap_or(TIMED_OUT))
    }
}

/// The exit status; none when it was stopped at its timeout.
fn wait(
    running: &mut Running,
    timeout: Duration,
    sandbox: &Sandbox,
) -> Result<Option<u8>, Failure> {
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
        return Ok(None);
    }
    Ok(Some(status.code() as u8))
}
