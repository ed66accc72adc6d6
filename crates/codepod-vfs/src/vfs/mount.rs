//! The mount table, and the states that snapshot, restore and fork pass on.
//!
//! A mount covers a directory of another mount. The covered directory is held open, so that it
//! keeps its number, and can neither be removed nor renamed.

use std::sync::Arc;

use codepod_abi::Errno;

use super::Vfs;
use crate::backend::{FileSystem, FsSnapshot};
use crate::budget::Budget;
use crate::caller::Caller;
use crate::node::{FileKind, MountId, NodeRef};
use crate::tree::Tree;

/// One mounted file system.
pub(super) struct Mount {
    /// Where it was mounted.
    pub(super) point: Arc<[u8]>,
    /// The directory it covers; none for the root.
    pub(super) covered: Option<NodeRef>,
    pub(super) fs: Box<dyn FileSystem>,
}

impl Mount {
    pub(super) fn root(fs: Box<dyn FileSystem>) -> Mount {
        Mount {
            point: Arc::from(&b"/"[..]),
            covered: None,
            fs,
        }
    }
}

/// What is known about a mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountInfo {
    /// Its number.
    pub id: MountId,
    /// Where it was mounted.
    pub point: Vec<u8>,
    /// The kind of file system.
    pub type_name: &'static str,
    /// Whether nothing can be changed.
    pub read_only: bool,
}

/// The state of all trees of a [`Vfs`] at one moment. Taking and cloning it take constant time.
///
/// Host directories, `/proc` and `/dev` have no state in it.
#[derive(Debug, Clone)]
pub struct VfsSnapshot {
    mounts: Arc<[(Option<NodeRef>, FsSnapshot)]>,
}

impl VfsSnapshot {
    /// The root's tree, if the root is one.
    pub fn root_tree(&self) -> Option<&Tree> {
        self.tree(MountId(0))
    }

    /// The states of the mounts, in their order.
    pub(super) fn states(&self) -> impl Iterator<Item = &FsSnapshot> {
        self.mounts.iter().map(|(_, state)| state)
    }

    /// A mount's tree: all of a memory mount, the upper part of an overlay.
    pub fn tree(&self, mount: MountId) -> Option<&Tree> {
        match &self.mounts.get(mount.0 as usize)?.1 {
            FsSnapshot::Tree(tree) => Some(tree),
            FsSnapshot::Overlay(state) => Some(state.tree()),
            FsSnapshot::Stateless => None,
        }
    }
}

impl Vfs {
    /// Mounts a file system on the directory `at`, an absolute path; missing directories are made.
    ///
    /// [`Errno::Busy`] if something is mounted exactly there, [`Errno::NotDir`] if it is not a
    /// directory, and what making directories may fail with.
    pub fn mount(&mut self, at: &[u8], fs: Box<dyn FileSystem>) -> Result<MountId, Errno> {
        let covered = self.attach(at)?;
        let id = MountId(self.mounts.len() as u32);
        self.mounts.push(Mount {
            point: at.into(),
            covered: Some(covered),
            fs,
        });
        self.tell_mounts();
        Ok(id)
    }

    /// All mounts, in the order they were made.
    pub fn mounts(&self) -> Vec<MountInfo> {
        let info = |(index, mount): (usize, &Mount)| MountInfo {
            id: MountId(index as u32),
            point: mount.point.to_vec(),
            type_name: mount.fs.type_name(),
            read_only: mount.fs.read_only(),
        };
        self.mounts.iter().enumerate().map(info).collect()
    }

    /// The present state of all trees.
    pub fn snapshot(&self) -> VfsSnapshot {
        let state = |mount: &Mount| (mount.covered, mount.fs.snapshot());
        VfsSnapshot {
            mounts: self.mounts.iter().map(state).collect(),
        }
    }

    /// Goes back to a state of this Vfs or of one that it was forked from.
    ///
    /// Nothing may be open: all open counts begin anew, and deleted files that were open then are
    /// freed. Mounts made since stay; their directories are made again where they are missing.
    pub fn restore(&mut self, snapshot: &VfsSnapshot) -> Result<(), Errno> {
        for (mount, (covered, state)) in self.mounts.iter_mut().zip(snapshot.mounts.iter()) {
            mount.fs.restore(state);
            mount.covered = *covered;
        }
        for index in 1..self.mounts.len() {
            if index < snapshot.mounts.len() {
                if let Some(covered) = self.mounts[index].covered {
                    self.hold_again(covered);
                }
            } else {
                // Uncover it first: its own directory is not in its own way.
                self.mounts[index].covered = None;
                let point = self.mounts[index].point.clone();
                self.mounts[index].covered = Some(self.attach(&point)?);
            }
        }
        Ok(())
    }

