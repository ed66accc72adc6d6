//! `codepod python 'CODE'` and `codepod js 'CODE'`, or `< script`: code in a session.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use clap::Args;
use codepod::{Error, InterpreterSession, Sandbox};

use crate::failure::Failure;
use crate::options::{SandboxOptions, compiling};
use crate::run::as_json;
use crate::streams::read_all;
use crate::streams::{has_input, pass_in, pass_through};
use crate::wall;

const PYTHON_EXAMPLES: &str = "\
Examples:
  codepod python 'import math; math.pi * 2 ** 2'
  codepod python < script.py
  codepod python --mount .:/work 'import pandas; pandas.read_csv(\"/work/data.csv\").describe()'
  codepod python --state play 'x = 5'; codepod python --state play 'x + 1'

The value of the last line is printed, as at Python's prompt. `codepod exec -- python3 …` runs
CPython itself, with its own options.

The exit status is Python's; 124 after the timeout, 125 when codepod itself fails.";

const JS_EXAMPLES: &str = "\
Examples:
  codepod js '[1, 2, 3].map((x) => x * 2)'
  codepod js < script.js
  codepod js --state play 'let n = 5'; codepod js --state play 'n + 1'

The value of the last statement is printed, as at Node's prompt. `codepod exec -- node …` runs Node
itself, with its own options.

The exit status is Node's; 124 after the timeout, 125 when codepod itself fails.";

#[derive(Args)]
#[command(after_help = PYTHON_EXAMPLES)]
pub(crate) struct Python {
    #[command(flatten)]
    code: Code,
}

#[derive(Args)]
#[command(after_help = JS_EXAMPLES)]
pub(crate) struct Js {
    #[command(flatten)]
    code: Code,
}

impl Python {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        self.code.run(&PYTHON)
    }
}

impl Js {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        self.code.run(&JS)
    }
}

/// What differs between the two.
struct Language {
    name: &'static str,
    /// The command of this program.
    command: &'static str,
    /// The command of a sandbox that runs it.
    program: &'static str,
    endings: &'static [&'static str],
    session: fn(&Sandbox, &str) -> Result<InterpreterSession, Error>,
}

const PYTHON: Language = Language {
    name: "Python",
    command: "python",
    program: "python3",
    endings: &[".py"],
    session: |sandbox, name| sandbox.python_session(name),
};

const JS: Language = Language {
    name: "Node",
    command: "js",
    program: "node",
    endings: &[".js", ".mjs", ".cjs"],
    session: |sandbox, name| sandbox.javascript_session(name),
};

#[derive(Args)]
struct Code {
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// Resume the saved state of this name, or create it, and save files and variables to it
    #[arg(long, value_name = "NAME", conflicts_with = "env")]
    state: Option<String>,
    /// The session whose variables the code sees and changes
    #[arg(long, value_name = "NAME", default_value = "main")]
    session: String,
    /// Print the result as one line of JSON when the code has ended
    #[arg(long)]
    json: bool,
    /// The code; read from standard input if missing
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

impl Code {
    fn run(self, language: &Language) -> Result<u8, Failure> {
        let code = match &self.code {
            Some(code) => {
                language.check_is_code(code)?;
                code.clone()
            }
            None => language.read_code()?,
        };
        if let Some(name) = &self.state {
            self.sandbox.check_for_state(name)?;
        }
        let options = self.sandbox.options()?;
        let timeout = options.timeout;
        // Code from standard input has used it up.
        let reads = self.code.is_some() && has_input();
        let state = self.state.as_deref();
        let place = wall::open(options, state)?;
        language.check_is_installed()?;
        let session = (language.session)(place.sandbox(), &self.session)?;
        let session = session.timeout(timeout);
        let progress = compiling(place.sandbox());
        let status = match self.json {
            true => collected(session, &code, reads)?,
            false => passed(&session, &code, reads)?,
        };
        drop(progress);
        place.save()?;
        Ok(status)
    }
}

/// Runs code with this program's own streams.
fn passed(session: &InterpreterSession, code: &str, reads: bool) -> Result<u8, Failure> {
    let mut running = match reads {
        true => session.start(code)?,
        false => session.start_without_input(code)?,
    };
    pass_in(running.stdin.take());
    let printed = [running.stdout.take(), running.stderr.take()];
    pass_through(printed, || running.wait_blocking())
}

/// Runs code to its end and prints the result then, as JSON.
fn collected(session: InterpreterSession, code: &str, reads: bool) -> Result<u8, Failure> {
    let session = match reads {
        true => session.stdin(read_all()?),
        false => session,
    };
    let result = session.run_blocking(code)?;
    let _ = writeln!(std::io::stdout(), "{}", as_json(&result));
    Ok(result.exit_code as u8)
}

impl Language {
    /// Says how to get the interpreter where its part is not installed.
    fn check_is_installed(&self) -> Result<(), Failure> {
        let mut parts = codepod::parts().iter().filter(|part| !part.is_there());
        match parts.find(|part| part.commands().any(|command| command == self.program)) {
            None => Ok(()),
            Some(part) => Err(Failure::new(
                format!(
                    "{} is in the part `{}`, which is not installed",
                    self.name, part.name
                ),
                "`codepod parts` says how to install it",
            )),
        }
    }

    /// Refuses the name of a file, which the interpreter would take and which no code is.
    fn check_is_code(&self, code: &str) -> Result<(), Failure> {
        let names_file = self.endings.iter().any(|ending| code.ends_with(ending));
        if names_file && Path::new(code).is_file() {
            return Err(Failure::new(
                format!("`{code}` is a file, not code"),
                format!(
                    "pass it on standard input: `codepod {} < {code}`",
                    self.command
                ),
            ));
        }
        Ok(())
    }

    fn read_code(&self) -> Result<String, Failure> {
        if std::io::stdin().is_terminal() {
            return Err(Failure::new(
                "there is no code",
                format!(
                    "write it as an argument, `codepod {} '1 + 1'`, or pass it on standard input",
                    self.command
                ),
            ));
        }
        String::from_utf8(read_all()?).map_err(|_| {
            Failure::new(
                "the code on standard input is not UTF-8",
                "`iconv -t UTF-8` converts it",
            )
        })
    }
}
