//! Building base images.
//!
//! A builder takes paths from the embedder, makes the directories on the way, and charges nothing:
//! a sandbox that starts from the tree begins with a usage of zero. Later entries replace earlier
//! ones of the same path.

use super::content::Content;
use super::inode::{Body, Directory};
use super::{InodeId, Tree};
use crate::node::{Device, New, NewBody};

/// Makes a [`Tree`] from paths.
#[derive(Debug, Clone)]
pub struct TreeBuilder {
    tree: Tree,
    uid: u32,
    gid: u32,
    time: u64,
}

impl Default for TreeBuilder {
    fn default() -> Self {
        TreeBuilder::new()
    }
}

impl TreeBuilder {
    /// An empty tree; everything will belong to root and be of 1970.
    pub fn new() -> TreeBuilder {
        TreeBuilder {
            tree: Tree::new(),
            uid: 0,
            gid: 0,
            time: 0,
        }
    }

    /// Goes on with a tree that was built before. What is added is free of charge as well.
    pub fn from_tree(tree: Tree) -> TreeBuilder {
        TreeBuilder {
            tree,
            uid: 0,
            gid: 0,
            time: 0,
        }
    }

    /// Owner of what is added from here on.
    pub fn owner(mut self, uid: u32, gid: u32) -> TreeBuilder {
        (self.uid, self.gid) = (uid, gid);
        self
    }

    /// Times, in nanoseconds since 1970, of what is added from here on.
    pub fn time(mut self, time: u64) -> TreeBuilder {
        self.time = time;
        self
    }

    /// A directory. One that exists gets this mode and owner.
    pub fn dir(mut self, path: impl AsRef<[u8]>, mode: u16) -> TreeBuilder {
        self.add_dir(path.as_ref(), mode);
        self
    }

    /// A regular file.
    pub fn file(
        mut self,
        path: impl AsRef<[u8]>,
        mode: u16,
        bytes: impl AsRef<[u8]>,
    ) -> TreeBuilder {
        self.add(
            path.as_ref(),
            mode,
            Body::File(Content::base(bytes.as_ref())),
        );
        self
    }

    /// A file whose bytes the program carries: they are not copied.
    pub fn carried(
        mut self,
        path: impl AsRef<[u8]>,
        mode: u16,
        bytes: &'static [u8],
    ) -> TreeBuilder {
        self.add(path.as_ref(), mode, Body::File(Content::carried(bytes)));
        self
    }

    /// A symbolic link.
    pub fn symlink(mut self, path: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> TreeBuilder {
        self.add(path.as_ref(), 0o777, Body::Symlink(target.as_ref().into()));
        self
    }

    /// A character device.
    pub fn device(mut self, path: impl AsRef<[u8]>, mode: u16, device: Device) -> TreeBuilder {
        self.add(path.as_ref(), mode, Body::Device(device));
        self
    }

    /// The tree, without limits.
    pub fn build(self) -> Tree {
        self.tree
    }

    fn add_dir(&mut self, path: &[u8], mode: u16) -> InodeId {
        let mut dir = Tree::ROOT;
        for name in names(path) {
            dir = self.step(dir, name);
        }
        if let Ok(inode) = self.tree.get_mut(dir) {
            (inode.mode, inode.uid, inode.gid) = (mode & 0o7777, self.uid, self.gid);
        }
        dir
    }

    /// The directory `name` in `dir`, made if there is none.
    fn step(&mut self, dir: InodeId, name: &[u8]) -> InodeId {
        match self.tree.lookup(dir, name) {
            Ok(found) if self.tree.directory(found).is_ok() => found,
            _ => self.put(dir, name, 0o755, Body::Directory(Directory::new())),
        }
    }

    fn add(&mut self, path: &[u8], mode: u16, body: Body) {
        let mut names: Vec<&[u8]> = names(path).collect();
        let Some(last) = names.pop() else { return };
        let dir = names
            .into_iter()
            .fold(Tree::ROOT, |dir, name| self.step(dir, name));
        self.put(dir, last, mode, body);
    }

    fn put(&mut self, dir: InodeId, name: &[u8], mode: u16, body: Body) -> InodeId {
        if self
            .tree
            .lookup(dir, name)
            .is_ok_and(|old| self.tree.directory(old).is_err())
        {
            let removed = self.tree.remove(dir, name, self.time, &|_| false);
            debug_assert!(removed.is_ok());
        }
        let new = New {
            body: NewBody::File,
            mode,
            uid: self.uid,
            gid: self.gid,
        };
        match self.tree.insert(dir, name, body, new, self.time, true) {
            Ok(id) => id,
            // Only a directory can be in the way; it stays.
            Err(_) => self.tree.lookup(dir, name).unwrap_or(dir),
        }
    }
}

/// The names of a path. `.` and `..` mean nothing to a builder and are left out.
fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
        .filter(|name| !matches!(*name, b"" | b"." | b".."))
}
