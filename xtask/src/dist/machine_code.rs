//! The guests with machine code for another platform, in a directory like `guests/dist`.

use std::path::{Path, PathBuf};

use super::copy;
use super::kept::Step;
use crate::cache;
use crate::failure::Outcome;
use crate::platform::Platform;
use crate::process;

/// The directory with the guests for a platform. The machine's own are built there already.
pub(super) fn bring(platform: &Platform) -> Outcome<PathBuf> {
    let own = cache::in_root("guests/dist");
    if platform.of_parts() == Platform::host()?.of_parts() {
        return Ok(own);
    }
    let there = cache::target().join("guests-for").join(platform.of_parts());
    let _ = std::fs::remove_dir_all(&there);
    copy_portable(&own, &there)?;
    let step = Step::new(
        format!("code-{}", platform.of_parts()),
        include_str!("machine_code.rs"),
    );
    let code = step
        .text("platform", &platform.code_target())
        // It has the digests of all modules.
        .file(&own.join("guests.toml"))?
        .sources("codepod-wasmtime")?
        .once(|code| {
            // In the profile of the tests, whose dependencies are optimised.
            process::cargo()
                .args(["run", "--quiet", "--bin", "codepod-precompile"])
                .args(["--features", "codepod-wasmtime/cross", "--"])
                .arg(&own)
                .arg(platform.code_target())
                .arg(code)
                .run()
        })?;
    for file in cache::files(&code, &|_| true)? {
        copy(&file, &there.join(file.file_name().unwrap_or_default()))?;
    }
    Ok(there)
}

/// Copies everything that is the same on every platform.
fn copy_portable(own: &Path, there: &Path) -> Outcome {
    for file in cache::files(own, &|directory| !directory.ends_with("parts"))? {
        let is_code = file.extension().is_some_and(|it| it == "cwasm");
        if let Ok(name) = file.strip_prefix(own)
            && !is_code
        {
            copy(&file, &there.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_and_parts_of_one_platform_are_not_taken_for_another() {
        let place = std::env::temp_dir().join(format!("codepod-code-{}", std::process::id()));
        let (own, there) = (place.join("own"), place.join("there"));
        for file in ["a.wasm", "a.cwasm", "parts/core.part", "files/b"] {
            cache::write(&own.join(file), b"x").unwrap();
        }
        copy_portable(&own, &there).unwrap();
        let mut copied = cache::files(&there, &|_| true).unwrap();
        copied.sort();
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(copied, [there.join("a.wasm"), there.join("files/b")]);
    }
}
