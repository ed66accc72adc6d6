//! The attacks of `docs/security.md` on the engine and its resources, under the standard oracle.
//! Others are where their topic is: `killing.rs`, `limits.rs`, `foreign.rs`, `hostile_calls.rs`.

mod support;
#[path = "support/wasm.rs"]
mod wasm;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use codepod::{ErrorKind, Runtime, RuntimeOptions, Sandbox};
use futures_lite::future::{block_on, poll_once};
use support::machine::{Stopwatch, Times};
use support::{
    Oracle, Peak, alone, assert_idle, assert_works, expect, panics, resident, run, sandbox,
    sandbox_with, test_options, within,
};
use wasm::{Made, install, memory};
use wasm_encoder::{BlockType, Instruction, MemArg};

const MB: usize = 1 << 20;

fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A runtime of its own with so many places.
fn runtime(slots: u32) -> Runtime {
    let mut options = RuntimeOptions::default();
    options.slots = slots;
    Runtime::new(options).unwrap()
}

#[test]
fn wm_02_a_hundred_processes_share_one_budget_of_memory() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = sandbox_with(|options| {
        options.limits.processes = 128;
        options.limits.total_memory_bytes = 512 * MB;
    });
    let peak = Peak::watch();
    let result = run(&sandbox, ["hold_memory", "100", "20"]);
    // Not only what stays: at no moment the host has more than the budget, and what a hundred
    // processes take beside their memory.
    let growth = peak.growth() / MB;
    assert!(growth < 512 + 64, "{growth} MB at once");
    let text = result.stdout_text();
    let got: usize = text.split(' ').next().unwrap().parse().unwrap();
    assert!((15..=25).contains(&got), "{result:?}");
    assert!(text.ends_with("100 ended\n"), "{text}");
    // In one process: everything at once, then as much as there may be.
    expect(&sandbox, ["grow", "all"], 0, "4096\n");
    assert_works(&sandbox);
    drop(sandbox);
    oracle.end();
}

#[test]
fn wm_02_memory_that_was_touched_is_given_back() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = sandbox();
    for _ in 0..3 {
        expect(&sandbox, ["eat_memory", "200"], 0, "ate 200 MB\n");
    }
    drop(sandbox);
    oracle.end();
}

#[test]
fn wm_04_overflowing_the_stack_is_a_trap() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = sandbox();
    for _ in 0..100 {
        assert_eq!(run(&sandbox, ["recurse"]).exit_code, 139);
    }
    // On the engine's threads too.
    let result = run(&sandbox, ["spawn_one", "/bin/recurse"]);
    assert_eq!(result.stdout_text(), "child Signaled(Segv)\n");
    assert_works(&sandbox);
    drop(sandbox);
    oracle.end();
}

#[test]
fn wm_05_bulk_instructions_are_bounded_by_the_memory_limit() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = sandbox();
    let mut overshoots = Times::default();
    for _ in 0..5 {
        // Past the first touch of the memory, which costs the machine what it costs any program.
        let deadline = millis(1500);
        let watch = Stopwatch::start();
        let result = sandbox
            .command(["spin_fill"])
            .timeout(deadline)
            .run_blocking()
            .unwrap();
        overshoots.push(watch.took().beyond(deadline));
        assert_eq!(result.exit_code, 124, "{result:?}");
        assert_idle(&sandbox);
    }
    overshoots.assert("beyond the deadline", 50, millis(150));
    overshoots.assert("beyond the deadline", 100, millis(250));
    assert_works(&sandbox);
    drop(sandbox);
    oracle.end();
}

#[test]
fn wm_07_four_times_more_loops_than_cores_still_end_in_time() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let cores = std::thread::available_parallelism().unwrap().get();
    let spinners: Vec<_> = (0..4 * cores)
        .map(|i| {
            let sandbox = sandbox();
            std::thread::spawn(move || {
                let deadline = millis(500);
                let watch = Stopwatch::start();
                // Half of them on the engine's threads, half on their caller's.
                let argv = if i % 2 == 0 {
                    &["spin"][..]
                } else {
                    &["spawn_one", "/bin/spin"]
                };
                let result = sandbox
                    .command(argv)
                    .timeout(deadline)
                    .run_blocking()
                    .unwrap();
                let over = watch.took().beyond(deadline);
                assert_eq!(result.exit_code, 124);
                assert_works(&sandbox);
                over
            })
        })
        .collect();
    let overshoots: Times = spinners
        .into_iter()
        .map(|spinner| spinner.join().unwrap())
        .collect();
    overshoots.assert("beyond the deadline", 50, millis(100));
    overshoots.assert("beyond the deadline", 100, millis(250));
    oracle.end();
}

