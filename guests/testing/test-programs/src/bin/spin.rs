//! Loops for ever without a call: only the engine can end it.

use std::hint::black_box;

fn main() {
    let mut turns = 0u64;
    loop {
        turns = black_box(turns.wrapping_add(1));
    }
}
