//! Compiles every `.wasm` in a directory into the module cache, and puts the code beside it as
//! `.cwasm` and the module packed as `.wasm.zst`, for programs that carry them. A build step: see
//! `cargo xtask guests`.

#![expect(clippy::print_stderr, reason = "a command-line program")]

use std::path::Path;
use std::process::ExitCode;

use codepod_wasmtime::{Code, Engine, EngineError, ModuleCache};

fn main() -> ExitCode {
    let Some(directory) = std::env::args_os().nth(1) else {
        eprintln!("usage: codepod-precompile DIRECTORY");
        return ExitCode::from(2);
    };
    match precompile(Path::new(&directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn precompile(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let cache = ModuleCache::of_user()?;
    let cache = cache.ok_or("there is no directory for compiled code: set CODEPOD_CACHE_DIR")?;
    let mut files: Vec<_> = std::fs::read_dir(directory)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .collect();
    files.sort();
    for path in files {
        let wasm = std::fs::read(&path)?;
        let code = Engine::precompile(&cache, &wasm)
            .map_err(|error: EngineError| format!("{}: {error}", path.display()))?;
        std::fs::write(path.with_extension("cwasm"), code)?;
        std::fs::write(path.with_extension("wasm.zst"), Code::pack(&wasm)?)?;
    }
    Ok(())
}
