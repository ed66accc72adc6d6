//! Builds a guest's modules: by cargo, or by its script.

use std::path::{Path, PathBuf};

use super::c::c_compiler;
use super::inputs::path_map;
use super::manifest::{Guest, Library, all};
use super::{TARGET, script};
use crate::cache;
use crate::failure::Outcome;
use crate::process::{self, Process};
use crate::sources::{Brought, Source};

/// The sources of guests, in the cache.
pub(super) fn bring_sources<'a>(
    guests: impl IntoIterator<Item = &'a Guest>,
) -> Outcome<Vec<Brought>> {
    let sources = guests.into_iter().flat_map(|guest| &guest.sources);
    sources.map(Source::bring).collect()
}

/// The sources of all guests that cargo builds, in the cache: for what is done with the whole
/// workspace.
pub(crate) fn all_sources() -> Outcome<Vec<Brought>> {
    let guests = all()?;
    bring_sources(guests.iter().filter(|guest| guest.script.is_none()))
}

/// A cargo call on the guests' workspace of the checkout `root`: target, target directory, C
/// compiler, and these sources.
pub(crate) fn guest_cargo(root: &Path, subcommand: &str, sources: &[Brought]) -> Outcome<Process> {
    let mut cargo = process::cargo()
        .arg(subcommand)
        .arg("--manifest-path")
        .arg(root.join("guests/Cargo.toml"))
        .args(["--target", TARGET])
        .env("CARGO_TARGET_DIR", target_directory(root))
        // The time that a build script or a C file may put into its output.
        .env("SOURCE_DATE_EPOCH", "0");
    cargo = with_sources(cargo, sources);
    let c = c_compiler()?;
    if let Some((clang, ar)) = &c.programs {
        let maps = path_flags("-ffile-prefix-map", root, sources)?;
        cargo = cargo
            .env("CC_wasm32_wasip1", clang)
            .env("AR_wasm32_wasip1", ar)
            .env("CFLAGS_wasm32_wasip1", maps.join(" "));
    }
    Ok(cargo)
}

/// Tells a build where these sources are.
pub(crate) fn with_sources(mut cargo: Process, sources: &[Brought]) -> Process {
    for source in sources {
        cargo = cargo.env(&source.variable(), &source.directory);
    }
    cargo
}

/// A flag for each directory whose path must not get into a module.
fn path_flags(flag: &str, root: &Path, sources: &[Brought]) -> Outcome<Vec<String>> {
    let flag = |path: &Path, shown: &str| format!("{flag}={}={shown}", path.display());
    let tree = path_map(root)?;
    let tree = tree.iter().map(|(path, shown)| flag(path, shown));
    let fetched = sources.iter();
    let fetched = fetched.map(|source| flag(&source.directory, &source.shown()));
    Ok(tree.chain(fetched).collect())
}

/// Beside the host's target directory when that was chosen by the caller, in `guests/` otherwise.
fn target_directory(root: &Path) -> PathBuf {
    match cache::chosen_target() {
        Some(target) if root == cache::root() => target.join("guests"),
        _ => root.join("guests/target"),
    }
}

/// Room for the heap in the memory that a process starts with. Growing memory costs some
/// microseconds each time, and most tools need less. Much more is not better: an engine that looks
/// for used pages looks through all of it.
const INITIAL_HEAP: usize = 512 << 10;

/// Builds a guest's modules and says where they are, and the directory with its files.
pub(super) fn build(root: &Path, guest: &Guest) -> Outcome<(Vec<PathBuf>, PathBuf)> {
    let Some(script) = &guest.script else {
        return Ok((cargo_build(root, guest)?, PathBuf::new()));
    };
    let results = script::build(root, guest, script)?;
    let modules = guest.modules.iter();
    let modules = modules.map(|module| results.join(format!("{module}.wasm")));
    Ok((modules.collect(), results))
}

fn cargo_build(root: &Path, guest: &Guest) -> Outcome<Vec<PathBuf>> {
    let sources = bring_sources([guest])?;
    let mut flags = path_flags("--remap-path-prefix", root, &sources)?;
    flags.push(format!("-Clink-arg=--initial-heap={INITIAL_HEAP}"));
    if let Some(features) = &guest.target_features {
        flags.push(format!("-Ctarget-feature={features}"));
    }
    if let Some(options) = &guest.llvm_args {
        flags.push(format!("-Cllvm-args={options}"));
    }
    let mut cargo = guest_cargo(root, "build", &sources)?
        .args(["--profile", &guest.profile])
        .args(["--locked", "--package", &guest.package])
        // Who needs the names of functions for a profile builds the guest with plain cargo.
        .arg("--config")
        .arg(format!("profile.{}.strip='symbols'", guest.profile))
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    for module in &guest.modules {
        cargo = cargo.args(["--bin", module]);
    }
    cargo
        .hint("`cargo xtask setup` brings the wasm target and the C compiler")
        .run()?;
    let built = target_directory(root).join(TARGET).join(&guest.profile);
    let modules = guest.modules.iter();
    modules
        .map(|module| built.join(format!("{module}.wasm")))
        .map(|module| match &guest.wasm_opt {
            Some(options) => optimise(&module, options),
            None => Ok(module),
        })
        .collect()
}

/// Builds a library that a guest's script links, and says where it is.
pub(super) fn static_library(root: &Path, guest: &Guest, library: &Library) -> Outcome<PathBuf> {
    let is_its = |source: &&Source| library.sources.iter().any(|it| it == source.name());
    let sources = guest.sources.iter().filter(is_its).map(Source::bring);
    let sources: Vec<Brought> = sources.collect::<Outcome<_>>()?;
    let mut flags = path_flags("--remap-path-prefix", root, &sources)?;
    if let Some(features) = &guest.target_features {
        flags.push(format!("-Ctarget-feature={features}"));
    }
    guest_cargo(root, "rustc", &sources)?
        .args(["--profile", &guest.profile])
        .args(["--locked", "--package", &library.package])
        .args(["--lib", "--crate-type", "staticlib"])
        // Which Python extension modules are for: there is none that PyO3 could ask.
        .env("PYO3_CONFIG_FILE", root.join(PYO3_CONFIG))
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .hint("`cargo xtask setup` brings the wasm target")
        .run()?;
    let built = target_directory(root).join(TARGET).join(&guest.profile);
    Ok(built.join(format!("lib{}.a", library.package.replace('-', "_"))))
}

/// What PyO3 has to know of the Python in `runtimes/python`.
const PYO3_CONFIG: &str = "guests/runtimes/python/extensions/pyo3.txt";

/// Features that rustc's modules use and Debian's `wasm-opt` does not take for granted.
const WASM_FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-multivalue",
    "--enable-reference-types",
    "--enable-simd",
];

/// Sends a module through `wasm-opt` and returns the result's place.
fn optimise(module: &Path, options: &str) -> Outcome<PathBuf> {
    let result = module.with_extension("opt.wasm");
    process::program("wasm-opt")
        .args(WASM_FEATURES)
        .args(options.split_whitespace())
        .arg(module)
        .arg("-o")
        .arg(&result)
        .hint("`cargo xtask setup` brings it (Debian: package binaryen)")
        .run()?;
    Ok(result)
}
