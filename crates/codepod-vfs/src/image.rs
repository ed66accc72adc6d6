//! A tree that nobody writes to: tool entries, a language's library, `/dev`.
//!
//! Sandboxes share one image; every change fails with `Rofs`, which is what the trait does by
//! itself.

use std::sync::Arc;

use codepod_abi::Errno;

use crate::backend::FileSystem;
use crate::caller::Caller;
use crate::node::{Device, DirSink, InodeId, Stat};
use crate::tree::{Tree, reads_of_tree};

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

    reads_of_tree!();

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
