//! Snapshot, fork and restore of sandboxes of different sizes.

use codepod::{Options, Sandbox};

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

struct Times {
    snapshot: f64,
    fork: f64,
    restore: f64,
}

fn measure(
    report: &mut Report,
    files: usize,
    bytes: usize,
) -> Result<Times, Box<dyn std::error::Error>> {
    let sandbox = filled(files, bytes)?;
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
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
    let [snapshot, fork, restore] = times.map(|mut times| median(&mut times));
    let size = format!("{files} files, {} MB", files * bytes / 1_000_000);
    for (what, took) in [("snapshot", snapshot), ("fork", fork), ("restore", restore)] {
        report.figure(
            &format!("{what}: {size}"),
            show(took),
            micros(took),
            Goal::AtMost(10.0),
            "µs",
        );
    }
    Ok(Times {
        snapshot: micros(snapshot),
        fork: micros(fork),
        restore: micros(restore),
    })
}

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let small = measure(report, 10, 10_000)?;
    let middle = measure(report, 10_000, 10_000)?;
    let large = measure(report, 100_000, 100)?;
    let spread = |get: fn(&Times) -> f64| {
        let values = [get(&small), get(&middle), get(&large)];
        values.iter().copied().fold(0.0, f64::max) / values.iter().copied().fold(f64::MAX, f64::min)
    };
    for (what, get) in [
        ("snapshot", (|t| t.snapshot) as fn(&Times) -> f64),
        ("fork", |t| t.fork),
        ("restore", |t| t.restore),
    ] {
        let spread = spread(get);
        report.figure(
            &format!("{what}: largest over smallest"),
            format!("×{spread:.2}"),
            spread,
            Goal::AtMost(2.0),
            "×",
        );
    }
    Ok(())
}
