//! Guarded paths of a directory that is written to: changing one fails with `Perm` (`guard.rs` says
//! which they are).

use std::sync::Arc;

use codepod_abi::Errno;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::errno::translate;
use super::walk::Dir;
use super::{HostDir, SAFE};
use crate::guard::Guard;
use crate::node::InodeId;
use crate::overlay::below;

/// Entries of a directory that are looked at before it moves up.
const LOOKED_AT: usize = 4_096;

impl HostDir {
    /// [`Errno::Perm`] if a node's path is guarded. One that has no name any more is not.
    pub(super) fn check_unguarded(&mut self, id: InodeId) -> Result<(), Errno> {
        let guard = self.shared.options.guard;
        if guard == Guard::None {
            return Ok(());
        }
        match self.names(id) {
            Ok(names) => allowed(!guard.covers(&names.join(&b'/'))),
            Err(_) => Ok(()),
        }
    }

    /// [`Errno::Perm`] if a name in a directory is guarded; its path otherwise, empty where nothing
    /// is guarded at all.
    pub(super) fn unguarded_path(&mut self, dir: InodeId, name: &[u8]) -> Result<Vec<u8>, Errno> {
        let guard = self.shared.options.guard;
        if guard == Guard::None {
            return Ok(Vec::new());
        }
        let mut names = self.names(dir)?;
        names.push(Arc::from(name));
        let path = names.join(&b'/');
        allowed(!guard.covers(&path))?;
        Ok(path)
    }

    /// [`Errno::Perm`] if a link with this target leads out of the mount from that path.
    pub(super) fn check_target(&self, path: &[u8], target: &[u8]) -> Result<(), Errno> {
        allowed(!self.shared.options.guard.leads_out(path, target))
    }

    /// [`Errno::Perm`] if a link that is there under another name leads out of the mount from that
    /// path.
    pub(super) fn check_link(&self, dir: &Dir, name: &[u8], path: &[u8]) -> Result<(), Errno> {
        if self.shared.options.guard == Guard::None {
            return Ok(());
        }
        let target = rustix::fs::readlinkat(dir, name, Vec::new()).map_err(translate)?;
        self.check_target(path, target.to_bytes())
    }

    /// [`Errno::Perm`] if a directory that is moved from one path to another could bring guarded
    /// paths along, or links that lead out from there; [`Errno::Xdev`] if it has too much in it
    /// to be sure: tools then copy.
    pub(super) fn check_moved_directory(
        &self,
        (dir, name): (&Dir, &[u8]),
        from: &[u8],
        to: &[u8],
    ) -> Result<(), Errno> {
        let guard = self.shared.options.guard;
        allowed(!guard.covers_directory(to))?;
        let depth = |path: &[u8]| path.iter().filter(|byte| **byte == b'/').count();
        if guard == Guard::None || depth(to) >= depth(from) {
            return Ok(());
        }
        let top = self.step(dir, name)?;
        let mut left = LOOKED_AT;
        let mut open: Vec<Vec<u8>> = vec![Vec::new()];
        while let Some(path) = open.pop() {
            let mut dir = top.clone();
            for name in path.split(|byte| *byte == b'/').filter(|n| !n.is_empty()) {
                dir = self.step(&dir, name)?;
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | SAFE;
            let listed = rustix::fs::openat(&dir, ".", flags, Mode::empty()).map_err(translate)?;
            for entry in rustix::fs::Dir::new(listed).map_err(translate)? {
                let entry = entry.map_err(translate)?;
                let name = entry.file_name().to_bytes();
                if matches!(name, b"." | b"..") {
                    continue;
                }
                left = usize::checked_sub(left, 1).ok_or(Errno::Xdev)?;
                let path = below(&path, name);
                let known = match entry.file_type() {
                    FileType::Unknown => {
                        let flags = AtFlags::SYMLINK_NOFOLLOW;
                        let stat = rustix::fs::statat(&dir, name, flags).map_err(translate)?;
                        FileType::from_raw_mode(stat.st_mode)
                    }
                    known => known,
                };
                match known {
                    FileType::Directory => open.push(path),
                    FileType::Symlink => {
                        let target = rustix::fs::readlinkat(&dir, name, Vec::new());
                        let target = target.map_err(translate)?;
                        let out = |top| guard.leads_out(&below(top, &path), target.to_bytes());
                        // One that leads out as it is was made by the host.
                        allowed(out(from) || !out(to))?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

fn allowed(is: bool) -> Result<(), Errno> {
    if is { Ok(()) } else { Err(Errno::Perm) }
}
