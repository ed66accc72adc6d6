//! A gigabyte of saved state: how soon a sandbox that is made of it is ready, and what a save
//! writes.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use codepod::{Options, Persistence, Persistent, Sandbox};

use crate::Outcome;
use crate::report::{Goal, Report};
use crate::timing::{median, micros, show, time};

const FILES: usize = 10_000;
const BYTES: usize = 107_374;
const ROUNDS: usize = 15;
/// What the first command reads: one file of all those.
const FIRST: &str = "cksum < d7/f707";

/// Bytes that no compression makes smaller, others for each seed.
fn noise(seed: usize, length: usize) -> Vec<u8> {
    let mut state = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Options of a sandbox with room for it all, kept in a directory, saved when it is asked to.
fn options(directory: &Path) -> Options {
    let mut options = Options::default();
    options.fs_limits.bytes = 2 << 30;
    options.fs_limits.nodes = 1 << 20;
    let mut kept = Persistent::new(directory, "bench");
    kept.autosave = Duration::from_secs(3600);
    options.persistence = Persistence::Persistent(kept);
    options
}

/// Has the system forget what it holds of the files below a directory.
fn forget(directory: &Path) -> Outcome {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            forget(&path)?;
            continue;
        }
        let mut file = std::ffi::OsString::from("of=");
        file.push(&path);
        let done = Command::new("dd")
            .arg(file)
            .args([
                "oflag=nocache",
                "conv=notrunc,fdatasync",
                "count=0",
                "status=none",
            ])
            .status()?;
        if !done.success() {
            return Err("dd failed".into());
        }
    }
    Ok(())
}

/// Makes a sandbox of what is kept; the times until it is there and until its first command has
/// ended.
fn start(options: Options, expected: &mut Option<Vec<u8>>) -> Outcome<(Duration, Duration)> {
    let (ready, sandbox) = time(|| Sandbox::create(options));
    let sandbox = sandbox?;
    let (first, result) = time(|| sandbox.run_blocking(FIRST));
    let printed = result?.stdout.to_vec();
    if printed != *expected.get_or_insert_with(|| printed.clone()) {
        return Err("the first command read something else".into());
    }
    Ok((ready, ready + first))
}

pub(crate) fn run(report: &mut Report) -> Outcome {
    let directory = tempfile::tempdir()?;
    let sandbox = Sandbox::create(options(directory.path()))?;
    for n in 0..FILES {
        let folder = format!("/home/user/d{}", n % 100);
        if n < 100 {
            sandbox.mkdir(&folder)?;
        }
        sandbox.write_file(format!("{folder}/f{n}"), noise(n, BYTES))?;
    }
    let (took, saved) = time(|| sandbox.save());
    let saved = saved?;
    report.note(
        "save of 1 GiB in 10,000 files",
        show(took),
        format!("{} bytes", saved.written),
    );
    sandbox.write_file("/home/user/d7/new", noise(FILES, 1_000_000))?;
    let (took, saved) = time(|| sandbox.save());
    let written = saved?.written as f64 / 1e6;
    report.note("save of 1 MB more", show(took), "");
    report.figure(
        "  written",
        format!("{written:.2} MB"),
        written,
        Goal::AtMost(2.0),
        "MB",
    );
    let mut expected = Some(sandbox.run_blocking(FIRST)?.stdout.to_vec());
    drop(sandbox);

    let (mut ready, mut first, mut cold, mut plain) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let (created, ran) = start(options(directory.path()), &mut expected)?;
        ready.push(created);
        first.push(ran);
        let (took, done) =
            time(|| Sandbox::create(Options::default())?.run_blocking("cksum < /etc/passwd"));
        done?;
        plain.push(took);
        forget(directory.path())?;
        cold.push(start(options(directory.path()), &mut expected)?.1);
    }
    let lines = [
        ("load of 1 GiB, until it is ready", ready, ""),
        ("  and its first command has ended", first, "a new one"),
        ("  the same, nothing of it in memory", cold, ""),
    ];
    let plain = show(median(&mut plain));
    for (what, mut times, reference) in lines {
        let took = median(&mut times);
        let goal = Goal::AtMost(100.0);
        let shown = if reference.is_empty() {
            String::new()
        } else {
            format!("{reference} {plain}")
        };
        report.beside(what, show(took), shown, micros(took) / 1e3, goal, "ms");
    }
    Ok(())
}
