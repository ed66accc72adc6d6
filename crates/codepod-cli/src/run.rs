//! `codepod run 'SCRIPT'` and `codepod run < script.sh`: a bash script in a new sandbox.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};

use clap::Args;
use codepod::{Error, ErrorKind};

use crate::options::{SandboxOptions, create};
use crate::streams::{pass_in, pass_out};

#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// Leave out the lines `codepod: hint: …` after bash's own messages
    #[arg(long)]
    no_hints: bool,
    /// The script; without one it is read from standard input
    #[arg(value_name = "SCRIPT")]
    script: Option<OsString>,
    /// What the script finds as $1, $2, …
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

impl Run {
    pub(crate) fn run(self) -> Result<u8, Error> {
        let script = match self.script {
            Some(ref script) => script.as_encoded_bytes().to_vec(),
            None => read_script()?,
        };
        let mut options = self.sandbox.options();
        options.hints = !self.no_hints;
        let sandbox = create(options)?;
        let name = OsString::from("bash");
        let arguments = [&name].into_iter().chain(&self.arguments);
        let mut running = sandbox
            .script(script)
            .arguments(arguments.map(|word| word.as_encoded_bytes()))
            .start()?;
        let stdin = running.stdin.take();
        // A script from standard input has used it up.
        if let (Some(stdin), Some(_)) = (stdin, &self.script) {
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
        let result = running.wait_blocking();
        for thread in [out, err].into_iter().flatten() {
            let _ = thread.join();
        }
        let result = result?;
        // What the host has to say, beside what the script said.
        let _ = std::io::stderr().write_all(&result.stderr);
        Ok(result.exit_code as u8)
    }
}

fn read_script() -> Result<Vec<u8>, Error> {
    let missing = |why: String| Error::from(ErrorKind::InvalidArgument(why));
    if std::io::stdin().is_terminal() {
        return Err(missing(
            "there is no script: write it as an argument, or pass it on standard input".into(),
        ));
    }
    let mut script = Vec::new();
    std::io::stdin()
        .read_to_end(&mut script)
        .map_err(|error| missing(format!("cannot read standard input: {error}")))?;
    Ok(script)
}
