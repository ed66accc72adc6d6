//! An overlay: a writable tree over a file system that nobody changes.
//!
//! The upper tree holds what the sandbox made or changed; everything else is read from the lower
//! file system. Before something of the lower one changes, it is copied up whole, its directories
//! first (`overlay/copy_up.rs`). A name that was removed is marked in the upper tree by a whiteout.
//! Directories that came from the lower file system keep their place: renaming one fails with
//! `Xdev`, as on Linux, and tools then copy.
//!
//! A node keeps its number when it is copied up: it is the lower one's with the highest bit set,
//! and `copied` tells which upper node stands for it now. Hard links of the lower file system
//! survive a change through one of their names only as long as that name exists.
//!
//! Invariant: every upper node with an origin is in `copied` under it and the other way round.
//! Operations that touch more than one node either happen or leave the state as it was.

mod bases;
mod changes;
mod copy_up;
mod hand_down;
mod names;
mod restore;
mod seen;

use std::collections::HashMap;
use std::sync::Arc;

use codepod_abi::Errno;

use crate::backend::{FileSystem, FsSnapshot};
use crate::budget::Budget;
use crate::caller::Caller;
use crate::guard::Guard;
use crate::limits::{FsLimits, Usage};
use crate::listing::Listing;
use crate::map::Map;
use crate::node::{Device, DirSink, FileKind, InodeId, Stat};
use crate::publish::Fingerprint;
use crate::tree::Tree;
use crate::tree::portable::LoadedTree;

pub use self::hand_down::{Below, HandedDown, Replacement, Step};
pub use self::seen::Seen;

/// A writable file system over a read-only one.
pub struct Overlay {
    lower: Box<dyn FileSystem>,
    state: OverlayState,
    open: HashMap<InodeId, Open>,
    /// The directory listed last, so that going on with it does not merge it again.
    listing: Option<(InodeId, Listing)>,
    /// The state before a change of several lower files, to go back to if that fails.
    before: Option<OverlayState>,
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overlay")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// What a snapshot of an overlay holds: all that the sandbox changed. Cloning takes constant time.
#[derive(Debug, Clone)]
pub struct OverlayState {
    tree: Tree,
    /// The upper node that stands for a lower one.
    copied: Map<InodeId, InodeId>,
    /// What the sandbox saw of lower files, by path from the root.
    seen: Map<Arc<[u8]>, Fingerprint>,
    /// What `seen` is charged.
    seen_bytes: u64,
    /// What lower files held before the sandbox changed them.
    bases: Tree,
}

impl OverlayState {
    /// The upper tree, whiteouts included.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Frees what was deleted but open.
    fn purge(&mut self) {
        for id in self.tree.orphans() {
            self.forget_copy(id);
        }
        self.tree.purge_orphans();
    }

    /// Takes an upper node out of `copied`, before it is freed.
    fn forget_copy(&mut self, upper: InodeId) {
        if let Some(lower) = self.tree.origin(upper) {
            self.copied.remove(&lower);
        }
    }

    /// The number that an upper node has to the outside.
    fn number(&self, upper: InodeId) -> InodeId {
        self.tree.origin(upper).map_or(upper, tagged)
    }
}

/// An open node.
#[derive(Debug, Default)]
struct Open {
    count: u32,
    /// Whether the lower file system was told.
    lower: bool,
}

/// Where a node's present state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Upper(InodeId),
    Lower(InodeId),
}

/// Set in the numbers of nodes that are or were of the lower file system.
const LOWER: u64 = 1 << 63;

fn tagged(lower: InodeId) -> InodeId {
    InodeId(lower.0 | LOWER)
}

impl Overlay {
    /// An overlay over `lower`, with nothing changed yet; what is added has to keep to `limits`.
    ///
    /// [`Errno::Inval`] if `lower` can be changed: that would happen behind the overlay's back.
    pub fn new(lower: Box<dyn FileSystem>, limits: FsLimits) -> Result<Overlay, Errno> {
        if !lower.read_only() {
            return Err(Errno::Inval);
        }
        let mut tree = Tree::new().with_limits(limits);
        let root = lower.root();
        tree.set_origin(Tree::ROOT, root);
        let state = OverlayState {
            bases: tree.for_bases(),
            tree,
            copied: Map::unit(root, Tree::ROOT),
            seen: Map::new(),
            seen_bytes: 0,
        };
        let mut overlay = Overlay {
            lower,
            state,
            open: HashMap::new(),
            listing: None,
            before: None,
        };
        // The root keeps the lower root's attributes, whoever looks.
        if let Ok(stat) = overlay.lower.stat(&Caller::root(0), root) {
            overlay.state.tree.copy_attributes(Tree::ROOT, &stat);
        }
        Ok(overlay)
    }