#[test]
fn wm_08_sandboxes_that_start_all_they_may_leave_places_for_others() {
    let _alone = alone();
    // Three times 64 processes, and a few places more.
    let runtime = runtime(200);
    let stop = Arc::new(AtomicBool::new(false));
    let attackers: Vec<_> = (0..3)
        .map(|_| {
            let mut options = test_options();
            options.limits.processes = 64;
            let hostile = Sandbox::create_on(&runtime, options).unwrap();
            let stopped = stop.clone();
            std::thread::spawn(move || {
                let mut bombs = 0;
                while !stopped.load(Ordering::Relaxed) {
                    assert_eq!(run(&hostile, ["fork_bomb"]).exit_code, 0);
                    bombs += 1;
                }
                assert_works(&hostile);
                bombs
            })
        })
        .collect();
    let mut times = Times::default();
    let started = Instant::now();
    while started.elapsed() < millis(3000) {
        let watch = Stopwatch::start();
        let canary = Sandbox::create_on(&runtime, test_options()).unwrap();
        // Two of three on the engine's threads, where the bombs are.
        let copy = || canary.command(["copy_input"]);
        let pipeline = canary.command(["hello"]).pipe(copy()).pipe(copy());
        assert_eq!(pipeline.run_blocking().unwrap().exit_code, 0);
        times.push(watch.took());
        std::thread::sleep(millis(2));
    }
    stop.store(true, Ordering::Relaxed);
    for attacker in attackers {
        assert!(attacker.join().unwrap() > 0);
    }
    times.assert("another sandbox", 99, millis(100));
}

#[test]
fn wm_08_processes_wait_for_a_place_and_do_not_fail() {
    let _alone = alone();
    let runtime = runtime(3);
    let runners: Vec<_> = (0..12)
        .map(|_| {
            let sandbox = Sandbox::create_on(&runtime, test_options()).unwrap();
            std::thread::spawn(move || {
                for _ in 0..20 {
                    expect(&sandbox, ["hello"], 0, "hello, world\n");
                }
                expect(&sandbox, ["sleep_ms", "20"], 0, "");
                assert_idle(&sandbox);
            })
        })
        .collect();
    for runner in runners {
        runner.join().unwrap();
    }
    // Parents that keep their places wait for children that get none: the deadline ends them all.
    let sandbox = Sandbox::create_on(&runtime, test_options()).unwrap();
    let watch = Stopwatch::start();
    let result = sandbox
        .command(["spawn_chain", "10"])
        .timeout(millis(200))
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 124, "{result:?}");
    let over = watch.took().beyond(millis(200));
    assert!(over.own() < millis(250), "{over:?}");
    assert_works(&sandbox);
}

#[test]
fn wm_10_a_call_over_all_memory_stands_under_the_deadline() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = sandbox_with(|options| options.allow_foreign_modules = true);
    let size = 4000 << 16;
    let forever = |call: &[Instruction<'static>]| {
        let mut body = vec![Instruction::Loop(BlockType::Empty)];
        body.extend_from_slice(call);
        body.extend([Instruction::Drop, Instruction::Br(0), Instruction::End]);
        body
    };
    // 250 MiB of randomness in one call, again and again.
    let random = forever(&[
        Instruction::I32Const(0),
        Instruction::I32Const(size),
        wasm::RANDOM,
    ]);
    // 1,024 buffers that are all of the memory but the list itself, read from a file or device: 250
    // GiB.
    let word = MemArg {
        offset: 0,
        align: 2,
        memory_index: 0,
    };
    let mut read = Vec::new();
    for i in 0..1024 {
        for (offset, value) in [(0, 16384), (4, size - 16384)] {
            read.extend([
                Instruction::I32Const(i * 8 + offset),
                Instruction::I32Const(value),
                Instruction::I32Store(word),
            ]);
        }
    }
    read.extend(forever(&[
        Instruction::I32Const(0),
        Instruction::I32Const(0),
        Instruction::I32Const(1024),
        Instruction::I32Const(8192),
        wasm::READ,
    ]));
    for (what, body, input) in [
        ("random_get", random, None),
        ("fd_read of zeros", read.clone(), Some("/dev/zero")),
        ("fd_read of randomness", read, Some("/dev/urandom")),
    ] {
        let made = Made {
            memory: memory(4000),
            body,
            ..Made::default()
        };
        install(&sandbox, "program", &made.bytes());
        let argv = match input {
            None => vec!["./program"],
            Some(path) => vec!["with_input", path, "/home/user/program"],
        };
        let deadline = millis(1000);
        let watch = Stopwatch::start();
        let result = sandbox
            .command(argv)
            .timeout(deadline)
            .run_blocking()
            .unwrap();
        let over = watch.took().beyond(deadline);
        assert_eq!(result.exit_code, 124, "{what}: {result:?}");
        assert!(over.own() < millis(250), "{what}: {over:?}");
        assert_works(&sandbox);
    }
    drop(sandbox);
    oracle.end();
}

