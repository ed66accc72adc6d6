//! Permissions: mode bits, owners, the sticky bit; and changing them.
//!
//! User 0 passes every check except executing a file that nobody may execute. There are no
//! supplementary groups.

use codepod_abi::Errno;

use super::Vfs;
use crate::caller::Caller;
use crate::node::{Access, FileKind, NodeRef, Stat};

/// The sticky bit: in such a directory only owners remove and rename.
const STICKY: u16 = 0o1000;
/// The set-group bit.
const SET_GROUP: u16 = 0o2000;

/// Whether the mode bits let the caller do that; [`Errno::Access`] if not.
pub(super) fn permit(caller: &Caller<'_>, stat: &Stat, wanted: Access) -> Result<(), Errno> {
    if caller.uid == 0 {
        let execute = wanted.has(Access::EXECUTE) && stat.kind != FileKind::Directory;
        return if execute && stat.mode & 0o111 == 0 {
            Err(Errno::Access)
        } else {
            Ok(())
        };
    }
    let shift = if caller.uid == stat.uid {
        6
    } else if caller.gid == stat.gid {
        3
    } else {
        0
    };
    let granted = Access((stat.mode >> shift) as u8 & 7);
    if granted.has(wanted) {
        Ok(())
    } else {
        Err(Errno::Access)
    }
}

impl Vfs {
    /// Mode bits, and for writing whether the mount allows it: [`Errno::Rofs`] if not. Pipes and
    /// devices can be written to on a read-only mount.
    pub(super) fn check(
        &self,
        caller: &Caller<'_>,
        node: NodeRef,
        stat: &Stat,
        wanted: Access,
    ) -> Result<(), Errno> {
        let stored = !matches!(
            stat.kind,
            FileKind::Fifo | FileKind::Socket | FileKind::CharDevice
        );
        if wanted.has(Access::WRITE) && stored {
            self.check_writable(node)?;
        }
        permit(caller, stat, wanted)
    }

    /// [`Errno::Rofs`] unless the node's mount can be changed.
    pub(super) fn check_writable(&self, node: NodeRef) -> Result<(), Errno> {
        if self.mount_at(node.mount)?.fs.read_only() {
            Err(Errno::Rofs)
        } else {
            Ok(())
        }
    }

    /// Whether the caller may add a name to a directory.
    pub(super) fn check_add(&mut self, caller: &Caller<'_>, dir: NodeRef) -> Result<(), Errno> {
        let stat = self.stat(caller, dir)?;
        self.check(caller, dir, &stat, Access::WRITE.and(Access::EXECUTE))
    }

    /// Whether the caller may take the name of `node` out of `dir`.
    pub(super) fn check_remove(
        &mut self,
        caller: &Caller<'_>,
        dir: NodeRef,
        node: NodeRef,
    ) -> Result<(), Errno> {
        let parent = self.stat(caller, dir)?;
        self.check(caller, dir, &parent, Access::WRITE.and(Access::EXECUTE))?;
        if parent.mode & STICKY != 0 && caller.uid != 0 && caller.uid != parent.uid {
            let stat = self.stat(caller, node)?;
            if stat.uid != caller.uid {
                return Err(Errno::Perm);
            }
        }
        Ok(())
    }

    /// Sets times; `None` leaves one as it is.
    ///
    /// [`Errno::Perm`] unless the caller owns the node; whoever may write to it may set both times
    /// to now.
    pub fn set_times(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        atime: Option<u64>,
        mtime: Option<u64>,
    ) -> Result<(), Errno> {
        self.check_writable(node)?;
        let stat = self.stat(caller, node)?;
        if caller.uid != 0 && caller.uid != stat.uid {
            let now = Some(caller.now);
            if (atime, mtime) != (now, now) {
                return Err(Errno::Perm);
            }
            permit(caller, &stat, Access::WRITE)?;
        }
        self.fs(node.mount)?
            .set_times(caller, node.inode, atime, mtime)
    }

    /// Sets the permission bits. [`Errno::Perm`] unless the caller owns the node.
    pub fn set_mode(&mut self, caller: &Caller<'_>, node: NodeRef, mode: u16) -> Result<(), Errno> {
        self.check_writable(node)?;
        let stat = self.stat(caller, node)?;
        if caller.uid != 0 && caller.uid != stat.uid {
            return Err(Errno::Perm);
        }
        if stat.kind == FileKind::Symlink {
            return Err(Errno::NotSup);
        }
        let mut mode = mode & 0o7777;
        if caller.uid != 0 && caller.gid != stat.gid {
            mode &= !SET_GROUP;
        }
        self.fs(node.mount)?.set_mode(caller, node.inode, mode)
    }

    /// Sets owner and group; `None` leaves one as it is. [`Errno::Perm`] for anyone but root,
    /// except an owner who changes nothing or gives the node to the own group.
    pub fn set_owner(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        uid: Option<u32>,
        gid: Option<u32>,
    ) -> Result<(), Errno> {
        self.check_writable(node)?;
        let stat = self.stat(caller, node)?;
        let same_user = uid.is_none_or(|uid| uid == stat.uid);
        let own_group = gid.is_none_or(|gid| gid == stat.gid || gid == caller.gid);
        if caller.uid != 0 && !(caller.uid == stat.uid && same_user && own_group) {
            return Err(Errno::Perm);
        }
        self.fs(node.mount)?.set_owner(caller, node.inode, uid, gid)
    }

    /// Group and further mode bits that a new node takes over from its directory.
    pub(super) fn inherited(
        &mut self,
        caller: &Caller<'_>,
        dir: NodeRef,
    ) -> Result<(u32, u16), Errno> {
        let parent = self.stat(caller, dir)?;
        if parent.mode & SET_GROUP != 0 {
            Ok((parent.gid, SET_GROUP))
        } else {
            Ok((caller.gid, 0))
        }
    }
}
