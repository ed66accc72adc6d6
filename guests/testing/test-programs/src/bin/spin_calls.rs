//! `spin_calls [COUNT]` makes a cheap call that never waits, so often or for ever.

use test_programs::resources::number_argument;
use test_programs::{Slot, call};

fn main() {
    let resolution = Slot::new(0u64);
    for _ in 0..number_argument(1, u64::MAX) {
        call::clock_res_get(1, resolution.at());
    }
}
