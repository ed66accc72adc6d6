//! Prints the bits of what operations without a number give: they must not differ between machines.

use std::hint::black_box;

fn main() {
    let (zero, infinity, minus) = (
        black_box(0.0f64),
        black_box(f64::INFINITY),
        black_box(-1.0f64),
    );
    let odd = black_box(f64::from_bits(0x7ff4_dead_beef_0001));
    for value in [
        black_box(zero) / zero,
        -(black_box(zero) / zero),
        black_box(infinity) - infinity,
        zero * infinity,
        minus.sqrt(),
        odd + 1.0,
        odd * odd,
        odd.floor(),
        zero.min(odd),
        f64::from(black_box(odd as f32)),
    ] {
        println!("{:016x}", black_box(value).to_bits());
    }
    let (zero, infinity, minus) = (
        black_box(0.0f32),
        black_box(f32::INFINITY),
        black_box(-1.0f32),
    );
    let odd = black_box(f32::from_bits(0x7fa0_beef));
    for value in [
        black_box(zero) / zero,
        black_box(infinity) - infinity,
        minus.sqrt(),
        odd + 1.0,
        odd.ceil(),
        -odd,
    ] {
        println!("{:08x}", black_box(value).to_bits());
    }
}
