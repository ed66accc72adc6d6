//! Benchmarks. `cargo xtask bench [FILTER]` runs them.
//!
//! Each prints our figure, the reference measured in the same run, the ratio, and the goal. Rounds
//! of ours and of the reference alternate, and medians are compared, because the machine is shared
//! and noisy. Each runs in a process of its own, because figures of memory are wrong where another
//! benchmark has left memory behind.

#![expect(clippy::print_stdout, reason = "it prints a report")]

mod agent;
mod bare;
mod cli;
mod clients;
mod concurrency;
mod cpython;
mod create;
mod data;
mod faults;
mod javascript;
mod memory;
mod native;
mod network;
mod pipe;
mod report;
mod run;
mod serve;
mod sessions;
mod shell;
mod snapshot;
mod spawn;
mod store;
mod timing;
mod tools;

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use report::Report;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// One benchmark: its name and what it does.
type Benchmark = (&'static str, fn(&mut Report) -> Outcome);

const BENCHMARKS: &[Benchmark] = &[
    ("spawn", spawn::run),
    ("create", create::run),
    ("run", run::run),
    ("shell", shell::run),
    ("agent", agent::run),
    ("pipe", pipe::run),
    ("network", network::run),
    ("network-clients", clients::run),
    ("snapshot", snapshot::run),
    ("store", store::run),
    ("memory", memory::run),
    ("concurrency", concurrency::run),
    ("tools", tools::run),
    ("cpython", cpython::run),
    ("javascript", javascript::run),
    ("sessions", sessions::run),
    ("serve", serve::run),
    ("cli", cli::run),
];

/// The first argument of the process that runs one benchmark.
const ALONE: &str = "--alone";

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [first, name] if first == ALONE => run_alone(name),
        filter => run_all(filter),
    }
}

/// Runs those whose name contains a word of the filter, or all.
fn run_all(filter: &[String]) -> Outcome {
    let chosen = |name: &str, word: &String| name.contains(word.as_str());
    if let Some(unknown) = filter
        .iter()
        .find(|word| !BENCHMARKS.iter().any(|(name, _)| chosen(name, word)))
    {
        let names: Vec<_> = BENCHMARKS.iter().map(|(name, _)| *name).collect();
        return Err(format!("no benchmark `{unknown}`; there are {}", names.join(", ")).into());
    }
    report::print_head();
    let mut missed = Vec::new();
    for (name, _) in BENCHMARKS {
        if filter.is_empty() || filter.iter().any(|word| chosen(name, word)) {
            missed.extend(start_alone(name)?);
        }
    }
    println!();
    if missed.is_empty() {
        println!("every goal was met");
    }
    for line in missed {
        println!("{line}");
    }
    Ok(())
}

/// Starts this program for one benchmark and passes on what it prints; returns the goals that it
/// missed.
fn start_alone(name: &str) -> Outcome<Vec<String>> {
    let mut child = Command::new(std::env::current_exe()?)
        .args([ALONE, name])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut missed = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            if line.starts_with(report::MISSED) {
                missed.push(line);
            } else {
                println!("{line}");
            }
        }
    }
    if child.wait()?.success() {
        Ok(missed)
    } else {
        Err(format!("the benchmark `{name}` failed").into())
    }
}

fn run_alone(name: &str) -> Outcome {
    let (_, run) = BENCHMARKS
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or("no such benchmark")?;
    let mut report = Report::default();
    run(&mut report)?;
    report.print_missed();
    Ok(())
}