    /// Charges the overlay's changes to a budget.
    pub fn with_budget(mut self, budget: &Budget) -> Overlay {
        self.state.tree = self.state.tree.with_budget(budget);
        self.state.bases = self.state.bases.with_budget(budget);
        self
    }

    fn side(&self, id: InodeId) -> Side {
        if id.0 & LOWER == 0 {
            return Side::Upper(id);
        }
        let lower = InodeId(id.0 & !LOWER);
        match self.state.copied.get(&lower) {
            Some(upper) => Side::Upper(*upper),
            None => Side::Lower(lower),
        }
    }

    /// The lower directory that an upper one is merged with.
    fn merged(&mut self, caller: &Caller<'_>, upper: InodeId) -> Result<Option<InodeId>, Errno> {
        let Some(lower) = self.state.tree.origin(upper) else {
            return Ok(None);
        };
        match self.lower.stat(caller, lower) {
            // The lower file system may have forgotten the number; merged directories keep their
            // place, so the path brings it back.
            Err(Errno::Stale) => {
                let path = self.state.tree.path_of(upper)?;
                self.lower_at(caller, &path).map(Some)
            }
            Err(Errno::NoEnt) => Ok(None),
            Err(error) => Err(error),
            Ok(stat) if stat.kind != FileKind::Directory => Ok(None),
            Ok(_) => Ok(Some(lower)),
        }
    }

    /// The lower node at a path of plain names.
    fn lower_at(&mut self, caller: &Caller<'_>, path: &[u8]) -> Result<InodeId, Errno> {
        self.in_one_walk(|overlay| {
            let mut at = overlay.lower.root();
            for name in path
                .split(|byte| *byte == b'/')
                .filter(|name| !name.is_empty())
            {
                at = overlay.lower.lookup(caller, at, name)?;
            }
            Ok(at)
        })
    }

    /// Runs `action`, which goes along one path of the lower file system.
    fn in_one_walk<T>(&mut self, action: impl FnOnce(&mut Overlay) -> T) -> T {
        self.lower.begin_walk();
        let result = action(self);
        self.lower.end_walk();
        result
    }

    /// What a name means in the lower directory that an upper one is merged with.
    fn lookup_lower(
        &mut self,
        caller: &Caller<'_>,
        upper: InodeId,
        name: &[u8],
    ) -> Result<InodeId, Errno> {
        let lower = self.merged(caller, upper)?.ok_or(Errno::NoEnt)?;
        self.lower.lookup(caller, lower, name)
    }

    /// Everything in a directory: upper entries, and lower ones that they do not hide.
    fn entries(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
    ) -> Result<Vec<(Vec<u8>, InodeId, FileKind)>, Errno> {
        let mut entries = Vec::new();
        let (upper, lower) = match self.side(dir) {
            Side::Upper(upper) => (Some(upper), self.merged(caller, upper)?),
            Side::Lower(lower) => (None, Some(lower)),
        };
        let tree = &self.state.tree;
        if let Some(upper) = upper {
            tree.list(upper, 0, u64::MAX, &mut |entry| {
                let inode = InodeId(entry.inode);
                if !tree.is_whiteout(inode) {
                    entries.push((entry.name.to_vec(), self.state.number(inode), entry.kind));
                }
                true
            })?;
        }
        if let Some(lower) = lower {
            self.lower.list(caller, lower, 0, u64::MAX, &mut |entry| {
                let hidden = upper.is_some_and(|upper| tree.lookup(upper, entry.name).is_ok());
                if !hidden {
                    entries.push((
                        entry.name.to_vec(),
                        tagged(InodeId(entry.inode)),
                        entry.kind,
                    ));
                }
                true
            })?;
        }
        Ok(entries)
    }

    fn open_node(&mut self, caller: &Caller<'_>, inode: InodeId, write: bool) -> Result<(), Errno> {
        // One more descriptor of what is open already has not been read through yet.
        if let (Side::Lower(lower), false) =
            (self.side(inode), write || self.open.contains_key(&inode))
            && let Ok(path) = self.lower.path_of(lower)
        {
            self.see_to_read(caller, &path, lower);
        }
        let lower = match self.side(inode) {
            Side::Upper(upper) => {
                self.state.tree.stat(upper)?;
                false
            }
            Side::Lower(_) if self.open.get(&inode).is_some_and(|open| open.lower) => true,
            Side::Lower(lower) => {
                self.lower.open(caller, lower, false)?;
                true
            }
        };
        let open = self.open.entry(inode).or_default();
        open.count += 1;
        open.lower |= lower;
        Ok(())
    }
}

