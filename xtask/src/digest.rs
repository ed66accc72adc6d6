//! Names content by its BLAKE3 digest, and what others check by its SHA-256.

use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::process;

/// Collects named parts into one digest. Names and lengths are part of it, so parts cannot run into
/// each other.
pub(crate) struct Digest {
    hasher: blake3::Hasher,
}

impl Digest {
    pub(crate) fn new() -> Self {
        Digest {
            hasher: blake3::Hasher::new(),
        }
    }

    pub(crate) fn part(&mut self, name: &str, content: &[u8]) -> &mut Self {
        for piece in [name.as_bytes(), content] {
            self.hasher.update(&(piece.len() as u64).to_le_bytes());
            self.hasher.update(piece);
        }
        self
    }

    /// Adds a file under its path relative to `base`.
    pub(crate) fn file(&mut self, base: &Path, path: &Path) -> Outcome<&mut Self> {
        let content = std::fs::read(path).map_err(|error| Failure::file("read", path, error))?;
        let name = path.strip_prefix(base).unwrap_or(path).to_string_lossy();
        Ok(self.part(&name, &content))
    }

    pub(crate) fn hex(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }
}

/// The digest of bytes alone.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The SHA-256 of a file.
pub(crate) fn sha256_of(file: &Path) -> Outcome<String> {
    let said = process::program("sha256sum").arg(file).output()?;
    let digest = said.split_whitespace().next().unwrap_or_default();
    Ok(digest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cannot_run_into_each_other() {
        let first = Digest::new().part("a", b"bc").hex();
        let second = Digest::new().part("ab", b"c").hex();
        assert_ne!(first, second);
    }
}
