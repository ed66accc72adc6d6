//! WM-12: `memory_scan [MB]` grows its memory and looks through all of it, stack included, for what
//! `memory_dirty` and `stack_dirty` leave. Prints the words found, and the fresh ones that are not
//! zero.

#![expect(unsafe_code, reason = "it reads memory that belongs to nobody")]

use std::hint::black_box;
use std::ptr::with_exposed_provenance;
use test_programs::resources::number_argument;

fn main() {
    let megabytes = number_argument(1, 64) as usize;
    let fresh = grow(megabytes * 16);
    let end = fresh + megabytes * (1 << 20);
    // Its complement is what the program holds, so it does not find itself.
    let complement = black_box(0x5a3c_96e1_4d2b_7801_u64);
    let (mut found, mut dirty) = (0u64, 0u64);
    for address in (8..end).step_by(8) {
        // SAFETY: the address is aligned and within the memory; a volatile read assumes nothing of
        // it.
        let word = unsafe { with_exposed_provenance::<u64>(address).read_volatile() };
        found += u64::from(!word == complement);
        dirty += u64::from(address >= fresh && word != 0);
    }
    println!("{found} {dirty}");
    std::process::exit(i32::from(found + dirty > 0));
}

/// Grows the memory by so many pages and returns where they begin.
#[cfg(target_family = "wasm")]
fn grow(pages: usize) -> usize {
    let before = core::arch::wasm32::memory_grow::<0>(pages);
    if before == usize::MAX {
        eprintln!("memory_scan: refused");
        std::process::exit(2);
    }
    before * 65536
}

#[cfg(not(target_family = "wasm"))]
fn grow(_pages: usize) -> usize {
    std::process::exit(2);
}
