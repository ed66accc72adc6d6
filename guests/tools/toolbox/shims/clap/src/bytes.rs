//! Operating-system strings as bytes, which they are on every system we build for.

use std::ffi::OsStr;

#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
#[cfg(target_os = "wasi")]
use std::os::wasi::ffi::OsStrExt;

/// The bytes as a string of the operating system.
pub(crate) fn os_str(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// The string's bytes.
pub(crate) fn of(text: &OsStr) -> &[u8] {
    text.as_bytes()
}
