//! `jail`: the command line behind the wall, with the drill.

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, no_arguments};
use crate::parts;
use crate::test;

pub(crate) const COMMAND: Command = Command {
    name: "jail",
    arguments: "",
    about: "try from inside what must not work, and run the tests of the command line behind the wall",
    more: "Builds `codepod` as it is shipped, with its guests inside, and with the drill: what somebody tries who has taken it\n\
        over. Takes out each line of the table of system calls in turn, and fails where nothing needs it.",
    run,
};

fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments, "jail")?;
    println!("jail: {}", all()?);
    Ok(())
}

/// What the command line is built with: as it is shipped, with the drill, and with traces, whose
/// test would need a build of its own otherwise.
const FEATURES: &str = "codepod-cli/embed,codepod-cli/drill,codepod-cli/telemetry";

/// Runs all tests of the command line as it is shipped.
pub(crate) fn all() -> Outcome<String> {
    if !cache::in_root("guests/dist/guests.toml").exists() {
        let why = Failure::new("guests/dist is empty: the wall is tried around guests");
        return Err(why.hint("build them with `cargo xtask guests`"));
    }
    parts::bring()?;
    let tests = cache::files(&cache::in_root("crates/codepod-cli/tests"), &|path| {
        path.extension().is_some_and(|extension| extension == "rs")
    })?;
    let names: Vec<_> = tests
        .iter()
        .filter_map(|test| test.file_stem()?.to_str())
        .collect();
    // Named by their targets: with `--package` the packages that others share would have other
    // features than in `cargo xtask test`, and wasmtime would be compiled again.
    let mut arguments = vec!["--workspace", "--features", FEATURES];
    arguments.extend(names.iter().flat_map(|name| ["--test", name]));
    arguments.extend(["--filterset", "package(codepod-cli)"]);
    let count = test::nextest(&arguments)?;
    count.judge()?;
    Ok(format!("{} tests", count.passed))
}
