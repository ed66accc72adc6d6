//! What build scripts of guests share: fetched sources, and libraries of wasi-libc.

use std::env;
use std::path::PathBuf;

/// The directory into which `cargo xtask guests` has unpacked sources that `guest.toml` names.
///
/// # Panics
///
/// When the guest is built by plain cargo.
#[must_use]
pub fn source(name: &str) -> PathBuf {
    let variable = format!("CODEPOD_SOURCE_{}", name.to_ascii_uppercase());
    println!("cargo:rerun-if-env-changed={variable}");
    match env::var_os(&variable) {
        Some(directory) => directory.into(),
        None => panic!(
            "{variable} is not set: the sources of `{name}` are fetched by `cargo xtask guests`, which builds this"
        ),
    }
}

/// Whether the guest is built for WASI, and not for the machine's own tests.
#[must_use]
pub fn is_wasi() -> bool {
    env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "wasi")
}

/// Links what wasi-libc has in libraries of their own: `signal`, `getpid`, `mman`,
/// `process-clocks`.
///
/// # Panics
///
/// When the C compiler cannot be run.
pub fn link_emulations(build: &cc::Build, names: &[&str]) {
    let compiler = build.get_compiler();
    for name in names {
        let output = compiler
            .to_command()
            .arg(format!("--print-file-name=libwasi-emulated-{name}.a"))
            .output()
            .expect("the C compiler can be run");
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        if let Some(directory) = path.parent().filter(|_| path.is_absolute()) {
            println!("cargo:rustc-link-search=native={}", directory.display());
        }
        println!("cargo:rustc-link-lib=static=wasi-emulated-{name}");
    }
}
