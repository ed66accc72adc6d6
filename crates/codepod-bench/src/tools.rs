//! The pipelines with which peers were measured (W5, without a shell), beside native GNU tools.
//!
//! The data has the shape of the peers' workload: log lines, about 50 MB.

use std::fmt::Write as _;

use codepod::{Options, Pipeline, Sandbox};

use crate::report::Report;
use crate::timing::{median, show, time};
use crate::{create, native};

const LINES: usize = 620_000;

/// Name, stages with arguments, and the same for bash.
const PIPELINES: &[(&str, &[&[&str]], &str)] = &[
    (
        "cat | wc -l",
        &[&["cat", "log.txt"], &["wc", "-l"]],
        "cat log.txt | wc -l",
    ),
    (
        "cut | sort | uniq -c | sort -rn | head",
        &[
            &["cut", "-d", " ", "-f2,4", "log.txt"],
            &["sort"],
            &["uniq", "-c"],
            &["sort", "-rn"],
            &["head", "-n", "5"],
        ],
        "cut -d' ' -f2,4 log.txt | sort | uniq -c | sort -rn | head -n 5",
    ),
    (
        "cut | sort -u | wc -l",
        &[
            &["cut", "-d", ",", "-f2", "log.txt"],
            &["sort", "-u"],
            &["wc", "-l"],
        ],
        "cut -d, -f2 log.txt | sort -u | wc -l",
    ),
    (
        "sort | md5sum",
        &[&["sort", "log.txt"], &["md5sum"]],
        "sort log.txt | md5sum",
    ),
];

fn log() -> String {
    let mut text = String::new();
    let mut seed = 42u64;
    let levels = ["INFO", "DEBUG", "WARN", "ERROR"];
    for i in 0..LINES {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let number = seed >> 33;
        let _ = writeln!(
            text,
            "2026-01-{:02} {:02}:{:02}:{:02} host{} {} request,{},took {} ms from 10.{}.{}.{}",
            1 + i % 28,
            i / 3600 % 24,
            i / 60 % 60,
            i % 60,
            number % 40,
            levels[(number % 4) as usize],
            number % 5000,
            number % 900,
            number % 250,
            number % 99,
            number % 77,
        );
    }
    text
}

fn pipeline(sandbox: &Sandbox, stages: &[&[&str]]) -> Option<Pipeline> {
    let mut commands = stages
        .iter()
        .map(|argv| sandbox.command(argv.iter().copied()).env("LC_ALL", "C"));
    let first = commands.next()?;
    let second = commands.next()?;
    Some(commands.fold(first.pipe(second), Pipeline::pipe))
}

/// The first characters of an output.
fn beginning(output: &[u8]) -> String {
    String::from_utf8_lossy(output).chars().take(100).collect()
}

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = create::sandbox(Options::default())?;
    if sandbox
        .command(["wc", "--version"])
        .run_blocking()?
        .exit_code
        != 0
    {
        report.note("tools", "not built", "");
        return Ok(());
    }
    let text = log();
    let directory = std::env::temp_dir().join(format!("codepod-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    std::fs::write(directory.join("log.txt"), &text)?;
    sandbox.write_file("log.txt", &text)?;
    for (name, stages, script) in PIPELINES {
        let (mut ours, mut reference) = (Vec::new(), Vec::new());
        let mut complaint = None;
        for _ in 0..3 {
            let Some(pipeline) = pipeline(&sandbox, stages) else {
                continue;
            };
            let (took, result) = time(|| pipeline.run_blocking());
            let result = result?;
            ours.push(took);
            let (took, expected) = time(|| native::bash(script, &directory));
            reference.push(took);
            let expected = expected?;
            if result.stdout != expected {
                complaint = Some(format!(
                    "got {:?}, status {}, not {:?}\n{}",
                    beginning(&result.stdout),
                    result.exit_code,
                    beginning(&expected),
                    result.stderr_text()
                ));
            }
        }
        let (ours, native) = (median(&mut ours), median(&mut reference));
        let ratio = ours.as_secs_f64() / native.as_secs_f64();
        let verdict = complaint.as_ref().map_or("", |_| " WRONG ANSWER");
        report.note(
            &format!("{name}, {} MB", text.len() / 1_000_000),
            show(ours),
            format!("native {} ×{ratio:.2}{verdict}", show(native)),
        );
        for line in complaint.iter().flat_map(|text| text.lines()) {
            println!("  {line}");
        }
    }
    std::fs::remove_dir_all(&directory)?;
    let mut startup = Vec::new();
    for argv in [
        &["true"][..],
        &["echo", "hi"],
        &["cat", "/dev/null"],
        &["sort", "/dev/null"],
        &["wc", "/dev/null"],
    ] {
        startup.clear();
        for _ in 0..500 {
            startup.push(time(|| sandbox.command(argv.iter().copied()).run_blocking()).0);
        }
        report.note(
            &format!("start to end: {}", argv.join(" ")),
            show(median(&mut startup)),
            "",
        );
    }
    Ok(())
}
