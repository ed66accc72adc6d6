//! `codepod run 'SCRIPT'` and `codepod run < script.sh`: a bash script in a new sandbox.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};

use clap::Args;
use codepod::{RunResult, Script};

use crate::failure::Failure;
use crate::options::{Place, SandboxOptions, compiling};
use crate::streams::{has_input, pass_in, pass_through, show};
use crate::wall;

const EXAMPLES: &str = "\
Examples:
  codepod run 'echo hello | tr a-z A-Z'
  codepod run 'echo $1 $2' one two
  codepod run < script.sh
  git log --oneline | codepod run 'sort -k 2 | head'
  codepod run --mount .:/work:overlay --preview 'sed -i s/old/new/ /work/*.txt'
  codepod run --state play 'x=5; echo $x > file'; codepod run --state play 'echo $x; cat file'

The exit status is the script's; 124 after the timeout, 125 when codepod itself fails.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Run {
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// Resume the saved state of this name, or create it, and save files and variables to it
    #[arg(long, value_name = "NAME")]
    state: Option<String>,
    /// Dry run: nothing reaches the host, and the changes are shown on standard error with a diff
    #[arg(long)]
    preview: bool,
    /// Print the result as one line of JSON when the script has ended
    #[arg(long)]
    json: bool,
    /// Do not add lines `codepod: hint: …` to bash's error messages
    #[arg(long)]
    no_hints: bool,
    /// The script; read from standard input if missing
    #[arg(value_name = "SCRIPT")]
    script: Option<OsString>,
    /// Arguments of the script: $1, $2, …
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

impl Run {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let script = match self.script {
            Some(ref script) => script.as_encoded_bytes().to_vec(),
            None => read_script()?,
        };
        if let Some(name) = &self.state {
            self.sandbox.check_for_state(name)?;
        }
        let mut options = self.sandbox.options()?;
        options.hints = !self.no_hints;
        let env = options.env.clone();
        // A script from standard input has used it up.
        let reads = self.script.is_some() && has_input();
        let state = self.state.as_deref();
        let place = wall::open(options, state)?;
        let name = OsString::from("bash");
        let arguments = [&name].into_iter().chain(&self.arguments);
        let script = place
            .sandbox()
            .script(script)
            .arguments(arguments.map(|word| word.as_encoded_bytes()));
        // A state that is kept has an environment already.
        let script = match place {
            Place::Kept(_) => env
                .iter()
                .fold(script, |script, (name, value)| script.env(name, value)),
            Place::New(_) => script,
        };
        let progress = compiling(place.sandbox());
        let status = if self.preview || self.json {
            collected(script, reads, self.preview, self.json)?
        } else {
            passed(script, reads)?
        };
        drop(progress);
        place.save()?;
        Ok(status)
    }
}

/// Runs a script with this program's own streams.
fn passed(script: Script, reads: bool) -> Result<u8, Failure> {
    let mut running = match reads {
        true => script.start()?,
        false => script.start_without_input()?,
    };
    pass_in(running.stdin.take());
    let printed = [running.stdout.take(), running.stderr.take()];
    pass_through(printed, || running.wait_blocking())
}

/// Runs a script to its end and prints the result then: as it is, or as JSON.
fn collected(script: Script, reads: bool, preview: bool, json: bool) -> Result<u8, Failure> {
    let script = if reads {
        script.stdin(read_all()?)
    } else {
        script
    };
    let (result, mut changes) = if preview {
        let preview = script.preview_blocking()?;
        let mut changes = preview.changes()?;
        changes.select(&codepod::Selection::default())?;
        (preview.result, Some(changes))
    } else {
        (script.run_blocking()?, None)
    };
    if json {
        let mut text = as_json(&result);
        if let Some(changes) = &mut changes {
            let paths = changes.iter().map(ToString::to_string);
            text["changes"] = paths.collect::<Vec<_>>().into();
            text["ignored"] = changes.ignored().into();
            text["diff"] = String::from_utf8_lossy(&changes.unified_diff()).into();
        }
        let _ = writeln!(std::io::stdout(), "{text}");
        return Ok(result.exit_code as u8);
    }
    show(std::io::stdout(), &result.stdout);
    show(std::io::stderr(), &result.stderr);
    if let Some(changes) = &mut changes {
        let mut err = std::io::stderr().lock();
        let _ = writeln!(err, "codepod: {} changes, none of them made", changes.len());
        let _ = crate::changes::list(changes, &[], false, &mut err);
        drop(err);
        crate::listing::tell_ignored(changes.ignored());
        show(std::io::stderr(), &changes.unified_diff());
    }
    Ok(result.exit_code as u8)
}

/// A result for programs.
pub(crate) fn as_json(result: &RunResult) -> serde_json::Value {
    serde_json::json!({
        "exit_code": result.exit_code,
        "stdout": result.stdout_text(),
        "stderr": result.stderr_text(),
        "execution_time_ms": result.execution_time.as_secs_f64() * 1000.0,
        "success": result.success(),
        "timed_out": result.timed_out,
        "truncated": result.truncated,
    })
}

fn read_script() -> Result<Vec<u8>, Failure> {
    if std::io::stdin().is_terminal() {
        return Err(Failure::new(
            "there is no script",
            "write it as an argument, `codepod run 'echo hi'`, pass it on standard input, or start `codepod shell`",
        ));
    }
    read_all()
}

/// Everything on standard input.
pub(crate) fn read_all() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    read.map_err(|error| {
        let why = format!("cannot read standard input: {error}");
        Failure::new(why, "`< /dev/null` gives the script nothing to read")
    })?;
    Ok(bytes)
}
