//! The program for a platform: compiled here, and linked by zig.

use std::path::{Path, PathBuf};

use super::{copy, kept};
use crate::cache;
use crate::failure::Outcome;
use crate::parts::Made;
use crate::platform::Platform;
use crate::process;
use crate::sdk;

/// What zig and its cargo are installed from.
const TOOLS: &str = "scripts/dist-requirements.txt";

/// The program as it is shipped, with the core in it, and these parts known to it.
pub(super) fn bring(platform: &Platform, guests: &Path, parts: &[Made]) -> Outcome<PathBuf> {
    let name = format!("program-{}", platform.name);
    let mut step = kept::Step::new(name, include_str!("program.rs"))
        .text("target", platform.target)
        .text("libc", platform.libc.unwrap_or_default())
        .sources("codepod-cli")?
        .file(&cache::in_root(TOOLS))?
        .file(&guests.join("guests.toml"))?
        .file(&guests.join("parts/parts.toml"))?;
    for part in parts.iter().filter(|part| part.is_carried) {
        step = step.file(&part.packed())?;
    }
    let kept = step.once(|out| copy(&build(platform, guests)?, &out.join(platform.program())))?;
    Ok(kept.join(platform.program()))
}

/// zig links it, for any platform and against the oldest C library that we support.
fn build(platform: &Platform, guests: &Path) -> Outcome<PathBuf> {
    let tools = sdk::python::environment(TOOLS)?.join("bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(tools.clone()).chain(std::env::split_paths(&path));
    let paths = std::env::join_paths(paths).unwrap_or_default();
    process::program("rustup")
        .args(["target", "add", platform.target])
        .hint("other platforms need a toolchain that rustup has installed")
        .run()?;
    let libc = platform.libc.map(|version| format!(".{version}"));
    // What names files says the same wherever it is built.
    let places = [
        (cache::root().to_owned(), "/codepod"),
        // May be inside; the last that fits counts.
        (cache::target(), "/target"),
        (cache::cargo_home(), "/cargo"),
    ];
    let renamed = |option: &str| {
        let options = places.iter();
        options
            .map(|(from, to)| format!("{option}={}={to}", from.display()))
            .collect::<Vec<String>>()
    };
    let rust = renamed("--remap-path-prefix").join("','");
    process::program(tools.join("cargo-zigbuild"))
        // The package alone: built with the whole workspace it would have features of the others.
        .args(["zigbuild", "--profile", "dist", "--package", "codepod-cli"])
        .args(["--bin", "codepod", "--features", "embed", "--target"])
        .arg(format!("{}{}", platform.target, libc.unwrap_or_default()))
        .args(["--config", "profile.dist.strip='symbols'"])
        .arg("--config")
        .arg(format!("build.rustflags=['{rust}']"))
        .env("CFLAGS", renamed("-ffile-prefix-map").join(" "))
        .env("CODEPOD_GUESTS_DIR", guests)
        .env("PATH", paths)
        .directory(cache::root())
        .run()?;
    let built = cache::target().join(platform.target).join("dist");
    Ok(built.join(platform.program()))
}
