//! Long output does not fill a model's context: its beginning and end come back, the whole stays at
//! hand.

#![expect(clippy::print_stdout, reason = "an example prints")]

use codepod::{Options, Sandbox};

fn main() -> Result<(), codepod::Error> {
    let mut options = Options::default();
    options.output_budget = Some(200);
    let sandbox = Sandbox::create(options)?;

    let result = sandbox.run_blocking("seq 100000 | tee numbers | sort -rn")?;
    println!("{}", result.stdout_text()); // …[588695 bytes are not shown; all of it is in /proc/runs/1/stdout]…
    let found = sandbox.run_blocking("grep -n 4242$ /proc/runs/1/stdout | tail -n 1")?;
    assert_eq!(found.stdout, b"95759:4242\n");

    for process in &result.processes {
        let command = String::from_utf8_lossy(&process.command);
        println!(
            "{command}: read {}, wrote {}, {} ns",
            process.read, process.written, process.cpu_ns
        );
    }
    assert_eq!(result.processes.len(), 3);
    Ok(())
}
