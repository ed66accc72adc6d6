//! `bench`: the benchmarks, each beside its reference measured in the same run, and the round trips
//! of the packages for other languages.

use std::path::{Path, PathBuf};

use crate::Command;
use crate::failure::{Failure, Outcome, flag_and_names};
use crate::sources::Source;
use crate::{cache, metadata, process, sdk, spec};

/// A benchmark of a package: its name and how it is run with a program.
type Package = (&'static str, fn(&Path) -> Outcome);

const PACKAGES: &[Package] = &[("python", python), ("typescript", typescript)];

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    arguments: "[FILTER]",
    about: "run the benchmarks, or those whose name contains FILTER",
    more: "Builds and runs crates/codepod-bench in release mode, then sdk/python/bench.py (`python`) and\n\
        sdk/typescript/bench (`typescript`) with a release build of the program. The machine should be idle.",
    run,
};

fn run(arguments: &[String]) -> Outcome {
    let (_, filters) = flag_and_names(arguments, "", "bench")?;
    if !metadata::has_package("codepod-bench")? {
        return Err(Failure::new(
            "there are no benchmarks yet: the workspace has no crate `codepod-bench`",
        ));
    }
    let is_package = |name: &str| PACKAGES.iter().any(|(package, _)| *package == name);
    let others: Vec<&str> = filters
        .iter()
        .copied()
        .filter(|name| !is_package(name))
        .collect();
    if filters.is_empty() || !others.is_empty() {
        rust(&others)?;
    }
    let chosen = PACKAGES
        .iter()
        .filter(|(name, _)| filters.is_empty() || filters.contains(name));
    let mut program = None;
    for (_, bench) in chosen {
        let program = match &program {
            Some(program) => program,
            None => program.insert(release()?),
        };
        bench(program)?;
    }
    Ok(())
}

fn rust(filters: &[&str]) -> Outcome {
    let wants =
        |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(*filter));
    let mut benches = process::cargo();
    // The command is measured as it is shipped, with its guests inside.
    if wants("cli") {
        process::cargo()
            .args(["build", "--release", "--quiet", "--bin", "codepod"])
            .args(["--features", "codepod-cli/embed-all"])
            .run()?;
        let target = cache::target();
        benches = benches.env("CODEPOD_CLI", target.join("release/codepod"));
    }
    if wants("cpython") {
        benches = benches
            .env("CODEPOD_PYPERFORMANCE", pyperformance()?)
            .env("CODEPOD_NUMPY", native_numpy()?);
    }
    if wants("javascript")
        && let Some(node) = spec::native_node()?
    {
        benches = benches.env("CODEPOD_NODE", node);
    }
    if wants("network-clients") {
        benches = benches.env("CODEPOD_REQUESTS", requests()?);
    }
    benches
        .args([
            "run",
            "--release",
            "--quiet",
            "--bin",
            "codepod-bench",
            "--",
        ])
        .args(filters)
        .run()
}

/// The package pyperformance, as a wheel in the cache.
fn pyperformance() -> Outcome<PathBuf> {
    const WHEEL: &str = "pyperformance-1.14.0-py3-none-any.whl";
    const SHA256: &str = "94068ac2935b6952ccb5e8a302eb9cebc26e82454494bef6e53822738adf0049";
    Source::pypi("pyperformance", WHEEL, SHA256).archive()
}

/// numpy and pandas for the machine's own Python, in a directory of the cache.
fn native_numpy() -> Outcome<PathBuf> {
    const VERSIONS: [&str; 3] = ["numpy==2.4.6", "pandas==3.1.1", "matplotlib==3.10.9"];
    installed(&VERSIONS, &[])
}

/// The package requests without compiled parts, which both sides run.
fn requests() -> Outcome<PathBuf> {
    let anywhere = "--only-binary=:all: --platform=any --abi=none --implementation=py";
    let options: Vec<&str> = anywhere.split(' ').collect();
    installed(&["requests==2.34.2"], &options)
}

/// Packages of Python, in a directory of the cache.
fn installed(versions: &[&str], options: &[&str]) -> Outcome<PathBuf> {
    let place = cache::directory()?.join(format!("bench-{}", versions.join("-")));
    if !place.exists() {
        process::program("python3")
            .args(["-m", "pip", "install", "--quiet", "--target"])
            .arg(&place)
            .args(options)
            .args(versions)
            .run()?;
    }
    Ok(place)
}

/// A release build of the program.
fn release() -> Outcome<PathBuf> {
    process::cargo()
        .args(["build", "--release", "--quiet", "--bin", "codepod"])
        .run()?;
    let target = cache::target();
    Ok(target.join("release/codepod"))
}

/// The round trip of the Python package.
fn python(program: &Path) -> Outcome {
    process::program("python3")
        .arg(cache::in_root("sdk/python/bench.py"))
        .env("CODEPOD_BIN", program)
        .run()
}

/// The round trip of the TypeScript package.
fn typescript(program: &Path) -> Outcome {
    let package = cache::in_root("sdk/typescript");
    sdk::typescript::build(&package)?;
    process::program("node")
        .arg(package.join("dist/bench/roundtrip.js"))
        .env("CODEPOD_BIN", program)
        .run()
}
