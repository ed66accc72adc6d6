//! The wall on Linux: limits and flags of the process, Landlock (`paths.rs`), and the filter
//! (`filter.rs`) from its table (`table.rs`).

mod filter;
mod paths;
mod table;

use std::io;

use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit,
};

use crate::{Mode, Needs};

/// The most descriptors that the program can have. It uses some hundred.
const DESCRIPTORS: u64 = 4096;

/// Sets limits and keeps this thread, and those that it starts, from files; whether Landlock could
/// be had.
pub(crate) fn begin(needs: &Needs) -> io::Result<bool> {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(DESCRIPTORS);
    let few = Some(descriptors.min(DESCRIPTORS));
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: few,
            maximum: few,
        },
    )?;
    rustix::thread::set_no_new_privs(true)?;
    if is_memfd_forbidden() {
        // The engine says what it lacks, should it matter.
        let _ = filter::without_memfd();
    }
    Ok(paths::restrict(needs))
}

/// Whether a filter that was there before, such as a container's, forbids `memfd_create`.
fn is_memfd_forbidden() -> bool {
    use rustix::fs::{MemfdFlags, memfd_create};
    use rustix::io::Errno;
    memfd_create("codepod-probe", MemfdFlags::CLOEXEC).is_err_and(|error| error == Errno::PERM)
}

/// Closes the process to others of its user, and installs the filter on all threads.
pub(crate) fn seal(needs: &Needs, mode: Mode) -> io::Result<()> {
    // Not before now: who is not root could not open what is in `/proc/self` any more.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    filter::install(needs, mode)
}

/// The system calls that a program with these needs may make, by name. Some are allowed with
/// certain arguments only.
pub fn calls(needs: &Needs) -> Vec<&'static str> {
    let allowed = table::CALLS.iter().filter(|call| call.is_for(needs));
    allowed.map(|call| call.name).collect()
}
