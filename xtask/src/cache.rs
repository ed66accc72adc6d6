//! Where things are: the checkout, and the cache directory outside of it.
//!
//! The cache holds what is worth keeping between checkouts: the C compiler for wasm, cargo tools,
//! other people's sources, built guests by the digest of their inputs, and CI's target directory.
//! All of it can be deleted at any time.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::failure::{Failure, Outcome};

/// The workspace root, from `CARGO_MANIFEST_DIR` at run time: the compile-time value is wrong when
/// several checkouts share a target directory.
pub(crate) fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        package.parent().unwrap_or(Path::new(".")).to_path_buf()
    })
}

/// A path in the checkout.
pub(crate) fn in_root(path: &str) -> PathBuf {
    root().join(path)
}

/// The cache directory: `CODEPOD_CACHE_DIR`, else `$XDG_CACHE_HOME/codepod`, else
/// `~/.cache/codepod`.
pub(crate) fn directory() -> Outcome<PathBuf> {
    directory_from(|name| std::env::var_os(name).map(PathBuf::from))
}

fn directory_from(variable: impl Fn(&str) -> Option<PathBuf>) -> Outcome<PathBuf> {
    let set = |name: &str| variable(name).filter(|path| path.is_absolute());
    set("CODEPOD_CACHE_DIR")
        .or_else(|| set("XDG_CACHE_HOME").map(|path| path.join("codepod")))
        .or_else(|| set("HOME").map(|path| path.join(".cache/codepod")))
        .ok_or_else(|| {
            Failure::new("there is no place for the cache: `HOME` is not set")
                .hint("set `CODEPOD_CACHE_DIR` to an absolute path")
        })
}

static OWN_TARGET: OnceLock<PathBuf> = OnceLock::new();

/// Makes every cargo that is started from here build in the cache, unless the caller chose a
/// directory.
pub(crate) fn build_in_cache() -> Outcome {
    if std::env::var_os("CARGO_TARGET_DIR").is_none() {
        let target = directory()?.join("target");
        OWN_TARGET.get_or_init(|| target);
    }
    Ok(())
}

/// The target directory in the cache, if this run builds there.
pub(crate) fn own_target() -> Option<PathBuf> {
    OWN_TARGET.get().cloned()
}

/// The target directory, if it is not the checkout's own.
pub(crate) fn chosen_target() -> Option<PathBuf> {
    own_target().or_else(|| Some(root().join(std::env::var_os("CARGO_TARGET_DIR")?)))
}

/// Where cargo builds this checkout.
pub(crate) fn target() -> PathBuf {
    chosen_target().unwrap_or_else(|| in_root("target"))
}

/// Where cargo tools that the machine lacks are installed.
pub(crate) fn tools() -> Outcome<PathBuf> {
    Ok(directory()?.join("tools"))
}

/// Where `setup` puts the C compiler for wasm.
pub(crate) fn wasm_c() -> Outcome<PathBuf> {
    Ok(directory()?.join("wasm-c"))
}

/// Where the sources of other people are unpacked, one directory per digest of where they come
/// from.
pub(crate) fn sources() -> Outcome<PathBuf> {
    Ok(directory()?.join("sources"))
}

/// Where built guests are kept, one directory per digest of their inputs.
pub(crate) fn guests() -> Outcome<PathBuf> {
    Ok(directory()?.join("guests"))
}

/// Cargo's own directory: `CARGO_HOME`, else `~/.cargo`.
pub(crate) fn cargo_home() -> PathBuf {
    let set = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    set.unwrap_or_else(|| std::env::home_dir().unwrap_or_default().join(".cargo"))
}

/// Creates a directory and its parents.
pub(crate) fn make_directory(path: &Path) -> Outcome {
    std::fs::create_dir_all(path).map_err(|error| Failure::file("create", path, error))
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, error))
}

/// Reads a TOML file.
pub(crate) fn read_toml(path: &Path) -> Outcome<toml::Table> {
    let table = read(path)?.parse();
    table.map_err(|error| Failure::file("parse", path, error))
}

/// Renames a finished directory to the name under which others look for it. If another run was
/// quicker, its result stays: it is as good.
pub(crate) fn put_in_place(finished: &Path, place: &Path) -> Outcome {
    let moved = std::fs::rename(finished, place).or_else(|error| match place.is_dir() {
        true => Ok(()),
        false => Err(error),
    });
    let _ = std::fs::remove_dir_all(finished);
    moved.map_err(|error| Failure::file("create", place, error))
}

/// Marks what is kept as used; whether that works decides only when it is forgotten.
pub(crate) fn mark_used(kept: &Path) {
    let _ =
        std::fs::File::open(kept).and_then(|file| file.set_modified(std::time::SystemTime::now()));
}

/// Deletes directories in a directory, those that were not used for the longest time, until so many
/// are left.
pub(crate) fn forget_oldest(directory: &Path, left: usize) -> Outcome {
    let entries =
        std::fs::read_dir(directory).map_err(|error| Failure::file("list", directory, error))?;
    let mut kept: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            Some((path.metadata().ok()?.modified().ok()?, path))
        })
        .collect();
    kept.sort();
    let old = kept.len().saturating_sub(left);
    for (_, path) in &kept[..old] {
        std::fs::remove_dir_all(path).map_err(|error| Failure::file("remove", path, error))?;
    }
    Ok(())
}

/// Writes a file; one that has this content already keeps its time.
pub(crate) fn write(path: &Path, content: &[u8]) -> Outcome {
    if std::fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_directory(parent)?;
    }
    std::fs::write(path, content).map_err(|error| Failure::file("write", path, error))
}

/// All files beneath a directory whose path is not refused by `enter`, sorted; nothing when it does
/// not exist.
pub(crate) fn files(directory: &Path, enter: &dyn Fn(&Path) -> bool) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_path_buf()];
    while let Some(directory) = pending.pop() {
        if !directory.is_dir() {
            continue;
        }
        let entries = std::fs::read_dir(&directory)
            .map_err(|error| Failure::file("list", &directory, error))?;
        for entry in entries {
            let path = entry
                .map_err(|error| Failure::file("list", &directory, error))?
                .path();
            if !enter(&path) {
                continue;
            }
            if path.is_dir() {
                pending.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a path ends in a directory that builds write to, or in a hidden name.
pub(crate) fn is_build_output(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || (path.is_dir() && matches!(&*name, "target" | "dist" | "node_modules"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variables: &[(&str, &str)]) -> Option<PathBuf> {
        directory_from(|name| {
            let (_, value) = variables.iter().find(|(key, _)| *key == name)?;
            Some(PathBuf::from(value))
        })
        .ok()
    }

    #[test]
    fn the_own_variable_comes_first_and_home_last() {
        let home = ("HOME", "/h");
        let xdg = ("XDG_CACHE_HOME", "/x");
        let own = ("CODEPOD_CACHE_DIR", "/c");
        assert_eq!(chosen(&[home, xdg, own]), Some("/c".into()));
        assert_eq!(chosen(&[home, xdg]), Some("/x/codepod".into()));
        assert_eq!(chosen(&[home]), Some("/h/.cache/codepod".into()));
        assert_eq!(chosen(&[]), None);
    }

    #[test]
    fn a_relative_cache_directory_is_ignored_as_xdg_asks() {
        assert_eq!(
            chosen(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")]),
            Some("/h/.cache/codepod".into())
        );
    }
}
