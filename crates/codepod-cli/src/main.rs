//! The `codepod` command: arguments in, output and exit status out. Decisions are the library's.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
#![forbid(unsafe_code)]
#![expect(clippy::print_stderr, reason = "a command-line program")]

mod apply;
mod cache;
mod changes;
mod code;
mod completions;
#[cfg(unix)]
mod descriptors;
mod doctor;
mod exec;
mod failure;
mod licenses;
mod listing;
mod lookup;
mod manual;
mod mcp;
mod network;
mod options;
mod parts;
mod progress;
mod rpc;
mod run;
mod serve;
#[cfg(unix)]
mod shell;
#[cfg(not(unix))]
#[path = "shell/refused.rs"]
mod shell;
mod states;
mod streams;
#[cfg(feature = "telemetry")]
mod telemetry;
mod terminal_text;
mod tools;
mod undo;
mod wall;
mod words;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  codepod run 'echo hello | tr a-z A-Z'        a script in a new sandbox
  codepod run ls -la /                         a command with its arguments
  codepod run script.sh                        a script file of yours
  codepod run --state play 'x=5'               files and variables kept for the next time
  codepod python 'sum(range(10))'              Python code, with the last value printed
  codepod shell --state play                   the same at a prompt
  codepod run --mount .:/work:overlay …        a directory of yours, which stays as it is
  codepod doctor                               what this machine has and lacks

`codepod COMMAND --help` tells more, with examples.";

/// A computer for every AI agent, in microseconds.
#[derive(Parser)]
#[command(name = "codepod", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a script or a command in a sandbox, with standard input and output passed through
    Run(run::Run),
    /// Run Python code in a sandbox, in a session that keeps its variables
    Python(code::Python),
    /// Run JavaScript in a sandbox, in a session of Node that keeps its variables
    Js(code::Js),
    /// Open an interactive shell in a sandbox
    Shell(shell::Shell),
    /// Run one tool in a new sandbox, with standard input and output passed through
    Exec(exec::Exec),
    /// List, show, copy, compare, export, import and remove saved states
    States(states::States),
    /// Show what a saved state has changed
    Changes(changes::ChangesOf),
    /// Apply what a saved state has changed in a mounted directory to the host
    Apply(apply::Apply),
    /// Undo the last runs of a saved state
    Undo(undo::Undo),
    /// List the tools of a sandbox, or the options that one of them supports
    Tools(tools::Tools),
    /// List, install, check and remove parts: guests that ship beside this program
    Parts(parts::Parts),
    /// Fill what sandboxes of a server share of what they download
    Cache(cache::Cache),
    /// Check this machine: what codepod can use, what is missing and how to get it
    Doctor(doctor::Doctor),
    /// Print the licences of the software that this program contains
    Licenses(licenses::Licenses),
    /// Print the version
    #[command(after_help = "Examples:\n  codepod version")]
    Version,
    /// Print a completion script for a shell
    Completions(completions::Completions),
    /// Write the manual pages of this program into a directory
    Manual(manual::Manual),
    /// Serve JSON-RPC on standard input and output, one message per line
    Rpc(rpc::Rpc),
    /// Serve the HTTP API, for many tenants with API keys
    Serve(serve::Serve),
    /// Serve a sandbox as tools for a model (Model Context Protocol)
    Mcp(mcp::Mcp),
    /// Look up names for a program behind its wall; it starts this by itself
    #[command(name = lookup::COMMAND, hide = true)]
    LookUpNames,
}

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    if matches!(
        command,
        Command::Rpc(_) | Command::Serve(_) | Command::Mcp(_)
    ) {
        #[cfg(unix)]
        descriptors::raise();
    }
    let result = match command {
        Command::Run(run) => run.run(),
        Command::Python(python) => python.run(),
        Command::Js(js) => js.run(),
        Command::Shell(shell) => shell.run(),
        Command::Exec(exec) => exec.run(),
        Command::States(states) => states.run(),
        Command::Changes(changes) => changes.run(),
        Command::Apply(apply) => apply.run(),
        Command::Undo(undo) => undo.run(),
        Command::Tools(tools) => tools.run(),
        Command::Parts(parts) => parts.run(),
        Command::Cache(cache) => cache.run(),
        Command::Doctor(doctor) => doctor.run(),
        Command::Licenses(licenses) => Ok(licenses.run()),
        Command::Version => Ok(version()),
        Command::Completions(completions) => completions.run(),
        Command::Manual(manual) => manual.run(),
        Command::Rpc(rpc) => rpc.run(),
        Command::Serve(serve) => serve.run(),
        Command::Mcp(mcp) => mcp.run(),
        Command::LookUpNames => Ok(lookup::serve()),
    };
    ExitCode::from(result.unwrap_or_else(|failure| failure.tell()))
}

/// As `--version` does, for those who type `version`.
#[expect(clippy::print_stdout, reason = "a command-line program")]
fn version() -> u8 {
    println!("codepod {}", env!("CARGO_PKG_VERSION"));
    0
}
