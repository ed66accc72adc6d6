//! Says where pydantic-core's sources are, and what its own build script says.

use codepod_build_support::{is_wasi, source};

fn main() {
    // Only the guest has it; for the machine's own tests the library is empty.
    if is_wasi() {
        pyo3_build_config::use_pyo3_cfgs();
        let main = source("pydantic_core").join("src/lib.rs");
        println!("cargo:rustc-env=PYDANTIC_CORE={}", main.display());
        // What `pydantic_core.build_profile` is.
        println!("cargo:rustc-env=PROFILE=release");
    }
}
