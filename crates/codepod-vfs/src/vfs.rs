//! The file system that a kernel sees: one tree of names over several mounts.
//!
//! The Vfs resolves every path, checks every permission and hands single names and node numbers to
//! the mounts. What a descriptor allows is the kernel's knowledge: operations on an open node
//! (`read_at`, `write_at`, `set_size`, …) check no permission bits.
//!
//! Reading never changes `atime`. Whoever keeps a [`NodeRef`] for longer than one call opens or
//! retains it; a number that is not held may come to mean nothing (`Stale`).

mod access;
mod moments;
mod mount;
mod names;
mod open;
mod resolve;
mod saving;

use codepod_abi::Errno;

use self::mount::Mount;
pub use self::mount::{MountInfo, VfsSnapshot};
pub use self::saving::SavedMount;
use crate::backend::FileSystem;
use crate::caller::Caller;
use crate::guard::Guard;
use crate::limits::{FsLimits, Usage};
use crate::memory::Memory;
use crate::node::{Access, Device, DirEntryRef, DirSink, FileKind, MountId, NodeRef, Stat};
use crate::overlay::{Below, HandedDown, Overlay, Step};
use crate::tree::{Blocks, Change, Tree};

/// All mounts of one sandbox.
pub struct Vfs {
    /// Mount 0 is the root. A mount keeps its place.
    mounts: Vec<Mount>,
    /// Lengths of names and paths, links per resolution.
    limits: FsLimits,
}

impl std::fmt::Debug for Vfs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vfs")
            .field("mounts", &self.mounts())
            .finish_non_exhaustive()
    }
}

impl Vfs {
    /// A Vfs whose root is `root`; names and paths have the usual limits.
    pub fn new(root: Box<dyn FileSystem>) -> Vfs {
        let limits = root.tree().map_or_else(FsLimits::default, Tree::limits);
        let mut vfs = Vfs {
            mounts: vec![Mount::root(root)],
            limits,
        };
        vfs.tell_mounts();
        vfs
    }

    /// A Vfs whose root is a writable tree, within the tree's limits.
    pub fn with_tree(tree: Tree) -> Vfs {
        Vfs::new(Box::new(Memory::new(tree)))
    }

    /// The root directory.
    pub fn root(&self) -> NodeRef {
        self.root_of(MountId(0))
    }

    /// What all trees hold together.
    pub fn usage(&self) -> Usage {
        self.mounts
            .iter()
            .map(|mount| mount.fs.usage())
            .fold(Usage::default(), |sum, one| Usage {
                bytes: sum.bytes + one.bytes,
                nodes: sum.nodes + one.nodes,
            })
    }

    /// What the fullest of the trees holds; each has the same limits.
    pub fn fullest(&self) -> Usage {
        let usages = self.mounts.iter().map(|mount| mount.fs.usage());
        usages.fold(Usage::default(), |most, one| Usage {
            bytes: most.bytes.max(one.bytes),
            nodes: most.nodes.max(one.nodes),
        })
    }

    /// The root's tree, if it is one.
    pub fn root_tree(&self) -> Option<&Tree> {
        self.tree(MountId(0))
    }

    /// A mount's tree: all of a memory mount, the upper part of an overlay.
    pub fn tree(&self, mount: MountId) -> Option<&Tree> {
        self.mounts.get(mount.0 as usize)?.fs.tree()
    }

    /// What an overlay has changed, by path from its root; [`Errno::Inval`] if it is none.
    pub fn overlay_changes(
        &mut self,
        caller: &Caller<'_>,
        mount: MountId,
    ) -> Result<Vec<Change>, Errno> {
        self.overlay(mount)?.list_changes(caller)
    }

    /// Which paths of a mount are guarded.
    pub fn guard(&self, mount: MountId) -> Guard {
        let mount = self.mounts.get(mount.0 as usize);
        mount.map_or(Guard::None, |mount| mount.fs.guard())
    }

    /// Hands what an overlay has changed at and below some paths, all without any, down to what
    /// lies under it; what became of each change: [`Errno::Perm`] for guarded paths unless
    /// `guarded`. [`Errno::Inval`] if it is none. Nothing of it may be open.
    pub fn hand_down(
        &mut self,
        caller: &Caller<'_>,
        mount: MountId,
        paths: &[Vec<u8>],
        guarded: bool,
    ) -> Result<Vec<HandedDown>, Errno> {
        self.overlay(mount)?.hand_down(caller, paths, guarded)
    }

    /// Hands changes down as [`Self::hand_down`] does, in the order in which they are given, and
    /// over what each expects. It is for the caller to leave out guarded paths.
    pub fn hand_down_steps(
        &mut self,
        caller: &Caller<'_>,
        mount: MountId,
        steps: &[Step],
    ) -> Result<Vec<HandedDown>, Errno> {
        self.overlay(mount)?.hand_down_steps(caller, steps)
    }

    /// Whether an overlay does not hand a change down: its path is guarded, unless `guarded` ones
    /// go along, or it is a link that leads out.
    pub fn refuses(
        &mut self,
        mount: MountId,
        change: &Change,
        guarded: bool,
    ) -> Result<bool, Errno> {
        Ok(self.overlay(mount)?.refuses(change, guarded))
    }

