//! What the slow steps of `dist` have made, kept in the cache by the digest of everything that it
//! was made from: a call after one that ended early, or for more platforms, makes what is missing.

use std::path::{Path, PathBuf};

use crate::cache;
use crate::digest::Digest;
use crate::failure::{Failure, Outcome};
use crate::lock::Lock;
use crate::process;

/// How many results of a step stay: those of two checkouts, each before and after a change.
const KEPT: usize = 4;

/// A step: its name, and what decides its result.
pub(super) struct Step {
    name: String,
    inputs: Digest,
}

impl Step {
    /// `how` is the source of the file that has the step: how something is made decides as well.
    pub(super) fn new(name: String, how: &str) -> Step {
        let mut inputs = Digest::new();
        inputs.part("how", how.as_bytes());
        Step { name, inputs }
    }

    /// Adds a text.
    pub(super) fn text(mut self, name: &str, text: &str) -> Step {
        self.inputs.part(name, text.as_bytes());
        self
    }

    /// Adds a file's content.
    pub(super) fn file(mut self, file: &Path) -> Outcome<Step> {
        let content = std::fs::read(file).map_err(|error| Failure::file("read", file, error))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        self.inputs.part(&name, &content);
        Ok(self)
    }

    /// Adds all that cargo builds a package of the workspace from: our sources, the digests of
    /// other people's, settings and the compiler.
    pub(super) fn sources(mut self, package: &str) -> Outcome<Step> {
        let closure = Lock::read(&cache::in_root("Cargo.lock"))?.closure(package);
        for foreign in &closure.foreign {
            self.inputs.part("package", foreign.as_bytes());
        }
        for local in &closure.local {
            let directory = cache::in_root("crates").join(local);
            for file in cache::files(&directory, &|path| is_source(&directory, path))? {
                self.inputs.file(cache::root(), &file)?;
            }
        }
        let compiler = process::program("rustc").arg("-vV").output()?;
        self.text("rustc", &compiler)
            .file(&cache::in_root("Cargo.toml"))
    }

    /// The directory with what `make` puts into the one that it gets, in this call or in one
    /// before.
    pub(super) fn once(self, make: impl FnOnce(&Path) -> Outcome) -> Outcome<PathBuf> {
        let place = cache::directory()?.join("dist").join(&self.name);
        let kept = place.join(&self.inputs.hex()[..32]);
        if kept.exists() {
            println!("{}: as it was made before", self.name);
        } else {
            let fresh = kept.with_extension(format!("{}.tmp", std::process::id()));
            cache::make_directory(&fresh)?;
            make(&fresh)?;
            cache::put_in_place(&fresh, &kept)?;
        }
        cache::mark_used(&kept);
        cache::forget_oldest(&place, KEPT)?;
        Ok(kept)
    }
}

/// Whether a path of a package may get into what is built: not what is only tested with, or
/// written about it.
fn is_source(package: &Path, path: &Path) -> bool {
    let is_outside = path.parent() == Some(package)
        && ["tests", "examples", "README.md"]
            .iter()
            .any(|name| path.ends_with(name));
    !is_outside && !cache::is_build_output(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_tested_with_is_no_source() {
        let package = Path::new("/crates/a");
        let is = |path: &str| is_source(package, &package.join(path));
        assert!(is("src/tests.rs") && is("src/tests") && is("build.rs") && is("Cargo.toml"));
        assert!(!is("tests") && !is("examples") && !is("README.md") && !is(".hidden"));
    }

    #[test]
    fn every_source_of_the_program_counts_and_every_input_changes_the_digest() {
        let step = || Step::new("s".into(), "how");
        let digest = |step: Step| step.inputs.hex();
        let all = [
            digest(step()),
            digest(Step::new("s".into(), "otherwise")),
            digest(step().text("a", "b")),
            digest(step().text("b", "a")),
            digest(step().file(&cache::in_root("Cargo.toml")).unwrap()),
            digest(step().sources("codepod-abi").unwrap()),
            digest(step().sources("codepod-cli").unwrap()),
        ];
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        let lock = Lock::read(&cache::in_root("Cargo.lock")).unwrap();
        for local in lock.closure("codepod-cli").local {
            let source = cache::in_root("crates").join(&local).join("src");
            assert!(source.is_dir(), "{local} is not in crates/{local}");
        }
    }
}
