//! What the linker has to know.

/// Room for the heap in the memory that a process starts with. Growing memory costs some
/// microseconds, and most tools need less than a megabyte; stack and data take 3.1 of the 4. Much
/// more is not better: an engine that looks for used pages looks through all of it.
const INITIAL_MEMORY: usize = 4 << 20;

/// Functions of libc that `src/libc.rs` takes over.
const WRAPPED: [&str; 4] = ["__wasilibc_nocwd_fstatat", "fstat", "chmod", "fchmod"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    println!("cargo::rustc-link-arg-bins=--initial-memory={INITIAL_MEMORY}");
    for function in WRAPPED {
        println!("cargo::rustc-link-arg-bins=--wrap={function}");
    }
}