    /// How what lies under an overlay at a changed path stands to what the sandbox saw of it.
    pub fn look_below(
        &mut self,
        caller: &Caller<'_>,
        mount: MountId,
        change: &Change,
    ) -> Result<Below, Errno> {
        self.overlay(mount)?.look_below(caller, change)
    }

    /// As [`Self::look_below`], for a path that the sandbox may only have read; `None` if it has
    /// not even done that.
    pub fn look_at_seen(
        &mut self,
        caller: &Caller<'_>,
        mount: MountId,
        path: &[u8],
    ) -> Result<Option<Below>, Errno> {
        self.overlay(mount)?.look_at_seen(caller, path)
    }

    /// What a file under an overlay holds now; `None` where there is none, or one that is larger
    /// than `most`.
    pub fn lower_content(
        &mut self,
        caller: &Caller<'_>,
        mount: MountId,
        path: &[u8],
        most: u64,
    ) -> Result<Option<Vec<u8>>, Errno> {
        self.overlay(mount)?.lower_content(caller, path, most)
    }

    /// What a file under an overlay held before the sandbox changed it, if that is known.
    pub fn base_content(&mut self, mount: MountId, path: &[u8]) -> Result<Option<Vec<u8>>, Errno> {
        self.overlay(mount)?.base(path)
    }

    /// Begins to apply several changes to the host: what they replace or remove is kept aside, so
    /// that all of it can be rolled back.
    pub fn begin_handing_down(&mut self, mount: MountId) -> Result<(), Errno> {
        self.overlay(mount)?.begin_handing_down();
        Ok(())
    }

    /// Commits (`keep`) or rolls back the changes since [`Self::begin_handing_down`]. Returns the
    /// paths that could not be rolled back because the host has changed them since. Rolled back,
    /// the overlay has its changes again.
    pub fn end_handing_down(&mut self, mount: MountId, keep: bool) -> Result<Vec<Vec<u8>>, Errno> {
        Ok(self.overlay(mount)?.end_handing_down(keep))
    }

    /// What an overlay has changed and could not hand down now: somebody has changed it below.
    /// [`Errno::Inval`] if it is none.
    pub fn stale_changes(
        &mut self,
        caller: &Caller<'_>,
        mount: MountId,
    ) -> Result<Vec<Change>, Errno> {
        self.overlay(mount)?.stale_changes(caller)
    }

    /// Drops what an overlay has changed at and below some paths, all without any. [`Errno::Inval`]
    /// if it is none. Nothing of it may be open.
    pub fn drop_changes(
        &mut self,
        caller: &Caller<'_>,
        mount: MountId,
        paths: &[Vec<u8>],
    ) -> Result<Vec<Change>, Errno> {
        self.overlay(mount)?.drop_changes(caller, paths)
    }

    fn overlay(&mut self, mount: MountId) -> Result<&mut Overlay, Errno> {
        self.fs(mount)?.overlay().ok_or(Errno::Inval)
    }

    /// The device that a node is.
    pub fn device(&self, node: NodeRef) -> Option<Device> {
        self.mounts
            .get(node.mount.0 as usize)?
            .fs
            .device(node.inode)
    }

    /// Process and descriptor that a magic link of `/proc/PID/fd` stands for.
    pub fn magic_link(&self, node: NodeRef) -> Option<(u32, u32)> {
        self.mounts
            .get(node.mount.0 as usize)?
            .fs
            .magic_link(node.inode)
    }

    /// What is known about a node.
    pub fn stat(&mut self, caller: &Caller<'_>, node: NodeRef) -> Result<Stat, Errno> {
        let mut stat = self.fs(node.mount)?.stat(caller, node.inode)?;
        stat.device = u64::from(node.mount.0) + 1;
        Ok(stat)
    }

    /// Reads from a regular file; 0 at its end. [`Errno::IsDir`], [`Errno::Inval`] on others.
    pub fn read_at(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        offset: u64,
        buf: &mut [u8],
    ) -> Result<usize, Errno> {
        self.fs(node.mount)?
            .read_at(caller, node.inode, offset, buf)
    }

    /// Writes to a regular file and returns how many bytes it took: at least one, or
    /// [`Errno::NoSpc`] at the limits and [`Errno::Fbig`] past the largest size.
    pub fn write_at(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        offset: u64,
        bytes: &[u8],
    ) -> Result<usize, Errno> {
        self.fs(node.mount)?
            .write_at(caller, node.inode, offset, bytes)
    }

    /// Writes at the end; returns where the end is now and how many bytes it took.
    pub fn append(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        bytes: &[u8],
    ) -> Result<(u64, usize), Errno> {
        self.fs(node.mount)?.append(caller, node.inode, bytes)
    }

    /// Cuts or extends an open file.
    pub fn set_size(&mut self, caller: &Caller<'_>, node: NodeRef, size: u64) -> Result<(), Errno> {
        self.fs(node.mount)?.set_size(caller, node.inode, size)
    }

