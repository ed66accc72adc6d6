//! A tree that can be written to: the sandbox's own files.
//!
//! It adds to the [`Tree`] the one thing a value cannot know: which of its nodes are open now.
//! A snapshot is a clone of the tree; open counts are not in it.

use std::collections::HashMap;
use std::sync::Arc;

use codepod_abi::Errno;

use crate::backend::{FileSystem, FsSnapshot};
use crate::caller::Caller;
use crate::limits::Usage;
use crate::node::{Device, DirSink, InodeId, New, Stat};
use crate::tree::portable::LoadedTree;
use crate::tree::{Blocks, Tree, reads_of_tree};

/// A file system in memory.
#[derive(Debug)]
pub struct Memory {
    tree: Tree,
    /// How often each node is open.
    open: HashMap<InodeId, u32>,
}

impl Memory {
    /// A file system that starts as `tree`, within the tree's limits.
    pub fn new(mut tree: Tree) -> Memory {
        tree.purge_orphans();
        Memory {
            tree,
            open: HashMap::new(),
        }
    }
}

impl FileSystem for Memory {
    fn type_name(&self) -> &'static str {
        "tmpfs"
    }

    fn read_only(&self) -> bool {
        false
    }

    reads_of_tree!();

    fn open(&mut self, _: &Caller<'_>, inode: InodeId, _write: bool) -> Result<(), Errno> {
        self.tree.get(inode)?;
        *self.open.entry(inode).or_insert(0) += 1;
        Ok(())
    }

    fn close(&mut self, inode: InodeId) {
        if let Some(count) = self.open.get_mut(&inode) {
            *count -= 1;
            if *count == 0 {
                self.open.remove(&inode);
                self.tree.free_orphan(inode);
            }
        }
    }

    fn fork(&self) -> Result<Box<dyn FileSystem>, Errno> {
        Ok(Box::new(Memory::new(self.tree.clone())))
    }

    fn snapshot(&self) -> FsSnapshot {
        FsSnapshot::Tree(self.tree.clone())
    }

    fn restore(&mut self, snapshot: &FsSnapshot) {
        if let FsSnapshot::Tree(tree) = snapshot {
            *self = Memory::new(tree.clone());
        }
    }

    fn loaded(&mut self, loaded: LoadedTree) -> Result<FsSnapshot, Errno> {
        Ok(FsSnapshot::Tree(loaded.tree))
    }

    fn usage(&self) -> Usage {
        self.tree.usage()
    }

    fn tree(&self) -> Option<&Tree> {
        Some(&self.tree)
    }

    fn device(&self, inode: InodeId) -> Option<Device> {
        self.tree.device(inode)
    }

    fn blocks(&self, inode: InodeId) -> Result<Blocks, Errno> {
        self.tree.blocks(inode)
    }

    fn set_blocks(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        blocks: &Blocks,
        replaced: Option<InodeId>,
    ) -> Result<(), Errno> {
        self.tree.set_blocks(inode, blocks, replaced, caller.now)
    }

    fn create(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new: New<'_>,
    ) -> Result<InodeId, Errno> {
        self.tree.create(dir, name, new, caller.now)
    }

    fn write_at(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<usize, Errno> {
        self.tree
            .write_at(inode, offset, bytes, caller.uid, caller.now)
    }

    fn append(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        bytes: &[u8],
    ) -> Result<(u64, usize), Errno> {
        self.tree.append(inode, bytes, caller.uid, caller.now)
    }

    fn set_size(&mut self, caller: &Caller<'_>, inode: InodeId, size: u64) -> Result<(), Errno> {
        self.tree.set_size(inode, size, caller.uid, caller.now)
    }

    fn allocate(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        length: u64,
    ) -> Result<(), Errno> {
        self.tree
            .allocate(inode, offset, length, caller.uid, caller.now)
    }

    fn set_times(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        atime: Option<u64>,
        mtime: Option<u64>,
    ) -> Result<(), Errno> {
        self.tree.set_times(inode, atime, mtime, caller.now)
    }

    fn set_mode(&mut self, caller: &Caller<'_>, inode: InodeId, mode: u16) -> Result<(), Errno> {
        self.tree.set_mode(inode, mode, caller.now)
    }

    fn set_owner(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        uid: Option<u32>,
        gid: Option<u32>,
    ) -> Result<(), Errno> {
        self.tree.set_owner(inode, uid, gid, caller.now)
    }

    fn link(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        dir: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        self.tree.link(inode, dir, name, caller.now)
    }

    fn unlink(&mut self, caller: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        let open = &self.open;
        self.tree
            .unlink(dir, name, caller.now, &|inode| open.contains_key(&inode))
    }

    fn rmdir(&mut self, caller: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        let open = &self.open;
        self.tree
            .rmdir(dir, name, caller.now, &|inode| open.contains_key(&inode))
    }

    fn rename(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new_dir: InodeId,
        new_name: &[u8],
    ) -> Result<(), Errno> {
        let open = &self.open;
        let is_open = |inode| open.contains_key(&inode);
        self.tree
            .rename(dir, name, new_dir, new_name, caller.now, &is_open)
    }
}
