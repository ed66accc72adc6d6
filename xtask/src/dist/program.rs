//! The program for a platform: compiled here, and linked by zig.

use std::path::{Path, PathBuf};

use crate::cache;
use crate::failure::Outcome;
use crate::platform::Platform;
use crate::process;
use crate::sdk;

/// Builds the program as it is shipped, with the core in it. zig links it, for any platform and
/// against the oldest C library that we support.
pub(super) fn build(platform: &Platform, guests: &Path) -> Outcome<PathBuf> {
    let tools = sdk::python::environment("scripts/dist-requirements.txt")?.join("bin");
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
        .args(["zigbuild", "--profile", "dist", "--bin", "codepod"])
        .args(["--features", "codepod-cli/embed", "--target"])
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
