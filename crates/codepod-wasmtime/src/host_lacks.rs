//! What a host can lack that the engine needs, said so that its owner knows what to change.

use std::fmt::Display;
use std::io;

use crate::error::{EngineError, EngineResult};

/// Fails where the host refuses what the engine cannot do without.
pub(crate) fn check() -> EngineResult<()> {
    #[cfg(target_os = "linux")]
    if is_memfd_forbidden() {
        return Err(EngineError::Setup(
            "this process may not call `memfd_create`, which a seccomp profile forbids: allow it \
             there, or let the profile answer ENOSYS"
                .into(),
        ));
    }
    Ok(())
}

/// Whether a filter answers `memfd_create` with an error that wasmtime takes for one of its own.
/// Where the call does not exist (ENOSYS), wasmtime copies the memory that processes begin with.
#[cfg(target_os = "linux")]
fn is_memfd_forbidden() -> bool {
    use rustix::fs::{MemfdFlags, memfd_create};
    use rustix::io::Errno;
    let made = memfd_create("codepod-probe", MemfdFlags::CLOEXEC);
    matches!(made, Err(Errno::PERM | Errno::ACCESS))
}

/// Why wasmtime cannot be set up.
pub(crate) fn engine(error: &impl Display) -> EngineError {
    let why = format!("{error:#}");
    #[cfg(unix)]
    if let Some(bytes) = rustix::process::getrlimit(rustix::process::Resource::As).current {
        return EngineError::Setup(format!(
            "the address space of this process is limited to {} MB (`ulimit -v`, RLIMIT_AS), and \
             each process in a sandbox reserves 4 GB of it: {why}",
            bytes >> 20
        ));
    }
    EngineError::Setup(why)
}

/// Why the engine cannot have its threads.
pub(crate) fn threads(error: &io::Error) -> EngineError {
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            ": a seccomp profile forbids `clone3`; a newer one answers ENOSYS"
        }
        io::ErrorKind::WouldBlock => ": raise `ulimit -u`, or the container's limit of processes",
        io::ErrorKind::OutOfMemory => ": raise `ulimit -v`",
        _ => "",
    };
    EngineError::Setup(format!("cannot start a thread ({error}){hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_host_lacks_nothing() {
        check().unwrap();
        let plain = engine(&"no room").to_string();
        assert!(plain.ends_with("no room"), "{plain}");
    }

    #[test]
    fn a_thread_that_cannot_be_started_says_what_to_change() {
        for (number, hint) in [(1, "clone3"), (11, "ulimit -u"), (12, "ulimit -v")] {
            let error = threads(&io::Error::from_raw_os_error(number)).to_string();
            assert!(error.contains(hint), "{error}");
        }
    }
}
