//! Traps: `trap [unreachable|divide|memory|indirect]`.

#![expect(unsafe_code, reason = "what safe code cannot do is what traps")]

use std::hint::black_box;

fn main() {
    let how = std::env::args().nth(1).unwrap_or_default();
    match how.as_str() {
        "divide" => println!("{}", divide(black_box(1), black_box(0))),
        "memory" => println!("{}", beyond_memory()),
        "indirect" => call_nothing(),
        _ => unreachable(),
    }
}

#[cfg(target_family = "wasm")]
fn unreachable() {
    core::arch::wasm32::unreachable();
}

#[cfg(not(target_family = "wasm"))]
fn unreachable() {
    std::process::abort();
}

/// What C's `div` returns.
#[repr(C)]
struct Division {
    quotient: i32,
    remainder: i32,
}

// Rust checks a divisor before it divides; C does not.
unsafe extern "C" {
    fn div(dividend: i32, divisor: i32) -> Division;
}

fn divide(dividend: i32, divisor: i32) -> i32 {
    // SAFETY: not kept on purpose: the divisor is 0, which wasm turns into a trap.
    let division = unsafe { div(dividend, divisor) };
    division.quotient + division.remainder
}

fn beyond_memory() -> u8 {
    let far = std::ptr::with_exposed_provenance::<u8>(black_box(0xffff_0000_usize));
    // SAFETY: not kept on purpose: there is no memory, which wasm turns into a trap.
    unsafe { far.read_volatile() }
}

fn call_nothing() {
    let nothing = black_box(usize::MAX / 2);
    // SAFETY: not kept on purpose: the table has no such entry, which wasm turns into a trap.
    let function: fn() = unsafe { std::mem::transmute::<usize, fn()>(nothing) };
    function();
}
