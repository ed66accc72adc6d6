//! The `codepod` command: arguments in, output and exit status out. Decisions are the library's.

#![forbid(unsafe_code)]
#![expect(clippy::print_stderr, reason = "a command-line program")]

mod exec;
mod options;
mod run;
mod streams;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use codepod::{Errno, Error, ErrorKind};

/// A computer for every AI agent, in microseconds.
#[derive(Parser)]
#[command(name = "codepod", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run one tool in a new sandbox, with standard input and output passed through
    Exec(exec::Exec),
    /// Run a bash script in a new sandbox, with standard input and output passed through
    Run(run::Run),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Exec(exec) => exec.run(),
        Command::Run(run) => run.run(),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(hint) = error.hint() {
                eprintln!("hint: {hint}");
            }
            ExitCode::from(status_of(&error))
        }
    }
}

/// The status that a shell would give: 127 for a tool that is not there, 126 for one that cannot be run, and
/// 125 for what is wrong with codepod or its options.
fn status_of(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::Spawn {
            errno: Errno::NoEnt,
            ..
        } => 127,
        ErrorKind::Spawn { .. } => 126,
        _ => 125,
    }
}
