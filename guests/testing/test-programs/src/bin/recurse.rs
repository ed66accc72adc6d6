//! Calls itself for ever: the stack runs out.

use std::hint::black_box;

fn main() {
    println!("{}", descend(0));
}

#[inline(never)]
fn descend(depth: u64) -> u64 {
    // The addition after the call keeps it from becoming a loop.
    if black_box(true) {
        descend(black_box(depth + 1)) + black_box(1)
    } else {
        depth
    }
}
