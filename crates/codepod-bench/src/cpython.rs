//! Python in the sandbox beside the machine's own: how long a start takes, the programs of
//! `benches/python`, benchmarks of pyperformance, and many at once.

use std::process::Command;
use std::time::Duration;

use codepod::{Options, Sandbox};

use crate::report::{Goal, Report};
use crate::timing::{median, micros, show, time};
use crate::{Outcome, create, faults};

const STARTS: usize = 200;
const ROUNDS: usize = 3;
/// How many run at once, each in a sandbox of its own.
const AT_ONCE: usize = 200;
/// Runs benchmarks of pyperformance, on both sides.
const HARNESS: &str = include_str!("../../../benches/pyperformance.py");
/// Where the package pyperformance is, as a wheel; `cargo xtask bench` gets it.
const WHEEL: &str = "CODEPOD_PYPERFORMANCE";
const BENCHMARKS: &[&str] = &[
    "json_dumps",
    "json_loads",
    "regex_compile",
    "regex_dna",
    "regex_effbot",
    "regex_v8",
    "nbody",
    "richards",
    "deltablue",
    "sqlite_synth",
    "pathlib",
    "hashlib",
];

/// Solves a system of equations with numpy: prints the largest error, and how long it took.
const EQUATIONS: &str = include_str!("../../../benches/python/numpy.py");
/// Where numpy, pandas and matplotlib for the machine's own Python are; `cargo xtask bench` gets
/// them.
const NUMPY: &str = "CODEPOD_NUMPY";

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
    let (mut here, mut there, mut touched) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..STARTS {
        let before = faults::so_far();
        here.push(measure(|| ours(&sandbox, "print(1)"))?.0);
        touched.push(faults::so_far() - before);
        if i % 10 == 0 {
            there.push(measure(|| theirs(&native, "print(1)"))?.0);
        }
    }
    touched.sort_unstable();
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
    report.note("  page faults of a start", touched[STARTS / 2], "");
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
    numpy(report, &sandbox, &native)?;
    pyperformance(report, &sandbox, &native)?;
    at_once(report)
}

/// Programs that use numpy: how they start, and how a system of equations is solved.
fn numpy(report: &mut Report, sandbox: &Sandbox, native: &str) -> Outcome {
    let has_native = std::env::var_os(NUMPY).is_some();
    for (what, program, limit) in [
        (
            "a program that imports numpy",
            "import numpy; print(numpy.arange(10).sum())",
            150.0,
        ),
        (
            "a program that imports pandas",
            "import pandas; print(pandas.Series([1]).sum())",
            150.0,
        ),
        (
            "a program that draws a line into a PNG",
            "import matplotlib.pyplot as p; p.plot([1, 2]); p.savefig('/tmp/bench.png'); print(1)",
            500.0,
        ),
    ] {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for _ in 0..15 {
            here.push(measure(|| ours(sandbox, program))?.0);
            if has_native {
                there.push(measure(|| with_numpy(native, program))?.0);
            }
        }
        let here = median(&mut here);
        let there = has_native.then(|| show(median(&mut there)));
        report.beside(
            what,
            show(here),
            there.unwrap_or_default(),
            micros(here) / 1e3,
            Goal::AtMost(limit),
            "ms",
        );
    }
    let answer = ours(sandbox, EQUATIONS)?;
    let text = String::from_utf8_lossy(&answer);
    let error = text.split_whitespace().next().unwrap_or("nothing");
    report.figure(
        "500 equations with numpy: largest error",
        error,
        error.parse().unwrap_or(f64::NAN),
        Goal::AtMost(1e-9),
        "",
    );
    let own = seconds("numpy", &answer)?;
    if !has_native {
        let why = format!("{NUMPY} names no directory");
        report.note("500 equations with numpy", format!("{own:.3} s"), why);
        return Ok(());
    }
    let shown = |seconds| show(Duration::from_secs_f64(seconds));
    let native = seconds("numpy", &with_numpy(native, EQUATIONS)?)?;
    report.note(
        &format!("500 equations with numpy ×{:.1}", own / native),
        shown(own),
        shown(native),
    );
    Ok(())
}

