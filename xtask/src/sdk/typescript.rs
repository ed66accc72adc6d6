//! The TypeScript package: types, tests, tarballs, and the first minute of a new user.

use std::path::Path;

use crate::cache;
use crate::docs;
use crate::failure::{Failure, Outcome};
use crate::parts::Made;
use crate::platform::{PLATFORMS, Platform};
use crate::process::{self, Watched};

/// Types, tests, tarballs and first minute.
pub(super) fn all() -> Outcome<String> {
    let package = cache::in_root("sdk/typescript");
    build(&package)?;
    let program = docs::build_cli()?;
    let tests = test(&package, &program)?;
    Ok(format!("{tests}, {}", first_minute(&package, &program)?))
}

/// Compiles the package and its tests, which checks their types. `npm ci` only when the lock file
/// is not what is installed.
pub(crate) fn build(package: &Path) -> Outcome {
    let lock = cache::read(&package.join("package-lock.json"))?;
    let digest = blake3::hash(lock.as_bytes()).to_hex();
    let done = package.join("node_modules").join(format!(".{digest}"));
    if !done.exists() {
        npm(package, &["ci", "--no-audit", "--no-fund"])?;
        cache::write(&done, b"")?;
    }
    npm(package, &["run", "build"])
}

fn npm(package: &Path, arguments: &[&str]) -> Outcome {
    process::program("npm")
        .args(arguments)
        .directory(package)
        .hint("the TypeScript package needs Node 20 or newer with npm")
        .run()
}

/// The tests, against a program; returns how many passed.
fn test(package: &Path, program: &Path) -> Outcome<String> {
    let compiled = package.join("dist/test");
    let is_test = |path: &Path| path.to_string_lossy().ends_with(".test.js");
    let mut tests = cache::files(&compiled, &|_| true)?;
    tests.retain(|path| is_test(path));
    let mut counts = Vec::new();
    let passed = process::program("node")
        .args(["--test", "--test-reporter=tap"])
        .args(&tests)
        .directory(package)
        .env("CODEPOD_BIN", program)
        .env(crate::parity::VARIABLE, crate::parity::directory()?)
        .watch(Watched::Stdout, |line| {
            counts.extend(line.strip_prefix("# pass ").map(str::to_owned));
        })?;
    match counts.pop() {
        Some(count) if passed => Ok(format!("{count} passed")),
        _ => Err(
            Failure::new("tests of the TypeScript package failed").hint(
                "`CODEPOD_BIN=PROGRAM node --test --test-name-pattern=NAME dist/test/FILE` in sdk/typescript runs one",
            ),
        ),
    }
}

/// What is published on npm: the package, the program, and the parts.
pub(crate) fn release_tarballs(
    platform: &Platform,
    program: &Path,
    parts: &[Made],
    out: &Path,
) -> Outcome {
    let package = cache::in_root("sdk/typescript");
    build(&package)?;
    let platforms: Vec<&str> = PLATFORMS.iter().map(|it| it.name).collect();
    process::program("node")
        .arg(package.join("platform/pack.mjs"))
        .args([program, out, Path::new(platform.name)])
        .arg(platforms.join(","))
        .args(parts.iter().map(Made::packed))
        .directory(&package)
        .run()
}

/// From an empty directory to the first lines of the README, with the tarballs that are published;
/// the script judges the time.
fn first_minute(package: &Path, program: &Path) -> Outcome<String> {
    let mut said = String::new();
    let passed = process::program("node")
        .arg(package.join("platform/try.mjs"))
        .arg(program)
        .directory(package)
        .watch(Watched::Stdout, |line| {
            if let Some(text) = line.strip_prefix("ok: ") {
                text.clone_into(&mut said);
            }
        })?;
    if passed {
        Ok(said)
    } else {
        Err(Failure::new(
            "what is published does not work for a new user",
        ))
    }
}
