//! Ending what does not end by itself: timeouts, cancelling, signals. A sandbox is idle and usable
//! afterwards.

mod support;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use codepod::Sandbox;
use futures_lite::future::{block_on, poll_once};
use support::machine::{Stopwatch, Times};
use support::{Oracle, alone, assert_idle, assert_works, expect, run, sandbox, within};

/// How long what was cancelled may take to be gone.
const CANCELLED: Duration = Duration::from_millis(100);

/// Every way to wait for ever that a program has.
const WAITS: [&str; 12] = [
    "read", "write", "poll", "sleep", "wait", "open", "recv", "send", "accept", "connect",
    "message", "stop",
];

fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn wm_01_a_loop_without_calls_ends_at_its_deadline_and_100_sandboxes_stay_responsive() {
    let _alone = alone();
    let stop = Arc::new(AtomicBool::new(false));
    run(&sandbox(), ["true_tiny"]);
    let others: Vec<_> = (0..2)
        .map(|_| {
            let sandboxes: Vec<Sandbox> = (0..50).map(|_| sandbox()).collect();
            let stop = stop.clone();
            std::thread::spawn(move || {
                let mut times = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    for sandbox in &sandboxes {
                        let watch = Stopwatch::start();
                        assert_eq!(run(sandbox, ["true_tiny"]).exit_code, 0);
                        times.push(watch.took());
                    }
                    std::thread::sleep(millis(1));
                }
                times
            })
        })
        .collect();
    let spinning = sandbox();
    // Loaded before: a module that is compiled first is late once.
    for program in ["spin", "spin_calls"] {
        let command = spinning.command([program]).timeout(millis(1));
        assert_eq!(command.run_blocking().unwrap().exit_code, 124);
    }
    let mut overshoots = Times::default();
    for program in [
        "spin",
        "spin_calls",
        "spin",
        "spin",
        "spin_calls",
        "spin",
        "spin",
    ] {
        let deadline = millis(200);
        let watch = Stopwatch::start();
        let result = spinning
            .command([program])
            .timeout(deadline)
            .run_blocking()
            .unwrap();
        overshoots.push(watch.took().beyond(deadline));
        assert_eq!((result.exit_code, result.timed_out), (124, true));
    }
    stop.store(true, Ordering::Relaxed);
    let times: Times = others
        .into_iter()
        .flat_map(|other| other.join().unwrap())
        .collect();
    assert!(times.len() > 1000, "only {} runs", times.len());
    times.assert("the others", 99, millis(20));
    overshoots.assert("beyond the deadline", 50, millis(50));
    overshoots.assert("beyond the deadline", 100, millis(150));
    assert_works(&spinning);
}

#[test]
fn a_timeout_gives_124_with_the_output_so_far() {
    let _alone = alone();
    let sandbox = sandbox();
    let result = sandbox
        .command(["block_in", "spin"])
        .timeout(millis(100))
        .run_blocking()
        .unwrap();
    assert_eq!(
        (result.exit_code, result.timed_out, &*result.stderr_text()),
        (
            124,
            true,
            "blocking\ncodepod: stopped after 0.1 s, its time limit; `Options::timeout` raises it\n"
        )
    );
    assert!(result.execution_time >= millis(100), "{result:?}");
    assert_works(&sandbox);
}

#[test]
fn a_timeout_ends_every_process_of_the_command() {
    let _alone = alone();
    let sandbox = sandbox();
    for argv in [
        &["spawn_one", "/bin/spin"][..],
        &["spawn_one", "/bin/spawn_one", "/bin/sleep_ms", "60000"],
        &["spawn_chain", "1000000"],
    ] {
        let result = sandbox
            .command(argv)
            .timeout(millis(150))
            .run_blocking()
            .unwrap();
        // A chain may reach the limit of processes before its deadline; the others cannot end.
        if argv[0] == "spawn_one" {
            assert_eq!(result.exit_code, 124, "{argv:?}");
        }
        assert_works(&sandbox);
    }
    // All stages of a pipeline, not only the last.
    let result = sandbox
        .command(["spin"])
        .pipe(sandbox.command(["copy_input"]))
        .pipe(sandbox.command(["spin"]).timeout(millis(100)))
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 124);
    assert_works(&sandbox);
}

#[test]
fn a_deadline_that_has_passed_still_gives_a_result() {
    let _alone = alone();
    let sandbox = sandbox();
    let result = sandbox
        .command(["spin"])
        .timeout(Duration::ZERO)
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 124);
    assert_works(&sandbox);
}

#[test]
fn dropping_the_future_kills_what_it_ran() {
    let _alone = alone();
    let sandbox = sandbox();
    for (argv, polls) in [
        (&["spin"][..], 1),
        (&["spin"], 20),
        (&["sleep_ms", "60000"], 3),
        (&["spawn_one", "/bin/spin"], 10),
        // A bomb would end by itself, sometimes before the last poll.
        (&["sh", "-c", "spin & spin & spin & wait"], 10),
    ] {
        let mut command = Box::pin(sandbox.command(argv).run());
        for _ in 0..polls {
            assert!(block_on(poll_once(&mut command)).is_none());
        }
        assert!(sandbox.stats().unwrap().processes > 0);
        let dropped = Stopwatch::start();
        drop(command);
        assert_idle(&sandbox);
        let took = dropped.took();
        assert!(took.own() < CANCELLED, "{argv:?} took {took:?}");
        assert_works(&sandbox);
    }
    let mut pipeline = Box::pin(
        sandbox
            .command(["output_bomb"])
            .pipe(sandbox.command(["copy_input"]))
            .pipe(sandbox.command(["sleep_ms", "60000"]))
            .run(),
    );
    assert!(block_on(poll_once(&mut pipeline)).is_none());
    drop(pipeline);
    assert_works(&sandbox);
}

