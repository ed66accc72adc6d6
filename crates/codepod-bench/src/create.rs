//! Creating a sandbox, and what the other benchmarks create.

use codepod::{Options, Sandbox};

use crate::report::{Goal, Report};
use crate::timing::{median, micros, percentile, show, time};

const ROUNDS: usize = 5000;

/// A sandbox with the test programs.
pub(crate) fn sandbox(mut options: Options) -> Result<Sandbox, codepod::Error> {
    options.guest_groups = vec![codepod_guests::TEST_PROGRAMS.into()];
    Sandbox::create(options)
}

/// The module of a test program.
pub(crate) fn wasm(name: &str) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let guest = codepod_guests::group(codepod_guests::TEST_PROGRAMS)
        .find(|guest| guest.name == name)
        .ok_or("the test programs are not built: run `cargo xtask guests`")?;
    Ok(guest.module().code.wasm()?.into_owned())
}

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    sandbox(Options::default())?
        .command(["true_tiny"])
        .run_blocking()?;
    let mut created = Vec::new();
    let mut with_command = Vec::new();
    for _ in 0..ROUNDS {
        let (took, result) = time(|| sandbox(Options::default()));
        drop(result?);
        created.push(took);
        let (took, result) = time(|| {
            sandbox(Options::default())?
                .command(["true_tiny"])
                .run_blocking()
        });
        result?;
        with_command.push(took);
    }
    let p99 = percentile(&mut created, 99);
    let created = median(&mut created);
    report.figure(
        "create a sandbox",
        show(created),
        micros(created),
        Goal::AtMost(60.0),
        "µs",
    );
    report.note("  p99", show(p99), "best peer 48–58 µs");
    report.note(
        "create and run true_tiny",
        show(median(&mut with_command)),
        "",
    );
    Ok(())
}
