//! The Python package: types, tests, wheel, and the first minute of a new user.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::{judge_first_result, work_directory};
use crate::cache;
use crate::docs;
use crate::failure::{Failure, Outcome};
use crate::parity;
use crate::parts::Made;
use crate::platform::Platform;
use crate::process::{self, Watched};
use crate::versions::VERSION;

/// What types, tests and the wheel need.
const TOOLS: &str = "sdk/python/requirements-dev.txt";

/// Types, tests, wheel and first minute.
pub(super) fn all() -> Outcome<String> {
    let environment = environment(TOOLS)?;
    let package = cache::in_root("sdk/python");
    process::program(environment.join("bin/mypy"))
        .arg("--no-error-summary")
        .directory(&package)
        .run()?;
    let program = docs::build_cli()?;
    let tests = test(&environment, &package, &program)?;
    let wheel = wheel(&environment, &program)?;
    Ok(format!("{tests}, {}", first_minute(&wheel)?))
}

/// The tests, against a program; returns what pytest says of them.
fn test(environment: &Path, package: &Path, program: &Path) -> Outcome<String> {
    let mut summary = String::new();
    let passed = process::program(environment.join("bin/pytest"))
        .args(["-q", "-p", "no:cacheprovider", "--color=no"])
        .directory(package)
        .env("CODEPOD_BIN", program)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env(parity::VARIABLE, parity::directory()?)
        .watch(Watched::Stdout, |line| summary = line.to_owned())?;
    if passed {
        Ok(summary)
    } else {
        Err(Failure::new("tests of the Python package failed")
            .hint("`CODEPOD_BIN=PROGRAM pytest -k NAME` in sdk/python runs one"))
    }
}

/// An environment with what a file of requirements lists, kept in the cache by what that says.
pub(crate) fn environment(requirements: &str) -> Outcome<PathBuf> {
    let requirements = cache::in_root(requirements);
    let digest = blake3::hash(cache::read(&requirements)?.as_bytes()).to_hex();
    let directory = cache::directory()?
        .join("python")
        .join(&digest.as_str()[..16]);
    let done = directory.join("done");
    if !done.exists() {
        make_environment(&directory)?;
        process::program(directory.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(requirements)
            .run()?;
        cache::write(&done, b"")?;
    }
    Ok(directory)
}

fn make_environment(directory: &Path) -> Outcome {
    process::program("python3")
        .args(["-m", "venv", "--clear"])
        .arg(directory)
        .hint("the Python package needs Python 3.9 or newer with `venv`")
        .run()
}

/// The wheels that are published: the package with the program, and one for each part.
pub(crate) fn release_wheels(
    platform: &Platform,
    program: &Path,
    parts: &[Made],
    out: &Path,
) -> Outcome {
    let environment = environment(TOOLS)?;
    build_wheel(&environment, platform.wheel, program, out)?;
    for part in parts {
        process::program(environment.join("bin/python"))
            .arg("scripts/part-wheel.py")
            .args([&part.name, VERSION, platform.wheel])
            .arg(part.packed())
            .args([&part.about, part.needs.as_deref().unwrap_or("")])
            .arg(out)
            .run()?;
    }
    Ok(())
}

/// Builds the wheel with a program of the debug build.
fn wheel(environment: &Path, program: &Path) -> Outcome<PathBuf> {
    let out = work_directory("wheels")?;
    for old in cache::files(&out, &|_| true)? {
        std::fs::remove_file(&old).map_err(|error| Failure::file("remove", &old, error))?;
    }
    build_wheel(environment, Platform::host()?.wheel, program, &out)?;
    let made = cache::files(&out, &|_| true)?;
    let mut wheels = made.into_iter();
    wheels
        .find(|file| file.extension().is_some_and(|it| it == "whl"))
        .ok_or_else(|| Failure::new("hatchling has built no wheel"))
}

/// Builds the wheel of the package, with a program of a platform in it.
fn build_wheel(environment: &Path, platform: &str, program: &Path, out: &Path) -> Outcome {
    process::program(environment.join("bin/hatchling"))
        .args(["build", "--target", "wheel", "--directory"])
        .arg(out)
        .env("CODEPOD_PROGRAM", program)
        .env("CODEPOD_PLATFORM", platform)
        .env("SOURCE_DATE_EPOCH", "0")
        .directory(&cache::in_root("sdk/python"))
        .run()
}

/// From an empty environment to the first lines of the README, and how long that takes.
fn first_minute(wheel: &Path) -> Outcome<String> {
    let directory = work_directory("first-minute-python")?;
    make_environment(&directory)?;
    let began = Instant::now();
    process::program(directory.join("bin/pip"))
        .args([
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-index",
        ])
        .arg(wheel)
        .run()?;
    let readme = cache::read(&cache::in_root("sdk/python/README.md"))?;
    let (code, expected) = first_example(&readme)
        .ok_or_else(|| Failure::new("sdk/python/README.md begins with no example"))?;
    let printed = process::program(directory.join("bin/python"))
        .args(["-c", code])
        .directory(&directory)
        .env_remove("CODEPOD_BIN")
        .env_remove("PYTHONPATH")
        .output()?;
    if printed != expected {
        return Err(Failure::new(format!(
            "the README's first lines printed {printed:?}, not {expected:?}"
        )));
    }
    judge_first_result(began)
}

/// The first example of a document and what it prints.
fn first_example(text: &str) -> Option<(&str, &str)> {
    let block = |text: &'static str, from: &'_ str| -> Option<(usize, usize)> {
        let start = from.find(text)? + text.len();
        Some((start, start + from[start..].find("```")?))
    };
    let (start, end) = block("```python\n", text)?;
    let rest = &text[end..];
    let (out_start, out_end) = block("```text\n", rest)?;
    Some((&text[start..end], &rest[out_start..out_end]))
}

#[cfg(test)]
mod tests {
    use super::first_example;

    #[test]
    fn the_first_example_and_its_output_are_found() {
        let text = "x\n```python\na\nb\n```\n\n```text\nc\n```\n```python\nd\n```\n";
        assert_eq!(first_example(text), Some(("a\nb\n", "c\n")));
        assert_eq!(first_example("no\n"), None);
    }
}
