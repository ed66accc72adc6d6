//! WM-12: `memory_dirty [MB]` leaves a pattern in fresh memory, for `memory_scan` to look for.

use std::hint::black_box;
use test_programs::resources::number_argument;

fn main() {
    let pattern = black_box(!0x5a3c_96e1_4d2b_7801_u64);
    let words = (number_argument(1, 64) << 20) / 8;
    let memory = black_box(vec![pattern; words as usize]);
    println!("{}", memory.len());
}
