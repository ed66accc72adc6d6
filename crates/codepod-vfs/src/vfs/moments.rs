//! Two states of one Vfs beside each other: what differs, and what keeping the older one costs.
//!
//! Trees are compared without looking at what they share. Of an overlay the upper trees are
//! compared that way, and only the paths found so are looked at on both sides, since the lower file
//! system shows through.

use std::collections::BTreeMap;

use codepod_abi::Errno;

use super::{Vfs, VfsSnapshot};
use crate::backend::FsSnapshot;
use crate::caller::Caller;
use crate::node::{FileKind, MountId, NodeRef, Stat};
use crate::overlay::{OverlayState, below};
use crate::tree::content::CHUNK;
use crate::tree::{Change, ChangeKind, Tree, diff};

impl VfsSnapshot {
    /// Whether both are the same state, as nothing has changed between them.
    pub fn is_same(&self, other: &VfsSnapshot) -> bool {
        self.pairs(other).all(|pair| match pair {
            (FsSnapshot::Tree(a), FsSnapshot::Tree(b)) => a.is_same(b),
            (FsSnapshot::Overlay(a), FsSnapshot::Overlay(b)) => a.tree().is_same(b.tree()),
            (FsSnapshot::Stateless, FsSnapshot::Stateless) => true,
            _ => false,
        })
    }

    /// How many bytes are kept by this state that `next`, a later one, does not have.
    pub fn held_beside(&self, next: &VfsSnapshot) -> u64 {
        self.pairs(next)
            .map(|pair| match pair {
                (FsSnapshot::Tree(a), FsSnapshot::Tree(b)) => a.held_beside(b),
                (FsSnapshot::Overlay(a), FsSnapshot::Overlay(b)) => a.tree().held_beside(b.tree()),
                _ => 0,
            })
            .sum()
    }

    fn pairs<'a>(
        &'a self,
        other: &'a VfsSnapshot,
    ) -> impl Iterator<Item = (&'a FsSnapshot, &'a FsSnapshot)> {
        self.states().zip(other.states())
    }
}

impl Vfs {
    /// Another Vfs that is in the state of a snapshot of this one.
    pub fn at(&self, snapshot: &VfsSnapshot) -> Result<Vfs, Errno> {
        let mut vfs = self.fork()?;
        vfs.restore(snapshot)?;
        Ok(vfs)
    }

    /// All paths, absolute, at which `newer` differs from this state of the same Vfs, sorted. Host
    /// directories that are written to have no states to compare.
    pub fn changes_to(&mut self, newer: &mut Vfs) -> Result<Vec<Change>, Errno> {
        let mut found = BTreeMap::new();
        for index in 0..self.mounts.len().min(newer.mounts.len()) {
            let id = MountId(index as u32);
            let point = self.mounts[index].point.to_vec();
            let (before, after) = (
                self.mounts[index].fs.snapshot(),
                newer.mounts[index].fs.snapshot(),
            );
            match (before, after) {
                (FsSnapshot::Tree(before), FsSnapshot::Tree(after)) => {
                    for change in diff(&before, &after) {
                        let path = joined(&point, &change.path);
                        found.insert(path.clone(), Change { path, ..change });
                    }
                }
                (FsSnapshot::Overlay(before), FsSnapshot::Overlay(after)) => {
                    let mut sides = Sides {
                        mount: id,
                        before: (self, &before),
                        after: (newer, &after),
                        found: &mut found,
                    };
                    sides.compare_overlay(&point)?;
                }
                _ => {}
            }
        }
        Ok(found.into_values().collect())
    }
}

impl Vfs {
    /// Whether a node holds what another of the same kind does, here or in another Vfs: bytes, or a
    /// link's target.
    pub fn same_content(
        &mut self,
        (own, a): (NodeRef, &Stat),
        other: &mut Vfs,
        (its, b): (NodeRef, &Stat),
    ) -> Result<bool, Errno> {
        let caller = Caller::root(0);
        match a.kind {
            FileKind::Symlink => {
                Ok(self.readlink_node(&caller, own)? == other.readlink_node(&caller, its)?)
            }
            FileKind::File if a.size != b.size => Ok(false),
            FileKind::File => {
                let (mut ours, mut theirs) = (vec![0; CHUNK as usize], vec![0; CHUNK as usize]);
                let mut offset = 0;
                while offset < a.size {
                    let read = self.read_at(&caller, own, offset, &mut ours)?;
                    let found = other.read_at(&caller, its, offset, &mut theirs[..read])?;
                    if read == 0 || ours[..read] != theirs[..found] {
                        return Ok(false);
                    }
                    offset += read as u64;
                }
                Ok(true)
            }
            _ => Ok(true),
        }
    }
}