/// Runs a program in the host's Python, with the numpy that was brought for it.
fn with_numpy(native: &str, program: &str) -> Outcome<Vec<u8>> {
    let place = std::env::var_os(NUMPY).unwrap_or_default();
    let mut command = Command::new(native);
    command.env("PYTHONPATH", place).args(["-c", program]);
    Ok(command.output()?.stdout)
}

/// Benchmarks of pyperformance: the best of two rounds on either side, and the geometric mean of
/// the ratios.
fn pyperformance(report: &mut Report, sandbox: &Sandbox, native: &str) -> Outcome {
    let Some(wheel) = std::env::var_os(WHEEL) else {
        report.note(
            "benchmarks of pyperformance",
            "left out",
            format!("{WHEEL} names no wheel"),
        );
        return Ok(());
    };
    sandbox.write_file("pyperformance.whl", std::fs::read(&wheel)?)?;
    sandbox.write_file("harness.py", HARNESS)?;
    let place = tempfile::tempdir()?;
    let harness = place.path().join("harness.py");
    std::fs::write(&harness, HARNESS)?;
    let mut sum = 0.0;
    for name in BENCHMARKS {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            let words = ["python3", "harness.py", "pyperformance.whl", name];
            let result = sandbox.command(words).run_blocking()?;
            here.push(seconds(name, &result.stdout)?);
            let output = Command::new(native)
                .arg(&harness)
                .arg(&wheel)
                .arg(name)
                .output()?;
            there.push(seconds(name, &output.stdout)?);
        }
        let best = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        let (here, there) = (best(&here), best(&there));
        let shown = |seconds| show(Duration::from_secs_f64(seconds));
        report.note(
            &format!("{name} ×{:.2}", here / there),
            shown(here),
            shown(there),
        );
        sum += (here / there).ln();
    }
    let mean = (sum / BENCHMARKS.len() as f64).exp();
    report.ratio(
        "pyperformance, geometric mean",
        "",
        "",
        mean,
        Goal::AtMost(2.0),
    );
    Ok(())
}

/// What the harness printed: a name and seconds.
fn seconds(name: &str, output: &[u8]) -> Outcome<f64> {
    let text = String::from_utf8_lossy(output);
    let word = text.split_whitespace().last();
    let number = word.and_then(|word| word.parse().ok());
    number.ok_or_else(|| format!("{name}: the benchmark failed: {text}").into())
}

/// Many programs in as many sandboxes, all begun before any has ended.
fn at_once(report: &mut Report) -> Outcome {
    let sandboxes: Vec<Sandbox> = (0..AT_ONCE)
        .map(|_| create::sandbox(Options::default()))
        .collect::<Result<_, _>>()?;
    let program =
        "import sys, json, time; time.sleep(1); print(json.dumps(sum(map(int, sys.argv[1:]))))";
    let (took, right) = time(|| {
        std::thread::scope(|scope| {
            let threads: Vec<_> = sandboxes
                .iter()
                .enumerate()
                .map(|(i, sandbox)| {
                    scope.spawn(move || {
                        let words = ["python3", "-c", program, &i.to_string(), "1000"];
                        let result = sandbox.command(words).run_blocking();
                        result.is_ok_and(|result| {
                            result.stdout == format!("{}\n", i + 1000).as_bytes()
                        })
                    })
                })
                .collect();
            let answers = threads.into_iter().map(|thread| thread.join());
            answers.filter(|answer| matches!(answer, Ok(true))).count()
        })
    });
    report.figure(
        &format!("{AT_ONCE} programs that sleep a second, at once"),
        format!("{right} right in {}", show(took)),
        (AT_ONCE - right) as f64,
        Goal::AtMost(0.0),
        "wrong",
    );
    Ok(())
}

fn measure(f: impl FnOnce() -> Outcome<Vec<u8>>) -> Outcome<(Duration, Vec<u8>)> {
    let (took, result) = time(f);
    Ok((took, result?))
}

pub(crate) fn ours(sandbox: &Sandbox, program: &str) -> Outcome<Vec<u8>> {
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
