//! WM-05: fills 200 MiB again and again; each fill is one instruction that nothing interrupts.

use std::hint::black_box;

fn main() {
    let mut memory = vec![0u8; 200 << 20];
    let mut value = 1u8;
    loop {
        memory.fill(black_box(value));
        black_box(&mut memory);
        value = value.wrapping_add(1);
    }
}
