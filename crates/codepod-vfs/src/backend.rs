//! The trait that every mounted file system implements.
//!
//! A backend works on node numbers and single names. It neither resolves paths nor follows links
//! nor checks permissions: [`Vfs`](crate::Vfs) does all three before it calls. Names that arrive
//! here are not empty, not `.` or `..`, within the length limit, and hold neither `/` nor NUL.
//!
//! Every method that changes something fails with [`Errno::Rofs`] unless a backend says otherwise,
//! so a read-only backend is one that implements only the first half.

use std::sync::Arc;

use codepod_abi::Errno;

use crate::budget::Budget;
use crate::caller::Caller;
use crate::guard::Guard;
use crate::limits::{FsLimits, Usage};
use crate::node::{Device, DirSink, InodeId, New, Stat};
use crate::overlay::{Overlay, OverlayState};
use crate::publish::{Fingerprint, Publisher};
use crate::tree::portable::LoadedTree;
use crate::tree::{Blocks, Tree};

/// What a backend keeps for [`Vfs::restore`](crate::Vfs::restore). Cloning it is cheap.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FsSnapshot {
    /// Nothing: the backend has no state of its own, or its state is the host's.
    Stateless,
    /// A tree.
    Tree(Tree),
    /// An overlay's upper tree and what it hides.
    Overlay(OverlayState),
}

/// A mounted file system.
///
/// `caller` gives the time, the owner of new nodes and the processes behind `/proc`.
pub trait FileSystem: Send {
    /// The name that `/proc/mounts` shows.
    fn type_name(&self) -> &'static str;

    /// Whether every change fails with [`Errno::Rofs`].
    fn read_only(&self) -> bool {
        true
    }

    /// The root directory.
    fn root(&self) -> InodeId;

    /// What is asked until [`FileSystem::end_walk`] are the steps of one path: a backend may hold
    /// open what it has reached on it, and goes on from there. Paths may be walked within one
    /// another.
    fn begin_walk(&mut self) {}

    /// Ends the path that was begun last.
    fn end_walk(&mut self) {}

