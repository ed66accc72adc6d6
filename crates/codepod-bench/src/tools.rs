//! The pipelines with which peers were measured (W5), beside native GNU tools: CPU time against CPU
//! time. Then how long a tool takes from its start to its end, beside `fork` and `exec` of the
//! machine's.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use codepod::{Options, Sandbox};

use crate::report::{Goal, Report};
use crate::timing::{cpu, median, show, time};
use crate::{Outcome, create, data, native};

/// Name and script; `/tmp/w` inside is the directory of the data outside, where the script runs.
const PIPELINES: &[(&str, &str)] = &[
    ("wc", "cat log50.txt | wc -l"),
    ("grep", "grep -c ERROR log50.txt"),
    (
        "regex",
        "grep -cE 'svc1[0-9] [0-9]+ (ERROR|WARN) user[0-9]*7,' log50.txt",
    ),
    ("sed", "sed 's/a/b/g' log50.txt | wc -c"),
    ("awk", "awk '{s+=$3} END{print s}' log50.txt"),
    ("cut", "cut -d, -f2 log50.txt | sort -u | wc -l"),
    (
        "sort",
        "cut -d' ' -f2,4 log50.txt | sort | uniq -c | sort -rn | head -n 5",
    ),
    ("sortall", "sort log50.txt | md5sum"),
    ("gzip", "gzip -c log50.txt | gunzip -c | md5sum"),
    ("find", "find tree -type f -name '*7.txt' | wc -l"),
    ("grep -r", "grep -rl needle tree | wc -l"),
    ("jq", "jq '[.[] | select(.active) | .score] | add' big.json"),
    (
        "jq group",
        "jq -c 'group_by(.addr.city) | map({c: .[0].addr.city, n: length}) | sort_by(-.n, .c) | .[0:3]' big.json",
    ),
];

const ROUNDS: usize = 5;
/// No pipeline may take more than this of the native CPU time, nor the geometric mean more than
/// that.
const WORST: f64 = 3.5;
const MEAN: f64 = 1.7;

/// Tools on a small file, from start to end.
const STARTED: [&[&str]; 5] = [
    &["true"],
    &["cat", "small"],
    &["sort", "small"],
    &["wc", "small"],
    &["grep", "a", "small"],
];
const STARTS: usize = 200;
/// How much quicker than `fork` and `exec` a start must be.
const QUICKER: f64 = 3.0;

pub(crate) fn run(report: &mut Report) -> Outcome {
    let sandbox = create::sandbox(Options::default())?;
    let directory = std::env::temp_dir().join(format!("codepod-bench-{}", std::process::id()));
    data::write(&directory)?;
    std::fs::write(directory.join("small"), "b\na\nc\n")?;
    let outcome = bring(&sandbox, &directory, "")
        .and_then(|()| pipelines(report, &sandbox, &directory))
        .and_then(|()| starts(report, &sandbox, &directory));
    std::fs::remove_dir_all(&directory)?;
    outcome
}

/// Copies a directory of the machine into the sandbox's working directory.
fn bring(sandbox: &Sandbox, directory: &Path, inside: &str) -> Outcome {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = format!("{inside}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            sandbox.mkdir(&name)?;
            bring(sandbox, &entry.path(), &format!("{name}/"))?;
        } else {
            sandbox.write_file(&name, std::fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

fn pipelines(report: &mut Report, sandbox: &Sandbox, directory: &Path) -> Outcome {
    let mut logarithms = Vec::new();
    for (name, script) in PIPELINES {
        let (mut ours, mut reference): (Vec<Duration>, Vec<Duration>) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (took, result) = cpu(|| {
                sandbox
                    .command(["bash", "-c", script])
                    .env("LC_ALL", "C")
                    .run_blocking()
            })?;
            ours.push(took);
            let (took, expected) = native::bash_cpu(script, directory)?;
            reference.push(took);
            let result = result?;
            if result.stdout != expected {
                let said = String::from_utf8_lossy(&result.stderr).into_owned();
                return Err(format!("`{script}` gives a wrong answer: {said}").into());
            }
        }
        let (ours, native) = (median(&mut ours), median(&mut reference));
        let ratio = ours.as_secs_f64() / native.as_secs_f64();
        logarithms.push(ratio.ln());
        report.ratio(
            &format!("{name}, CPU time"),
            show(ours),
            format!("native {}", show(native)),
            ratio,
            Goal::AtMost(WORST),
        );
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    report.ratio("geometric mean", "", "", mean, Goal::AtMost(MEAN));
    Ok(())
}

fn starts(report: &mut Report, sandbox: &Sandbox, directory: &Path) -> Outcome {
    for argv in STARTED {
        let (mut ours, mut reference) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let (took, result) = time(|| sandbox.command(argv.iter().copied()).run_blocking());
            result?;
            ours.push(took);
            let (took, result) = time(|| {
                Command::new(argv[0])
                    .args(&argv[1..])
                    .current_dir(directory)
                    .stdin(Stdio::null())
                    .output()
            });
            result?;
            reference.push(took);
        }
        let (ours, native) = (median(&mut ours), median(&mut reference));
        report.ratio(
            &format!("start to end: {}", argv.join(" ")),
            show(ours),
            format!("native {}", show(native)),
            native.as_secs_f64() / ours.as_secs_f64(),
            Goal::AtLeast(QUICKER),
        );
    }
    Ok(())
}
