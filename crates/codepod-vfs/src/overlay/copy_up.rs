//! Copying up: what has to exist in the upper tree before it can change.
//!
//! A node of the lower file system is where it always was, since its directories cannot be
//! renamed; so its lower path is also where its copy belongs. One that was removed while open gets
//! a copy without a name.

use std::hash::{DefaultHasher, Hasher as _};

use codepod_abi::Errno;

use super::{InodeId, Overlay, Side, Tree, tagged};
use crate::backend::FileSystem;
use crate::caller::Caller;
use crate::node::{FileKind, New, NewBody, Stat};
use crate::tree::content::CHUNK;

/// A name that no path can hold: for a copy that gets none.
const NOWHERE: &[u8] = b"/";

impl Overlay {
    /// Runs `action`; if it fails, the state is what it was.
    pub(super) fn in_one_step<T>(
        &mut self,
        action: impl FnOnce(&mut Overlay) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        let before = self.state.clone();
        let result = action(self);
        if result.is_err() {
            self.state = before;
        }
        result
    }

    /// The upper node to change in place of `inode`, copied up if need be.
    pub(super) fn writable(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        length: u64,
    ) -> Result<InodeId, Errno> {
        match self.side(inode) {
            Side::Upper(upper) => Ok(upper),
            Side::Lower(_) => self.in_one_step(|overlay| overlay.copy_up(caller, inode, length)),
        }
    }

    /// Copies up if need be and changes the copy; all or nothing.
    pub(super) fn change(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        length: u64,
        action: impl FnOnce(&mut Tree, InodeId) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        if let Side::Upper(upper) = self.side(inode) {
            return action(&mut self.state.tree, upper);
        }
        self.in_one_step(|overlay| {
            let upper = overlay.copy_up(caller, inode, length)?;
            action(&mut overlay.state.tree, upper)
        })
    }

    /// Whether a path leads to this node.
    pub(super) fn is_at(&mut self, caller: &Caller<'_>, inode: InodeId, path: &[u8]) -> bool {
        let found = self.in_one_walk(|overlay| {
            let names = path.split(|byte| *byte == b'/');
            let mut names = names.filter(|name| !name.is_empty());
            names.try_fold(overlay.root(), |at, name| overlay.lookup(caller, at, name))
        });
        found == Ok(inode)
    }

    /// The upper node for `inode`. Of a lower file's bytes the first `length` are copied: a caller
    /// that cuts it anyway does not need the rest. `NoSpc`, and `Perm` for devices.
    ///
    /// On failure, directories may have been copied already: callers go back to the state before.
    pub(super) fn copy_up(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        length: u64,
    ) -> Result<InodeId, Errno> {
        let lower = match self.side(inode) {
            Side::Upper(upper) => return Ok(upper),
            Side::Lower(lower) => lower,
        };
        let named = match self.lower.path_of(lower) {
            Ok(path) if self.is_at(caller, inode, &path) => Some(path),
            Ok(_) | Err(Errno::NoEnt) => None,
            Err(error) => return Err(error),
        };
        let Some(path) = named else {
            let upper = self
                .copy(caller, lower, (Tree::ROOT, NOWHERE), length, false)?
                .0;
            self.state
                .tree
                .remove(Tree::ROOT, NOWHERE, caller.now, &|_| true)?;
            return Ok(upper);
        };
        self.in_one_walk(|overlay| overlay.copy_path(caller, &path, length))
    }

    /// Copies what is at a path up, with the directories above it that are not there yet.
    fn copy_path(
        &mut self,
        caller: &Caller<'_>,
        path: &[u8],
        length: u64,
    ) -> Result<InodeId, Errno> {
        let mut at = (Tree::ROOT, self.lower.root());
        let mut end = 0;
        for name in path.split(|byte| *byte == b'/') {
            end += name.len();
            let next = self.lower.lookup(caller, at.1, name)?;
            let upper = match self.side(tagged(next)) {
                Side::Upper(upper) => upper,
                Side::Lower(_) => {
                    let sampled = self.see_to_change(caller, &path[..end], next)?;
                    let length = if end == path.len() { length } else { 0 };
                    self.keep_base(caller, &path[..end], next);
                    let (upper, whole) = self.copy(caller, next, (at.0, name), length, sampled)?;
                    self.see_whole(&path[..end], whole);
                    upper
                }
            };
            at = (upper, next);
            end += 1;
        }
        Ok(at.0)
    }

    /// Copies one node to a name in a directory, whose own times stay. With it the digest of a
    /// file's content, if that is asked for and all of it was copied.
    fn copy(
        &mut self,
        caller: &Caller<'_>,
        lower: InodeId,
        (dir, name): (InodeId, &[u8]),
        length: u64,
        digest: bool,
    ) -> Result<(InodeId, Option<u64>), Errno> {
        let stat = self.lower.stat(caller, lower)?;
        let parent = self.state.tree.stat(dir)?;
        let target;
        let body = match stat.kind {
            FileKind::File => NewBody::File,
            FileKind::Directory => NewBody::Directory,
            FileKind::Fifo => NewBody::Fifo,
            FileKind::Socket => NewBody::Socket,
            FileKind::Symlink => {
                target = self.lower.readlink(caller, lower)?;
                NewBody::Symlink(&target)
            }
            FileKind::CharDevice | FileKind::Other => return Err(Errno::Perm),
        };
        let new = New {
            body,
            mode: stat.mode,
            uid: stat.uid,
            gid: stat.gid,
        };
        let upper = self.state.tree.create(dir, name, new, caller.now)?;
        let mut whole = None;
        if stat.kind == FileKind::File {
            let length = (length, digest && length >= stat.size);
            whole = self.copy_content(caller, lower, upper, &stat, length)?;
        }
        self.state.tree.copy_attributes(upper, &stat);
        self.state.tree.copy_attributes(dir, &parent);
        self.state.tree.set_origin(upper, lower);
        self.state.copied.insert(lower, upper);
        Ok((upper, whole))
    }

    fn copy_content(
        &mut self,
        caller: &Caller<'_>,
        lower: InodeId,
        upper: InodeId,
        stat: &Stat,
        (length, digest): (u64, bool),
    ) -> Result<Option<u64>, Errno> {
        let tree = &mut self.state.tree;
        let length = length.min(stat.size);
        let mut whole = digest.then(DefaultHasher::new);
        if length > tree.limits().bytes.saturating_sub(tree.usage().bytes) {
            return Err(Errno::NoSpc);
        }
        let mut buffer = vec![0; CHUNK.min(length) as usize];
        let mut offset = 0;
        while offset < length {
            let wanted = (length - offset).min(CHUNK) as usize;
            let read = self
                .lower
                .read_at(caller, lower, offset, &mut buffer[..wanted])?;
            if read == 0 {
                break;
            }
            let written = tree.write_at(upper, offset, &buffer[..read], 0, caller.now)?;
            if written < read {
                return Err(Errno::NoSpc);
            }
            if let Some(whole) = &mut whole {
                whole.write(&buffer[..read]);
            }
            offset += read as u64;
        }
        tree.set_size(upper, offset.max(length), 0, caller.now)?;
        Ok(whole.map(|whole| whole.finish()))
    }
}
