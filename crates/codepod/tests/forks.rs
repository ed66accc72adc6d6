//! Many forks of one sandbox: right results, memory by what they change, randomness of their own.

mod support;

use std::collections::HashSet;

use codepod::{Options, Sandbox};
use support::text;

/// Resident memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = status.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

#[test]
fn a_thousand_forks_run_different_commands_at_once() {
    const FORKS: usize = 1000;
    let sandbox = Sandbox::create(Options::default()).unwrap();
    // 20 MB that all of them share.
    text(
        &sandbox,
        "for i in {1..200}; do head -c 100000 /dev/urandom > f$i; done; base=$(cat f* | md5sum)",
    );
    let forks = sandbox.forks(FORKS).unwrap();
    text(&forks[0], "true");
    let before = resident();
    std::thread::scope(|scope| {
        for part in forks.chunks(FORKS / 4) {
            scope.spawn(move || {
                for fork in part {
                    let n = fork.id();
                    let script = format!(
                        "echo {n} > own; x=$((x+{n})); rm f{}; head -c 10000 /dev/zero > z; sort -u own own | tee copy; ls | wc -l; echo $x",
                        n % 200 + 1
                    );
                    assert_eq!(text(fork, &script), format!("{n}\n202\n{n}\n"));
                }
            });
        }
    });
    for fork in &forks {
        let n = fork.id();
        let expected = format!("{n}\n");
        assert_eq!(fork.read_file("own").unwrap(), expected.as_bytes());
        assert!(fork.read_file(format!("f{}", n % 200 + 1)).is_err());
    }
    assert_eq!(
        text(
            &sandbox,
            "ls | wc -l; [[ $(cat f* | md5sum) == \"$base\" ]] && echo same"
        ),
        "200\nsame\n"
    );
    // Each has changed about 10 KB; all that they share would be 20 GB.
    let each = resident().saturating_sub(before) / FORKS as u64;
    assert!(each < 150_000, "{each} bytes for each fork");
    drop(forks);
}

#[test]
fn sn_06_forks_and_restores_never_repeat_randomness() {
    const TIMES: usize = 300;
    let sandbox = Sandbox::create(Options::default()).unwrap();
    // The generators have been used before the fork.
    let script = "echo $RANDOM$RANDOM$RANDOM; echo $SRANDOM$SRANDOM; head -c 16 /dev/urandom | xxd -p; mktemp -u XXXXXXXXXXXX; shuf -i 1-1000000000 -n 2 | tr '\\n' ' '";
    text(&sandbox, script);
    let snapshot = sandbox.snapshot().unwrap();
    let mut seen: Vec<HashSet<String>> = vec![HashSet::new(); 5];
    let mut add = |output: String| {
        for (line, seen) in output.lines().zip(&mut seen) {
            assert!(seen.insert(line.to_owned()), "{line} came twice");
        }
    };
    for _ in 0..TIMES {
        add(text(&sandbox.fork().unwrap(), script));
        sandbox.restore(&snapshot).unwrap();
        add(text(&sandbox, script));
    }
    assert!(seen.iter().all(|seen| seen.len() == 2 * TIMES));
}

#[test]
fn a_seed_that_a_script_has_chosen_stays_chosen() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    text(&sandbox, "RANDOM=42; a=$RANDOM");
    let (one, two) = (sandbox.fork().unwrap(), sandbox.fork().unwrap());
    let next = "echo $a $RANDOM $RANDOM";
    let expected = text(&sandbox, next);
    assert_eq!(
        (text(&one, next), text(&two, next)),
        (expected.clone(), expected)
    );
}