    /// A Vfs with the same mounts and the same content, independent from now on, nothing open.
    pub fn fork(&self) -> Result<Vfs, Errno> {
        self.fork_by(|fs| fs.fork())
    }

    /// Forks it so that what changes there never reaches the host: a host directory that is written
    /// to is an overlay there.
    pub fn fork_apart(&self) -> Result<Vfs, Errno> {
        // Whoever is charged for the sandbox's own files.
        let own = self.mounts.first().and_then(|mount| mount.fs.tree());
        let budget = own.map_or(&Budget::FREE, Tree::budget);
        self.fork_by(|fs| fs.fork_apart(self.limits, budget))
    }

    fn fork_by(
        &self,
        fork: impl Fn(&dyn FileSystem) -> Result<Box<dyn FileSystem>, Errno>,
    ) -> Result<Vfs, Errno> {
        let mut mounts = Vec::with_capacity(self.mounts.len());
        for mount in &self.mounts {
            let (point, covered) = (mount.point.clone(), mount.covered);
            mounts.push(Mount {
                point,
                covered,
                fs: fork(&*mount.fs)?,
            });
        }
        let mut vfs = Vfs {
            mounts,
            limits: self.limits,
        };
        for covered in self.mounts.iter().filter_map(|mount| mount.covered) {
            vfs.hold_again(covered);
        }
        Ok(vfs)
    }

    /// The root of what is mounted on a node, or the node itself.
    pub(super) fn cross(&self, node: NodeRef) -> NodeRef {
        let mut at = node;
        while let Some(index) = self
            .mounts
            .iter()
            .position(|mount| mount.covered == Some(at))
        {
            at = self.root_of(MountId(index as u32));
        }
        at
    }

    /// Whether something is mounted on a node.
    pub(super) fn is_covered(&self, node: NodeRef) -> bool {
        self.mounts.iter().any(|mount| mount.covered == Some(node))
    }

    /// Tells every file system what `/proc/mounts` shows.
    pub(super) fn tell_mounts(&mut self) {
        let mut text = Vec::new();
        for mount in &self.mounts {
            text.extend_from_slice(mount.fs.type_name().as_bytes());
            text.push(b' ');
            for byte in mount.point.iter() {
                // As Linux writes them, so that the fields stay apart.
                match byte {
                    b' ' | b'\t' | b'\n' | b'\\' => {
                        text.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                    }
                    _ => text.push(*byte),
                }
            }
            let access = if mount.fs.read_only() { "ro" } else { "rw" };
            let line = format!(" {} {access},noatime 0 0\n", mount.fs.type_name());
            text.extend_from_slice(line.as_bytes());
        }
        let text: Arc<[u8]> = text.into();
        for mount in &mut self.mounts {
            mount.fs.mounts_changed(&text);
        }
    }

    /// Finds or makes the directory to mount on, and holds it.
    pub(super) fn attach(&mut self, at: &[u8]) -> Result<NodeRef, Errno> {
        let caller = Caller::root(0);
        let mut node = self.root();
        for name in at
            .split(|byte| *byte == b'/')
            .filter(|name| !name.is_empty())
        {
            node = match self.resolve(&caller, node, name, true) {
                Err(Errno::NoEnt) => self.mkdir(&caller, node, name, 0o755)?,
                other => other?,
            };
        }
        if self.stat(&caller, node)?.kind != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        if node == self.root_of(node.mount) {
            return Err(Errno::Busy);
        }
        self.hold(node)?;
        Ok(node)
    }

    /// Holds a covered directory in a state that had it. Only the host can have removed it since;
    /// then nothing leads to the mount any more, and the rest is as it should be.
    fn hold_again(&mut self, node: NodeRef) {
        let _ = self.hold(node);
    }

    fn hold(&mut self, node: NodeRef) -> Result<(), Errno> {
        self.fs(node.mount)?
            .open(&Caller::root(0), node.inode, false)
    }
}
