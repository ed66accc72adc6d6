//! Prints 16 random bytes in hexadecimal.

use test_programs::{Slot, call};

fn main() {
    let bytes = Slot::new([0u8; 16]);
    if call::random_get(bytes.at(), 16) != 0 {
        std::process::exit(1);
    }
    let hex: String = bytes
        .get()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    println!("{hex}");
}
