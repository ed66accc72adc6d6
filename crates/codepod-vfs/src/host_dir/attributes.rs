//! Times and permission bits of nodes of the host.

use std::os::fd::OwnedFd;

use codepod_abi::Errno;
use rustix::fs::{AtFlags, Mode, OFlags, Timestamps};

use super::errno::translate;
use super::facts::{check_plain, timespec};
use super::{HostDir, SAFE};
use crate::node::InodeId;

impl HostDir {
    /// Sets the times that are given.
    pub(super) fn change_times(
        &mut self,
        inode: InodeId,
        atime: Option<u64>,
        mtime: Option<u64>,
    ) -> Result<(), Errno> {
        self.check_writable()?;
        self.check_unguarded(inode)?;
        let times = Timestamps {
            last_access: timespec(atime),
            last_modification: timespec(mtime),
        };
        if let Some(file) = self.descriptor(inode)? {
            return rustix::fs::futimens(file, &times).map_err(translate);
        }
        let (dir, name) = match self.place(inode)? {
            Some((dir, name)) => (dir, name),
            None => {
                return rustix::fs::futimens(&self.shared.root, &times).map_err(translate);
            }
        };
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let stat = rustix::fs::statat(&dir, &*name, flags).map_err(translate)?;
        self.shared.check_seen(&stat)?;
        rustix::fs::utimensat(&dir, &*name, &times, flags).map_err(translate)
    }

    /// Sets the permission bits.
    pub(super) fn change_mode(&mut self, inode: InodeId, mode: u16) -> Result<(), Errno> {
        self.check_writable()?;
        self.check_unguarded(inode)?;
        let mode = Mode::from_raw_mode((mode & 0o777).into());
        if let Some(file) = self.descriptor(inode)? {
            rustix::fs::fchmod(&file, mode).map_err(translate)?;
            let stat = rustix::fs::fstat(&file).map_err(translate)?;
            self.note_mode(inode, &stat);
            return Ok(());
        }
        set_mode(&self.open_any(inode)?, mode)
    }

    /// Opens a node just to change its mode: files and directories only, never through a link.
    fn open_any(&mut self, id: InodeId) -> Result<OwnedFd, Errno> {
        let Some((dir, name)) = self.place(id)? else {
            return self.shared.root.try_clone().map_err(|_| Errno::Nfile);
        };
        let stat =
            rustix::fs::statat(&dir, &*name, AtFlags::SYMLINK_NOFOLLOW).map_err(translate)?;
        check_plain(&stat)?;
        let open = |flags| rustix::fs::openat(&dir, &*name, flags | SAFE, Mode::empty());
        let file = match open(OFlags::RDONLY) {
            Err(rustix::io::Errno::ACCESS) => open(OFlags::WRONLY),
            other => other,
        };
        let file = file.map_err(translate)?;
        let stat = rustix::fs::fstat(&file).map_err(translate)?;
        self.shared.check_device(&file, &stat)?;
        Ok(file)
    }
}

/// Changes the mode of an open file or directory. What was looked at before it was opened may not
/// be what was opened.
pub(super) fn set_mode(file: &OwnedFd, mode: Mode) -> Result<(), Errno> {
    check_plain(&rustix::fs::fstat(file).map_err(translate)?)?;
    rustix::fs::fchmod(file, mode).map_err(translate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_file_nor_directory_keeps_its_mode_even_if_it_was_opened() {
        let path = std::env::temp_dir().join(format!("vfs-mode-{}", std::process::id()));
        let at = path.as_os_str();
        let mode = |mode| Mode::from_raw_mode(mode);
        rustix::fs::mkfifoat(rustix::fs::CWD, at, mode(0o600)).unwrap();
        let flags = OFlags::RDONLY | SAFE;
        let pipe = rustix::fs::openat(rustix::fs::CWD, at, flags, Mode::empty()).unwrap();
        assert_eq!(set_mode(&pipe, mode(0o777)), Err(Errno::Nxio));
        let stat = rustix::fs::fstat(&pipe).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(stat.st_mode & 0o777, 0o600);
    }
}
