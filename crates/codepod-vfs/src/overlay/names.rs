//! Making, linking, renaming and removing names in an overlay.
//!
//! Each function here may fail half-way; `overlay.rs` runs it so that a failure leaves the state
//! as it was.

use codepod_abi::Errno;

use super::{InodeId, Overlay, Side};
use crate::backend::FileSystem;
use crate::caller::Caller;
use crate::node::{FileKind, New};

impl Overlay {
    /// Makes a node, in place of a whiteout if there is one. A new directory there shows nothing of
    /// the lower one that it hides.
    pub(super) fn make(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new: New<'_>,
    ) -> Result<InodeId, Errno> {
        let upper = self.clear_for(caller, dir, name)?;
        self.state.tree.create(upper, name, new, caller.now)
    }

    /// Gives a node one more name.
    pub(super) fn add_link(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        dir: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        if self.stat(caller, inode)?.kind == FileKind::Directory {
            return Err(Errno::Perm);
        }
        let upper = self.clear_for(caller, dir, name)?;
        let node = self.copy_up(caller, inode, u64::MAX)?;
        self.state.tree.link(node, upper, name, caller.now)
    }

    /// Removes a name: of a directory, which must be empty, or of anything else.
    pub(super) fn remove(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        directory: bool,
    ) -> Result<(), Errno> {
        let node = self.lookup(caller, dir, name)?;
        let is_directory = self.stat(caller, node)?.kind == FileKind::Directory;
        match (directory, is_directory) {
            (true, false) => return Err(Errno::NotDir),
            (false, true) => return Err(Errno::IsDir),
            (true, true) if !self.entries(caller, node)?.is_empty() => {
                return Err(Errno::NotEmpty);
            }
            _ => {}
        }
        let upper = self.copy_up(caller, dir, u64::MAX)?;
        self.remove_upper(caller, upper, name)?;
        self.hide_lower(caller, upper, name)
    }

    /// Renames within the overlay. `Xdev` for a directory of the lower file system.
    pub(super) fn move_name(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new_dir: InodeId,
        new_name: &[u8],
    ) -> Result<(), Errno> {
        let node = self.lookup(caller, dir, name)?;
        let is_directory = self.stat(caller, node)?.kind == FileKind::Directory;
        if is_directory && self.is_below(new_dir, node)? {
            return Err(Errno::Inval);
        }
        match self.lookup(caller, new_dir, new_name) {
            Ok(victim) if victim == node => return Ok(()),
            Ok(victim) => {
                let victim_is_directory = self.stat(caller, victim)?.kind == FileKind::Directory;
                match (is_directory, victim_is_directory) {
                    (true, false) => return Err(Errno::NotDir),
                    (false, true) => return Err(Errno::IsDir),
                    (true, true) if !self.entries(caller, victim)?.is_empty() => {
                        return Err(Errno::NotEmpty);
                    }
                    _ => {}
                }
            }
            Err(Errno::NoEnt) => {}
            Err(error) => return Err(error),
        }
        if is_directory && node.0 & super::LOWER != 0 {
            return Err(Errno::Xdev);
        }
        self.copy_up(caller, node, u64::MAX)?;
        let from = self.copy_up(caller, dir, u64::MAX)?;
        let to = self.copy_up(caller, new_dir, u64::MAX)?;
        self.see_name(caller, to, new_name)?;
        self.keep_base_of(caller, to, new_name);
        // The old name first: it may pay for the new one.
        self.remove_upper(caller, to, new_name)?;
        self.state
            .tree
            .rename(from, name, to, new_name, caller.now, &|_| false)?;
        self.hide_lower(caller, from, name)
    }

    /// Whether `inner` is `outer` or lies below it.
    fn is_below(&mut self, inner: InodeId, outer: InodeId) -> Result<bool, Errno> {
        let mut at = inner;
        loop {
            if at == outer {
                return Ok(true);
            }
            if at == self.root() {
                return Ok(false);
            }
            at = match self.parent(at) {
                Ok(parent) => parent,
                Err(Errno::NoEnt) => return Ok(false),
                Err(error) => return Err(error),
            };
        }
    }

    /// The upper directory in which `name` is about to be made; `Exist` if something has it.
    fn clear_for(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
    ) -> Result<InodeId, Errno> {
        match self.lookup(caller, dir, name) {
            Ok(_) => return Err(Errno::Exist),
            Err(Errno::NoEnt) => {}
            Err(error) => return Err(error),
        }
        let upper = self.copy_up(caller, dir, u64::MAX)?;
        let hidden = self.state.tree.lookup(upper, name);
        if hidden.is_ok_and(|hidden| self.state.tree.is_whiteout(hidden)) {
            self.keep_base_of(caller, upper, name);
        }
        self.remove_upper(caller, upper, name)?;
        Ok(upper)
    }

    /// Takes whatever the upper tree has under a name away: a node, a whiteout, a directory that
    /// holds nothing but whiteouts.
    pub(super) fn remove_upper(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        let node = match self.state.tree.lookup(dir, name) {
            Ok(node) => node,
            Err(Errno::NoEnt) => return Ok(()),
            Err(error) => return Err(error),
        };
        if let Ok(directory) = self.state.tree.directory(node) {
            let names: Vec<_> = directory.entries.keys().cloned().collect();
            for name in names {
                self.state
                    .tree
                    .remove(node, &name, caller.now, &|_| false)?;
            }
        }
        let open = self.open.contains_key(&self.state.number(node));
        let origin = self.state.tree.origin(node);
        self.state.tree.remove(dir, name, caller.now, &|_| open)?;
        if let Some(lower) = origin
            && self.state.tree.stat(node).is_err()
        {
            self.state.copied.remove(&lower);
        }
        Ok(())
    }

    /// Marks a name as removed if the lower file system has it.
    fn hide_lower(
        &mut self,
        caller: &Caller<'_>,
        upper: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        self.see_name(caller, upper, name)?;
        match self.lookup_lower(caller, upper, name) {
            Ok(_) => self.state.tree.insert_whiteout(upper, name, caller.now),
            Err(Errno::NoEnt) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether a node is in the upper tree.
    pub(super) fn upper(&self, inode: InodeId) -> Option<InodeId> {
        match self.side(inode) {
            Side::Upper(upper) => Some(upper),
            Side::Lower(_) => None,
        }
    }
}
