//! Directories that only their owner writes to: what is in them is believed.

use std::path::Path;
use std::{fs, io};

/// Makes a directory for its owner only. One that is there has to be ours, and such: whoever owns
/// it can let others write to it at any time.
pub(crate) fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
        builder.mode(0o700);
        builder.create(path)?;
        let made = fs::metadata(path)?;
        let why = if made.uid() != rustix::process::geteuid().as_raw() {
            "it belongs to somebody else, so that what it holds could be theirs"
        } else if made.mode() & 0o022 != 0 {
            "others may write to it, so that what it holds could be theirs"
        } else {
            return Ok(());
        };
        Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
    }
    #[cfg(not(unix))]
    builder.create(path)
}
