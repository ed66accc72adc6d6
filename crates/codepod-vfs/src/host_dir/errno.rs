//! The host's error numbers in the sandbox's words. Nothing else of a host error gets through.

use codepod_abi::Errno;
use rustix::io::Errno as Host;

/// The sandbox's error for one of the host's; `Io` for what a sandbox has no business with.
pub(super) fn translate(error: Host) -> Errno {
    match error {
        Host::ACCESS => Errno::Access,
        Host::AGAIN => Errno::Again,
        Host::BUSY => Errno::Busy,
        Host::DQUOT => Errno::Dquot,
        Host::EXIST => Errno::Exist,
        Host::FBIG => Errno::Fbig,
        Host::INTR => Errno::Intr,
        Host::INVAL => Errno::Inval,
        Host::ISDIR => Errno::IsDir,
        Host::LOOP => Errno::Loop,
        Host::MFILE | Host::NFILE => Errno::Nfile,
        Host::MLINK => Errno::Mlink,
        Host::NAMETOOLONG => Errno::NameTooLong,
        Host::NODEV | Host::NXIO => Errno::Nxio,
        Host::NOENT => Errno::NoEnt,
        Host::NOMEM => Errno::NoMem,
        Host::NOSPC => Errno::NoSpc,
        Host::NOTDIR => Errno::NotDir,
        Host::NOTEMPTY => Errno::NotEmpty,
        Host::OPNOTSUPP => Errno::NotSup,
        Host::PERM => Errno::Perm,
        Host::ROFS => Errno::Rofs,
        Host::STALE => Errno::Stale,
        Host::TXTBSY => Errno::TxtBsy,
        Host::XDEV => Errno::Xdev,
        _ => Errno::Io,
    }
}
