//! Many sandboxes at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use codepod::{Options, Sandbox};
use futures_lite::future::block_on;

use crate::create;
use crate::memory::resident;
use crate::report::{Goal, Report};

const SANDBOXES: usize = 1000;
const COMMANDS_EACH: usize = 40;

/// Commands a second over all sandboxes, each running its own one after the other.
fn rate(sandboxes: &[Sandbox], program: &'static str) -> f64 {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                block_on(async {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        if i >= sandboxes.len() * COMMANDS_EACH {
                            return;
                        }
                        let sandbox = &sandboxes[i % sandboxes.len()];
                        let _ = sandbox.command([program]).run().await;
                    }
                });
            });
        }
    });
    (sandboxes.len() * COMMANDS_EACH) as f64 / start.elapsed().as_secs_f64()
}

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let sandboxes: Vec<Sandbox> = (0..SANDBOXES)
        .map(|_| create::sandbox(Options::default()))
        .collect::<Result<_, _>>()?;
    rate(&sandboxes[..10], "true_tiny");
    for (program, what) in [
        ("true_tiny", "true_tiny"),
        ("true", "toolbox true"),
        ("hello", "hello"),
    ] {
        if sandboxes[0].command([program]).run_blocking()?.exit_code != 0 {
            report.note(&format!("1,000 sandboxes running {what}"), "not built", "");
            continue;
        }
        let rate = rate(&sandboxes, program);
        let (what, shown) = (
            format!("1,000 sandboxes running {what}"),
            format!("{rate:.0}/s"),
        );
        if program == "true" {
            report.figure(&what, shown, rate, Goal::AtLeast(40_000.0), "/s");
        } else {
            report.note(&what, shown, "");
        }
    }
    let resident = resident() as f64 / 1e6;
    report.figure(
        "  resident memory of it all",
        format!("{resident:.1} MB"),
        resident,
        Goal::AtMost(50.0),
        "MB",
    );
    let many: Vec<Sandbox> = (0..10_000)
        .map(|_| create::sandbox(Options::default()))
        .collect::<Result<_, _>>()?;
    let mut failed = 0;
    for sandbox in many.iter().step_by(100) {
        failed += usize::from(sandbox.command(["true_tiny"]).run_blocking()?.exit_code != 0);
    }
    report.figure(
        "10,000 sandboxes: commands that failed",
        failed,
        failed as f64,
        Goal::AtMost(0.0),
        "",
    );
    Ok(())
}
