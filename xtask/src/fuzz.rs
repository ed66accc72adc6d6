//! `fuzz`: runs the fuzz targets for a while, or replays their committed corpus.
//!
//! Fuzzing needs a nightly compiler and cargo-fuzz. A replay needs neither: what the targets do is
//! a library, and `fuzz/examples/replay.rs` hands it the files of the corpus one by one.

use std::path::{Path, PathBuf};

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, flag_and_names, unknown_argument};
use crate::{process, tools};

pub(crate) const COMMAND: Command = Command {
    name: "fuzz",
    arguments: "[--replay] [SECONDS] [TARGET]",
    about: "fuzz every target for SECONDS (60), or replay the corpus",
    more: "Fuzzing uses the nightly toolchain and cargo-fuzz, which is installed into the cache when missing.\n\
        New inputs are kept in the cache; fuzz/README.md says how they become part of the corpus.\n\
        --replay runs every file of fuzz/corpus/TARGET once, on the stable compiler; CI does that.",
    run,
};

/// How many corpus files one replaying process gets; keeps the command line short.
const FILES_AT_ONCE: usize = 500;

fn run(arguments: &[String]) -> Outcome {
    let (only_replay, rest) = flag_and_names(arguments, "--replay", "fuzz")?;
    let (seconds, wanted) = match rest[..] {
        [] => (60, None),
        [first] => match first.parse() {
            Ok(seconds) => (seconds, None),
            Err(_) => (60, Some(first)),
        },
        [seconds, target] => (
            seconds
                .parse()
                .map_err(|_| unknown_argument(seconds, "fuzz"))?,
            Some(target),
        ),
        [_, _, extra, ..] => return Err(unknown_argument(extra, "fuzz")),
    };
    if only_replay {
        return replay(wanted).map(drop);
    }
    let targets = targets(wanted)?;
    if targets.is_empty() {
        println!("fuzz: there is no fuzz target yet");
        return Ok(());
    }
    tools::FUZZ.ensure()?;
    for target in targets {
        fuzz(&target, seconds)?;
    }
    Ok(())
}

fn fuzz(target: &str, seconds: u64) -> Outcome {
    // libFuzzer writes what it finds into the first directory and only reads the second.
    let found = cache::directory()?.join("fuzz-corpus").join(target);
    cache::make_directory(&found)?;
    let corpus = cache::in_root("fuzz/corpus").join(target);
    cache::make_directory(&corpus)?;
    process::program("rustup")
        .args(["run", "nightly", "cargo", "fuzz", "run", target])
        .args([found, corpus])
        .args(["--", "-timeout=10", "-max_len=4096"])
        .arg(format!("-max_total_time={seconds}"))
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO")
        .hint(format!(
            "the input is in fuzz/artifacts/{target}; put it into fuzz/corpus/{target} with the fix"
        ))
        .run()
}

/// Replays the corpus; returns how many files that were.
pub(crate) fn replay(wanted: Option<&str>) -> Outcome<usize> {
    let targets = targets(wanted)?;
    if targets.is_empty() {
        println!("fuzz: there is no fuzz target yet");
        return Ok(0);
    }
    let program = build_for_replay()?;
    let mut replayed = 0;
    for target in targets {
        let corpus = cache::in_root("fuzz/corpus").join(&target);
        let files = cache::files(&corpus, &|_| true)?;
        if files.is_empty() {
            return Err(
                Failure::new(format!("fuzz target `{target}` has no corpus")).hint(format!(
                    "`cargo xtask fuzz 600 {target}`; fuzz/README.md says how to fill fuzz/corpus/{target}"
                )),
            );
        }
        for files in files.chunks(FILES_AT_ONCE) {
            run_files(&target, &program, files)?;
        }
        println!("fuzz: {target}: {} inputs replayed", files.len());
        replayed += files.len();
    }
    Ok(replayed)
}

fn build_for_replay() -> Outcome<PathBuf> {
    let directory = match cache::chosen_target() {
        Some(target) => target.join("fuzz-replay"),
        None => cache::in_root("fuzz/target/replay"),
    };
    process::cargo()
        .args(["build", "--quiet", "--profile", "replay"])
        .args(["--manifest-path", "fuzz/Cargo.toml"])
        .args(["--no-default-features", "--example", "replay"])
        .env("CARGO_TARGET_DIR", &directory)
        .run()?;
    Ok(directory.join("replay/examples/replay"))
}

fn run_files(target: &str, program: &Path, files: &[PathBuf]) -> Outcome {
    let output = process::program(program)
        .arg(target)
        .args(files)
        .directory(&cache::in_root("fuzz"))
        .hint(format!(
            "an input of fuzz/corpus/{target} fails; the last `Running:` line names it"
        ))
        .output();
    output.map(drop)
}

/// The targets of fuzz/, or the one that is wanted.
fn targets(wanted: Option<&str>) -> Outcome<Vec<String>> {
    let directory = cache::in_root("fuzz/fuzz_targets");
    let mut names: Vec<String> = cache::files(&directory, &|path| {
        path.extension().is_some_and(|extension| extension == "rs")
    })?
    .iter()
    .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
    .collect();
    if let Some(wanted) = wanted {
        if !names.iter().any(|name| name == wanted) {
            return Err(Failure::usage(
                format!("there is no fuzz target `{wanted}`"),
                format!(
                    "there is: {}",
                    if names.is_empty() {
                        "none".into()
                    } else {
                        names.join(", ")
                    }
                ),
            ));
        }
        names.retain(|name| name == wanted);
    }
    Ok(names)
}
