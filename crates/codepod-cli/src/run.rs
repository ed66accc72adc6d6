//! `codepod run 'SCRIPT'` and `codepod run < script.sh`: a bash script in a new sandbox.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};

use clap::Args;
use codepod::{Error, ErrorKind, Script};

use crate::options::{SandboxOptions, create};
use crate::streams::{pass_in, pass_out};

#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// Only show what would happen: nothing reaches the host; the changes follow on standard error, with a diff
    #[arg(long)]
    preview: bool,
    /// Print the result as a line of JSON when the script has ended
    #[arg(long)]
    json: bool,
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
        let mut options = self.sandbox.options()?;
        options.hints = !self.no_hints;
        let sandbox = create(options)?;
        let name = OsString::from("bash");
        let arguments = [&name].into_iter().chain(&self.arguments);
        let script = sandbox
            .script(script)
            .arguments(arguments.map(|word| word.as_encoded_bytes()));
        if self.preview || self.json {
            return collected(script, self.script.is_some(), self.preview, self.json);
        }
        let mut running = script.start()?;
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

/// Runs a script to its end and prints the result then: as it is, or as JSON.
fn collected(script: Script, reads: bool, preview: bool, json: bool) -> Result<u8, Error> {
    let mut stdin = Vec::new();
    if reads && !std::io::stdin().is_terminal() {
        let read = std::io::stdin().read_to_end(&mut stdin);
        read.map_err(|error| ErrorKind::InvalidArgument(format!("standard input: {error}")))?;
    }
    let script = script.stdin(stdin);
    let (result, mut changes) = if preview {
        let preview = script.preview_blocking()?;
        let changes = preview.changes()?;
        (preview.result, Some(changes))
    } else {
        (script.run_blocking()?, None)
    };
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr().lock());
    if json {
        let mut text = serde_json::json!({
            "exit_code": result.exit_code,
            "stdout": result.stdout_text(),
            "stderr": result.stderr_text(),
            "execution_time_ms": result.execution_time.as_secs_f64() * 1000.0,
            "success": result.success(),
            "timed_out": result.timed_out,
            "truncated": result.truncated,
        });
        if let Some(changes) = &mut changes {
            let paths = changes.iter().map(ToString::to_string);
            text["changes"] = paths.collect::<Vec<_>>().into();
            text["diff"] = String::from_utf8_lossy(&changes.unified_diff()).into();
        }
        let _ = writeln!(out, "{text}");
    } else {
        let _ = out.write_all(&result.stdout);
        let _ = out.flush();
        let _ = err.write_all(&result.stderr);
        if let Some(changes) = &mut changes {
            let _ = writeln!(err, "codepod: {} changes, none of them made", changes.len());
            for change in changes.iter() {
                let _ = writeln!(err, "{change}");
            }
            let _ = err.write_all(&changes.unified_diff());
        }
    }
    Ok(result.exit_code as u8)
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
