//! Gives the module a stack that is deep enough for functions that call themselves thousands of
//! times.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let family = std::env::var("CARGO_CFG_TARGET_FAMILY").unwrap_or_default();
    if family.split(',').any(|family| family == "wasm") {
        // Rules and variables nest; the engine's own stack is in codepod-wasmtime's `config.rs`.
        println!("cargo::rustc-link-arg-bins=-zstack-size={}", 8 << 20);
    }
}
