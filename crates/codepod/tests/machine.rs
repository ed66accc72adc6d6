//! What every test of time rests on: which part of a time is the machine's.

#[path = "support/machine.rs"]
mod machine;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use machine::{Core, Machine, Stopwatch, Times, Took, Use, covered};

const MS: u64 = 1_000_000;

#[test]
fn what_two_cores_miss_at_the_same_time_counts_once() {
    let spans = vec![(10, 30), (20, 40), (50, 60)];
    assert_eq!(covered(spans.clone(), 0, 100), 40);
    assert_eq!(covered(spans.clone(), 25, 55), 20);
    assert_eq!(covered(spans, 60, 100), 0);
}

#[test]
fn what_others_take_counts_while_no_core_is_idle() {
    let lost = |busy: f64, idle: f64, own: f64| {
        let end = Use {
            busy,
            idle,
            own,
            ..Use::default()
        };
        Use::default().lost(end)
    };
    let is = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
    // Nobody else.
    is(lost(40.0, 0.0, 40.0), 0.0);
    is(lost(20.0, 20.0, 20.0), 0.0);
    // Others, and a core was idle: nobody kept us from it.
    is(lost(20.0, 20.0, 0.0), 0.0);
    // Others, and none was.
    is(lost(40.0, 0.0, 10.0), 0.75);
    is(lost(36.0, 4.0, 6.0), 0.65);
    let others = |idle: f64, own: f64| {
        let end = Use {
            idle,
            own,
            ..Use::default()
        };
        Use::default().others(end, Duration::from_millis(200), 2)
    };
    is(others(0.0, 40.0), 0.0);
    is(others(30.0, 10.0), 0.0);
    is(others(0.0, 10.0), 0.75);
    // A machine that stood still counts nothing at all.
    is(others(0.0, 0.0), 1.0);
    // Clocks that do not agree, and times that are too short.
    is(lost(40.0, 0.0, 41.0), 0.0);
    is(lost(2.0, 0.0, 0.0), 0.0);
}

#[test]
fn who_wants_no_core_cannot_blame_those_who_have_them() {
    let most = |busy: f64, waited: f64, stolen: f64| {
        let end = Use {
            busy,
            waited,
            stolen,
            ..Use::default()
        };
        Use::default()
            .most(end, Duration::from_millis(200), 2)
            .as_millis()
    };
    // Others have both cores, and nobody of us is ready to run.
    assert_eq!(most(40.0, 0.0, 0.0), 0);
    assert_eq!(most(40.0, 15.0, 0.0), 150);
    assert_eq!(most(40.0, 5.0, 10.0), 150);
    // Half of the time is nowhere.
    assert_eq!(most(20.0, 0.0, 0.0), 180);
}

/// How long this machine's own host has kept cores from it, all of them together. Where that is
/// most of the time, the machine is late in every try.
fn stolen() -> Duration {
    Duration::from_secs_f64(Use::now().stolen / 100.0)
}

#[test]
fn a_wait_of_our_own_is_not_the_machines() {
    // Whatever else the machine does: this thread wants no core while it sleeps. The best of some,
    // since it may have to wait for one afterwards.
    let own = (0..10).map(|_| {
        let (watch, stolen) = (Stopwatch::start(), stolen());
        std::thread::sleep(Duration::from_millis(150));
        watch.took().own() + self::stolen().saturating_sub(stolen)
    });
    let most = own.max().unwrap();
    assert!(most >= Duration::from_millis(130), "{most:?}");
}

#[test]
fn threads_of_our_own_do_not_make_the_machine_late() {
    let cores = std::thread::available_parallelism().unwrap().get();
    // The best of some: the machine may be late by itself.
    let own = (0..5).map(|_| {
        let (watch, stolen) = (Stopwatch::start(), stolen());
        std::thread::scope(|scope| {
            for _ in 0..cores * 8 {
                scope.spawn(|| {
                    let began = Instant::now();
                    while began.elapsed() < Duration::from_millis(300) {}
                });
            }
        });
        watch.took().own() + self::stolen().saturating_sub(stolen)
    });
    let most = own.max().unwrap();
    assert!(most >= Duration::from_millis(270), "{most:?}");
}

#[test]
fn a_core_that_did_not_wake_is_late_until_now() {
    let machine = Machine {
        began: Instant::now(),
        cores: vec![Core::default(), Core::default()],
    };
    machine.cores[0].due.store(100 * MS, Ordering::SeqCst);
    assert_eq!(machine.late_between(90 * MS, 103 * MS), Duration::ZERO);
    assert_eq!(
        machine.late_between(90 * MS, 300 * MS),
        Duration::from_millis(200)
    );
    let mut late = machine.cores[1].late.lock().unwrap();
    late.extend([(20 * MS, 40 * MS), (92 * MS, 99 * MS)]);
    drop(late);
    assert_eq!(
        machine.late_between(90 * MS, 300 * MS),
        Duration::from_millis(207)
    );
    // A thread that goes before all others is late sooner.
    machine.cores[0].is_urgent.store(true, Ordering::SeqCst);
    assert_eq!(
        machine.late_between(100 * MS, 103 * MS),
        Duration::from_millis(3)
    );
}

#[test]
#[should_panic(expected = "p99 is 200ms of 100ms allowed")]
fn a_bound_that_is_missed_is_told() {
    let took = |all, machine| Took {
        all: Duration::from_millis(all),
        machine: Duration::from_millis(machine),
    };
    let times: Times = [took(1, 0), took(900, 890), took(250, 50)]
        .into_iter()
        .collect();
    times.assert("a canary", 50, Duration::from_millis(10));
    times.assert("a canary", 99, Duration::from_millis(100));
}
