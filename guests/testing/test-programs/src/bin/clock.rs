//! Prints the wall clock and the monotonic clock in nanoseconds; the second never goes back.

use test_programs::{Slot, call, check, expect_ok, finish};

fn main() {
    let time = Slot::new(0u64);
    expect_ok!(call::clock_time_get(0, 0, time.at()));
    let wall = time.get();
    expect_ok!(call::clock_time_get(1, 0, time.at()));
    let mut last = time.get();
    println!("{wall} {last}");
    for _ in 0..1000 {
        expect_ok!(call::clock_time_get(1, 0, time.at()));
        check!(time.get() >= last, "back from {last} to {}", time.get());
        last = time.get();
    }
    for clock in 0..4 {
        expect_ok!(call::clock_res_get(clock, time.at()));
        let resolution = time.get();
        check!(
            (1..=1_000_000_000).contains(&resolution),
            "clock {clock}: {resolution} ns"
        );
    }
    finish();
}
