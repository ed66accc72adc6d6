//! What the linker has to know.

/// Room for the heap in the memory that a process starts with: growing memory costs some
/// microseconds.
const INITIAL_MEMORY: usize = 4 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").as_deref() == Ok("wasm") {
        println!("cargo::rustc-link-arg-bins=--initial-memory={INITIAL_MEMORY}");
    }
}
