//! `check`: what can be said without running a guest; meant to be run often.

use crate::Command;
use crate::cache;
use crate::failure::{Outcome, no_arguments};
use crate::process;
use crate::{columns, generate, guests, layers, links, metadata, notices, test, threats, versions};

pub(crate) const COMMAND: Command = Command {
    name: "check",
    arguments: "",
    about: "format, clippy, documents against code, tests of the pure crates",
    more: "Needs no guest. In order: rustfmt and clippy in both workspaces, the layer table of ARCHITECTURE.md,\n\
        the threat ids of docs/security.md, links between documents, columns of prose, generated files, third-party notices, versions, and the tests of\n\
        codepod-abi, codepod-vfs, codepod-kernel and xtask.",
    run,
};

/// The crates whose tests need neither a guest nor an engine.
pub(crate) const PURE: &[&str] = &["codepod-abi", "codepod-vfs", "codepod-kernel", "xtask"];

fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments, "check")?;
    without_tests()?;
    let there = metadata::host()?;
    let pure = PURE
        .iter()
        .filter(|name| there.iter().any(|package| package.name == **name));
    let packages: Vec<&str> = pure.flat_map(|name| ["--package", name]).collect();
    test::nextest(&packages)?.judge()?;
    Ok(())
}

/// Format, clippy and documents. CI runs the tests with all others.
pub(crate) fn without_tests() -> Outcome {
    let guests = cache::in_root("guests/Cargo.toml");
    let guests = guests.exists().then_some(guests);

    let format = "`cargo fmt` puts it in order (for guests: `cargo fmt --all --manifest-path guests/Cargo.toml`)";
    process::cargo()
        .args(["fmt", "--all", "--check"])
        .hint(format)
        .run()?;
    if let Some(manifest) = &guests {
        process::cargo()
            .args(["fmt", "--all", "--check", "--manifest-path"])
            .arg(manifest)
            .hint(format)
            .run()?;
    }

    documents()?;

    process::cargo()
        .args([
            "clippy",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ])
        .run()?;
    if guests.is_some() {
        guests::guest_cargo(cache::root(), "clippy", &guests::all_sources()?)?
            .args(["--quiet", "--workspace"])
            .args(NOT_LINTED.iter().flat_map(|package| ["--exclude", package]))
            .args(["--", "--deny", "warnings"])
            .run()?;
    }
    Ok(())
}

/// Guests' libraries that are other people's code, whose sources come with those of Python.
const NOT_LINTED: [&str; 3] = ["jiter-python", "pydantic-core", "python-extensions"];

/// Compares the documents with the code.
pub(crate) fn documents() -> Outcome {
    println!("{}", layers::check()?);
    println!("{}", threats::check()?);
    println!("{}", links::check()?);
    println!("{}", columns::check()?);
    println!("{}", generate::check()?);
    println!("{}", notices::check()?);
    println!("{}", versions::check()?);
    Ok(())
}