    /// The node that `name` means in `dir`; [`Errno::NoEnt`] if none.
    fn lookup(&mut self, caller: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<InodeId, Errno>;

    /// The directory that holds the directory `dir`; the root holds itself. [`Errno::NoEnt`] if
    /// `dir` has been removed.
    fn parent(&mut self, dir: InodeId) -> Result<InodeId, Errno>;

    /// A path from the root to the node, without a leading slash; empty for the root.
    /// [`Errno::NoEnt`] if it has none.
    fn path_of(&mut self, inode: InodeId) -> Result<Vec<u8>, Errno>;

    /// What is known about a node. `device` is filled in by the Vfs.
    fn stat(&mut self, caller: &Caller<'_>, inode: InodeId) -> Result<Stat, Errno>;

    /// A link's target; [`Errno::Inval`] on anything else.
    fn readlink(&mut self, caller: &Caller<'_>, inode: InodeId) -> Result<Arc<[u8]>, Errno>;

    /// Reads from a regular file; 0 at its end.
    fn read_at(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        buf: &mut [u8],
    ) -> Result<usize, Errno>;

    /// Lists entries whose cookie is at least `cookie` and less than `until`, in that order,
    /// without `.` and `..`. Cookies start at 2 and an entry keeps its own.
    fn list(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        cookie: u64,
        until: u64,
        sink: DirSink<'_>,
    ) -> Result<(), Errno>;

    /// A cookie that no entry made so far reaches.
    fn end_cookie(&mut self, dir: InodeId) -> Result<u64, Errno> {
        let _ = dir;
        Ok(u64::MAX)
    }

    /// Notes one more opening of a node; `write` says whether bytes will be written through it.
    fn open(&mut self, caller: &Caller<'_>, inode: InodeId, write: bool) -> Result<(), Errno>;

    /// Notes one opening less; the last one frees what has no name any more.
    fn close(&mut self, inode: InodeId);

    /// A file system that starts equal and changes on its own from then on, without open files.
    fn fork(&self) -> Result<Box<dyn FileSystem>, Errno>;

    /// Forks it so that what the fork changes never reaches the host: a host directory that is
    /// written to becomes an overlay, within `limits` and charged to a budget.
    fn fork_apart(&self, limits: FsLimits, budget: &Budget) -> Result<Box<dyn FileSystem>, Errno> {
        let _ = (limits, budget);
        self.fork()
    }

    /// The present state, in constant time.
    fn snapshot(&self) -> FsSnapshot {
        FsSnapshot::Stateless
    }

    /// Goes back to a state of the same file system; nothing is open.
    fn restore(&mut self, snapshot: &FsSnapshot) {
        let _ = snapshot;
    }

    /// The state that a saved tree leads to, over what this file system shows; nothing changes yet.
    /// [`Errno::Inval`] where there is nothing to save.
    fn loaded(&mut self, tree: LoadedTree) -> Result<FsSnapshot, Errno> {
        let _ = tree;
        Err(Errno::Inval)
    }

    /// What it holds within its limits.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// The tree of a memory file system, the upper one of an overlay.
    fn tree(&self) -> Option<&Tree> {
        None
    }

    /// Which paths are guarded: in an overlay those of what lies under it.
    fn guard(&self) -> Guard {
        Guard::None
    }

    /// Itself, if it is an overlay: then it can tell what it has changed.
    fn overlay(&mut self) -> Option<&mut Overlay> {
        None
    }

    /// Itself, if its host can put nodes into it whatever a sandbox may do.
    fn publisher(&mut self) -> Option<&mut dyn Publisher> {
        None
    }

    /// What a node is now, to notice later whether somebody has changed it.
    fn fingerprint(&mut self, caller: &Caller<'_>, inode: InodeId) -> Result<Fingerprint, Errno> {
        self.stat(caller, inode).map(|stat| Fingerprint::of(&stat))
    }

    /// The device behind a node.
    fn device(&self, inode: InodeId) -> Option<Device> {
        let _ = inode;
        None
    }

    /// Process and descriptor behind a magic link.
    fn magic_link(&self, inode: InodeId) -> Option<(u32, u32)> {
        let _ = inode;
        None
    }

    /// Told when the mount table changes, with the text of `/proc/mounts`.
    fn mounts_changed(&mut self, mounts: &Arc<[u8]>) {
        let _ = mounts;
    }

    /// Puts what was written where it lasts.
    fn sync(&mut self, inode: InodeId) -> Result<(), Errno> {
        let _ = inode;
        Ok(())
    }

    /// A regular file's content by blocks; [`Errno::NotSup`] where content is not kept so.
    fn blocks(&self, inode: InodeId) -> Result<Blocks, Errno> {
        let _ = inode;
        Err(Errno::NotSup)
    }

    // ---- what changes something ----

    /// Sets a regular file's content to blocks of the same file system. It is about to take the
    /// name of `replaced`, whose content is therefore not counted besides.
    fn set_blocks(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        blocks: &Blocks,
        replaced: Option<InodeId>,
    ) -> Result<(), Errno> {
        let _ = (caller, inode, blocks, replaced);
        Err(Errno::Rofs)
    }

    /// Makes a node; [`Errno::Exist`] if the name is taken, [`Errno::NoEnt`] if `dir` was removed.
    fn create(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new: New<'_>,
    ) -> Result<InodeId, Errno> {
        let _ = (caller, dir, name, new);
        Err(Errno::Rofs)
    }

    /// Writes to a regular file; fewer bytes than given when a limit is reached.
    fn write_at(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<usize, Errno> {
        let _ = (caller, inode, offset, bytes);
        Err(Errno::Rofs)
    }

    /// Writes at the end; returns where the end is now and how many bytes were written.
    fn append(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        bytes: &[u8],
    ) -> Result<(u64, usize), Errno> {
        let _ = (caller, inode, bytes);
        Err(Errno::Rofs)
    }

    /// Cuts or extends a regular file.
    fn set_size(&mut self, caller: &Caller<'_>, inode: InodeId, size: u64) -> Result<(), Errno> {
        let _ = (caller, inode, size);
        Err(Errno::Rofs)
    }

    /// Makes sure that a later write into the range finds room; extends the file if needed.
    fn allocate(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        length: u64,
    ) -> Result<(), Errno> {
        let _ = (caller, inode, offset, length);
        Err(Errno::Rofs)
    }

    /// Sets times; `None` leaves one as it is.
    fn set_times(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        atime: Option<u64>,
        mtime: Option<u64>,
    ) -> Result<(), Errno> {
        let _ = (caller, inode, atime, mtime);
        Err(Errno::Rofs)
    }

    /// Sets the permission bits.
    fn set_mode(&mut self, caller: &Caller<'_>, inode: InodeId, mode: u16) -> Result<(), Errno> {
        let _ = (caller, inode, mode);
        Err(Errno::Rofs)
    }

    /// Sets owner and group; `None` leaves one as it is.
    fn set_owner(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        uid: Option<u32>,
        gid: Option<u32>,
    ) -> Result<(), Errno> {
        let _ = (caller, inode, uid, gid);
        Err(Errno::Rofs)
    }

    /// Gives a node that is not a directory one more name.
    fn link(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        dir: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        let _ = (caller, inode, dir, name);
        Err(Errno::Rofs)
    }

    /// Removes a name of a node that is not a directory; [`Errno::IsDir`] if it is one.
    fn unlink(&mut self, caller: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        let _ = (caller, dir, name);
        Err(Errno::Rofs)
    }

    /// Removes an empty directory.
    fn rmdir(&mut self, caller: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        let _ = (caller, dir, name);
        Err(Errno::Rofs)
    }

    /// Renames, replacing what POSIX lets it replace, in one step.
    fn rename(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new_dir: InodeId,
        new_name: &[u8],
    ) -> Result<(), Errno> {
        let _ = (caller, dir, name, new_dir, new_name);
        Err(Errno::Rofs)
    }
}
