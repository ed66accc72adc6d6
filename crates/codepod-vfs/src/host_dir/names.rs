//! Making, linking, moving and removing nodes of the host.

use codepod_abi::Errno;
use rustix::fs::{AtFlags, Mode, OFlags};

use super::errno::translate;
use super::facts::{check_name, kind};
use super::walk::Dir;
use super::{HostDir, SAFE};
use crate::backend::FileSystem as _;
use crate::caller::Caller;
use crate::node::{FileKind, InodeId, New, NewBody};

impl HostDir {
    /// Makes a node.
    pub(super) fn make(
        &mut self,
        dir: InodeId,
        name: &[u8],
        new: New<'_>,
    ) -> Result<InodeId, Errno> {
        self.check_writable()?;
        check_name(name)?;
        let shared = self.shared.clone();
        let reached = self.reach(dir)?;
        if new.body == NewBody::Directory {
            self.check_depth(&reached)?;
        }
        let opened = reached.dir;
        let mode = Mode::from_raw_mode((new.mode & 0o777).into());
        // The budget is taken last, so that a name that exists is told as such.
        if rustix::fs::statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            return Err(Errno::Exist);
        }
        if matches!(new.body, NewBody::Fifo | NewBody::Socket) {
            return Err(Errno::Perm);
        }
        let path = self.unguarded_path(dir, name)?;
        if let NewBody::Symlink(target) = new.body {
            self.check_target(&path, target)?;
        }
        shared.add_node()?;
        let made = match new.body {
            NewBody::Directory => rustix::fs::mkdirat(&opened, name, mode).map(|()| None),
            NewBody::Symlink(target) => rustix::fs::symlinkat(target, &opened, name).map(|()| None),
            _ => {
                let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | SAFE;
                rustix::fs::openat(&opened, name, flags, mode).map(Some)
            }
        };
        let file = made.map_err(|error| {
            shared.give_back_node();
            translate(error)
        })?;
        // Whatever had that name before is gone.
        self.lose(dir, name);
        let id = self.know(dir, name);
        self.fresh = file.map(|file| (id, file));
        Ok(id)
    }

    /// Gives a node another name.
    pub(super) fn add_name(
        &mut self,
        inode: InodeId,
        dir: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        self.check_writable()?;
        check_name(name)?;
        let (from, old_name) = self.place(inode)?.ok_or(Errno::Perm)?;
        let to = self.dir(dir)?;
        self.check_unguarded(inode)?;
        let path = self.unguarded_path(dir, name)?;
        let stat = rustix::fs::statat(&from, &*old_name, AtFlags::SYMLINK_NOFOLLOW);
        match kind(&stat.map_err(translate)?) {
            FileKind::Other => return Err(Errno::Perm),
            FileKind::Symlink => self.check_link(&from, &old_name, &path)?,
            _ => {}
        }
        self.shared.add_node()?;
        rustix::fs::linkat(&from, &*old_name, &to, name, AtFlags::empty()).map_err(|error| {
            self.shared.give_back_node();
            translate(error)
        })
    }

    /// Removes a name of anything but a directory.
    pub(super) fn remove_name(&mut self, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        self.check_writable()?;
        check_name(name)?;
        self.unguarded_path(dir, name)?;
        let opened = self.dir(dir)?;
        let secured = self.secure(dir, name)?;
        if let Err(error) = rustix::fs::unlinkat(&opened, name, AtFlags::empty()) {
            self.release(secured);
            return Err(translate(error));
        }
        self.table_mut().remove(dir, name);
        Ok(())
    }

    /// Removes an empty directory.
    pub(super) fn remove_directory(&mut self, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        self.check_writable()?;
        check_name(name)?;
        self.unguarded_path(dir, name)?;
        let opened = self.dir(dir)?;
        rustix::fs::unlinkat(&opened, name, AtFlags::REMOVEDIR).map_err(translate)?;
        self.walk.forget();
        self.table_mut().remove(dir, name);
        Ok(())
    }

    /// Moves a node, also over another.
    pub(super) fn move_node(
        &mut self,
        caller: &Caller<'_>,
        (dir, name): (InodeId, &[u8]),
        (new_dir, new_name): (InodeId, &[u8]),
    ) -> Result<(), Errno> {
        self.check_writable()?;
        check_name(name)?;
        check_name(new_name)?;
        let moved = self.lookup(caller, dir, name)?;
        if self.table.is_within(new_dir, moved)? {
            return Err(Errno::Inval);
        }
        let (from, to) = (self.dir(dir)?, self.reach(new_dir)?);
        let look = |dir: &Dir, name: &[u8]| {
            rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map_err(translate)
        };
        let old = look(&from, name)?;
        let old_path = self.unguarded_path(dir, name)?;
        let path = self.unguarded_path(new_dir, new_name)?;
        match kind(&old) {
            FileKind::Directory => {
                self.check_depth(&to)?;
                self.check_moved_directory((&from, name), &old_path, &path)?;
            }
            FileKind::Symlink => self.check_link(&from, name, &path)?,
            _ => {}
        }
        // Two names of one file stay as they are, here as on the host.
        let same = look(&to.dir, new_name)
            .is_ok_and(|new| (new.st_dev, new.st_ino) == (old.st_dev, old.st_ino));
        let secured = self.secure(new_dir, new_name)?;
        // By the call that publishing uses: one line in the jail's table.
        let flags = rustix::fs::RenameFlags::empty();
        let renamed = rustix::fs::renameat_with(&from, name, &to.dir, new_name, flags);
        let renamed = renamed.map_err(translate);
        if same || renamed.is_err() {
            self.release(secured);
        }
        renamed?;
        self.walk.forget();
        if !same {
            self.table_mut().rename(dir, name, new_dir, new_name);
        }
        Ok(())
    }
}
