//! `setup`: makes the machine ready, step by step; what is there already is left alone.

use std::path::PathBuf;

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, flag_and_names, unknown_argument};
use crate::packages;
use crate::process;
use crate::tools;

pub(crate) const COMMAND: Command = Command {
    name: "setup",
    arguments: "[--check]",
    about: "install what the other commands need",
    more: "Brings the wasm targets of the active Rust toolchain, a C compiler for wasm (or uses WASI_SDK_PATH),\n\
        the real tools that cases are compared with, cargo-nextest and cargo-deny. What the machine has is left alone; the rest goes into the cache\n\
        directory (CODEPOD_CACHE_DIR, else $XDG_CACHE_HOME/codepod, else ~/.cache/codepod), except Debian\n\
        packages, which are installed when this runs as root.\n\
        --check only says what is missing, and fails when something is.",
    run,
};

/// A step: what it brings, whether that is there, and how it comes.
struct Step {
    name: &'static str,
    purpose: &'static str,
    is_there: fn() -> Outcome<bool>,
    bring: fn() -> Outcome,
}

const STEPS: &[Step] = &[
    Step {
        name: "C and C++ compiler",
        purpose: "links Rust programs, compiles C parts of crates",
        is_there: || Ok(has_program("cc") && has_program("c++")),
        bring: install_host_compiler,
    },
    Step {
        name: "wasm targets",
        purpose: "compile guests, and the library for the browser",
        is_there: || Ok(script("wasm-target").arg("--check").succeeds()),
        bring: || script("wasm-target").run(),
    },
    Step {
        name: "C and C++ compiler for wasm",
        purpose: "compiles C and C++ parts of guests",
        is_there: has_wasm_c,
        bring: bring_wasm_c,
    },
    Step {
        name: "ninja",
        purpose: "builds numpy",
        is_there: || Ok(has_program("ninja")),
        bring: || install(&["ninja-build"]),
    },
    Step {
        name: "wasm-opt",
        purpose: "makes guests smaller that ask for it",
        is_there: || Ok(has_program("wasm-opt")),
        bring: || install(&["binaryen"]),
    },
    Step {
        name: "zstd",
        purpose: "tells how big guests are to ship",
        is_there: || Ok(has_program("zstd")),
        bring: || install(&["zstd"]),
    },
    Step {
        name: "real tools",
        purpose: "cases of spec/ are compared with them",
        is_there: packages::are_there,
        bring: packages::install,
    },
    Step {
        name: tools::NEXTEST.name,
        purpose: tools::NEXTEST.purpose,
        is_there: || Ok(tools::NEXTEST.is_there()),
        bring: || tools::NEXTEST.ensure(),
    },
    Step {
        name: tools::DENY.name,
        purpose: tools::DENY.purpose,
        is_there: || Ok(tools::DENY.is_there()),
        bring: || tools::DENY.ensure(),
    },
];

fn run(arguments: &[String]) -> Outcome {
    let (check, rest) = flag_and_names(arguments, "--check", "setup")?;
    if let Some(name) = rest.first() {
        return Err(unknown_argument(name, "setup"));
    }
    if check { check_all() } else { bring_all() }
}

/// Runs every step that is not done.
pub(crate) fn bring_all() -> Outcome {
    for step in STEPS {
        if (step.is_there)()? {
            println!("setup: {}: there", step.name);
            continue;
        }
        println!(
            "setup: {}: missing ({}); bringing it",
            step.name, step.purpose
        );
        (step.bring)()?;
    }
    Ok(())
}

fn check_all() -> Outcome {
    let mut missing = Vec::new();
    for step in STEPS {
        let there = (step.is_there)()?;
        let state = if there { "there" } else { "missing" };
        println!("setup: {}: {state} ({})", step.name, step.purpose);
        if !there {
            missing.push(step.name);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("missing: {}", missing.join(", ")))
        .hint("`cargo xtask setup` brings it"))
}

fn script(name: &str) -> process::Process {
    process::program(cache::in_root("scripts").join(name))
}

fn has_program(name: &str) -> bool {
    process::program(name).arg("--version").succeeds()
}

fn install_host_compiler() -> Outcome {
    install(&["gcc", "g++", "libc6-dev"])
}

/// Installs Debian packages. Fails where that is not allowed, or this is no Debian.
pub(crate) fn install(packages: &[&str]) -> Outcome {
    let hint = format!(
        "install {0} (Debian: `apt-get install {0}` as root)",
        packages.join(" ")
    );
    process::program("apt-get")
        .args(["-qq", "update"])
        .hint(&hint)
        .run()?;
    process::program("apt-get")
        .args(["-qq", "install", "-y", "--no-install-recommends"])
        .args(packages)
        .hint(&hint)
        .run()
}

fn has_wasm_c() -> Outcome<bool> {
    if let Some(sdk) = std::env::var_os("WASI_SDK_PATH") {
        return Ok(PathBuf::from(sdk).join("bin/wasm32-wasip1-clang").exists());
    }
    let directory = cache::wasm_c()?;
    Ok(script("wasm-c").arg("--check").arg(directory).succeeds())
}

fn bring_wasm_c() -> Outcome {
    if let Some(sdk) = std::env::var_os("WASI_SDK_PATH") {
        let sdk = PathBuf::from(sdk);
        return Err(Failure::new(format!(
            "`WASI_SDK_PATH` is set, but `{}` has no `bin/wasm32-wasip1-clang`",
            sdk.display()
        ))
        .hint("point it at an unpacked WASI SDK (22 or newer), or unset it"));
    }
    script("wasm-c").arg(cache::wasm_c()?).run()
}
