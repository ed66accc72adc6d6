//! What an ended process leaves in memory: enough that the next one starts without page faults, and
//! in all no more than a bound.
#![cfg(target_os = "linux")]

mod support;

use std::io::Write as _;
use std::thread;

use codepod::Sandbox;
use support::{alone, expect, missing, resident, sandbox};

/// Pages that this process touched for the first time so far.
fn faults() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    after_name
        .split_whitespace()
        .nth(7)
        .unwrap()
        .parse()
        .unwrap()
}

/// Whether Linux tells which pages were written to, without which little can be kept.
fn pages_are_told_apart() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split('.').map(|part| part.parse().unwrap_or(0));
    let version: [u32; 2] = std::array::from_fn(|_| numbers.next().unwrap_or(0));
    version >= [6, 7]
}

fn python(sandbox: &Sandbox) {
    expect(sandbox, ["python3", "-c", "print(1)"], 0, "1\n");
}

#[test]
fn a_process_finds_the_pages_of_the_one_before() {
    let _alone = alone();
    if !pages_are_told_apart() {
        let why = "Linux is older than 6.7; CODEPOD_MAY_MISS=linux-6.7 says that it may be";
        assert!(missing::may_miss("linux-6.7"), "not tested: {why}");
        let _ = writeln!(std::io::stderr(), "not tested: {why}");
        return;
    }
    let sandbox = sandbox();
    for _ in 0..16 {
        python(&sandbox);
    }
    let mut each: Vec<u64> = (0..15)
        .map(|_| {
            let before = faults();
            python(&sandbox);
            faults() - before
        })
        .collect();
    each.sort_unstable();
    assert!(each[7] < 50, "page faults of each start: {each:?}");
}

#[test]
fn what_many_leave_behind_is_bounded() {
    let _alone = alone();
    let wait = || {
        let ended = ["python3", "-c", "import time; time.sleep(2)"];
        thread::spawn(move || expect(&sandbox(), ended, 0, ""))
    };
    python(&sandbox());
    let before = resident();
    for _ in 0..3 {
        let all: Vec<_> = (0..150).map(|_| wait()).collect();
        for one in all {
            one.join().unwrap();
        }
    }
    let kept = resident().saturating_sub(before) >> 20;
    assert!(
        kept < 330,
        "{kept} MB are kept, 150 times 4 MB without a bound"
    );
}
