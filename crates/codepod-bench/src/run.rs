//! A script in a live shell, beside a live native bash on a pipe; a new sandbox with its first
//! script.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use codepod::{Options, Sandbox};

use crate::create;
use crate::report::{Goal, Report};
use crate::timing::{median, micros, percentile, show, time};

const ROUNDS: usize = 20_000;
const CREATIONS: usize = 2000;
const FIRST_BYTES: usize = 500;
const SCRIPT: &str = "echo hi";

pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = create::sandbox(Options::default())?;
    let mut bash = Bash::start()?;
    echo(&sandbox)?;
    bash.echo()?;
    let (mut ours, mut native) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (took, result) = time(|| echo(&sandbox));
        result?;
        ours.push(took);
        if round % 10 == 0 {
            let (took, result) = time(|| bash.echo());
            result?;
            native.push(took);
        }
    }
    let mut first = Vec::new();
    for _ in 0..CREATIONS {
        let (took, result) = time(|| echo(&create::sandbox(Options::default())?));
        result?;
        first.push(took);
    }
    let (p99, native_p99) = (percentile(&mut ours, 99), percentile(&mut native, 99));
    let (ours, native) = (median(&mut ours), median(&mut native));
    report.figure(
        "run(\"echo hi\") in a live sandbox",
        show(ours),
        micros(ours),
        Goal::AtMost(25.0),
        "µs",
    );
    report.note(
        "  a live native bash on a pipe",
        format!("×{:.2}", ours.as_secs_f64() / native.as_secs_f64()),
        format!("bash {}", show(native)),
    );
    report.figure("  p99", show(p99), micros(p99), Goal::AtMost(100.0), "µs");
    report.note("  p99 of bash", "", show(native_p99));
    let first = median(&mut first);
    report.figure(
        "a new sandbox and its first script",
        show(first),
        micros(first),
        Goal::AtMost(80.0),
        "µs",
    );
    let mut bytes = Vec::new();
    for _ in 0..FIRST_BYTES {
        bytes.push(first_byte(&sandbox)?);
    }
    let byte = median(&mut bytes);
    report.figure(
        "first byte of yes | head -n 1",
        show(byte),
        micros(byte),
        Goal::AtMost(200.0),
        "µs",
    );
    Ok(())
}

/// How long it takes from the start of a script to the first byte of its output.
fn first_byte(sandbox: &Sandbox) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut running = sandbox.script("yes | head -n 1").start()?;
    let mut stdout = running.stdout.take().ok_or("no stdout")?;
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 16];
        let read = stdout.read_blocking(&mut buffer);
        let came = Instant::now();
        while let Ok(1..) = stdout.read_blocking(&mut [0; 16]) {}
        read.map(|_| came)
    });
    // The thread is waiting by then, as a caller's would be.
    std::thread::sleep(Duration::from_millis(1));
    let start = Instant::now();
    running.wait_blocking()?;
    let came = reader.join().map_err(|_| "the reader panicked")??;
    Ok(came.saturating_duration_since(start))
}

fn echo(sandbox: &Sandbox) -> Result<(), Box<dyn std::error::Error>> {
    let result = sandbox.run_blocking(SCRIPT)?;
    if result.stdout == b"hi\n" && result.exit_code == 0 {
        Ok(())
    } else {
        Err(format!("{SCRIPT} went wrong: {result:?}").into())
    }
}

/// A native bash that reads commands from a pipe.
struct Bash {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Bash {
    fn start() -> Result<Bash, Box<dyn std::error::Error>> {
        let mut child = Command::new("bash")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no pipe to bash")?;
        let stdout = child.stdout.take().ok_or("no pipe from bash")?;
        Ok(Bash {
            child,
            stdin,
            stdout: BufReader::new(stdout),
        })
    }

    fn echo(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        self.stdin.write_all(b"echo hi\n")?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        if line == "hi\n" {
            Ok(())
        } else {
            Err(format!("bash said {line:?}").into())
        }
    }
}

impl Drop for Bash {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
