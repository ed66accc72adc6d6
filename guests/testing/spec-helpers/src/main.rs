//! The programs that Oils' conformance cases call, as one module: the name it is called by says
//! which.
//!
//! What they do is in `helpers.rs`, which `codepod-spec` compiles for the host as well, to run the
//! same cases with the machine's own bash.

mod helpers;

use std::ffi::OsString;
use std::io;

use codepod_sys::descriptor::{self, Fd};

fn main() {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    std::process::exit(helpers::run(&arguments, &read).unwrap_or(127));
}

/// What one read of a descriptor gives.
fn read(fd: u32) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; helpers::MOST_READ];
    let count = descriptor::read(Fd(fd), &mut bytes).map_err(codepod_sys::io_error)?;
    bytes.truncate(count);
    Ok(bytes)
}

/// The names for the build, which makes an entry in `/bin` for each: a section of the module, not
/// of its memory.
#[cfg(target_family = "wasm")]
#[expect(
    unsafe_code,
    reason = "naming a section counts as such; nothing else has this one"
)]
#[used]
#[unsafe(link_section = "codepod.commands")]
static COMMANDS: [u8; helpers::NAMES.len()] = {
    let mut names = [0; helpers::NAMES.len()];
    names.copy_from_slice(helpers::NAMES.as_bytes());
    names
};