/// The directory of a path, and the name in it.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

/// A path in a directory.
pub(crate) fn below(path: &[u8], name: &[u8]) -> Vec<u8> {
    let mut joined = path.to_vec();
    if !joined.is_empty() {
        joined.push(b'/');
    }
    joined.extend_from_slice(name);
    joined
}

impl FileSystem for Overlay {
    fn type_name(&self) -> &'static str {
        "overlay"
    }

    fn read_only(&self) -> bool {
        false
    }

    fn root(&self) -> InodeId {
        tagged(self.lower.root())
    }

    fn begin_walk(&mut self) {
        self.lower.begin_walk();
    }

    fn end_walk(&mut self) {
        self.lower.end_walk();
    }

    fn lookup(&mut self, caller: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<InodeId, Errno> {
        match self.side(dir) {
            Side::Upper(upper) => match self.state.tree.lookup(upper, name) {
                Ok(found) if self.state.tree.is_whiteout(found) => Err(Errno::NoEnt),
                Ok(found) => Ok(self.state.number(found)),
                Err(Errno::NoEnt) => self.lookup_lower(caller, upper, name).map(tagged),
                Err(error) => Err(error),
            },
            Side::Lower(lower) => self.lower.lookup(caller, lower, name).map(tagged),
        }
    }

    fn parent(&mut self, dir: InodeId) -> Result<InodeId, Errno> {
        match self.side(dir) {
            Side::Upper(upper) => Ok(self.state.number(self.state.tree.parent(upper)?)),
            Side::Lower(lower) => self.lower.parent(lower).map(tagged),
        }
    }

    fn path_of(&mut self, inode: InodeId) -> Result<Vec<u8>, Errno> {
        let lower = match self.side(inode) {
            Side::Upper(upper) => return self.state.tree.path_of(upper),
            Side::Lower(lower) => lower,
        };
        let path = self.lower.path_of(lower)?;
        if self.is_at(&Caller::root(0), inode, &path) {
            Ok(path)
        } else {
            Err(Errno::NoEnt)
        }
    }

    fn stat(&mut self, caller: &Caller<'_>, inode: InodeId) -> Result<Stat, Errno> {
        let mut stat = match self.side(inode) {
            Side::Upper(upper) => {
                let mut stat = self.state.tree.stat(upper)?;
                if stat.kind == FileKind::Directory && self.state.tree.origin(upper).is_some() {
                    // As on Linux: the number of directories in a merged one is not known.
                    stat.nlink = 1;
                }
                stat
            }
            Side::Lower(lower) => self.lower.stat(caller, lower)?,
        };
        stat.inode = inode.0;
        Ok(stat)
    }

    fn readlink(&mut self, caller: &Caller<'_>, inode: InodeId) -> Result<Arc<[u8]>, Errno> {
        match self.side(inode) {
            Side::Upper(upper) => self.state.tree.readlink(upper),
            Side::Lower(lower) => self.lower.readlink(caller, lower),
        }
    }

    fn read_at(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        buf: &mut [u8],
    ) -> Result<usize, Errno> {
        match self.side(inode) {
            Side::Upper(upper) => self.state.tree.read_at(upper, offset, buf),
            Side::Lower(lower) => self.lower.read_at(caller, lower, offset, buf),
        }
    }

    fn list(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        cookie: u64,
        until: u64,
        sink: DirSink<'_>,
    ) -> Result<(), Errno> {
        let cached = matches!(&self.listing, Some((listed, _)) if *listed == dir && cookie > 2);
        if !cached {
            let entries = self.entries(caller, dir)?;
            self.listing = Some((dir, Listing::new(entries)));
        }
        if let Some((_, listing)) = &self.listing {
            listing.send(cookie, until, sink);
        }
        Ok(())
    }

    fn open(&mut self, caller: &Caller<'_>, inode: InodeId, write: bool) -> Result<(), Errno> {
        // Looking at the file and opening it goes along one path.
        self.in_one_walk(|overlay| overlay.open_node(caller, inode, write))
    }

    fn close(&mut self, inode: InodeId) {
        let Some(open) = self.open.get_mut(&inode) else {
            return;
        };
        open.count -= 1;
        if open.count > 0 {
            return;
        }
        let lower = open.lower;
        self.open.remove(&inode);
        self.listing.take_if(|(listed, _)| *listed == inode);
        if lower {
            self.lower.close(InodeId(inode.0 & !LOWER));
        }
        if let Side::Upper(upper) = self.side(inode)
            && self.state.tree.is_orphan(upper)
        {
            self.state.forget_copy(upper);
            self.state.tree.free_orphan(upper);
        }
    }

    fn fork(&self) -> Result<Box<dyn FileSystem>, Errno> {
        let mut state = self.state.clone();
        state.purge();
        let lower = self.lower.fork()?;
        Ok(Box::new(Overlay {
            lower,
            state,
            open: HashMap::new(),
            listing: None,
            before: None,
        }))
    }

    fn snapshot(&self) -> FsSnapshot {
        FsSnapshot::Overlay(self.state.clone())
    }

    fn restore(&mut self, snapshot: &FsSnapshot) {
        if let FsSnapshot::Overlay(state) = snapshot {
            self.state = state.clone();
            self.state.purge();
        }
        self.open.clear();
        self.listing = None;
        self.lower.restore(&FsSnapshot::Stateless);
    }

    fn loaded(&mut self, loaded: LoadedTree) -> Result<FsSnapshot, Errno> {
        self.load_state(loaded).map(FsSnapshot::Overlay)
    }

    fn usage(&self) -> Usage {
        self.state.tree.usage()
    }

    fn tree(&self) -> Option<&Tree> {
        Some(&self.state.tree)
    }

    fn device(&self, inode: InodeId) -> Option<Device> {
        match self.side(inode) {
            Side::Upper(upper) => self.state.tree.device(upper),
            Side::Lower(lower) => self.lower.device(lower),
        }
    }

    fn guard(&self) -> Guard {
        self.lower.guard()
    }

    fn overlay(&mut self) -> Option<&mut Overlay> {
        Some(self)
    }

    fn create(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new: crate::node::New<'_>,
    ) -> Result<InodeId, Errno> {
        self.in_one_step(|overlay| overlay.make(caller, dir, name, new))
    }

    fn write_at(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<usize, Errno> {
        let upper = self.writable(caller, inode, u64::MAX)?;
        self.state
            .tree
            .write_at(upper, offset, bytes, caller.uid, caller.now)
    }

    fn append(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        bytes: &[u8],
    ) -> Result<(u64, usize), Errno> {
        let upper = self.writable(caller, inode, u64::MAX)?;
        self.state.tree.append(upper, bytes, caller.uid, caller.now)
    }

    fn set_size(&mut self, caller: &Caller<'_>, inode: InodeId, size: u64) -> Result<(), Errno> {
        self.change(caller, inode, size, |tree, upper| {
            tree.set_size(upper, size, caller.uid, caller.now)
        })
    }

    fn allocate(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        length: u64,
    ) -> Result<(), Errno> {
        self.change(caller, inode, u64::MAX, |tree, upper| {
            tree.allocate(upper, offset, length, caller.uid, caller.now)
        })
    }

    fn set_times(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        atime: Option<u64>,
        mtime: Option<u64>,
    ) -> Result<(), Errno> {
        self.change(caller, inode, u64::MAX, |tree, upper| {
            tree.set_times(upper, atime, mtime, caller.now)
        })
    }

    fn set_mode(&mut self, caller: &Caller<'_>, inode: InodeId, mode: u16) -> Result<(), Errno> {
        self.change(caller, inode, u64::MAX, |tree, upper| {
            tree.set_mode(upper, mode, caller.now)
        })
    }

    fn set_owner(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        uid: Option<u32>,
        gid: Option<u32>,
    ) -> Result<(), Errno> {
        self.change(caller, inode, u64::MAX, |tree, upper| {
            tree.set_owner(upper, uid, gid, caller.now)
        })
    }

    fn link(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        dir: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        self.in_one_step(|overlay| overlay.add_link(caller, inode, dir, name))
    }

    fn unlink(&mut self, caller: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        self.in_one_step(|overlay| overlay.remove(caller, dir, name, false))
    }

    fn rmdir(&mut self, caller: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        self.in_one_step(|overlay| overlay.remove(caller, dir, name, true))
    }

    fn rename(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new_dir: InodeId,
        new_name: &[u8],
    ) -> Result<(), Errno> {
        self.in_one_step(|overlay| overlay.move_name(caller, dir, name, new_dir, new_name))
    }
}
