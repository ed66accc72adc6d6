//! Node in the sandbox beside the machine's own, and beside the same engine compiled for the
//! machine: how long a start takes, and the programs of `benches/javascript`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use codepod::{Options, Sandbox};

use crate::report::{Goal, Report};
use crate::timing::{median, micros, show, time};
use crate::{Outcome, create, faults};

const STARTS: usize = 300;
const NATIVE_STARTS: usize = 15;
const ROUNDS: usize = 3;
/// The machine's Node 24; `cargo xtask bench` gets it.
const NODE: &str = "CODEPOD_NODE";
/// What `guests/runtimes/node/build.sh --native` has made: a directory with `node` and `library`.
const SAME_ENGINE: &str = "CODEPOD_NODE_BUILD";
const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/javascript");
const EXPRESSION: &str = "[1,2,3].map(x=>x*2).join()";

pub(crate) fn run(report: &mut Report) -> Outcome {
    let node = std::env::var(NODE).map_err(|_| format!("{NODE} names no native Node 24"))?;
    let sandbox = create::sandbox(Options::default())?;
    starts(report, &sandbox, &node)?;
    programs(report, &node)
}

fn starts(report: &mut Report, sandbox: &Sandbox, node: &str) -> Outcome {
    let printed = format!("console.log({EXPRESSION})\n");
    sandbox.write_file("/tmp/start.cjs", printed.as_bytes())?;
    sandbox.write_file("/tmp/start.mjs", printed.as_bytes())?;
    let mut there: Vec<Duration> = (0..NATIVE_STARTS)
        .map(|_| time(|| Command::new(node).args(["-p", EXPRESSION]).output()).0)
        .collect();
    let there = median(&mut there);
    for (what, words, limit) in [
        ("node -p", ["node", "-p", EXPRESSION], 0.6),
        ("node FILE", ["node", "--", "/tmp/start.cjs"], 0.8),
        (
            "node FILE, an ES module",
            ["node", "--", "/tmp/start.mjs"],
            0.8,
        ),
    ] {
        let (mut here, mut touched) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let before = faults::so_far();
            let (took, result) = time(|| sandbox.command(words).run_blocking());
            if result?.stdout != b"2,4,6\n" {
                return Err(format!("{what}: another answer").into());
            }
            here.push(took);
            touched.push(faults::so_far() - before);
        }
        touched.sort_unstable();
        let here = median(&mut here);
        report.beside(
            &format!("{what}, median"),
            show(here),
            format!("{} (node -p)", show(there)),
            micros(here) / 1e3,
            Goal::AtMost(limit),
            "ms",
        );
        report.note("  page faults of a start", touched[STARTS / 2], "");
    }
    Ok(())
}

/// The programs: the time here beside that of the same engine and that of Node without its
/// compiler.
fn programs(report: &mut Report, node: &str) -> Outcome {
    let same_engine = std::env::var(SAME_ENGINE).ok();
    let directory = Path::new(DIRECTORY);
    let expected = std::fs::read_to_string(directory.join("expected.txt"))?;
    let expected: BTreeMap<&str, &str> = expected
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    let sandbox = create::sandbox(Options::default())?;
    let mut logarithms = [0.0, 0.0];
    for (name, line) in &expected {
        let path = directory.join(format!("{name}.js"));
        sandbox.write_file("/tmp/program.js", &std::fs::read(&path)?)?;
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            let (took, result) =
                time(|| sandbox.command(["node", "/tmp/program.js"]).run_blocking());
            check(name, line, &result?.stdout)?;
            times[0].push(took);
            let mut jitless = Command::new(node);
            let (took, output) = time(|| jitless.arg("--jitless").arg(&path).output());
            check(name, line, &output?.stdout)?;
            times[1].push(took);
            if let Some(build) = &same_engine {
                let mut program = Command::new(Path::new(build).join("node"));
                program.env("NODE_LIBRARY", Path::new(build).join("library"));
                let (took, output) = time(|| program.arg(&path).output());
                check(name, line, &output?.stdout)?;
                times[2].push(took);
            }
        }
        let [here, jitless, engine] = &mut times;
        let (here, jitless) = (median(here), median(jitless));
        logarithms[0] += (here.as_secs_f64() / jitless.as_secs_f64()).ln();
        let mut shown = show(jitless);
        if !engine.is_empty() {
            let engine = median(engine);
            logarithms[1] += (here.as_secs_f64() / engine.as_secs_f64()).ln();
            shown += &format!(", {}", show(engine));
        }
        let goal = if *name == "loop" {
            600.0
        } else {
            f64::INFINITY
        };
        report.beside(
            name,
            show(here),
            shown,
            micros(here) / 1e3,
            Goal::AtMost(goal),
            "ms",
        );
    }
    let count = expected.len() as f64;
    let [jitless, engine] = logarithms.map(|sum| (sum / count).exp());
    let what = format!("{} programs, geometric mean", expected.len());
    report.ratio(&what, "", "node --jitless", jitless, Goal::AtMost(2.0));
    if same_engine.is_some() {
        report.ratio(&what, "", "the same engine", engine, Goal::AtMost(1.7));
    }
    Ok(())
}

fn check(name: &str, line: &str, stdout: &[u8]) -> Outcome {
    match String::from_utf8_lossy(stdout).trim_end() == line {
        true => Ok(()),
        false => Err(format!("{name}: another answer than expected.txt").into()),
    }
}
