//! The C compiler for guests.

use std::path::PathBuf;

use crate::cache;
use crate::failure::Outcome;

/// The C compiler for guests.
pub(super) struct CCompiler {
    /// Compiler and archiver; none when `setup` did not bring them, which matters only to guests
    /// with C in them.
    pub(super) programs: Option<(PathBuf, PathBuf)>,
    pub(super) version: String,
}

pub(super) fn c_compiler() -> Outcome<CCompiler> {
    let (bin, version_file, clang, ar) = match std::env::var_os("WASI_SDK_PATH") {
        Some(sdk) => {
            let sdk = PathBuf::from(sdk);
            (
                sdk.join("bin"),
                sdk.join("VERSION"),
                "wasm32-wasip1-clang",
                "llvm-ar",
            )
        }
        None => {
            let own = cache::wasm_c()?;
            (
                own.join("bin"),
                own.join("version"),
                "wasm32-wasip1-clang",
                "wasm32-wasip1-ar",
            )
        }
    };
    let programs = (bin.join(clang), bin.join(ar));
    let there = programs.0.exists() && programs.1.exists();
    Ok(CCompiler {
        programs: there.then_some(programs),
        version: std::fs::read_to_string(version_file).unwrap_or_default(),
    })
}
