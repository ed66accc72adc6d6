//! Guests that cargo cannot build: a script of their own does, from other people's sources.
//!
//! The script is called with a directory to work in, which stays from build to build, and one for
//! its results. In its environment are the C compiler (`CLANG`, `AR`), the program that
//! pre-initialises modules (`PREINIT`), and `SOURCES`: a directory with a link for each source that
//! `guest.toml` names. What a link points to has the source's digest in its name. `RUST_LIBRARY` is
//! the static library that cargo has made of what `library` names in `guest.toml`; a `configure`
//! would take a mere `LIBRARY` for the name of its own, and write over it. A guest that extends
//! another works in that one's directory, and has its sources and its library as well.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::build::{bring_sources, static_library};
use super::c::c_compiler;
use super::manifest::{self, Guest};
use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::process;

/// Builds a guest and returns the directory with the results.
pub(super) fn build(root: &Path, guest: &Guest, script: &str) -> Outcome<PathBuf> {
    let scripts = cache::directory()?.join("scripts");
    wait_for_others(&scripts)?;
    let results = scripts.join(&guest.name).join("results");
    let base = scripts.join(guest.extends.as_ref().unwrap_or(&guest.name));
    let _ = std::fs::remove_dir_all(&results);
    cache::make_directory(&results)?;
    let (clang, ar) = c_compiler()?.programs.ok_or_else(|| {
        Failure::new("there is no C compiler for wasm")
            .hint("`cargo xtask setup` brings it, or set WASI_SDK_PATH")
    })?;
    let directory = root.join(&guest.directory);
    let mut program = process::program(directory.join(script))
        .arg(base.join("work"))
        .arg(&results)
        .env("CLANG", clang)
        .env("AR", ar)
        .env("SOURCES", sources(guest, &base)?)
        .env("PREINIT", preinit()?)
        .hint(format!("logs are in `{}`", base.join("work").display()));
    if let Some(library) = library(root, guest)? {
        program = program.env("RUST_LIBRARY", library);
    }
    program.run()?;
    Ok(results)
}

/// Waits until no other checkout builds in the directory of the scripts. It is ours until this
/// program ends, because the results are copied later.
fn wait_for_others(scripts: &Path) -> Outcome {
    static TURN: OnceLock<File> = OnceLock::new();
    if TURN.get().is_some() {
        return Ok(());
    }
    cache::make_directory(scripts)?;
    let path = scripts.join("lock");
    let file = File::create(&path).map_err(|error| Failure::file("create", &path, error))?;
    if file.try_lock().is_err() {
        println!("guests: another checkout builds by script; waiting for it");
        file.lock()
            .map_err(|error| Failure::file("lock", &path, error))?;
    }
    let _ = TURN.set(file);
    Ok(())
}

/// A directory with a link to each source of the guest, and of that which it extends.
fn sources(guest: &Guest, base: &Path) -> Outcome<PathBuf> {
    let links = base.join("sources");
    let _ = std::fs::remove_dir_all(&links);
    cache::make_directory(&links)?;
    let guests = manifest::all()?;
    let extended = guests
        .iter()
        .filter(|it| guest.extends.as_ref() == Some(&it.name));
    for source in bring_sources(extended.chain([guest]))? {
        let link = links.join(&source.name);
        std::os::unix::fs::symlink(&source.directory, &link)
            .map_err(|error| Failure::file("create", &link, error))?;
    }
    Ok(links)
}

/// The static library of the guest, or of that which it extends.
fn library(root: &Path, guest: &Guest) -> Outcome<Option<PathBuf>> {
    let guests = manifest::all()?;
    let extended = guests
        .iter()
        .find(|it| guest.extends.as_ref() == Some(&it.name));
    let owner = extended.unwrap_or(guest);
    let library = owner.library.as_ref();
    library
        .map(|library| static_library(root, owner, library))
        .transpose()
}

/// Builds `codepod-preinit`, in the profile of the tests, whose dependencies are optimised, and
/// with the features that dependencies have for the whole workspace: CI then builds wasmtime once.
fn preinit() -> Outcome<PathBuf> {
    process::cargo()
        .args(["build", "--quiet", "--bin", "codepod-preinit"])
        .run()?;
    let target = cache::target();
    Ok(target.join("debug/codepod-preinit"))
}
