//! Python in the sandbox beside the machine's own: how long a start takes, and the programs of `benches/python`.

use std::process::Command;
use std::time::Duration;

use codepod::{Options, Sandbox};

use crate::report::{Goal, Report};
use crate::timing::{median, micros, show, time};
use crate::{Outcome, create};

const STARTS: usize = 200;
const ROUNDS: usize = 3;

/// A program, what it does, and how much longer it may take than natively.
const PROGRAMS: &[(&str, &str, f64)] = &[
    (
        "10 million turns of a loop",
        include_str!("../../../benches/python/loop.py"),
        2.0,
    ),
    (
        "json, 150,000 rows",
        include_str!("../../../benches/python/json.py"),
        1.7,
    ),
    (
        "regular expressions",
        include_str!("../../../benches/python/regex.py"),
        1.3,
    ),
    (
        "sha256 of 50 MB",
        include_str!("../../../benches/python/sha.py"),
        2.0,
    ),
];

pub(crate) fn run(report: &mut Report) -> Outcome {
    let native = native()?;
    let sandbox = create::sandbox(Options::default())?;
    let (first, result) = time(|| ours(&sandbox, "print(1)"));
    result?;
    report.figure(
        "first `python3 -c 'print(1)'` of a process",
        show(first),
        micros(first) / 1e3,
        Goal::AtMost(50.0),
        "ms",
    );
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for i in 0..STARTS {
        here.push(measure(|| ours(&sandbox, "print(1)"))?.0);
        if i % 10 == 0 {
            there.push(measure(|| theirs(&native, "print(1)"))?.0);
        }
    }
    let (here, there) = (median(&mut here), median(&mut there));
    report.figure(
        "python3 -c 'print(1)', median",
        show(here),
        micros(here) / 1e3,
        Goal::AtMost(1.5),
        "ms",
    );
    report.ratio(
        "  beside the machine's python3",
        show(here),
        show(there),
        here.as_secs_f64() / there.as_secs_f64(),
        Goal::AtMost(0.1),
    );
    for (what, program, goal) in PROGRAMS {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (took, answer) = measure(|| ours(&sandbox, program))?;
            here.push(took);
            let (took, expected) = measure(|| theirs(&native, program))?;
            there.push(took);
            if answer != expected {
                return Err(format!("{what}: another answer than the machine's python3").into());
            }
        }
        let (here, there) = (median(&mut here), median(&mut there));
        let ratio = here.as_secs_f64() / there.as_secs_f64();
        report.ratio(what, show(here), show(there), ratio, Goal::AtMost(*goal));
    }
    Ok(())
}

fn measure(f: impl FnOnce() -> Outcome<Vec<u8>>) -> Outcome<(Duration, Vec<u8>)> {
    let (took, result) = time(f);
    Ok((took, result?))
}

fn ours(sandbox: &Sandbox, program: &str) -> Outcome<Vec<u8>> {
    let result = sandbox.command(["python3", "-c", program]).run_blocking()?;
    match result.exit_code {
        0 => Ok(result.stdout),
        _ => Err(String::from_utf8_lossy(&result.stderr).into()),
    }
}

fn theirs(native: &str, program: &str) -> Outcome<Vec<u8>> {
    Ok(Command::new(native).args(["-c", program]).output()?.stdout)
}

/// The machine's own interpreter, not a script that looks for it.
fn native() -> Outcome<String> {
    let found = theirs("python3", "import sys; print(sys.executable)")?;
    Ok(String::from_utf8(found)?.trim().to_owned())
}
