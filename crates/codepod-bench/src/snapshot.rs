//! Snapshot, fork, restore, undo, commit and changes of sandboxes of different sizes.

use codepod::{Moment, Options, Sandbox};

use crate::create;
use crate::report::{Goal, Report};
use crate::timing::{median, micros, show, time};

const ROUNDS: usize = 2000;

/// A sandbox with so many files of so many bytes.
fn filled(files: usize, bytes: usize) -> Result<Sandbox, Box<dyn std::error::Error>> {
    let mut options = Options::default();
    options.fs_limits.bytes = 1 << 30;
    options.fs_limits.nodes = 1 << 20;
    let sandbox = create::sandbox(options)?;
    let content: Vec<u8> = (0..bytes).map(|i| (i * 31 + i / 7) as u8).collect();
    for i in 0..files {
        if i % 100 == 0 {
            sandbox.mkdir(format!("/home/user/d{}", i / 100))?;
        }
        sandbox.write_file(format!("/home/user/d{}/f{i}", i / 100), &content)?;
    }
    Ok(sandbox)
}

/// What is measured, in the order of the times.
const OPERATIONS: [&str; 6] = [
    "snapshot",
    "fork",
    "restore",
    "undo",
    "commit of a preview",
    "changes of 10 files",
];
/// The most that each may take, in microseconds.
const GOALS: [f64; 6] = [10.0, 10.0, 10.0, 20.0, 20.0, 1000.0];
/// Rounds with a shell take longer.
const RUNS: usize = 300;

fn measure(
    report: &mut Report,
    files: usize,
    bytes: usize,
) -> Result<[f64; 6], Box<dyn std::error::Error>> {
    let sandbox = filled(files, bytes)?;
    let mut times: [Vec<std::time::Duration>; 6] = Default::default();
    for round in 0..ROUNDS {
        let (took, snapshot) = time(|| sandbox.snapshot());
        let snapshot = snapshot?;
        times[0].push(took);
        let (took, fork) = time(|| sandbox.fork());
        drop(fork?);
        times[1].push(took);
        // Something has changed each time, so that there is something to put back.
        sandbox.write_file("/home/user/d0/f0", round.to_le_bytes())?;
        let (took, restored) = time(|| sandbox.restore(&snapshot));
        restored?;
        times[2].push(took);
    }
    for _ in 0..RUNS {
        sandbox
            .run_blocking("x=$((x+1)); for i in 0 1 2 3 4 5 6 7 8 9; do echo x$x > d0/f$i; done")?;
        let (took, changes) = time(|| sandbox.changes(Moment::Before(last(&sandbox)), Moment::Now));
        if changes?.len() != 10 {
            return Err("other files than those have changed".into());
        }
        times[5].push(took);
        let (took, undone) = time(|| sandbox.undo(1));
        undone?;
        times[3].push(took);
        let preview = sandbox.script("echo $((y++)) > d0/f0").preview_blocking()?;
        let (took, committed) = time(|| preview.commit());
        committed?;
        times[4].push(took);
    }
    let size = format!("{files} files, {} MB", files * bytes / 1_000_000);
    let mut medians = [0.0; 6];
    for (index, mut times) in times.into_iter().enumerate() {
        let took = median(&mut times);
        medians[index] = micros(took);
        report.figure(
            &format!("{}: {size}", OPERATIONS[index]),
            show(took),
            micros(took),
            Goal::AtMost(GOALS[index]),
            "µs",
        );
    }
    Ok(medians)
}

/// The number of the last run.
fn last(sandbox: &Sandbox) -> u64 {
    sandbox.history().last().map_or(0, |run| run.number)
}

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let all = [
        measure(report, 10, 10_000)?,
        measure(report, 10_000, 10_000)?,
        measure(report, 100_000, 100)?,
    ];
    for (index, operation) in OPERATIONS.iter().enumerate() {
        let values = all.map(|times| times[index]);
        let spread = values.iter().copied().fold(0.0, f64::max)
            / values.iter().copied().fold(f64::MAX, f64::min);
        report.figure(
            &format!("{operation}: largest over smallest"),
            format!("×{spread:.2}"),
            spread,
            Goal::AtMost(2.0),
            "×",
        );
    }
    Ok(())
}
