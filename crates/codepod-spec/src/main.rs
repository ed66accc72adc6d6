//! Conformance: what the shell in the sandbox does, compared with what bash does. `cargo xtask
//! spec` starts it.
//!
//! There are three sources of scripts: the cases of the Oils project (`oils`), our own (`cases`, in
//! `spec/`), and random ones (`fuzz`). There are two places to run them, in a `sandbox` and in the
//! machine's own bash (`native`); both take a `Job` and return an `Outcome`. What is right is
//! always bash's word: nothing here knows the language, apart from how the random scripts are made.

#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it prints a report"
)]

mod arguments;
mod case_file;
mod cases;
mod compare;
mod edges;
mod failure;
mod fuzz;
#[path = "../../../guests/testing/spec-helpers/src/helpers.rs"]
mod helpers;
mod job;
mod missing;
mod native;
mod oils;
mod pool;
mod programs;
mod quoting;
mod sandbox;
mod support;
mod temporary;
mod tools;
mod user;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    // Called by a helper's name, this is that helper, for cases in the machine's bash.
    if let Some(status) = helpers::run(&words, &native::read_descriptor) {
        return ExitCode::from(status as u8);
    }
    match arguments::run(&words[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.status)
        }
    }
}

/// The workspace root, from `CARGO_MANIFEST_DIR` at run time: the compile-time value is wrong when
/// several checkouts share a target directory.
pub(crate) fn checkout() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
        .join("../..")
}
