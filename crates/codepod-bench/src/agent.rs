//! What agents run in a day (`benches/agent-commands.txt`), each command in a shell of its own,
//! beside native bash.

use std::path::Path;
use std::time::Duration;

use codepod::{Options, Sandbox};

use crate::report::Report;
use crate::timing::{median, show, time};
use crate::{create, native};

const COMMANDS: &str = include_str!("../../../benches/agent-commands.txt");
const ROUNDS: usize = 5;

/// A command and how long it took in each round.
struct Timed {
    command: &'static str,
    ours: Vec<Duration>,
    native: Vec<Duration>,
    /// What differed, where something did.
    wrong: Option<String>,
}

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let mut all: Vec<Timed> = COMMANDS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|command| Timed {
            command,
            ours: Vec::new(),
            native: Vec::new(),
            wrong: None,
        })
        .collect();
    let directory = std::env::temp_dir().join(format!("codepod-agent-{}", std::process::id()));
    for _ in 0..ROUNDS {
        let sandbox = create::sandbox(Options::default())?;
        std::fs::create_dir_all(&directory)?;
        for timed in &mut all {
            one(timed, &sandbox, &directory)?;
        }
        std::fs::remove_dir_all(&directory)?;
    }
    let (mut ours, mut native, mut right) = (Duration::ZERO, Duration::ZERO, 0);
    for timed in &mut all {
        match &timed.wrong {
            Some(wrong) => report.note("  WRONG ANSWER", "", format!("{}: {wrong}", timed.command)),
            None => {
                right += 1;
                ours += median(&mut timed.ours);
                native += median(&mut timed.native);
            }
        }
    }
    let ratio = ours.as_secs_f64() / native.as_secs_f64();
    report.note(
        &format!("{right} of {} agent commands, together", all.len()),
        show(ours),
        format!("bash {} ×{ratio:.2}", show(native)),
    );
    slowest(report, &mut all);
    Ok(())
}

fn one(
    timed: &mut Timed,
    sandbox: &Sandbox,
    directory: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let command = ["bash", "-c", timed.command];
    let (took, result) = time(|| sandbox.command(command).env("LC_ALL", "C").run_blocking());
    let result = result?;
    timed.ours.push(took);
    let (took, expected) = time(|| native::bash(timed.command, directory));
    let expected = expected?;
    timed.native.push(took);
    if result.stdout != expected {
        let said = if result.stderr.is_empty() {
            &result.stdout
        } else {
            &result.stderr
        };
        let first = String::from_utf8_lossy(said)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
        timed.wrong = Some(first);
    }
    Ok(())
}

/// The commands in which we do worst, to know where to look.
fn slowest(report: &mut Report, all: &mut [Timed]) {
    let ratio = |timed: &mut Timed| {
        median(&mut timed.ours).as_secs_f64() / median(&mut timed.native).as_secs_f64()
    };
    let mut ratios: Vec<(f64, &str)> = all
        .iter_mut()
        .filter(|timed| timed.wrong.is_none())
        .map(|timed| (ratio(timed), timed.command))
        .collect();
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (ratio, command) in ratios.iter().take(3) {
        report.note("  slowest", format!("×{ratio:.2}"), command);
    }
}
