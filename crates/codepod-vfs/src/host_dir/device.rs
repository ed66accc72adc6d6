//! Which file systems of the host a mount goes into: the one that its root is on, others only if
//! asked to, and never those whose files are the host's kernel, its processes or its devices. Of a
//! directory where another file system begins, the name is seen and what is in it is not: `Xdev`.

use std::os::fd::{AsFd, OwnedFd};

use codepod_abi::Errno;

use super::Shared;
use super::errno::translate;
use super::facts::kind;
use crate::node::FileKind;

impl Shared {
    /// [`Errno::Xdev`] unless a directory that was opened is on a file system that the mount goes
    /// into.
    pub(super) fn check_directory(&self, dir: &OwnedFd) -> Result<(), Errno> {
        let stat = rustix::fs::fstat(dir).map_err(translate)?;
        self.check_device(dir, &stat)
    }

    /// [`Errno::Xdev`] unless what was opened is on a file system that the mount goes into.
    pub(super) fn check_device(
        &self,
        file: impl AsFd,
        stat: &rustix::fs::Stat,
    ) -> Result<(), Errno> {
        if stat.st_dev == self.device {
            return Ok(());
        }
        // Files below an overlay of the host's have numbers of the file systems that it is made of.
        let layered = self.layered && kind(stat) == FileKind::File && is_layered(&file);
        if !layered && !self.options.cross_devices || is_of_the_system(&file)? {
            return Err(Errno::Xdev);
        }
        Ok(())
    }

    /// [`Errno::Xdev`] unless what was looked at, and not opened, is on a file system that the
    /// mount goes into.
    pub(super) fn check_seen(&self, stat: &rustix::fs::Stat) -> Result<(), Errno> {
        let layered = self.layered && kind(stat) != FileKind::Directory;
        if stat.st_dev == self.device || self.options.cross_devices || layered {
            Ok(())
        } else {
            Err(Errno::Xdev)
        }
    }
}

/// File systems whose files are something else, by the numbers of Linux's `magic.h`.
#[cfg(any(target_os = "linux", target_os = "android"))]
const OF_THE_SYSTEM: [u32; 22] = [
    0x0000_9fa0, // proc
    0x0000_9fa2, // usbdevfs
    0x0000_1cd1, // devpts
    0x6265_6572, // sysfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0x6265_6570, // configfs
    0xcafe_4a11, // bpf
    0xde5e_81e4, // efivarfs
    0x6165_676c, // pstore
    0xf97c_ff8c, // selinuxfs
    0x4341_5d53, // smackfs
    0x6e73_6673, // nsfs
    0x4249_4e4d, // binfmt_misc
    0x1980_0202, // mqueue
    0x6573_5543, // fusectl
    0x0765_5821, // resctrl
    0x6c6f_6f70, // binderfs
    0xabba_1974, // xenfs
];

/// Whether a file is on one of those.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn is_of_the_system(file: impl AsFd) -> Result<bool, Errno> {
    let found = rustix::fs::fstatfs(file).map_err(translate)?;
    Ok(OF_THE_SYSTEM.contains(&(found.f_type as u32)))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn is_of_the_system(_: impl AsFd) -> Result<bool, Errno> {
    Ok(false)
}

/// Whether a file is on an overlay of the host's.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn is_layered(file: impl AsFd) -> bool {
    const OVERLAY: u32 = 0x794c_7630;
    rustix::fs::fstatfs(file).is_ok_and(|found| found.f_type as u32 == OVERLAY)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn is_layered(_: impl AsFd) -> bool {
    false
}
