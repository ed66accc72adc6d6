//! `bench`: the benchmarks, each beside its reference measured in the same run.

use crate::Command;
use crate::failure::{Failure, Outcome, flag_and_names};
use crate::{metadata, process};

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    arguments: "[FILTER]",
    about: "run the benchmarks, or those whose name contains FILTER",
    more: "Builds and runs crates/codepod-bench in release mode. The machine should be idle.",
    run,
};

fn run(arguments: &[String]) -> Outcome {
    let (_, filters) = flag_and_names(arguments, "", "bench")?;
    if !metadata::has_package("codepod-bench")? {
        return Err(Failure::new(
            "there are no benchmarks yet: the workspace has no crate `codepod-bench`",
        ));
    }
    process::cargo()
        .args([
            "run",
            "--release",
            "--quiet",
            "--package",
            "codepod-bench",
            "--",
        ])
        .args(filters)
        .run()
}
