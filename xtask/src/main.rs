//! codepod's tasks: `cargo xtask COMMAND`.
//!
//! One file per command; [`COMMANDS`] lists them. What several commands need is in files named for
//! what they hold: [`process`] starts programs, [`cache`] knows where things are kept, [`digest`]
//! names content, [`tools`] pins the cargo tools, [`metadata`] asks cargo about a workspace.
//! [`layers`], [`threats`] and [`links`] compare documents with the code.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task talks to the person who started it"
)]

mod absent;
mod bench;
mod cache;
mod check;
mod ci;
mod columns;
mod deny;
mod digest;
mod disk_space;
mod dist;
mod docs;
mod failure;
mod fuzz;
mod generate;
mod guests;
mod jail;
mod layers;
mod links;
mod lock;
mod markdown;
mod metadata;
#[path = "../../crates/codepod-spec/src/missing.rs"]
mod missing;
mod notices;
mod packages;
mod parity;
mod parts;
mod platform;
mod process;
mod purl;
mod sdk;
mod semver;
mod setup;
mod sizes;
mod sources;
mod spec;
mod support;
mod test;
mod threats;
mod tools;
mod versions;
mod wasm;

use std::process::ExitCode;

use failure::{Failure, Outcome};

/// A command: how it is called, what it does, and its code.
struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    /// What `--help` says beyond `about`.
    more: &'static str,
    run: fn(&[String]) -> Outcome,
}

const COMMANDS: &[Command] = &[
    setup::COMMAND,
    check::COMMAND,
    guests::COMMAND,
    parts::COMMAND,
    test::COMMAND,
    spec::COMMAND,
    generate::COMMAND,
    bench::COMMAND,
    fuzz::COMMAND,
    jail::COMMAND,
    parity::COMMAND,
    notices::COMMAND,
    deny::COMMAND,
    docs::COMMAND,
    sdk::COMMAND,
    semver::COMMAND,
    dist::COMMAND,
    dist::cross::COMMAND,
    dist::sbom::COMMAND,
    dist::image::COMMAND,
    dist::provenance::COMMAND,
    ci::COMMAND,
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.status)
        }
    }
}

fn dispatch(arguments: &[String]) -> Outcome {
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", overview());
        return Ok(());
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", overview());
        return Ok(());
    }
    let command = COMMANDS
        .iter()
        .find(|command| command.name == name)
        .ok_or_else(|| {
            Failure::usage(
                format!("there is no command `{name}`"),
                "`cargo xtask --help` lists them",
            )
        })?;
    if rest
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        print!("{}", command.help());
        return Ok(());
    }
    (command.run)(rest)
}

fn overview() -> String {
    let mut text = String::from("usage: cargo xtask COMMAND [ARGUMENTS]\n\n");
    for command in COMMANDS {
        let call = format!("{} {}", command.name, command.arguments);
        text += &format!("  {:<42} {}\n", call.trim_end(), command.about);
    }
    text + "\n`cargo xtask COMMAND --help` tells more about one of them.\n"
}

impl Command {
    fn help(&self) -> String {
        let call = format!("usage: cargo xtask {} {}", self.name, self.arguments);
        let mut text = format!("{}\n\n{}\n", call.trim_end(), self.about);
        if !self.more.is_empty() {
            text += &format!("\n{}\n", self.more);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &[&str]) -> Outcome {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.into()).collect();
        dispatch(&arguments)
    }

    #[test]
    fn an_unknown_command_is_refused_with_status_2() {
        assert_eq!(call(&["nonsense"]).unwrap_err().status, 2);
    }

    #[test]
    fn every_command_refuses_an_unknown_option_with_status_2() {
        for command in COMMANDS {
            let failure = call(&[command.name, "--nonsense"]).unwrap_err();
            assert_eq!(failure.status, 2, "{}: {failure}", command.name);
        }
    }

    #[test]
    fn every_command_explains_itself() {
        for command in COMMANDS {
            assert!(command.help().contains(command.about), "{}", command.name);
            call(&[command.name, "--help"]).unwrap();
        }
    }
}
