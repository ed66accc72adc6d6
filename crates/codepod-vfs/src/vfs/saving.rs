//! The states of a Vfs for saving, and how a saved one comes back.

use codepod_abi::Errno;

use super::Vfs;
use super::mount::VfsSnapshot;
use crate::backend::FsSnapshot;
use crate::node::MountId;
use crate::overlay::Seen;
use crate::tree::Tree;
use crate::tree::portable::LoadedTree;

/// A mount's part of a state that can be saved.
#[derive(Debug, Clone, Copy)]
pub struct SavedMount<'a> {
    /// Which mount.
    pub id: MountId,
    /// Its tree: all of a memory mount, the upper part of an overlay.
    pub tree: &'a Tree,
    /// Whether it is an overlay's.
    pub overlay: bool,
    /// What an overlay has seen of the files below it.
    pub seen: Seen<'a>,
}

impl VfsSnapshot {
    /// Whether both would be saved alike: neither a file nor what overlays have seen differs.
    pub fn is_saved_alike(&self, other: &VfsSnapshot) -> bool {
        let seen = self.saved_mounts().zip(other.saved_mounts());
        self.is_same(other) && seen.into_iter().all(|(a, b)| a.seen.is_same(&b.seen))
    }

    /// The parts that can be saved, in the order of the mounts.
    pub fn saved_mounts(&self) -> impl Iterator<Item = SavedMount<'_>> {
        self.states().enumerate().filter_map(|(index, state)| {
            let id = MountId(index as u32);
            match state {
                FsSnapshot::Tree(tree) => Some(SavedMount {
                    id,
                    tree,
                    overlay: false,
                    seen: Seen::default(),
                }),
                FsSnapshot::Overlay(state) => Some(SavedMount {
                    id,
                    tree: state.tree(),
                    overlay: true,
                    seen: Seen::of(state),
                }),
                FsSnapshot::Stateless => None,
            }
        })
    }
}

impl Vfs {
    /// Goes to a state that was saved. Mounts that are not named keep theirs; nothing may be open.
    ///
    /// [`Errno::Inval`] if a mount has no state of its own; what an overlay's lower file system
    /// fails with; what making the directories to mount on fails with. After a failure
    /// everything is as it was.
    pub fn load(&mut self, trees: Vec<(MountId, LoadedTree)>) -> Result<(), Errno> {
        let mut states = Vec::with_capacity(trees.len());
        for (id, tree) in trees {
            states.push((id, self.fs(id)?.loaded(tree)?));
        }
        let before = self.snapshot();
        for (id, state) in states {
            self.fs(id)?.restore(&state);
        }
        for index in 1..self.mounts.len() {
            self.mounts[index].covered = None;
        }
        for index in 1..self.mounts.len() {
            let point = self.mounts[index].point.clone();
            match self.attach(&point) {
                Ok(covered) => self.mounts[index].covered = Some(covered),
                Err(errno) => {
                    self.restore(&before)?;
                    return Err(errno);
                }
            }
        }
        Ok(())
    }
}
