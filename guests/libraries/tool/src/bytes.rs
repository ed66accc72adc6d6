//! Bytes as std's strings and paths.

use std::ffi::OsStr;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt as _;
#[cfg(target_os = "wasi")]
use std::os::wasi::ffi::OsStrExt as _;
use std::path::Path;

/// Bytes as a string of the system.
pub fn os_str(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// Bytes as a path.
pub fn path(bytes: &[u8]) -> &Path {
    Path::new(os_str(bytes))
}
