//! `exit_with N` ends with status N.

use test_programs::resources::number_argument;

fn main() {
    let status = number_argument(1, 0);
    std::process::exit(status as i32);
}
