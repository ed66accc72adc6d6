//! `spec`: conformance cases of the shell and its tools, in the sandbox and in real bash.
//!
//! The shell does not exist yet, and neither do cases. The command says so rather than pretend.

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, unknown_argument};

pub(crate) const COMMAND: Command = Command {
    name: "spec",
    arguments: "run|verify|bless [FILTER]",
    about: "conformance cases: in the sandbox; in bash; recorded from bash",
    more: "There is no shell yet, so there are no cases in spec/, and only `run` does anything: it says so.",
    run,
};

fn run(arguments: &[String]) -> Outcome {
    let Some(action) = arguments.first() else {
        return Err(Failure::usage(
            "`spec` needs `run`, `verify` or `bless`",
            "`cargo xtask spec --help` tells more",
        ));
    };
    if arguments.len() > 2 {
        return Err(unknown_argument(&arguments[2], "spec"));
    }
    match action.as_str() {
        "run" => run_cases(),
        "verify" | "bless" => Err(Failure::new(format!(
            "`spec {action}` compares cases with bash, and there are no cases until the shell exists"
        ))),
        other => Err(unknown_argument(other, "spec")),
    }
}

/// Runs the cases in the sandbox.
pub(crate) fn run_cases() -> Outcome {
    let files = cache::files(&cache::in_root("spec"), &|path| {
        !cache::is_build_output(path)
    })?;
    let cases = files
        .iter()
        .filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .count();
    if cases > 0 {
        return Err(Failure::new(format!(
            "spec/ holds {cases} files of cases, but xtask has no runner for them yet"
        ))
        .hint("the runner comes with the shell: xtask/src/spec.rs"));
    }
    println!("spec: no cases: there is no shell yet");
    Ok(())
}
