//! Memory of idle sandboxes and forks.

use codepod::{Options, Sandbox};

use crate::create;
use crate::report::{Goal, Report};

/// Resident memory of this host process, in bytes.
pub(crate) fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = status
        .split_whitespace()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(0);
    pages * 4096
}

/// How many KB each of so many sandboxes adds. They are kept: what they free, the next ones would
/// take.
fn each(
    count: usize,
    kept: &mut Vec<Sandbox>,
    mut make: impl FnMut(usize) -> Result<Sandbox, codepod::Error>,
) -> Result<f64, codepod::Error> {
    kept.reserve(count);
    let before = resident();
    for i in 0..count {
        kept.push(make(i)?);
    }
    let after = resident();
    Ok(after.saturating_sub(before) as f64 / count as f64 / 1024.0)
}

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let parent = create::sandbox(Options::default())?;
    parent.command(["hello"]).run_blocking()?;
    for i in 0..1000 {
        parent.write_file(format!("/home/user/f{i}"), [7; 1000])?;
    }
    let mut kept = Vec::new();
    let fork = each(10_000, &mut kept, |_| parent.fork())?;
    report.figure(
        "an idle fork",
        format!("{fork:.2} KB"),
        fork,
        Goal::AtMost(16.0),
        "KB",
    );
    let idle = each(1000, &mut kept, |_| {
        let sandbox = create::sandbox(Options::default())?;
        sandbox.command(["true_tiny"]).run_blocking()?;
        Ok(sandbox)
    })?;
    report.figure(
        "an idle sandbox that ran a command",
        format!("{idle:.2} KB"),
        idle,
        Goal::AtMost(20.0),
        "KB",
    );
    let written = each(1000, &mut kept, |i| {
        let sandbox = create::sandbox(Options::default())?;
        sandbox.write_file("/home/user/notes.txt", format!("sandbox {i}\n"))?;
        Ok(sandbox)
    })?;
    report.note(
        "  and wrote a file",
        format!("{written:.2} KB"),
        "best peer 35 KB",
    );
    Ok(())
}