#[test]
fn dropping_the_sandbox_kills_what_runs_in_it() {
    let _alone = alone();
    let sandbox = sandbox();
    let mut command = pin!(sandbox.command(["spawn_one", "/bin/spin"]).run());
    for _ in 0..5 {
        assert!(block_on(poll_once(&mut command)).is_none());
    }
    drop(sandbox);
    // The command holds the sandbox: it goes on until it is dropped too.
    assert!(block_on(poll_once(&mut command)).is_none());
}

#[test]
fn kill_all_ends_every_process() {
    let _alone = alone();
    let sandbox = sandbox();
    let runners: Vec<_> = [&["spin"][..], &["spawn_one", "/bin/spin"], &["block_read"]]
        .map(|argv| {
            let command = sandbox.command(argv);
            std::thread::spawn(move || command.run_blocking().unwrap().exit_code)
        })
        .into();
    // `block_read` has no input, so it ends by itself; the others stay.
    assert!(within(Duration::from_secs(5), || {
        sandbox.stats().unwrap().processes == 3 && runners[2].is_finished()
    }));
    let killed = Stopwatch::start();
    sandbox.kill_all().unwrap();
    let codes: Vec<i32> = runners.into_iter().map(|r| r.join().unwrap()).collect();
    let took = killed.took();
    assert_eq!(codes, [137, 137, 0]);
    assert!(took.own() < CANCELLED, "{took:?}");
    assert_works(&sandbox);
}

/// Starts `block_in HOW` and returns when it is in the call.
fn blocked(sandbox: &Sandbox, how: &str) -> std::thread::JoinHandle<i32> {
    let mut running = sandbox.command(["block_in", how]).start().unwrap();
    let mut stderr = running.stderr.take().unwrap();
    let waiter = std::thread::spawn(move || running.wait_blocking().unwrap().code());
    let mut buffer = [0; 64];
    let read = stderr.read_blocking(&mut buffer).unwrap();
    // One that waits for a child like itself may have come further already.
    let text = &buffer[..read];
    assert!(text.starts_with(b"blocking\n"), "`{how}`: {text:?}");
    std::thread::sleep(millis(10));
    assert!(!waiter.is_finished(), "`{how}` does not wait");
    waiter
}

#[test]
fn wm_06_what_waits_in_any_call_is_killed_within_100_ms() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = sandbox();
    for how in WAITS {
        let waiter = blocked(&sandbox, how);
        let killed = Stopwatch::start();
        sandbox.kill_all().unwrap();
        assert_eq!(waiter.join().unwrap(), 137, "{how}");
        let took = killed.took();
        assert!(took.own() < CANCELLED, "`{how}` took {took:?}");
        assert_idle(&sandbox);
    }
    assert_works(&sandbox);
    drop(sandbox);
    oracle.end();
}

#[test]
fn wm_06_what_waits_in_any_call_stands_under_the_deadline() {
    let _alone = alone();
    let sandbox = sandbox();
    for how in WAITS {
        let deadline = millis(50);
        let watch = Stopwatch::start();
        let result = sandbox
            .command(["block_in", how])
            .timeout(deadline)
            .run_blocking()
            .unwrap();
        let over = watch.took().beyond(deadline);
        assert_eq!(
            (result.exit_code, &*result.stdout_text()),
            (124, ""),
            "{how}"
        );
        assert!(over.own() < CANCELLED, "`{how}` took {over:?} more");
        assert_idle(&sandbox);
    }
    assert_works(&sandbox);
}

#[test]
fn wm_06_what_waits_in_any_call_can_be_dropped() {
    let _alone = alone();
    let sandbox = sandbox();
    for how in WAITS {
        let mut command = Box::pin(sandbox.command(["block_in", how]).run());
        let waiting = within(Duration::from_secs(5), || {
            assert!(block_on(poll_once(&mut command)).is_none(), "{how}");
            sandbox.stats().unwrap().open > 3
        });
        assert!(waiting, "{how}");
        for _ in 0..20 {
            assert!(block_on(poll_once(&mut command)).is_none(), "{how}");
        }
        drop(command);
        assert_idle(&sandbox);
    }
    assert_works(&sandbox);
}

#[test]
fn a_process_is_stopped_and_goes_on() {
    let _alone = alone();
    let sandbox = sandbox();
    expect(&sandbox, ["stop_continue"], 0, "");
    // A stopped process does not use its time: the loop makes no progress, and its deadline still
    // counts.
    let watch = Stopwatch::start();
    let result = sandbox
        .command(["block_in", "stop"])
        .timeout(millis(100))
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 124);
    let over = watch.took().beyond(millis(100));
    assert!(over.own() < CANCELLED, "{over:?}");
    assert_works(&sandbox);
}
