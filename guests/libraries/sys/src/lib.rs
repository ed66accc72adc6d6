//! What a guest needs to call codepod's kernel: the imports, and safe functions over them.
//!
//! [`raw`] and [`calls`] are made from the table in `codepod-abi`; the other modules wrap what std
//! cannot say: processes, signals, pipes, sockets, modes and owners, the terminal, the working
//! directory, and files and directories by paths that are bytes. Errors are [`Errno`]; [`io_error`] makes
//! std's from it.
//!
//! A program calls [`init`] first. On targets other than wasm the crate compiles and every call
//! fails with [`Errno::NoSys`], so that code over it can be checked and unit-tested on the host.

#![expect(
    unsafe_code,
    reason = "calling the kernel is unsafe, and this is where it is done"
)]

pub mod calls;
pub mod clock;
pub mod cwd;
pub mod descriptor;
pub mod directory;
pub mod environment;
pub mod file;
pub mod pipe;
pub mod poll;
pub mod process;
pub mod random;
pub mod raw;
pub mod session;
pub mod signal;
pub mod socket;
pub mod start;
pub mod terminal;

pub use codepod_abi::{Errno, Signal};
pub use descriptor::Fd;
pub use process::{Pid, Spawn};
pub use start::init;

/// The error of a number that a call returned; `Ok` for 0.
///
/// A number that this version does not know becomes [`Errno::NoSys`].
pub fn check(number: u32) -> Result<(), Errno> {
    if number == u32::from(codepod_abi::SUCCESS) {
        return Ok(());
    }
    let known = u16::try_from(number).ok().and_then(Errno::from_raw);
    Err(known.unwrap_or(Errno::NoSys))
}

/// An error as the standard library has it: wasi-libc numbers errors as WASI does.
pub fn io_error(errno: Errno) -> std::io::Error {
    std::io::Error::from_raw_os_error(i32::from(errno.raw()))
}

/// A pointer as the kernel takes it. Guest memory is at most 4 GiB, so nothing is lost on wasm.
pub(crate) fn address<T>(pointer: *const T) -> u32 {
    pointer.expose_provenance() as u32
}

/// The address of something that the kernel writes to.
pub(crate) fn address_mut<T>(pointer: *mut T) -> u32 {
    pointer.expose_provenance() as u32
}