    /// Makes sure that an open file has room for a range; extends it if needed.
    pub fn allocate(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        offset: u64,
        length: u64,
    ) -> Result<(), Errno> {
        self.fs(node.mount)?
            .allocate(caller, node.inode, offset, length)
    }

    /// A regular file's content by blocks; [`Errno::NotSup`] where content is not kept so.
    pub fn blocks(&mut self, node: NodeRef) -> Result<Blocks, Errno> {
        self.fs(node.mount)?.blocks(node.inode)
    }

    /// Sets an open file's content to blocks of a file of the same mount. It is about to take the
    /// name of `replaced`, whose content is therefore not counted besides. [`Errno::NoSpc`] beyond
    /// the limits, [`Errno::Xdev`] where the mounts are not the same.
    pub fn set_blocks(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        blocks: &Blocks,
        replaced: Option<NodeRef>,
    ) -> Result<(), Errno> {
        if replaced.is_some_and(|replaced| replaced.mount != node.mount) {
            return Err(Errno::Xdev);
        }
        let replaced = replaced.map(|replaced| replaced.inode);
        self.fs(node.mount)?
            .set_blocks(caller, node.inode, blocks, replaced)
    }

    /// Puts what was written where it lasts.
    pub fn sync(&mut self, node: NodeRef) -> Result<(), Errno> {
        self.fs(node.mount)?.sync(node.inode)
    }

    /// Lists an open directory from `cookie` to `until`, `.` and `..` first.
    ///
    /// Begin with 0 and go on with the `next` of the last entry taken; any other number is as good
    /// as one that lies between two entries. Entries made after the listing began are past the
    /// `until` that [`Vfs::dir_end_cookie`] gave. `sink` returns whether it took the entry.
    pub fn read_dir(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        cookie: u64,
        until: u64,
        sink: DirSink<'_>,
    ) -> Result<(), Errno> {
        let stat = self.stat(caller, node)?;
        if stat.kind != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        let mut dot = |name, inode, next| {
            cookie >= next || {
                let kind = FileKind::Directory;
                sink(DirEntryRef {
                    name,
                    inode,
                    kind,
                    next,
                })
            }
        };
        if !dot(b".", node.inode.0, 1) {
            return Ok(());
        }
        // A removed directory has no parent; it lists itself in its place.
        let parent = self.parent(node).unwrap_or(node);
        if !dot(b"..", parent.inode.0, 2) {
            return Ok(());
        }
        self.fs(node.mount)?
            .list(caller, node.inode, cookie.max(2), until, sink)
    }

    /// Where a listing that begins now ends at the latest.
    pub fn dir_end_cookie(&mut self, node: NodeRef) -> Result<u64, Errno> {
        self.fs(node.mount)?.end_cookie(node.inode)
    }

    /// The target of a link that was resolved before.
    pub fn readlink_node(&mut self, caller: &Caller<'_>, node: NodeRef) -> Result<Vec<u8>, Errno> {
        Ok(self.fs(node.mount)?.readlink(caller, node.inode)?.to_vec())
    }

    /// Whether the caller may do what `wanted` says; [`Errno::Access`] or [`Errno::Rofs`] if not.
    pub fn access(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        wanted: Access,
    ) -> Result<(), Errno> {
        let stat = self.stat(caller, node)?;
        self.check(caller, node, &stat, wanted)
    }

    /// An absolute path of a node; [`Errno::NoEnt`] if it was removed.
    pub fn path_of(&mut self, node: NodeRef) -> Result<Vec<u8>, Errno> {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        let mut at = node;
        loop {
            parts.push(self.fs(at.mount)?.path_of(at.inode)?);
            match self.mount_at(at.mount)?.covered {
                Some(covered) => at = covered,
                None => break,
            }
        }
        let mut path = Vec::new();
        for part in parts.iter().rev().filter(|part| !part.is_empty()) {
            path.push(b'/');
            path.extend_from_slice(part);
        }
        if path.is_empty() {
            path.push(b'/');
        }
        Ok(path)
    }

    /// The directory that holds a directory, across mounts; the root holds itself.
    fn parent(&mut self, node: NodeRef) -> Result<NodeRef, Errno> {
        let mut at = node;
        while at == self.root_of(at.mount) {
            match self.mount_at(at.mount)?.covered {
                Some(covered) => at = covered,
                None => return Ok(at),
            }
        }
        let inode = self.fs(at.mount)?.parent(at.inode)?;
        Ok(NodeRef {
            mount: at.mount,
            inode,
        })
    }

    fn mount_at(&self, mount: MountId) -> Result<&Mount, Errno> {
        self.mounts.get(mount.0 as usize).ok_or(Errno::Stale)
    }

    fn fs(&mut self, mount: MountId) -> Result<&mut dyn FileSystem, Errno> {
        match self.mounts.get_mut(mount.0 as usize) {
            Some(mount) => Ok(&mut *mount.fs),
            None => Err(Errno::Stale),
        }
    }

    fn root_of(&self, mount: MountId) -> NodeRef {
        let inode = self.mounts[mount.0 as usize].fs.root();
        NodeRef { mount, inode }
    }
}
