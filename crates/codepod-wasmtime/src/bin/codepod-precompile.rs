//! Compiles every `.wasm` in a directory into the module cache, and puts the code beside it as
//! `.cwasm` and the module packed as `.wasm.zst`, for programs that carry them. With a platform
//! (`aarch64-apple-darwin`), the code for that goes into another directory. A build step: see
//! `cargo xtask guests` and `cargo xtask dist`.

#![expect(clippy::print_stderr, reason = "a command-line program")]

use std::path::Path;
use std::process::ExitCode;

use codepod_wasmtime::{Code, Engine, EngineError, ModuleCache};

/// Room for the code of all platforms that we publish for.
const CACHE_BYTES: u64 = 8 << 30;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        [directory] => precompile(Path::new(directory), None, Path::new(directory)),
        [directory, triple, out] => precompile(Path::new(directory), Some(triple), Path::new(out)),
        _ => {
            eprintln!("usage: codepod-precompile DIRECTORY [PLATFORM OUT]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn precompile(directory: &Path, triple: Option<&str>, out: &Path) -> Outcome {
    let cache = ModuleCache::of_user()?;
    let cache = cache.ok_or("there is no directory for compiled code: set CODEPOD_CACHE_DIR")?;
    let cache = match triple {
        Some(_) => cache.with_room(CACHE_BYTES),
        None => cache,
    };
    for path in modules(directory)? {
        let wasm = std::fs::read(&path)?;
        let code = Engine::precompile(&cache, &wasm, triple)
            .map_err(|error: EngineError| format!("{}: {error}", path.display()))?;
        let beside = out.join(path.file_name().unwrap_or_default());
        std::fs::write(beside.with_extension("cwasm"), code)?;
        if triple.is_none() {
            std::fs::write(beside.with_extension("wasm.zst"), Code::pack(&wasm)?)?;
        }
    }
    Ok(())
}

fn modules(directory: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    let mut files: Vec<_> = std::fs::read_dir(directory)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|it| it == "wasm"))
        .collect();
    files.sort();
    Ok(files)
}