#[test]
fn wm_12_nothing_of_an_earlier_process_is_in_memory() {
    let _alone = alone();
    // One place, so that every process gets the one before it.
    let runtime = runtime(1);
    let sandbox = Sandbox::create_on(&runtime, test_options()).unwrap();
    for round in 0..700 {
        let other = Sandbox::create_on(&runtime, test_options()).unwrap();
        let dirty = if round % 3 == 0 {
            run(&other, ["stack_dirty"])
        } else {
            run(&other, ["memory_dirty", "2"])
        };
        assert_eq!(dirty.exit_code, 0, "{dirty:?}");
        expect(&sandbox, ["memory_scan", "2"], 0, "0 0\n");
    }
    // More than a slot keeps warm.
    for _ in 0..5 {
        assert_eq!(run(&sandbox, ["memory_dirty", "64"]).exit_code, 0);
        expect(&sandbox, ["memory_scan", "64"], 0, "0 0\n");
    }
    // The scan finds what is there: without a process between, the pattern is its own.
    assert_works(&sandbox);
}

#[test]
fn wm_16_guests_see_no_clock_finer_than_a_millisecond() {
    let sandbox = sandbox();
    for _ in 0..20 {
        let result = run(&sandbox, ["clock"]);
        assert_eq!(result.exit_code, 0, "{result:?}");
        for time in result.stdout_text().split_whitespace() {
            let time: u64 = time.parse().unwrap();
            assert_eq!(time % 1_000_000, 0, "{time} ns");
        }
    }
}

/// A sandbox whose calls panic from the moment that the flag is set.
fn faulty() -> (Sandbox, Arc<AtomicBool>) {
    let fault = Arc::new(AtomicBool::new(false));
    let faults = fault.clone();
    let sandbox = sandbox_with(move |options| {
        options.trace = Some(Arc::new(move |_| {
            assert!(!faults.load(Ordering::Relaxed), "on purpose: WM-17");
        }));
    });
    (sandbox, fault)
}

#[test]
fn wm_17_a_panic_in_a_host_function_ends_that_sandbox_only() {
    let _alone = alone();
    let other = sandbox();
    let before = panics();
    let (hurt, fault) = faulty();
    assert_works(&hurt);
    fault.store(true, Ordering::Relaxed);
    let result = hurt.command(["hello"]).run_blocking();
    match result {
        Ok(result) => assert_ne!(result.exit_code, 0, "{result:?}"),
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Internal), "{error}"),
    }
    assert_eq!(panics(), before + 1, "the panic happened");
    // It stays over, whatever is asked of it, and says so.
    fault.store(false, Ordering::Relaxed);
    for error in [
        hurt.command(["hello"]).run_blocking().unwrap_err(),
        hurt.stats().unwrap_err(),
        hurt.read_file("/etc/passwd").unwrap_err(),
        hurt.snapshot().unwrap_err(),
        hurt.fork().unwrap_err(),
        hurt.kill_all().unwrap_err(),
    ] {
        assert!(matches!(error.kind(), ErrorKind::Internal), "{error}");
    }
    drop(hurt);
    for _ in 0..100 {
        expect(&other, ["hello"], 0, "hello, world\n");
    }
    assert_works(&sandbox());
    assert_eq!(panics(), before + 1);
}

#[test]
fn wm_17_a_panic_ends_the_other_processes_of_the_sandbox_too() {
    let _alone = alone();
    // Three places: a process that stayed would be missed at the end.
    let runtime = runtime(3);
    let fault = Arc::new(AtomicBool::new(false));
    let faults = fault.clone();
    let mut options = test_options();
    options.trace = Some(Arc::new(move |_| {
        assert!(!faults.load(Ordering::Relaxed), "on purpose: WM-17");
    }));
    let hurt = Sandbox::create_on(&runtime, options).unwrap();
    // One that waits for its child, and the child, which makes no calls and is on the engine's
    // threads.
    let command = hurt.command(["spawn_one", "/bin/spin"]);
    let parent = std::thread::spawn(move || command.run_blocking());
    assert!(within(millis(5000), || {
        hurt.stats().unwrap().processes == 2
    }));
    std::thread::sleep(millis(50));
    fault.store(true, Ordering::Relaxed);
    assert!(hurt.command(["hello"]).run_blocking().is_err());
    fault.store(false, Ordering::Relaxed);
    drop(hurt);
    let fresh = Sandbox::create_on(&runtime, test_options()).unwrap();
    let result = fresh
        .command(["spawn_chain", "2"])
        .timeout(millis(2000))
        .run_blocking()
        .unwrap();
    assert_eq!(result.stdout_text(), "42\n", "the loop keeps its place");
    // Its parent has waited for it, and is told.
    assert!(within(millis(5000), || parent.is_finished()));
    assert!(parent.join().unwrap().is_err());
    assert_works(&fresh);
}

