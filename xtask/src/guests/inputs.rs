//! What a guest is made from, as a digest: its place in the cache.

use std::path::{Path, PathBuf};

use toml::Value;

use super::c::c_compiler;
use super::manifest::Guest;
use crate::cache;
use crate::digest::Digest;
use crate::failure::Outcome;
use crate::process;

/// Where the cache keeps a guest: by its name and the digest of everything it is made from.
pub(super) fn kept_build(guest: &Guest) -> Outcome<PathBuf> {
    let name = format!("{}-{}", guest.name, inputs_digest(guest)?);
    Ok(cache::guests()?.join(name))
}

fn inputs_digest(guest: &Guest) -> Outcome<String> {
    let root = cache::root();
    let mut digest = Digest::new();
    let enter = |path: &Path| !cache::is_build_output(path) && !is_about(path);
    digest.part("workspace", workspace_settings()?.as_bytes());
    for package in &guest.foreign {
        digest.part("package", package.as_bytes());
    }
    for directory in &guest.directories {
        for file in cache::files(directory, &enter)? {
            digest.file(root, &file)?;
        }
    }
    digest.part(
        "rustc",
        process::program("rustc").arg("-vV").output()?.as_bytes(),
    );
    if guest.wasm_opt.is_some() {
        let version = process::program("wasm-opt").arg("--version").output()?;
        digest.part("wasm-opt", version.as_bytes());
    }
    digest.part("c", c_compiler()?.version.as_bytes());
    // The places that paths are mapped to count, the machine's own paths do not.
    for (_, shown) in path_map(root)? {
        digest.part("path", shown.as_bytes());
    }
    digest.part("build", b"6"); // raise when `cargo_build` changes what it builds
    Ok(digest.hex())
}

/// Whether a file is only written about a guest or its licence, and does not change it.
fn is_about(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".md") || name.starts_with("LICENSE-")
}

/// What the manifest of the guests' workspace says to all of them: everything but who is in it, and
/// which packages are replaced: those count where they are used.
fn workspace_settings() -> Outcome<String> {
    let mut table = cache::read_toml(&cache::in_root("guests/Cargo.toml"))?;
    if let Some(Value::Table(workspace)) = table.get_mut("workspace") {
        workspace.remove("members");
    }
    table.remove("patch");
    Ok(table.to_string())
}

/// Directories whose paths must not get into a module, and what stands for them.
pub(super) fn path_map(root: &Path) -> Outcome<Vec<(PathBuf, &'static str)>> {
    Ok(vec![
        (root.to_owned(), "/codepod"),
        (cache::cargo_home(), "/cargo"),
        (process::sysroot()?, "/rust"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_about_a_guest_are_not_what_it_is_made_from() {
        assert!(is_about(Path::new("a/LICENSE-MIT")) && is_about(Path::new("a/README.md")));
        assert!(!is_about(Path::new("a/guest.toml")) && !is_about(Path::new("a/licence.rs")));
    }
}
