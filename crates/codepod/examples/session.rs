//! An interpreter of Python that keeps its variables. It is a part of the sandbox, as its files
//! are: forks, snapshots and undo have it.

#![expect(clippy::print_stdout, reason = "an example prints")]

use codepod::{Options, Sandbox};

fn main() -> Result<(), codepod::Error> {
    let sandbox = Sandbox::create(Options::default())?;
    let python = sandbox.python_session("main")?;

    python.run_blocking("import statistics\nheights = [1.62, 1.74, 1.81]")?;
    let mean = "round(statistics.mean(heights), 2)";
    println!("{}", python.run_blocking(mean)?.stdout_text()); // what the last line gives is printed

    // A fork has an interpreter of its own from here on.
    let fork = sandbox.fork()?;
    fork.python_session("main")?
        .run_blocking("heights.append(1.9)")?;
    assert_eq!(python.run_blocking("len(heights)")?.stdout, b"3\n");

    // A call is a run: it can be taken back, files and variables alike.
    python.run_blocking("heights.clear(); open('empty', 'w').close()")?;
    sandbox.undo(1)?;
    assert_eq!(python.run_blocking("len(heights)")?.stdout, b"3\n");
    assert!(sandbox.stat("empty").is_err());

    // An exception is a result, and the interpreter goes on.
    let wrong = python.run_blocking("heights[9]")?;
    assert_eq!(wrong.exit_code, 1);
    println!("{}", wrong.stderr_text());
    assert_eq!(python.run_blocking("len(heights)")?.stdout, b"3\n");
    Ok(())
}
