//! `docs`: builds the Rust documentation without a warning and runs the examples of the documents.
//!
//! An example is a fenced block marked `console`: lines that start with `$ codepod` are run with
//! the command line from this checkout, and what follows each must be what it prints. All of a
//! block run in one directory, empty at first, where states are kept too. Each has a minute. Other
//! commands in such a block are shown, not run.

use std::path::{Path, PathBuf};
use std::process::Command as Program;

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, no_arguments};
use crate::{metadata, parts, process};

pub(crate) const COMMAND: Command = Command {
    name: "docs",
    arguments: "",
    about: "build the Rust documentation and run the documents' examples",
    more: "An example is a `console` block of a Markdown file with lines that start with `$ codepod`.",
    run,
};

fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments, "docs")?;
    all().map(drop)
}

/// An example: where it is, what is called, what must be printed.
#[derive(Debug, PartialEq)]
struct Example {
    line: usize,
    /// Which block of the document, counted from 1.
    block: usize,
    command: String,
    output: String,
}

/// Builds the documentation and runs the examples; returns how many those were.
pub(crate) fn all() -> Outcome<usize> {
    process::cargo()
        .args([
            "doc",
            "--quiet",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ])
        .env("RUSTDOCFLAGS", "--deny warnings")
        .run()?;
    let programs = run_programs()?;
    println!("docs: {programs} example programs ran");
    let mut examples = Vec::new();
    for file in cache::files(cache::root(), &|path| !cache::is_build_output(path))? {
        if file.extension().is_some_and(|extension| extension == "md") {
            let text = cache::read(&file)?;
            examples.extend(
                parse(&text)
                    .into_iter()
                    .map(|example| (file.clone(), example)),
            );
        }
    }
    if examples.is_empty() {
        println!("docs: no document has an example to run yet");
        return Ok(0);
    }
    let program = build_cli()?;
    let place = std::env::temp_dir().join(format!("codepod-example-{}", std::process::id()));
    for block in examples.chunk_by(|a, b| (&a.0, a.1.block) == (&b.0, b.1.block)) {
        cache::make_directory(&place.join(WORK))?;
        let tried = block
            .iter()
            .try_for_each(|(file, example)| try_example(&program, &place, file, example));
        let _ = std::fs::remove_dir_all(&place);
        tried?;
    }
    println!(
        "docs: {} examples print what the documents say",
        examples.len()
    );
    Ok(examples.len())
}

/// The directory that examples run in, beside that of their saved states: one that holds those
/// draws a warning when it is mounted.
const WORK: &str = "work";

/// Where the example programs are.
const PROGRAMS: &str = "crates/codepod/examples";

/// Runs the example programs; each checks itself. Returns how many there are.
fn run_programs() -> Outcome<usize> {
    let mut count = 0;
    for file in cache::files(&cache::in_root(PROGRAMS), &|_| true)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        process::cargo()
            .args(["run", "--quiet", "--example", &name])
            .hint("an example program checks itself: it is out of date, or something is broken")
            .run()?;
        count += 1;
    }
    Ok(count)
}

fn parse(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut in_console = false;
    let mut collecting = false;
    let mut block = 0;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            in_console = !in_console && line.trim_end() == "```console";
            collecting = false;
            block += usize::from(in_console);
        } else if !in_console {
            continue;
        } else if let Some(command) = line.strip_prefix("$ ") {
            collecting = command.starts_with("codepod ");
            if collecting {
                examples.push(Example {
                    line: index + 1,
                    block,
                    command: command.to_owned(),
                    output: String::new(),
                });
            }
        } else if collecting && let Some(example) = examples.last_mut() {
            example.output += line;
            example.output.push('\n');
        }
    }
    examples
}

