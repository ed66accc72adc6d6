//! The command, from its start to its end: the first time on a machine and every time after.
//!
//! `cargo xtask bench` builds it as it is shipped, with its guests inside, and says where it is in
//! `CODEPOD_CLI`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::report::{Goal, Report};
use crate::timing::{median, micros, percentile, show, time};

const ROUNDS: usize = 40;
const FIRSTS: usize = 5;
const SCRIPT: &str = "echo hello | tr a-z A-Z";

pub(crate) fn run(report: &mut Report) -> crate::Outcome {
    let Some(program) = std::env::var_os("CODEPOD_CLI").map(PathBuf::from) else {
        report.note("codepod run", "-", "CODEPOD_CLI names no program");
        return Ok(());
    };
    let place = std::env::temp_dir().join(format!("codepod-bench-cli-{}", std::process::id()));
    let measured = measure(&program, &place);
    let _ = std::fs::remove_dir_all(&place);
    let Measured {
        mut first,
        mut ours,
        mut bash,
    } = measured?;
    let first = median(&mut first);
    report.figure(
        "codepod run 'echo … | tr …', first time",
        show(first),
        micros(first) / 1e3,
        Goal::AtMost(1000.0),
        "ms",
    );
    let p99 = percentile(&mut ours, 99);
    let (ours, bash) = (median(&mut ours), median(&mut bash));
    report.beside(
        "codepod run 'echo … | tr …'",
        show(ours),
        format!(
            "bash -c {}: ×{:.2}",
            show(bash),
            micros(ours) / micros(bash)
        ),
        micros(ours) / 1e3,
        Goal::AtMost(25.0),
        "ms",
    );
    report.note("  p99", show(p99), "");
    Ok(())
}

struct Measured {
    first: Vec<Duration>,
    ours: Vec<Duration>,
    bash: Vec<Duration>,
}

fn measure(program: &Path, place: &Path) -> crate::Outcome<Measured> {
    let mut measured = Measured {
        first: Vec::new(),
        ours: Vec::new(),
        bash: Vec::new(),
    };
    for number in 0..FIRSTS {
        // A machine that never ran it has no cache.
        measured
            .first
            .push(codepod(program, &place.join(number.to_string()))?);
    }
    let cache = place.join("0");
    for _ in 0..ROUNDS {
        measured.ours.push(codepod(program, &cache)?);
        measured
            .bash
            .push(ends(Command::new("bash").args(["-c", SCRIPT]))?);
    }
    Ok(measured)
}

fn codepod(program: &Path, cache: &Path) -> crate::Outcome<Duration> {
    let mut command = Command::new(program);
    ends(
        command
            .args(["run", SCRIPT])
            .env("CODEPOD_CACHE_DIR", cache),
    )
}

/// How long a program takes that must print what it should.
fn ends(command: &mut Command) -> crate::Outcome<Duration> {
    let (took, output) = time(|| command.stdin(Stdio::null()).output());
    match output?.stdout == b"HELLO\n" {
        true => Ok(took),
        false => Err("it did not print HELLO".into()),
    }
}
