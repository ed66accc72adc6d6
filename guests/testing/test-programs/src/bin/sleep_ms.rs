//! `sleep_ms N` waits so many milliseconds in one `poll_oneoff`; status 1 when that fails.

use test_programs::resources::{number_argument, sleep};

fn main() {
    let number = sleep(number_argument(1, 0).saturating_mul(1_000_000));
    std::process::exit(i32::from(number != 0));
}
