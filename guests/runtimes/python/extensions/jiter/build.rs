//! Says where jiter's sources are.

use codepod_build_support::{is_wasi, source};

fn main() {
    // Only the guest has it; for the machine's own tests the library is empty.
    if is_wasi() {
        let main = source("jiter").join("crates/jiter-python/src/lib.rs");
        println!("cargo:rustc-env=JITER={}", main.display());
    }
}
