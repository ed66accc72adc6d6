//! `spec`: conformance cases of the shell and its tools, in the sandbox and in real bash. `codepod-spec` runs them.

use crate::Command;
use crate::failure::{Failure, Outcome, unknown_argument};
use crate::process;

pub(crate) const COMMAND: Command = Command {
    name: "spec",
    arguments: "run|verify|bless|support|edges [FILTER] | oils|fuzz [OPTIONS]",
    about: "conformance cases: in the sandbox; in bash; recorded from bash",
    more: "run, verify and bless take the cases of spec/ whose `DIRECTORY/TOPIC/NAME` contains FILTER:\n\
        `cargo xtask spec bless tools/sed/` records those of sed.\n\
        support adds the options of the real tools' --help to what their files say about options.\n\
        edges lists which unusual inputs the cases of each tool show; run and verify fail when one is not shown.\n\
        oils runs the cases of the Oils project, which are beside the checkout in ../shared/oils-spec.\n\
        fuzz compares the shell with bash on random scripts, and shows small ones on which they differ.\n\
        `cargo run -p codepod-spec -- --help` lists the options.",
    run,
};

/// How many random scripts CI runs. Their seed is fixed: one in some thousands of new scripts still finds one of bash's own mistakes, and
/// what does not come from a change must not fail it.
const FUZZED: &str = "300";

/// How many cases of Oils must pass in CI.
const OILS_AT_LEAST: usize = 2_475;

fn run(arguments: &[String]) -> Outcome {
    let Some((action, rest)) = arguments.split_first() else {
        return Err(Failure::usage(
            "`spec` needs `run`, `verify`, `bless`, `oils` or `fuzz`",
            "`cargo xtask spec --help` tells more",
        ));
    };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    match action.as_str() {
        "run" | "verify" | "bless" | "support" | "edges" => match rest[..] {
            [] => codepod_spec(&[action]),
            [filter] if !filter.starts_with('-') => codepod_spec(&[action, filter]),
            [first, ..] => Err(unknown_argument(first, "spec")),
        },
        "oils" => codepod_spec(&[&["oils"], &rest[..]].concat()),
        "fuzz" => codepod_spec(&[&["fuzz"], &rest[..]].concat()),
        other => Err(unknown_argument(other, "spec")),
    }
}

/// What CI runs: every case, in bash and in the sandbox.
pub(crate) fn run_cases() -> Outcome {
    codepod_spec(&["verify"])?;
    codepod_spec(&["run"])?;
    codepod_spec(&["oils", "--at-least", &OILS_AT_LEAST.to_string()])?;
    codepod_spec(&["fuzz", "--seed", "2", "--count", FUZZED])
}

fn codepod_spec(arguments: &[&str]) -> Outcome {
    process::cargo()
        .args(["run", "--quiet", "--bin", "codepod-spec", "--"])
        .args(arguments)
        .run()
}
