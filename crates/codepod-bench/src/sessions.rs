//! Sessions of Python and JavaScript: what a call takes and what a session costs while nobody calls
//! it, also where it holds much, beside the same code in a process of its own.

use std::time::Duration;

use codepod::{Options, Sandbox};

use crate::cpython::ours;
use crate::report::{Goal, Report};
use crate::timing::{cpu, median, show, time};
use crate::{Outcome, create, memory};

const STARTS: usize = 200;
/// How many sandboxes with a session are kept.
const IDLE: usize = 100;

/// Sessions that keep their variables: what a call takes, and what each costs while nobody calls
/// it.
pub(crate) fn run(report: &mut Report) -> Outcome {
    let begin = "import json, re, collections\nx = {i: str(i) for i in range(1000)}";
    let begun = || -> Outcome<Sandbox> {
        let sandbox = create::sandbox(Options::default())?;
        sandbox.python_session("main")?.run_blocking(begin)?;
        Ok(sandbox)
    };
    let kept = idle(report, "an idle sandbox with a session", begun)?;
    let session = kept[0].python_session("main")?;
    let mut calls = Vec::new();
    for _ in 0..STARTS {
        let (took, result) = time(|| session.run_blocking("x[7] += '.'; len(x)"));
        if result?.stdout != b"1000\n" {
            return Err("a session gave another answer".into());
        }
        calls.push(took);
    }
    report.note("a call of a session, median", show(median(&mut calls)), "");
    let mut forks = Vec::new();
    for _ in 0..STARTS {
        let (took, fork) = time(|| kept[0].fork());
        fork?;
        forks.push(took);
    }
    report.note(
        "fork of a sandbox with a session, median",
        show(median(&mut forks)),
        "",
    );
    javascript(report)?;
    large_sessions(report)
}

/// Keeps sandboxes that nobody calls, and reports what each of them costs.
fn idle(
    report: &mut Report,
    what: &str,
    begun: impl Fn() -> Outcome<Sandbox>,
) -> Outcome<Vec<Sandbox>> {
    let mut kept = vec![begun()?];
    let before = memory::resident();
    for _ in 0..IDLE {
        kept.push(begun()?);
    }
    let each = memory::resident().saturating_sub(before) as f64 / IDLE as f64 / (1 << 20) as f64;
    let shown = format!("{each:.2} MB");
    report.figure(what, shown, each, Goal::AtMost(4.0), "MB");
    Ok(kept)
}

/// The same for JavaScript, where the part is there.
fn javascript(report: &mut Report) -> Outcome {
    if !codepod::commands().iter().any(|(name, _)| *name == "node") {
        return Ok(());
    }
    let begun = || -> Outcome<Sandbox> {
        let sandbox = create::sandbox(Options::default())?;
        let session = sandbox.javascript_session("main")?;
        session.run_blocking("let x = 0; const { join } = require('path')")?;
        Ok(sandbox)
    };
    let kept = idle(
        report,
        "an idle sandbox with a session of JavaScript",
        begun,
    )?;
    let session = kept[0].javascript_session("main")?;
    let mut calls = Vec::new();
    for _ in 0..STARTS {
        let (took, result) = time(|| session.run_blocking("x += 1"));
        if result?.exit_code != 0 {
            return Err("a call of JavaScript failed".into());
        }
        calls.push(took);
    }
    report.note(
        "a call of a session of JavaScript, median",
        show(median(&mut calls)),
        "",
    );
    Ok(())
}

/// Sessions that hold much, beside the same in a process of its own.
fn large_sessions(report: &mut Report) -> Outcome {
    const CHART: &str =
        "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]); plt.savefig('a.png')";
    const TIMES: usize = 21;
    let sandbox = create::sandbox(Options::default())?;
    // The time that passes, and CPU time, which the neighbours of a shared machine do not change.
    let call = |session: &str, code: &str| -> Outcome<(Duration, Duration)> {
        let session = sandbox.python_session(session)?;
        let (busy, (took, result)) = cpu(|| time(|| session.run_blocking(code)))?;
        match result? {
            result if result.exit_code == 0 => Ok((took, busy)),
            result => Err(String::from_utf8_lossy(&result.stderr).into()),
        }
    };
    for (what, code, goal) in [("pandas", "import pandas", 60.0), ("chart", CHART, 250.0)] {
        let (mut first, mut busy) = (Vec::new(), Vec::new());
        let (mut apart, mut apart_busy) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            let (took, cpu_time) = call(what, code)?;
            first.push(took);
            busy.push(cpu_time);
            // What a session keeps counts against the sandbox's disk.
            sandbox.python_session(what)?.reset()?;
            let (cpu_time, (took, result)) = cpu(|| time(|| ours(&sandbox, code)))?;
            result?;
            apart.push(took);
            apart_busy.push(cpu_time);
        }
        let took = median(&mut first);
        let apart = both(&mut apart, &mut apart_busy);
        let name = format!("first call of a session: {what}");
        let ms = took.as_secs_f64() * 1e3;
        let shown = both(&mut first, &mut busy);
        report.beside(&name, shown, apart, ms, Goal::AtMost(goal), "ms");
    }
    let array = "import numpy as np; x = 0; a = np.ones(20_000_000)";
    for (what, begin, code, goal) in [
        ("x += 1", "x = 0", "x += 1", 2.0),
        ("1, with pandas", "import pandas", "1", 5.0),
        ("x += 1, with an array of 160 MB", array, "x += 1", 10.0),
    ] {
        sandbox.python_session("main")?.reset()?;
        call("main", begin)?;
        let calls: Outcome<Vec<_>> = (0..TIMES).map(|_| call("main", code)).collect();
        let (mut calls, mut busy): (Vec<_>, Vec<_>) = calls?.into_iter().unzip();
        let name = format!("a call of a session: {what}");
        let ms = median(&mut calls).as_secs_f64() * 1e3;
        let shown = both(&mut calls, &mut busy);
        report.figure(&name, shown, ms, Goal::AtMost(goal), "ms");
    }
    idle_sessions(report)
}

/// Medians of the time that has passed and of CPU time.
fn both(took: &mut [Duration], busy: &mut [Duration]) -> String {
    format!("{} (CPU {})", show(median(took)), show(median(busy)))
}

/// What sessions with pandas cost that nobody calls, and forks of them.
fn idle_sessions(report: &mut Report) -> Outcome {
    let begun = || -> Outcome<Sandbox> {
        let sandbox = create::sandbox(Options::default())?;
        let session = sandbox.python_session("main")?;
        session.run_blocking("import pandas as pd; d = pd.DataFrame({'a': [1, 2, 3]})")?;
        Ok(sandbox)
    };
    let mut kept = vec![begun()?];
    let before = memory::resident();
    for _ in 0..IDLE {
        kept.push(begun()?);
    }
    let each = memory::resident().saturating_sub(before) as f64 / IDLE as f64 / (1 << 20) as f64;
    let shown = format!("{each:.2} MB");
    let name = "an idle sandbox with a session with pandas";
    report.figure(name, shown, each, Goal::AtMost(8.0), "MB");
    let mut forks = Vec::new();
    for _ in 0..STARTS {
        let (took, fork) = time(|| kept[0].fork());
        fork?;
        forks.push(took);
    }
    let took = median(&mut forks);
    let (us, name) = (took.as_secs_f64() * 1e6, "  a fork of it, median");
    report.figure(name, show(took), us, Goal::AtMost(10.0), "us");
    Ok(())
}
