//! `codepod run`: a script or a command in a sandbox. What its words mean is in `words.rs`.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write};

use clap::Args;
use codepod::{RunResult, Script};
use codepod_api::Bytes;

use crate::failure::Failure;
use crate::options::{Place, SandboxOptions, compiling};
use crate::progress;
use crate::streams::{has_input, pass_in, pass_through, read_all, show};
use crate::wall;
use crate::words::{self, Asked, HostFile};

const EXAMPLES: &str = "\
Examples:
  codepod run 'echo hello | tr a-z A-Z'       one word is a script
  codepod run ls -la /usr                     several words are a command with its arguments
  codepod run 'echo $1 $2' one two            unless the script uses $1, $2, … or $@
  codepod run script.sh one two               a file of yours, where the sandbox has no such command
  codepod run -c 'seq 3' -f                   always a script, with its arguments
  codepod run -f script.sh                    always a file of yours; - is standard input
  codepod run < script.sh
  git log --oneline | codepod run 'sort -k 2 | head'
  codepod run --mount .:/work:overlay --preview 'sed -i s/old/new/ /work/*.txt'
  codepod run --state play 'x=5; echo $x > file'; codepod run --state play 'echo $x; cat file'

Of a script file only its text is in the sandbox: --mount gives it the files beside it. A script ends
with its EXIT trap, and `set -e` and the like end with it.

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
    /// Do not add lines `codepod: …` to what the script prints: hints and reached limits
    #[arg(long)]
    no_hints: bool,
    /// Print nothing but what the script prints: no hints, no progress, no reached limits
    #[arg(short, long)]
    quiet: bool,
    /// Run this script; the words are $1, $2, …
    #[arg(short = 'c', long = "script", value_name = "SCRIPT")]
    script: Option<OsString>,
    /// Run this file of the host as a script; the words are $1, $2, …
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "script",
        allow_hyphen_values = true
    )]
    file: Option<OsString>,
    /// A script, or a command with its arguments; read from standard input if missing
    #[arg(trailing_var_arg = true, value_name = "SCRIPT or COMMAND")]
    words: Vec<OsString>,
}

impl Run {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let from_input = self.reads_script();
        let (asked, file) = self.asked()?;
        if let Some(name) = &self.state {
            self.sandbox.check_for_state(name)?;
        }
        if self.quiet {
            progress::silence();
        }
        let mut options = self.sandbox.options()?;
        options.hints = !self.no_hints && !self.quiet;
        let env = crate::options::variables(&options);
        let reads = !from_input && has_input();
        let state = self.state.as_deref();
        let place = wall::open(options, state)?;
        let asked = match file {
            Some(file) if file.is_wanted(place.sandbox()) => {
                file.asked(self.words.get(1..).unwrap_or_default())?
            }
            _ => asked,
        };
        let arguments = [&asked.zero].into_iter().chain(&asked.parameters);
        let script = place
            .sandbox()
            .script(asked.script)
            .arguments(arguments.map(|word| word.as_encoded_bytes()));
        // A state that is kept has an environment already.
        let script = match place {
            Place::Saved(_) => env
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

    /// Whether the script comes from standard input, which is used up then.
    fn reads_script(&self) -> bool {
        let none = self.script.is_none() && self.file.is_none() && self.words.is_empty();
        none || self.file.as_deref() == Some(OsStr::new("-"))
    }

    /// What to run, and the file of the host that may be meant instead.
    fn asked(&self) -> Result<(Asked, Option<HostFile>), Failure> {
        let (words, first) = (&self.words, self.words.first());
        Ok(match (&self.script, &self.file) {
            (Some(script), _) => (Asked::script(script, words), None),
            (None, Some(file)) => (Asked::file(file, words)?, None),
            (None, None) if first.is_none() => {
                check_has_script()?;
                (Asked::file(OsStr::new("-"), words)?, None)
            }
            (None, None) => {
                let file = first.and_then(|word| HostFile::named(word));
                (words::asked(words)?, file)
            }
        })
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

/// A result for programs. A stream that is not UTF-8 is there in base64 as well.
pub(crate) fn as_json(result: &RunResult) -> serde_json::Value {
    let mut json = serde_json::json!({
        "exit_code": result.exit_code,
        "stdout": result.stdout_text(),
        "stderr": result.stderr_text(),
        "execution_time_ms": result.execution_time.as_secs_f64() * 1000.0,
        "success": result.success(),
        "timed_out": result.timed_out,
        "truncated": result.truncated,
    });
    for (name, bytes) in [
        ("stdout_base64", &result.stdout),
        ("stderr_base64", &result.stderr),
    ] {
        if let (_, Some(base64)) = Bytes::lossy(bytes.clone()) {
            json[name] = base64.into();
        }
    }
    json
}

fn check_has_script() -> Result<(), Failure> {
    if std::io::stdin().is_terminal() {
        return Err(Failure::new(
            "there is no script",
            "write it as an argument, `codepod run 'echo hi'`, pass it on standard input, or start `codepod shell`",
        ));
    }
    Ok(())
}
