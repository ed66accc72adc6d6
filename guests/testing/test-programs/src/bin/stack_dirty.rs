//! WM-12: leaves a pattern all over its stack, for `memory_scan` in a later process to look for.

use std::hint::black_box;

fn main() {
    println!("{}", descend(150));
}

/// Fills some KiB of stack a level with the pattern.
#[inline(never)]
fn descend(levels: u64) -> u64 {
    let pattern = black_box(!0x5a3c_96e1_4d2b_7801_u64);
    let words = black_box([pattern; 128]);
    if levels == 0 {
        return 0;
    }
    descend(levels - 1) + u64::from(black_box(words)[0] == pattern)
}
