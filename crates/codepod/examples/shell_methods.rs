//! What a user interface needs of a shell: history, completion, jobs.

#![expect(clippy::print_stdout, reason = "an example prints")]

use codepod::{Options, Sandbox, Signal};

fn main() -> Result<(), codepod::Error> {
    let sandbox = Sandbox::create(Options::default())?;
    sandbox.run_blocking("mkdir src; touch src/main.rs; sleep 100 & true")?;
    assert_eq!(
        sandbox.complete_blocking("cat src/", 8)?.words,
        ["src/main.rs"]
    );
    assert_eq!(
        sandbox.complete_blocking("git chec", 8)?.words,
        ["checkout"]
    );

    let job = &sandbox.jobs()?[0];
    assert_eq!(job.command, "sleep 100");
    sandbox.signal(job.pid, Signal::Term)?;
    for run in sandbox.history() {
        println!("{}: {} -> {}", run.number, run.command, run.exit_code);
    }
    Ok(())
}
