//! A tree that nobody writes to: tool entries, a language's library, `/dev`.
//!
//! Sandboxes share one image; every change fails with `Rofs`, which is what the trait does by
//! itself.

use std::sync::Arc;

use codepod_abi::Errno;

use crate::backend::FileSystem;
use crate::caller::Caller;
use crate::node::{Device, DirSink, InodeId, Stat};
use crate::tree::Tree;

/// A read-only file system over a shared tree.
#[derive(Debug, Clone)]
pub struct Image {
    tree: Arc<Tree>,
    type_name: &'static str,
}

impl Image {
    /// A file system that shows `tree`.
    pub fn new(tree: Arc<Tree>) -> Image {
        Image {
            tree,
            type_name: "squashfs",
        }
    }

    pub(crate) fn named(tree: Arc<Tree>, type_name: &'static str) -> Image {
        Image { tree, type_name }
    }
}

impl FileSystem for Image {
    fn type_name(&self) -> &'static str {
        self.type_name
    }

    fn root(&self) -> InodeId {
        Tree::ROOT
    }

    fn lookup(&mut self, _: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<InodeId, Errno> {
        self.tree.lookup(dir, name)
    }

    fn parent(&mut self, dir: InodeId) -> Result<InodeId, Errno> {
        self.tree.parent(dir)
    }

    fn path_of(&mut self, inode: InodeId) -> Result<Vec<u8>, Errno> {
        self.tree.path_of(inode)
    }

    fn stat(&mut self, _: &Caller<'_>, inode: InodeId) -> Result<Stat, Errno> {
        self.tree.stat(inode)
    }

    fn readlink(&mut self, _: &Caller<'_>, inode: InodeId) -> Result<Arc<[u8]>, Errno> {
        self.tree.readlink(inode)
    }

    fn read_at(
        &mut self,
        _: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        buf: &mut [u8],
    ) -> Result<usize, Errno> {
        self.tree.read_at(inode, offset, buf)
    }

    fn list(
        &mut self,
        _: &Caller<'_>,
        dir: InodeId,
        cookie: u64,
        until: u64,
        sink: DirSink<'_>,
    ) -> Result<(), Errno> {
        self.tree.list(dir, cookie, until, sink)
    }

    fn end_cookie(&mut self, dir: InodeId) -> Result<u64, Errno> {
        self.tree.end_cookie(dir)
    }

    fn open(&mut self, _: &Caller<'_>, inode: InodeId, _write: bool) -> Result<(), Errno> {
        self.tree.get(inode).map(|_| ())
    }

    fn close(&mut self, _inode: InodeId) {}

    fn fork(&self) -> Result<Box<dyn FileSystem>, Errno> {
        Ok(Box::new(self.clone()))
    }

    fn device(&self, inode: InodeId) -> Option<Device> {
        self.tree.device(inode)
    }
}