#[test]
fn wm_18_a_command_can_be_dropped_at_any_point() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = sandbox();
    let programs: [&[&str]; 7] = [
        &["hello"],
        &["pingpong", "50"],
        &["fifo_talk"],
        &["spawn_chain", "20"],
        &["fork_bomb"],
        &["wait_any"],
        &["hostile_pointers", "7", "300"],
    ];
    for argv in programs {
        for polls in 0..200 {
            let mut command = Box::pin(
                sandbox
                    .command(argv)
                    .stdin("some input")
                    .pipe(sandbox.command(["copy_input"]))
                    .run(),
            );
            let mut ended = false;
            for _ in 0..polls {
                ended = block_on(poll_once(&mut command)).is_some();
                if ended {
                    break;
                }
            }
            drop(command);
            if ended || polls % 10 == 0 {
                assert_idle(&sandbox);
            }
            if ended {
                break;
            }
        }
        assert_works(&sandbox);
        for entry in sandbox.list_dir("/home/user").unwrap() {
            sandbox
                .remove([b"/home/user/", &entry.name[..]].concat())
                .unwrap();
        }
    }
    drop(sandbox);
    oracle.end();
}

/// Runs so many commands and returns by how much memory grew over them, after a warm-up.
fn growth_over(commands: usize) -> isize {
    let sandbox = sandbox();
    let session = |count: usize| {
        for i in 0..count {
            match i % 5 {
                0 => expect(&sandbox, ["hello"], 0, "hello, world\n"),
                1 => assert_eq!(run(&sandbox, ["nope"]).exit_code, 127),
                2 => sandbox.write_file("file", vec![b'x'; 1000]).unwrap(),
                3 => assert_eq!(run(&sandbox, ["exit_with", "3"]).exit_code, 3),
                _ => assert_eq!(run(&sandbox, ["true_tiny"]).exit_code, 0),
            }
            if i % 100 == 0 {
                expect(&sandbox, ["spawn_one"], 0, "child Exited(0)\n");
                drop(sandbox.fork().unwrap());
            }
        }
    };
    session(2000);
    let before = resident();
    session(commands);
    assert_idle(&sandbox);
    resident().cast_signed() - before.cast_signed()
}

#[test]
fn wm_19_memory_is_flat_over_ten_thousand_commands() {
    let _alone = alone();
    let growth = growth_over(10_000);
    assert!(growth < 2 << 20, "{growth} bytes");
}

#[test]
#[ignore = "takes minutes"]
fn wm_19_memory_is_flat_over_a_million_commands() {
    let _alone = alone();
    let growth = growth_over(1_000_000);
    assert!(growth < 4 << 20, "{growth} bytes");
}

#[test]
fn wm_19_sandboxes_that_come_and_go_leave_nothing() {
    let _alone = alone();
    let session = |count: usize| {
        for _ in 0..count {
            let sandbox = sandbox();
            sandbox.write_file("file", vec![b'x'; 10_000]).unwrap();
            expect(&sandbox, ["true_tiny"], 0, "");
        }
    };
    session(500);
    let before = resident();
    session(3000);
    let growth = resident().cast_signed() - before.cast_signed();
    assert!(growth < 2 << 20, "{growth} bytes");
}

// WM-20 under a virtual clock is in `codepod-kernel/tests/replay.rs`; what the engine adds is here.
#[test]
fn wm_20_results_of_floating_point_do_not_differ() {
    let first = run(&sandbox(), ["nan"]);
    assert_eq!(first.exit_code, 0);
    assert_eq!(run(&sandbox(), ["nan"]).stdout, first.stdout);
    // Every NaN that an operation makes is the canonical one, on every machine.
    let text = first.stdout_text();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("7ff8000000000000"), "{text}");
    assert!(
        text.lines()
            .filter(|line| *line == "7ff8000000000000")
            .count()
            >= 6,
        "{text}"
    );
    assert!(
        text.lines().filter(|line| *line == "7fc00000").count() >= 4,
        "{text}"
    );
}
