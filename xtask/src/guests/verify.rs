//! Whether two builds in different directories are the same.

use std::path::Path;

use super::build::build;
use super::manifest::Guest;
use crate::cache;
use crate::failure::{Failure, Outcome};

/// Builds copies of the sources in two directories of different length and compares the modules.
pub(super) fn verify_reproducible(guests: &[Guest]) -> Outcome {
    let base = cache::directory()?.join("reproducible");
    let _ = std::fs::remove_dir_all(&base);
    let copies = [base.join("a"), base.join("another-place/with/depth")];
    for copy in &copies {
        copy_sources(copy)?;
    }
    let mut different = Vec::new();
    for guest in guests {
        let [(first, _), (second, _)] = [build(&copies[0], guest)?, build(&copies[1], guest)?];
        for (a, b) in first.iter().zip(&second) {
            let read = |path: &Path| {
                std::fs::read(path).map_err(|error| Failure::file("read", path, error))
            };
            if read(a)? != read(b)? {
                different.push(
                    a.file_name()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned(),
                );
            }
        }
    }
    if !different.is_empty() {
        return Err(Failure::new(format!(
            "built twice and not the same: {}",
            different.join(", ")
        ))
        .hint(format!("both builds are in `{}`", base.display())));
    }
    println!("guests: two builds in different directories are the same, byte for byte");
    let _ = std::fs::remove_dir_all(&base);
    Ok(())
}

/// Copies what guests are made from.
fn copy_sources(copy: &Path) -> Outcome {
    let root = cache::root();
    let enter = |path: &Path| !cache::is_build_output(path);
    for file in cache::files(&root.join("guests"), &enter)? {
        let content = std::fs::read(&file).map_err(|error| Failure::file("read", &file, error))?;
        cache::write(
            &copy.join(file.strip_prefix(root).unwrap_or(&file)),
            &content,
        )?;
    }
    Ok(())
}
