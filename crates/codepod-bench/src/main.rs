//! Benchmarks. `cargo xtask bench [FILTER]` runs them.
//!
//! Each prints our figure, the reference measured in the same run, the ratio, and the goal. Rounds of ours and
//! of the reference alternate, and medians are compared, because the machine is shared and noisy.

#![expect(clippy::print_stdout, reason = "it prints a report")]

mod bare;
mod concurrency;
mod create;
mod memory;
mod native;
mod pipe;
mod report;
mod snapshot;
mod spawn;
mod timing;
mod tools;

use report::Report;

/// One benchmark: its name and what it does.
type Benchmark = (
    &'static str,
    fn(&mut Report) -> Result<(), Box<dyn std::error::Error>>,
);

const BENCHMARKS: &[Benchmark] = &[
    ("spawn", spawn::run),
    ("create", create::run),
    ("pipe", pipe::run),
    ("snapshot", snapshot::run),
    ("memory", memory::run),
    ("concurrency", concurrency::run),
    ("tools", tools::run),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let filter: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = filter.iter().find(|word| {
        !BENCHMARKS
            .iter()
            .any(|(name, _)| name.contains(word.as_str()))
    }) {
        let names: Vec<_> = BENCHMARKS.iter().map(|(name, _)| *name).collect();
        return Err(format!("no benchmark `{unknown}`; there are {}", names.join(", ")).into());
    }
    let mut report = Report::new();
    for (name, run) in BENCHMARKS {
        if filter.is_empty() || filter.iter().any(|word| name.contains(word.as_str())) {
            run(&mut report)?;
        }
    }
    println!();
    report.print_missed();
    Ok(())
}
