//! Runs inputs of a target once each, without libFuzzer: `replay TARGET FILE…`.
//!
//! Each file is named before it runs, so that the last name is the one that failed, however it
//! failed. An input that takes too long ends the process.

use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long one input may take; they take milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().unwrap_or_default();
    let Some((_, run)) = codepod_fuzz::TARGETS
        .iter()
        .find(|(name, _)| *name == wanted)
    else {
        eprintln!("error: there is no fuzz target `{wanted}` in `codepod_fuzz::TARGETS`");
        return ExitCode::FAILURE;
    };
    let done = watchdog();
    for path in arguments {
        eprintln!("Running: {path}");
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("error: cannot read `{path}`: {error}");
                return ExitCode::FAILURE;
            }
        };
        // A finding panics, which ends the process with a failure.
        run(&bytes);
        let _ = done.send(());
    }
    ExitCode::SUCCESS
}

/// Aborts the process unless it hears from us often enough.
fn watchdog() -> Sender<()> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    eprintln!("error: the input takes longer than {PATIENCE:?}");
                    std::process::abort();
                }
            }
        }
    });
    sender
}
