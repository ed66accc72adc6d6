//! `poll_many N` polls N clocks at once, of which one is due soon, and prints the events.

use codepod_abi::wire::wasi::CLOCK_MONOTONIC;
use test_programs::resources::number_argument;
use test_programs::{Slot, call};

fn main() {
    let count = number_argument(1, 1000);
    let clock = u64::from(CLOCK_MONOTONIC);
    let subscriptions: Vec<[u64; 6]> = (0..count)
        .map(|place| {
            let hours = if place == count / 2 {
                0
            } else {
                3_600_000_000_000
            };
            [place, 0, clock, hours + 1_000_000, 0, 0]
        })
        .collect();
    let mut events = vec![[0u64; 4]; count as usize];
    let found = Slot::new(0u32);
    let number = call::poll_oneoff(
        subscriptions.as_ptr().expose_provenance() as u32,
        events.as_mut_ptr().expose_provenance() as u32,
        count as u32,
        found.at(),
    );
    let first = events.first().map_or(0, |event| event[0]);
    println!("{number}: {} events, first {first}", found.get());
}
