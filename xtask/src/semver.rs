//! `semver`: whether the library's interface has changed more than its version says.

use crate::Command;
use crate::failure::{Failure, Outcome, unknown_argument};
use crate::process;
use crate::tools::SEMVER_CHECKS;

pub(crate) const COMMAND: Command = Command {
    name: "semver",
    arguments: "BASELINE [CRATE…]",
    about: "compare the interface of the library with that of a tag or commit",
    more: "BASELINE is what was released last, for example v0.1.0. Without CRATE it is `codepod`, the only one whose\n\
        interface is promised (docs/releasing.md). Both versions are compiled, which takes minutes.",
    run,
};

/// The crates whose interfaces are promised.
const PROMISED: [&str; 1] = ["codepod"];

fn run(arguments: &[String]) -> Outcome {
    if let Some(option) = arguments.iter().find(|it| it.starts_with('-')) {
        return Err(unknown_argument(option, "semver"));
    }
    let (baseline, crates) = arguments.split_first().ok_or_else(|| {
        Failure::usage(
            "`semver` needs something to compare with",
            "name the tag of the last release, for example v0.1.0",
        )
    })?;
    let crates: Vec<&str> = match crates.is_empty() {
        true => PROMISED.to_vec(),
        false => crates.iter().map(String::as_str).collect(),
    };
    let known = process::program("git").args(["rev-parse", "--quiet", "--verify"]);
    if !known.arg(format!("{baseline}^{{commit}}")).succeeds() {
        return Err(Failure::new(format!("there is no commit `{baseline}`"))
            .hint("`git tag` lists the releases; `git fetch --tags` brings them"));
    }
    SEMVER_CHECKS.ensure()?;
    let packages = crates.into_iter().flat_map(|name| ["--package", name]);
    process::cargo()
        .args(["semver-checks", "--baseline-rev", baseline])
        .args(packages)
        .hint("keep the old interface, or raise the version: docs/releasing.md says by how much")
        .run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_is_needed_and_has_to_be_a_commit() {
        assert_eq!(run(&[]).unwrap_err().status, 2);
        let failure = run(&["no-such-tag".into()]).unwrap_err().to_string();
        assert!(failure.contains("no commit `no-such-tag`"), "{failure}");
    }
}
