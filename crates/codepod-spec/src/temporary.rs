//! A directory that is gone when its owner is.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::failure::{Failure, Result};

/// A new directory; removed with everything in it when dropped.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// Makes one where the machine keeps such things.
    pub(crate) fn new() -> Result<Temporary> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            "codepod-spec-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(|error| Failure::file("create", &path, error))?;
        Ok(Temporary { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed is the machine's to clean up; there is nobody to tell.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
