//! The working directory: the kernel's and libc's, kept the same.
//!
//! WASI has no working directory. wasi-libc keeps one of its own and puts it before relative paths,
//! and std uses that. The kernel keeps the one that children inherit. [`change`] moves both;
//! [`follow`] makes libc's what the kernel says.

use std::ffi::OsStr;

use codepod_abi::Errno;

use crate::descriptor::Fd;
use crate::{address, address_mut, check, raw};

/// The working directory's path as the kernel has it.
///
/// Fails with [`Errno::NoEnt`] when the directory was removed.
pub fn current() -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0u8; 256];
    loop {
        let mut used = 0u32;
        // SAFETY: the call writes at most `buffer.len()` bytes to `buffer`, and to `used`.
        let number = unsafe {
            raw::proc_cwd(
                address_mut(buffer.as_mut_ptr()),
                buffer.len() as u32,
                address_mut(&mut used),
            )
        };
        match check(number) {
            Ok(()) => {
                buffer.truncate(used as usize);
                return Ok(buffer);
            }
            // A path is bounded; a kernel that goes on refusing is not ours to ask for ever.
            Err(Errno::Range) if buffer.len() < 1 << 20 => buffer.resize(buffer.len() * 4, 0),
            Err(errno) => return Err(errno),
        }
    }
}

/// Changes the working directory.
///
/// Fails with [`Errno::NoEnt`], [`Errno::NotDir`], [`Errno::Access`], [`Errno::Loop`] or
/// [`Errno::NameTooLong`] when `path` leads to no directory; then nothing has changed.
pub fn change(path: &[u8]) -> Result<(), Errno> {
    // SAFETY: the call reads the path only.
    check(unsafe { raw::proc_chdir(Fd::CWD.0, address(path.as_ptr()), path.len() as u32) })?;
    follow()
}

/// Makes libc's working directory, and so std's, the kernel's.
///
/// Fails with [`Errno::NoEnt`] when the directory was removed: relative paths then start at the
/// last one that was known, `/` in a new process.
pub fn follow() -> Result<(), Errno> {
    let path = current()?;
    std::env::set_current_dir(os_str(&path)).map_err(|error| {
        let number = error
            .raw_os_error()
            .and_then(|number| u16::try_from(number).ok());
        number.and_then(Errno::from_raw).unwrap_or(Errno::NoEnt)
    })
}

#[cfg(any(unix, target_os = "wasi"))]
fn os_str(bytes: &[u8]) -> &OsStr {
    #[cfg(unix)]
    use std::os::unix::ffi::OsStrExt;
    #[cfg(target_os = "wasi")]
    use std::os::wasi::ffi::OsStrExt;
    OsStr::from_bytes(bytes)
}

#[cfg(not(any(unix, target_os = "wasi")))]
fn os_str(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).unwrap_or_default())
}
