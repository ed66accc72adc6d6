//! Panics: text on standard error, then a trap.

fn main() {
    panic!("on purpose");
}