/// Builds the command with its tools inside, as it is shipped, with the parts beside it, and
/// returns its path.
pub(crate) fn build_cli() -> Outcome<PathBuf> {
    if !metadata::has_package("codepod-cli")? {
        return Err(Failure::new(
            "documents have examples, but the workspace has no crate `codepod-cli`",
        ));
    }
    let built = parts::bring()?;
    process::cargo()
        .args(["build", "--quiet", "--bin", "codepod"])
        .args(["--features", "codepod-cli/embed"])
        .run()?;
    Ok(built.join("codepod"))
}

fn try_example(program: &Path, place: &Path, file: &Path, example: &Example) -> Outcome {
    let bin = program.parent().unwrap_or(Path::new("."));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path));
    // An example that does not end must not keep CI waiting.
    let output = Program::new("timeout")
        .args(["60", "bash", "-c"])
        .arg(format!("{{ {}\n}} 2>&1", example.command))
        .env("PATH", std::env::join_paths(paths).unwrap_or_default())
        .env("CODEPOD_STATES", place.join("states"))
        .current_dir(place.join(WORK))
        .output();
    let shown = file.strip_prefix(cache::root()).unwrap_or(file).display();
    let output =
        output.map_err(|error| Failure::new(format!("timeout and bash did not start: {error}")))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if printed == example.output {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{shown}:{}: `{}` prints\n{printed}but the document says\n{}",
        example.line, example.command, example.output
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CI runs what the README has under Install: setup, guests, and the command with all guests
    /// inside ([`build_cli`]). Here the words are compared with what there is.
    #[test]
    fn the_commands_that_the_readme_installs_with_exist() {
        let text = cache::read(&cache::in_root("README.md")).unwrap();
        // The block that builds; the one that installs from registries is run word for word by
        // `scripts/try-packages.sh`.
        let mut blocks = text.split("```sh\n").skip(1);
        let block = blocks
            .find(|block| block.starts_with("cargo xtask"))
            .unwrap();
        let (block, _) = block.split_once("```").unwrap();
        for line in block.lines() {
            let command = line.split(" #").next().unwrap_or_default();
            let words: Vec<&str> = command.split_whitespace().collect();
            match words[..] {
                ["cargo", "xtask", name] => {
                    let known = crate::COMMANDS.iter().any(|command| command.name == name);
                    assert!(known, "{line}");
                }
                ["cargo", "install", "--path", package, "--features", feature] => {
                    let manifest = cache::in_root(package).join("Cargo.toml");
                    let manifest = cache::read_toml(&manifest).unwrap();
                    let features = manifest["features"].as_table().unwrap();
                    assert!(features.contains_key(feature), "{line}");
                }
                _ => panic!("this test does not know `{command}`"),
            }
        }
    }

    #[test]
    fn examples_are_the_codepod_lines_of_console_blocks() {
        let text = "```console\n$ cargo build\nnoise\n$ codepod exec -- echo hi\nhi\n```\n```sh\n$ codepod no\n```\n";
        let expected = Example {
            line: 4,
            block: 1,
            command: "codepod exec -- echo hi".into(),
            output: "hi\n".into(),
        };
        assert_eq!(parse(text), [expected]);
    }

    #[test]
    fn an_example_that_prints_something_else_fails() {
        use std::os::unix::fs::PermissionsExt;

        let bin = std::env::temp_dir().join(format!("codepod-docs-test-{}", std::process::id()));
        let program = bin.join("codepod");
        cache::write(&program, b"#!/bin/sh\necho \"$2\"\n").unwrap();
        cache::make_directory(&bin.join(WORK)).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let example = |output: &str| Example {
            line: 1,
            block: 1,
            command: "codepod exec hi | tr a-z A-Z".into(),
            output: output.into(),
        };
        let right = try_example(&program, &bin, Path::new("a.md"), &example("HI\n"));
        let wrong = try_example(&program, &bin, Path::new("a.md"), &example("hi\n"));
        std::fs::remove_dir_all(&bin).unwrap();
        assert!(right.is_ok(), "{right:?}");
        assert!(wrong.unwrap_err().to_string().contains("a.md:1"));
    }
}