/// An overlay's two states while they are compared.
struct Sides<'a> {
    mount: MountId,
    before: (&'a mut Vfs, &'a OverlayState),
    after: (&'a mut Vfs, &'a OverlayState),
    found: &'a mut BTreeMap<Vec<u8>, Change>,
}

impl Sides<'_> {
    fn compare_overlay(&mut self, point: &[u8]) -> Result<(), Errno> {
        let (old, new) = (self.before.1.tree(), self.after.1.tree());
        let mut open: Vec<Vec<u8>> = diff(old, new).into_iter().map(|c| c.path).collect();
        while let Some(path) = open.pop() {
            let (before, after) = (
                look(self.before.0, self.mount, &path)?,
                look(self.after.0, self.mount, &path)?,
            );
            let is_directory = |side: &Option<(NodeRef, Stat)>| {
                side.is_some_and(|(_, stat)| stat.kind == FileKind::Directory)
            };
            // What shows through a directory is in neither tree.
            if is_directory(&before) != is_directory(&after)
                || is_opaque(old, &path) != is_opaque(new, &path)
            {
                for (vfs, side) in [(&mut *self.before.0, before), (&mut *self.after.0, after)] {
                    if let Some((node, _)) = side.filter(|_| is_directory(&side)) {
                        open.extend(children(vfs, node, &path)?);
                    }
                }
            }
            if let Some((kind, file)) = self.difference(before, after)? {
                let path = joined(point, &path);
                self.found.insert(path.clone(), Change { path, kind, file });
            }
        }
        Ok(())
    }

    fn difference(
        &mut self,
        before: Option<(NodeRef, Stat)>,
        after: Option<(NodeRef, Stat)>,
    ) -> Result<Option<(ChangeKind, FileKind)>, Errno> {
        let kind = match (before, after) {
            (None, None) => return Ok(None),
            (None, Some(_)) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            (Some((_, a)), Some((_, b))) if a.kind != b.kind => ChangeKind::TypeChanged,
            (Some((old, a)), Some((new, b))) => {
                if !self
                    .before
                    .0
                    .same_content((old, &a), self.after.0, (new, &b))?
                {
                    ChangeKind::Modified
                } else if (a.mode, a.uid, a.gid) != (b.mode, b.uid, b.gid) {
                    ChangeKind::AttributesChanged
                } else {
                    return Ok(None);
                }
            }
        };
        let file = after
            .or(before)
            .map_or(FileKind::Other, |(_, stat)| stat.kind);
        Ok(Some((kind, file)))
    }
}

/// The node that a path below a mount's root means, without following a link at its end.
fn look(vfs: &mut Vfs, mount: MountId, path: &[u8]) -> Result<Option<(NodeRef, Stat)>, Errno> {
    let caller = Caller::root(0);
    let mut at = vfs.root_of(mount);
    for name in path
        .split(|byte| *byte == b'/')
        .filter(|name| !name.is_empty())
    {
        match vfs.fs(mount)?.lookup(&caller, at.inode, name) {
            Ok(inode) => at.inode = inode,
            Err(Errno::NoEnt | Errno::NotDir | Errno::Stale) => return Ok(None),
            Err(errno) => return Err(errno),
        }
    }
    let stat = vfs.stat(&caller, at)?;
    Ok(Some((at, stat)))
}

/// Whether the upper tree has a directory there through which nothing shows.
fn is_opaque(tree: &Tree, path: &[u8]) -> bool {
    tree.at(path)
        .is_ok_and(|node| tree.directory(node).is_ok() && tree.origin(node).is_none())
}

/// The paths of a directory's entries.
fn children(vfs: &mut Vfs, node: NodeRef, path: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
    let mut paths = Vec::new();
    vfs.fs(node.mount)?
        .list(&Caller::root(0), node.inode, 0, u64::MAX, &mut |entry| {
            paths.push(below(path, entry.name));
            true
        })?;
    Ok(paths)
}

/// A path below a mount point.
fn joined(point: &[u8], path: &[u8]) -> Vec<u8> {
    let mut whole = point.to_vec();
    while whole.last() == Some(&b'/') {
        whole.pop();
    }
    if !path.is_empty() || whole.is_empty() {
        whole.push(b'/');
    }
    whole.extend_from_slice(path);
    whole
}
